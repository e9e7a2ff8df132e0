"""A family, drawn afresh for every story.

It descends from one couple. On each level below, people marry with a given probability, and a
couple above the last level has a number of children in a given range. People are numbers, and a set
of people is a bit mask. Genders are drawn for each child, and a spouse has the other gender.

The *pedigree* is the family without its genders. Families that differ only in the order of siblings
have the same one: a family of four generations with two or three children has one of 112. So
pedigrees are cached together with the relations of their members, which are found by following the
letters of a position (see algebra.py) for the people that stories need.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fabula.core.seeds import Draw
from fabula.world.kinship.algebra import FEMALE, MALE, Vocabulary

LARGEST = 5_000  # people; a recipe with larger families is rejected
PIECE = 4  # facts in a piece of a clause that is checked on its own
SEARCHED = 2_000  # people visited for one clause before it is called impossible
MOST_ALIKE = 50_000  # cached lists of people in different branches
REMEMBERED = 20_000  # people in all cached pedigrees, so that memory stays flat

SINGLE = "-"
GROWN = "()"
"""A child who does not marry, and one who does and has no children yet."""
UNSEEN = -1


def members(mask: int) -> list[int]:
    """The people in a mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def one_of(draw: Draw, mask: int) -> int:
    """One of the people in a mask, drawn uniformly."""
    for _ in range(int(draw() * mask.bit_count())):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


class Pedigree:
    """Couples and their children, and their relations.

    Written as text: a couple is its children in brackets, a child who does not marry a dash, so
    '(()-)' is a couple with a married and a single child. People who marry into the family come
    right after all those they marry; singles come last.
    """

    __slots__ = ("_kinds", "_letters", "above", "kin", "kinds", "married", "relations", "size")

    married: int
    size: int
    kinds: list[int]
    above: list[int]
    kin: dict[str, list[int]]

    def __init__(self, vocabulary: Vocabulary, text: str) -> None:
        married = self.married = text.count("(")
        """The number of couples: person n and person n + married are a couple, for all n below
        it.
        """
        self.size = 2 * married + text.count(SINGLE)
        size = self.size
        parents, children, spouse, siblings = ([0] * size for _ in range(4))
        kinds = self.kinds = [0] * size
        """For each person 2 * generation, plus one for those who married in."""
        self.above = [-1] * size
        """For each person, the couple (its first number) that they, or the person they married, are
        a child of; -1 for the first couple.
        """
        above: list[int] = []  # the couples that are still open
        wed, single = 0, 2 * married
        for letter in text:
            if letter == ")":
                above.pop()
                continue
            if letter == SINGLE:
                person, single = single, single + 1
            else:
                person, wed = wed, wed + 1
                spouse[person], spouse[person + married] = 1 << person + married, 1 << person
                kinds[person + married] = 2 * len(above) + 1
            kinds[person] = 2 * len(above)
            if above:
                parents[person] = 1 << above[-1] | 1 << above[-1] + married
                children[above[-1]] |= 1 << person
                self.above[person] = above[-1]
                if letter != SINGLE:
                    self.above[person + married] = above[-1]
            if letter != SINGLE:
                above.append(person)
        for person in range(married):
            born = children[person + married] = children[person]
            for child in members(born):
                siblings[child] = born & ~(1 << child)
        self._letters = {"P": parents, "C": children, "M": spouse, "S": siblings}
        self.relations = {name: r.places for name, r in vocabulary.relations.items()}
        self._kinds: dict[int, int] = {}
        self.kin = {name: [UNSEEN] * size for name in self.relations}
        """For each relation and person, everyone in this relation to the person, or UNSEEN if
        nobody has asked yet. Inner loops read it directly; `relatives` fills it."""

    def relatives(self, person: int, relation: str) -> int:
        """Everyone in this relation to a person."""
        known = self.kin[relation][person]
        if known != UNSEEN:
            return known
        result = 0
        for place in self.relations[relation]:
            found = 1 << person
            for letter in place:
                step, last, found = self._letters[letter], found, 0
                while last:
                    low = last & -last
                    found |= step[low.bit_length() - 1]
                    last ^= low
            result |= found
        self.kin[relation][person] = result
        return result

    def of_kinds(self, kinds: int) -> int:
        """Everyone whose kind is in this mask of kinds."""
        found = self._kinds.get(kinds)
        if found is None:
            found = sum(1 << n for n, kind in enumerate(self.kinds) if kinds >> kind & 1)
            self._kinds[kinds] = found
        return found


class _Pedigrees:
    """Cache of pedigrees, cleared when it grows too large."""

    def __init__(self) -> None:
        self._known: dict[tuple[Vocabulary, str], Pedigree] = {}
        self._people = 0

    def get(self, vocabulary: Vocabulary, text: str) -> Pedigree:
        """The pedigree written as a text."""
        found = self._known.get((vocabulary, text))
        if found is None:
            found = Pedigree(vocabulary, text)
            self._people += found.size
            if self._people > REMEMBERED:
                self._known.clear()
                self._people = found.size
            self._known[vocabulary, text] = found
        return found


_PEDIGREES = _Pedigrees()


class Family:
    """People of a pedigree with their genders."""

    __slots__ = ("generations", "men", "pedigree", "women")

    def __init__(
        self,
        draw: Draw,
        vocabulary: Vocabulary,
        generations: int,
        children: tuple[int, int],
        marriage: float,
    ) -> None:
        text = _couple(draw, generations - 1, *children, marriage)
        pedigree = self.pedigree = _PEDIGREES.get(vocabulary, text)
        self.generations = generations
        size, married = pedigree.size, pedigree.married
        coins = 0
        for _ in range(0, size - married, 32):
            coins = coins << 32 | int(draw() * 2**32)
        couples = (1 << married) - 1
        singles = (1 << size - 2 * married) - 1
        self.men = coins & couples | (~coins & couples) << married
        self.men |= (coins >> married & singles) << 2 * married
        self.women = ((1 << size) - 1) & ~self.men

    def __len__(self) -> int:
        return self.pedigree.size

    def gender(self, person: int) -> str:
        """The gender of a person."""
        return MALE if self.men >> person & 1 else FEMALE

    def settle(self, wishes: Sequence[tuple[int, str]]) -> bool:
        """Give these people these genders, and their spouses the other one; False on a conflict.

        Since all genders are equally likely, the result is a uniform draw among the families that
        fit.
        """
        married = self.pedigree.married
        men = women = 0
        for person, gender in wishes:
            spouse = 0
            if person < 2 * married:
                spouse = 1 << (person + married if person < married else person - married)
            if gender == MALE:
                men, women = men | 1 << person, women | spouse
            else:
                men, women = men | spouse, women | 1 << person
        if men & women:
            return False
        self.men = self.men & ~women | men
        self.women = self.women & ~men | women
        return True

    def relation(self, first: int, second: int) -> str | None:
        """The relation of the second person to the first, if there is a word for it."""
        for name in self.pedigree.relations:
            if self.pedigree.relatives(first, name) >> second & 1:
                return name
        return None


def _couple(draw: Draw, below: int, low: int, high: int, marriage: float) -> str:
    """A couple and the generations below it, as text."""
    if not below:
        return GROWN
    count = low if low == high else low + int(draw() * (high - low + 1))
    if marriage >= 1:
        if below == 1:
            return f"({GROWN * count})"
        if below == 2 and low < high:
            span = high - low + 1
            sizes = sorted([low + int(draw() * span) for _ in range(count)], reverse=True)
            return f"({''.join([f'({GROWN * size})' for size in sizes])})"
    born = [
        _couple(draw, below - 1, low, high, marriage)
        if marriage >= 1 or draw() < marriage
        else SINGLE
        for _ in range(count)
    ]
    return f"({''.join(sorted(born))})"


def _moves(letter: str, kind: int, generations: int) -> set[int]:
    """The kinds that a letter leads to from a kind."""
    level, joined = divmod(kind, 2)
    if letter == "M":
        return {kind ^ 1}
    if letter == "C":
        return {2 * level + 2} if level + 1 < generations else set()
    if joined or level == 0:
        return set()
    return {kind} if letter == "S" else {2 * level - 2, 2 * level - 1}


@lru_cache(maxsize=64)
def _reach(vocabulary: Vocabulary, generations: int) -> dict[str, tuple[tuple[int, int], ...]]:
    """For each relation, the kinds it can start from, each as a bit with the kinds it leads to."""
    table = {}
    for relation, known in vocabulary.relations.items():
        rows = []
        for kind in range(2 * generations):
            onward = 0
            for place in known.places:
                found = {kind}
                for letter in place:
                    found = {k for last in found for k in _moves(letter, last, generations)}
                onward |= sum(1 << k for k in found)
            if onward:
                rows.append((1 << kind, onward))
        table[relation] = tuple(rows)
    return table


@lru_cache(maxsize=4096)
def room(vocabulary: Vocabulary, generations: int, relations: tuple[str, ...]) -> list[int]:
    """For each person of a clause, a mask of the kinds from which the rest of it can be
    followed.
    """
    reach = _reach(vocabulary, generations)
    later = (1 << 2 * generations) - 1
    kinds = [later]
    for relation in reversed(relations):
        here = 0
        for bit, onward in reach[relation]:
            if onward & later:
                here |= bit
        later = here
        kinds.append(later)
    kinds.reverse()
    return kinds


# --- which clauses a family can have ----------------------------------------------------------


class FamilyShape(NamedTuple):
    """The parameters that a family is drawn from."""

    generations: int
    children: tuple[int, int]
    marriage: float


class Roomiest:
    """The largest family of a shape: it has every clause that any family of that shape has."""

    def __init__(self, vocabulary: Vocabulary, shape: FamilyShape, facts: int) -> None:
        """For clauses of this length; more children than they have people would be useless."""
        self._vocabulary, self._generations = vocabulary, shape.generations
        most = min(shape.children[1], facts + 1)
        text = f"({SINGLE * most})" if not shape.marriage else "()"
        for _ in range(shape.generations - 1 if shape.marriage else 0):
            text = f"({text * most})"
        pedigree = self.pedigree = Pedigree(vocabulary, text)
        married = pedigree.married
        self._kinds = [kind + 1 for kind in pedigree.kinds]
        joined = range(married, 2 * married)
        self._line = [n - married if n in joined else n for n in range(pedigree.size)]
        """For each person, the number that identifies their branch: that of the couple."""
        self._pieces: dict[tuple[str, ...], bool] = {}
        """Whether somebody fits a piece of a clause."""
        self._alike: dict[tuple[int, int], list[int]] = {}
        """Cache of `_different`."""
        self._branch = [0] * pedigree.size
        """For each such number, everyone below and the couple itself."""
        for person in range(pedigree.size):
            line = self._line[person]
            while line >= 0:
                self._branch[line] |= 1 << person
                line = pedigree.above[line]

    def holds(self, relations: tuple[str, ...]) -> bool:
        """Whether some people of the family fit this clause."""
        kinds = room(self._vocabulary, self._generations, relations)
        if not kinds[0]:
            return False
        # most other clauses that nobody fits contain a short piece that nobody fits
        known = self._pieces
        for at in range(len(relations) - PIECE + 1 if len(relations) > PIECE else 0):
            piece = relations[at : at + PIECE]
            if piece not in known:
                known[piece] = self.holds(piece)
            if not known[piece]:
                return False
        return self._search(relations, kinds)

    def _search(self, relations: Sequence[str], kinds: Sequence[int]) -> bool:
        """The same by search; unvisited branches are alike, so one of them is enough."""
        pedigree, count = self.pedigree, len(relations)
        kin = [pedigree.kin[relation] for relation in relations]
        fit = [pedigree.of_kinds(here) for here in kinds]
        met = 0
        path: list[int] = []
        left = [self._different(fit[0], 0)]
        tried = [0]
        """How many of each list in `left` were looked at."""
        work = SEARCHED
        while left:
            at = len(path)
            todo, done = left[at], tried[at]
            if done == len(todo):
                left.pop()
                tried.pop()
                if path:
                    met ^= 1 << path.pop()
                continue
            work -= 1
            if not work:
                return False
            tried[at] = done + 1
            person = todo[done]
            found = kin[at][person]
            if found == UNSEEN:
                found = pedigree.relatives(person, relations[at])
            found &= ~met & fit[at + 1]
            if not found:
                continue
            if at + 1 == count:
                return True
            path.append(person)
            met |= 1 << person
            left.append(self._different(found, met))
            tried.append(0)
        return False

    def _different(self, people: int, met: int) -> list[int]:
        """One person from each group of identical branches."""
        known = self._alike.get((people, met))
        if known is not None:
            return known
        above, branch, kinds, line = self.pedigree.above, self._branch, self._kinds, self._line
        found: dict[int, int] = {}
        rest = people
        while rest:
            low = rest & -rest
            rest ^= low
            person = low.bit_length() - 1
            top = line[person]
            if branch[top] & met:
                found[-1 - person] = person
                continue
            up = above[top]
            while up >= 0 and not branch[up] & met:
                top, up = up, above[up]
            found[kinds[person] * len(line) + up] = person
        if len(self._alike) > MOST_ALIKE:
            self._alike.clear()
        different = self._alike[people, met] = list(found.values())[::-1]
        return different


@lru_cache(maxsize=64)
def roomiest(vocabulary: Vocabulary, shape: FamilyShape, facts: int) -> Roomiest:
    """The largest family of a shape, as far as clauses of this length need it."""
    return Roomiest(vocabulary, shape, facts)


def largest(generations: int, children: tuple[int, int], marriage: float) -> int:
    """The maximum number of people in such a family."""
    size, couples = 2, 1
    for _ in range(1, generations):
        born = couples * children[1]
        couples = born if marriage > 0 else 0
        size += born + couples
        if size > LARGEST:
            break
    return size
