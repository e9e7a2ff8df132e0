"""The algebra of kin: positions in a family, and which follow from which.

The axioms (also in rules.lp, where clingo uses them independently):
1. Everyone is the child of one couple; a couple is a man and a woman and shares its children.
2. Siblings share both parents.
3. Everyone has at most one spouse.
4. Nobody is their own relative, by blood or marriage: a family is a tree of people and couples.
5. Different names are different people.

So two relatives are joined by exactly one path through the tree. A *position* is that path, a word
over P (a parent), S (a sibling), M (the spouse), C (a child): an uncle is at PS, a father-in-law at
MP. A parent or spouse is reached through the couple they belong to, so the path continues to
*their* parents or siblings (P, S); a sibling or child is reached as somebody's child, so it
continues to their spouse or children (M, C). Positions up to LONGEST letters are numbered, and a
*set* of them is a bit mask: what somebody may be. UNKNOWN is every position, including longer ones.

Promises:
1. `compose` never leaves out a position that some family allows (it ignores genders, so it may
   allow too many); what `fold` derives from a chain holds in every family that fits it.
2. No two words of a vocabulary share a position, so at most one word is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

LONGEST = 5
MOST_KEPT = 500_000  # cached compositions, so that memory stays flat
MOST_FOLDED = 200_000  # cached chains
GOES_ON = {"P": "PS", "M": "PS", "S": "MC", "C": "MC"}
MIRROR = str.maketrans("PC", "CP")

MALE, FEMALE = "male", "female"


def _positions() -> list[str]:
    found = list("PSMC")
    for place in found:
        if len(place) < LONGEST:
            found += [place + letter for letter in GOES_ON[place[-1]]]
    return found


POSITIONS = _positions()
NUMBER = {place: n for n, place in enumerate(POSITIONS)}
UNKNOWN: Final = -1


def mirrored(place: str) -> str:
    """The way back."""
    return place[::-1].translate(MIRROR)


def join(first: str, second: str) -> set[str]:
    """All positions of the third person, including that of the first person ('')."""
    if not first or not second:
        return {first + second}
    start, rest = first[:-1], second[1:]
    match first[-1] + second[0]:
        case "PM":  # a parent's spouse is the other parent
            return {start + "P" + rest}
        case "PC":  # a parent's child is oneself or a sibling
            return join(start, rest) | {start + "S" + rest}
        case "MM":  # the spouse's spouse is oneself
            return join(start, rest)
        case "MC" | "CS":  # the spouse's child, a child's sibling: one's child
            return {start + "C" + rest}
        case "SP":
            return {start + "P" + rest}
        case "SS":
            return join(start, rest) | {start + "S" + rest}
        case "CP":  # a child's parent is oneself or the spouse
            return join(start, rest) | {start + "M" + rest}
        case _:
            return {first + second}


def mask_of_places(places: Iterable[str]) -> int:
    """The positions as a bit mask; UNKNOWN if one is too long."""
    mask = 0
    for place in places:
        if len(place) > LONGEST:
            return UNKNOWN
        number = NUMBER.get(place)
        if number is None:  # a position with a step that only weaker laws have (conventions.py)
            number = NUMBER[place] = len(POSITIONS)
            POSITIONS.append(place)
        mask |= 1 << number
    return mask


def places_of(mask: int) -> list[str]:
    """The positions in a mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(POSITIONS[low.bit_length() - 1])
        mask ^= low
    return found


Law = Callable[[str, str], Iterable[str] | None]
"""Joins two positions: all that the third person's may be; None if nothing is known of it."""


class Composition:
    """Composes sets of positions by a law, and remembers what it found."""

    def __init__(self, law: Law) -> None:
        self._law = law
        self._rows: dict[int, dict[int, int]] = {}
        """For each set of positions what it gives with another one."""
        self._kept = 0
        self._folded: dict[tuple[int, ...], int] = {}

    def compose(self, first: int, second: int) -> int:
        """The possible positions of the third of three different people, relative to the first."""
        if first == UNKNOWN or second == UNKNOWN:
            return UNKNOWN
        row = self._rows.get(first)
        known = None if row is None else row.get(second)
        return self._composed(first, second) if known is None else known

    def _composed(self, first: int, second: int) -> int:
        found: set[str] | None = set()
        for one in places_of(first):
            for two in places_of(second):
                joined = self._law(one, two)
                found = None if joined is None or found is None else found.union(joined)
        mask = UNKNOWN if found is None else mask_of_places(found - {""})
        if self._kept < MOST_KEPT:
            self._kept += 1
            self._rows.setdefault(first, {})[second] = mask
        return mask

    def fold(self, chain: tuple[int, ...]) -> int:
        """Where the last person of a chain of different people may be, seen from the first.

        Every way to bracket the chain is sound, so what remains is what all of them allow; nothing
        if no family has such people.
        """
        known = self._folded.get(chain)
        if known is None:
            if len(self._folded) > MOST_FOLDED:
                self._folded.clear()
            known = self._folded[chain] = self._fold(chain)
        return known

    def _fold(self, chain: tuple[int, ...]) -> int:
        count, rows = len(chain), self._rows
        # what i + 1, i + 2, … are to person i, with the row of each; what j + 1 is to j, j - 1, …
        leaving: list[list[int]] = [[step] for step in chain]
        tables: list[list[dict[int, int]]] = [[rows.setdefault(step, {})] for step in chain]
        coming: list[list[int]] = [[step] for step in chain]
        whole = chain[0]
        for n in range(1, count):
            for i in range(count - n):
                whole = UNKNOWN
                table, to = tables[i], coming[i + n]
                for at in range(n):
                    known = table[at].get(to[n - 1 - at])
                    if known is None:
                        known = self.compose(leaving[i][at], to[n - 1 - at])
                    whole &= known
                leaving[i].append(whole)
                table.append(NOTHING if whole == UNKNOWN else rows.setdefault(whole, {}))
                to.append(whole)
        return whole


NOTHING: dict[int, int] = {}
"""The cached compositions with UNKNOWN."""
_JOINED = Composition(join)


def compose(first: int, second: int) -> int:
    """The possible positions of the third of three different people, relative to the first."""
    return _JOINED.compose(first, second)


def inverse(mask: int) -> int:
    """The possible positions of the first, relative to the second."""
    return UNKNOWN if mask == UNKNOWN else mask_of_places(map(mirrored, places_of(mask)))


def fold(chain: Sequence[int]) -> int:
    """The possible positions of the last person of a chain, relative to the first."""
    return _JOINED.fold(tuple(chain))


# --- words ------------------------------------------------------------------------------------


class Relation(NamedTuple):
    """The relation of two people, ignoring their gender."""

    name: str
    male: str
    female: str
    places: tuple[str, ...]
    mirror: str
    """The inverse relation."""


BASE = (
    Relation("child", "son", "daughter", ("C",), "parent"),
    Relation("parent", "father", "mother", ("P",), "child"),
    Relation("spouse", "husband", "wife", ("M",), "spouse"),
    Relation("sibling", "brother", "sister", ("S",), "sibling"),
    Relation("grandchild", "grandson", "granddaughter", ("CC",), "grandparent"),
    Relation("grandparent", "grandfather", "grandmother", ("PP",), "grandchild"),
    Relation("child-in-law", "son-in-law", "daughter-in-law", ("CM",), "parent-in-law"),
    Relation("parent-in-law", "father-in-law", "mother-in-law", ("MP",), "child-in-law"),
    Relation("nibling", "nephew", "niece", ("SC",), "pibling"),
    Relation("pibling", "uncle", "aunt", ("PS",), "nibling"),
)
MORE = {
    "sibling-in-law": (
        Relation(
            "sibling-in-law", "brother-in-law", "sister-in-law", ("MS", "SM"), "sibling-in-law"
        ),
    ),
    "cousin": (Relation("cousin", "cousin", "cousin", ("PSC",), "cousin"),),
    "great-grand": (
        Relation(
            "great-grandchild", "great-grandson", "great-granddaughter", ("CCC",),
            "great-grandparent",
        ),
        Relation(
            "great-grandparent", "great-grandfather", "great-grandmother", ("PPP",),
            "great-grandchild",
        ),
    ),
}  # fmt: skip
BY_MARRIAGE = {"pibling": "PSM", "nibling": "MSC"}
OPTIONS = (*MORE, "by-marriage")


class Body(NamedTuple):
    """Two relations from which another follows: b is a's `first`, and c is b's `second`."""

    first: str
    second: str
    back: str
    """The relation of b to c."""


class Vocabulary:
    """The relations that have a word, and the rules between them."""

    def __init__(self, options: frozenset[str]) -> None:
        relations = list(BASE)
        for option in OPTIONS:
            if option in options and option in MORE:
                relations += MORE[option]
        if "by-marriage" in options:
            relations = [
                r._replace(places=(*r.places, BY_MARRIAGE[r.name])) if r.name in BY_MARRIAGE else r
                for r in relations
            ]
        self.options = options
        self._rules: dict[tuple[str, str], str] = {}
        self._bodies: dict[str, tuple[Body, ...]] = {}
        self.relations: dict[str, Relation] = {r.name: r for r in relations}
        self.mask: dict[str, int] = {r.name: mask_of_places(r.places) for r in relations}
        self.mirror: dict[str, str] = {r.name: r.mirror for r in relations}
        self.at: dict[str, str] = {place: r.name for r in relations for place in r.places}
        self.relation_of: dict[str, tuple[str, str]] = {}
        """Word to relation and gender; no gender for 'cousin'."""
        for r in relations:
            if r.male == r.female:
                self.relation_of[r.male] = (r.name, "")
            else:
                self.relation_of[r.male] = (r.name, MALE)
                self.relation_of[r.female] = (r.name, FEMALE)
        self.words: tuple[str, ...] = tuple(self.relation_of)
        starts = {place[:n] for place in self.at for n in range(1, len(place) + 1)}
        self.walks: tuple[tuple[str, str, str, str], ...] = tuple(
            (place, place[:-1], place[-1], self.at.get(place, ""))
            for place in sorted(starts, key=lambda p: (len(p), p))
        )
        """All prefixes of positions that have a word, short ones first: the position, all but its
        last letter, that letter, and the relation if there is one.
        """

    def word(self, relation: str, gender: str) -> str:
        """The word for a relative of this gender."""
        found = self.relations[relation]
        return found.male if gender == MALE else found.female

    def named(self, mask: int) -> str | None:
        """The relation that all of these positions have, or None."""
        if mask == UNKNOWN or not mask:
            return None
        for name, known in self.mask.items():
            if not mask & ~known:
                return name
        return None

    @property
    def rules(self) -> dict[tuple[str, str], str]:
        """The sound compositions of two relations."""
        if not self._rules:
            for first, one in self.mask.items():
                for second, two in self.mask.items():
                    head = self.named(compose(one, two))
                    if head:
                        self._rules[first, second] = head
        return self._rules

    @property
    def bodies(self) -> dict[str, tuple[Body, ...]]:
        """For each relation, the pairs that it follows from."""
        if not self._bodies:
            for name in self.relations:
                pairs = [pair for pair, head in self.rules.items() if head == name]
                self._bodies[name] = tuple([Body(one, two, self.mirror[two]) for one, two in pairs])
        return self._bodies

    def prove(self, chain: Sequence[str]) -> list[tuple[int, int, int]] | None:
        """A proof by the rules: steps (i, cut, j), outermost first; None if there is none.

        Step (i, cut, j) combines the relation of persons i and cut with that of cut and j.
        """
        return _proof(self, tuple(chain))

    def _prove(self, chain: tuple[str, ...]) -> list[tuple[int, int, int]] | None:
        count = len(chain)
        derived: dict[tuple[int, int], str] = {(i, i + 1): chain[i] for i in range(count)}
        cuts: dict[tuple[int, int], int] = {}
        rules = self.rules
        for width in range(2, count + 1):
            for i in range(count - width + 1):
                for cut in range(i + 1, i + width):
                    pair = (derived.get((i, cut), ""), derived.get((cut, i + width), ""))
                    head = rules.get(pair)
                    if head:
                        derived[i, i + width] = head
                        cuts[i, i + width] = cut
                        break
        if (0, count) not in derived:
            return None
        steps, open_spans = [], [(0, count)]
        while open_spans:
            i, j = open_spans.pop(0)
            if j - i > 1:
                cut = cuts[i, j]
                steps.append((i, cut, j))
                open_spans += [(i, cut), (cut, j)]
        return steps

    def clauses(self, k: int) -> dict[tuple[str, ...], str]:
        """All chains of k relations that the rules can resolve, with the resulting relation."""
        return _clauses(self, k)


@lru_cache(maxsize=20_000)
def _proof(vocabulary: Vocabulary, chain: tuple[str, ...]) -> list[tuple[int, int, int]] | None:
    return vocabulary._prove(chain)


@lru_cache(maxsize=32)
def _clauses(vocabulary: Vocabulary, k: int) -> dict[tuple[str, ...], str]:
    if k == 1:
        return {(name,): name for name in vocabulary.relations}
    found: dict[tuple[str, ...], str] = {}
    for left in range(1, k):
        for first, one in vocabulary.clauses(left).items():
            for second, two in vocabulary.clauses(k - left).items():
                head = vocabulary.rules.get((one, two))
                if head:
                    found[first + second] = head
    return found


@cache
def vocabulary(options: frozenset[str] = frozenset()) -> Vocabulary:
    """The vocabulary with these options."""
    return Vocabulary(options)
