"""The algebra of kin: positions in a family, and which follow from which.

The axioms (also in rules.lp, where clingo uses them on its own):
1. Everyone is the child of one couple; a couple are a man and a woman and share their children.
2. Siblings share both parents.
3. Everyone has at most one spouse.
4. Nobody is their own relative, by blood or marriage: a family is a tree of people and couples.
5. Different names are different people.

So two relatives are joined by exactly one way through the tree. A *position* is that way, a word
over P (a parent), S (a sibling), M (the spouse), C (a child): an uncle is at PS, a father-in-law at
MP. One comes to a parent or spouse through the couple they belong to, so the way goes on to *their*
parents or siblings (P, S); to a sibling or child as somebody's child, so it goes on to their spouse
or children (M, C). Positions up to LONGEST letters are numbered, and a *set* of them is a bit mask:
what somebody may be. UNKNOWN is every position, also the longer ones.

Promises:
1. `compose` never leaves out a position that some family allows (genders are not used, so it may
   allow more than there is); what `fold` says of a chain holds in every family that fits it.
2. Words of a vocabulary have no position in common, so one word at most is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

LONGEST = 5
MOST_KEPT = 500_000  # compositions remembered, so that memory stays flat
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
UNKNOWN = (1 << len(POSITIONS) + 1) - 1  # the last bit stands for all longer positions


def mirrored(place: str) -> str:
    """The way back."""
    return place[::-1].translate(MIRROR)


def join(first: str, second: str) -> set[str]:
    """All positions of the third person, the first person's own place ('') included."""
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
    """The positions as a bit mask; one that is too long makes it UNKNOWN."""
    mask = 0
    for place in places:
        if place not in NUMBER:
            return UNKNOWN
        mask |= 1 << NUMBER[place]
    return mask


def places_of(mask: int) -> list[str]:
    """The positions in a mask."""
    return [place for n, place in enumerate(POSITIONS) if mask >> n & 1]


class _Row(dict[int, int]):
    """The compositions with one set of positions, computed on demand."""

    kept = 0  # entries of all rows

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = places_of(first) if first != UNKNOWN else []
        self._known = first != UNKNOWN

    def __missing__(self, second: int) -> int:
        mask = UNKNOWN
        if self._known and second != UNKNOWN:
            ways = [join(one, two) for one in self._first for two in places_of(second)]
            mask = mask_of_places(set().union(*ways) - {""})
        if _Row.kept < MOST_KEPT:
            _Row.kept += 1
            self[second] = mask
        return mask


class _Rows(dict[int, _Row]):
    """A row for each set of positions that was met."""

    def __missing__(self, first: int) -> _Row:
        row = _Row(first)
        if len(self) < MOST_KEPT:
            self[first] = row
        return row


_ROWS = _Rows()


def compose(first: int, second: int) -> int:
    """Where the third of three different people may be, seen from the first."""
    return _ROWS[first][second]


def inverse(mask: int) -> int:
    """Where the first may be, seen from the second."""
    return UNKNOWN if mask == UNKNOWN else mask_of_places(map(mirrored, places_of(mask)))


_FOLDED: dict[tuple[int, ...], int] = {}


def fold(chain: Sequence[int]) -> int:
    """Where the last person of a chain of different people may be, seen from the first.

    Every way to bracket the chain is sound, so what remains is what all of them allow; nothing if
    no family has such people.
    """
    key = tuple(chain)
    known = _FOLDED.get(key)
    if known is None:
        if len(_FOLDED) > 200_000:
            _FOLDED.clear()
        known = _FOLDED[key] = _fold(key)
    return known


def _fold(chain: tuple[int, ...]) -> int:
    count, rows = len(chain), _ROWS
    # from person i to i + 1, i + 2, …; and to person j + 1 from j, j - 1, …
    leaving: list[list[_Row]] = [[rows[step]] for step in chain]
    coming: list[list[int]] = [[step] for step in chain]
    whole = chain[0]
    for n in range(1, count):
        for i in range(count - n):
            whole = UNKNOWN
            for row, second in zip(leaving[i], reversed(coming[i + n]), strict=True):
                whole &= row[second]
            leaving[i].append(rows[whole])
            coming[i + n].append(whole)
    return whole


# --- words ------------------------------------------------------------------------------------


class Relation(NamedTuple):
    """The relation of two people, whatever their gender."""

    name: str
    male: str
    female: str
    places: tuple[str, ...]
    mirror: str
    """The relation the other way round."""


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
        self.relations: dict[str, Relation] = {r.name: r for r in relations}
        self.mask: dict[str, int] = {r.name: mask_of_places(r.places) for r in relations}
        self.mirror: dict[str, str] = {r.name: r.mirror for r in relations}
        self.at: dict[str, str] = {place: r.name for r in relations for place in r.places}
        self.relation_of: dict[str, tuple[str, str]] = {}
        """For each word the relation and the gender; none for 'cousin'."""
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
        """All positions on the way to a word, the short ones first: the position, all but its
        last letter, that letter, and the relation if there is one."""

    def word(self, relation: str, gender: str) -> str:
        """The word for a relative of this gender."""
        found = self.relations[relation]
        return found.male if gender == MALE else found.female

    def named(self, mask: int) -> str | None:
        """The relation that holds for all of these positions, or None."""
        for name, known in self.mask.items():
            if mask and not mask & ~known:
                return name
        return None

    @cached_property
    def rules(self) -> dict[tuple[str, str], str]:
        """The sound compositions of two relations."""
        found = {}
        for first, one in self.mask.items():
            for second, two in self.mask.items():
                head = self.named(compose(one, two))
                if head:
                    found[first, second] = head
        return found

    @cached_property
    def bodies(self) -> dict[str, tuple[Body, ...]]:
        """For each relation the pairs it follows from."""
        return {
            name: tuple(
                Body(one, two, self.mirror[two])
                for (one, two), head in self.rules.items()
                if head == name
            )
            for name in self.relations
        }

    def prove(self, chain: Sequence[str]) -> list[tuple[int, int, int]] | None:
        """A proof by the rules: steps (i, cut, j), outermost first; None if there is none.

        Step (i, cut, j) joins what persons i and cut are with what cut and j are.
        """
        return _proof(self, tuple(chain))

    def _prove(self, chain: tuple[str, ...]) -> list[tuple[int, int, int]] | None:
        count = len(chain)
        derived: dict[tuple[int, int], str] = {(i, i + 1): chain[i] for i in range(count)}
        cuts: dict[tuple[int, int], int] = {}
        for width in range(2, count + 1):
            for i in range(count - width + 1):
                for cut in range(i + 1, i + width):
                    pair = (derived.get((i, cut), ""), derived.get((cut, i + width), ""))
                    head = self.rules.get(pair)
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
        """All chains of k relations that the rules prove, with what they prove."""
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
