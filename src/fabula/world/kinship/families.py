"""Decides how people are related by building the families that fit, without the reader's algebra.

The axioms are those of rules.lp: couples share their children, siblings share both parents,
everyone has at most one spouse, different names are different people, and nobody is their own
relative.

A family consists of people and couples: everyone was born to a couple and may belong to one. Each
stated fact is added step by step, with unnamed people in between: for 'Bob is Ann's uncle', a
person who belongs to the couple that Ann was born to, was born to the same couple as Bob, and is
not Bob. The result may violate an axiom. Then two of its people must be the same person, and every
way to repair it is tried:

- Three people belong to one couple, or two of the same gender: two of them are the same person.
- Couples form a cycle, joined by people who were born to one and belong to the next: in a tree
  every closed walk turns back somewhere, so two neighbours on the cycle are the same person.

A structure that needs no repair is a family that fits, and every family that fits arises from one
of these by identifying more people. A word follows if it holds in all of them and no other word can
be made to hold. In a tree there is exactly one path between two people, so other words are ruled
out at once if no two neighbours on that path can be the same person; otherwise each word is tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fabula.world.base import Claim, Fact, Query
from fabula.world.kinship.claims import GENDERS, WORDS, examine

UP, DOWN, SIDE, WED = "up", "down", "side", "wed"
"""To a parent, a child, a sibling, the spouse."""
Way = tuple[str, ...]

WAYS: dict[str, tuple[Way, ...]] = {
    "child": ((DOWN,),),
    "parent": ((UP,),),
    "spouse": ((WED,),),
    "sibling": ((SIDE,),),
    "grandchild": ((DOWN, DOWN),),
    "grandparent": ((UP, UP),),
    "child_in_law": ((DOWN, WED),),
    "parent_in_law": ((WED, UP),),
    "nibling": ((SIDE, DOWN),),
    "pibling": ((UP, SIDE),),
    "sibling_in_law": ((WED, SIDE), (SIDE, WED)),
    "cousin": ((UP, SIDE, DOWN),),
    "great_grandchild": ((DOWN, DOWN, DOWN),),
    "great_grandparent": ((UP, UP, UP),),
}
BY_MARRIAGE: dict[str, Way] = {"nibling": (WED, SIDE, DOWN), "pibling": (UP, SIDE, WED)}
OTHER = {"male": "female", "female": "male"}
NOBODY = -1


class Junction(NamedTuple):
    """Two neighbours on a path: both were born to a couple, or both belong to it."""

    one: int
    other: int


class Family:
    """People and couples, as far as they are known."""

    __slots__ = ("birth", "broken", "couples", "gender", "named", "own", "people", "unequal")

    def __init__(self) -> None:
        self.people: list[int] = []
        """Each person's representative (union-find)."""
        self.birth: list[int] = []
        """The couple each person was born to, if it matters."""
        self.own: list[int] = []
        """The couple each person belongs to, if any."""
        self.gender: list[str] = []
        self.named: list[bool] = []
        self.couples: list[int] = []
        self.unequal: list[tuple[int, int]] = []
        self.broken = False
        """Whether no family fits."""

    def copy(self) -> Family:
        """An independent copy."""
        twin = Family()
        twin.people, twin.birth, twin.own = self.people[:], self.birth[:], self.own[:]
        twin.gender, twin.named = self.gender[:], self.named[:]
        twin.couples, twin.unequal = self.couples[:], self.unequal[:]
        return twin

    # --- building ---------------------------------------------------------------------------

    def person(self, named: bool = False) -> int:
        """Add a person."""
        self.people.append(len(self.people))
        self.birth.append(NOBODY)
        self.own.append(NOBODY)
        self.gender.append("")
        self.named.append(named)
        return len(self.people) - 1

    def _couple(self) -> int:
        self.couples.append(len(self.couples))
        return len(self.couples) - 1

    def who(self, person: int) -> int:
        """The representative of a person."""
        people = self.people
        while people[person] != person:
            person = people[person]
        return person

    def which(self, couple: int) -> int:
        """The representative of a couple."""
        couples = self.couples
        while couple >= 0 and couples[couple] != couple:
            couple = couples[couple]
        return couple

    def _born(self, person: int) -> int:
        person = self.who(person)
        if self.birth[person] == NOBODY:
            self.birth[person] = self._couple()
        return self.birth[person]

    def _belongs(self, person: int) -> int:
        person = self.who(person)
        if self.own[person] == NOBODY:
            self.own[person] = self._couple()
        return self.own[person]

    def tell(self, first: int, way: Way, second: int, gender: str) -> None:
        """Add the fact that the second is at the end of a path from the first, with this gender if
        given.
        """
        here = first
        for n, step in enumerate(way, 1):
            there = second if n == len(way) else self.person()
            if step == UP:
                self._same_couple(self._born(here), self._belongs(there))
            elif step == DOWN:
                self._same_couple(self._belongs(here), self._born(there))
            else:
                self.unequal.append((here, there))
                if step == SIDE:
                    self._same_couple(self._born(here), self._born(there))
                else:
                    self._same_couple(self._belongs(here), self._belongs(there))
            here = there
        if gender:
            self.sex(second, gender)

    def sex(self, person: int, gender: str) -> None:
        """Set the gender of a person."""
        person = self.who(person)
        if self.gender[person] not in ("", gender):
            self.broken = True
        self.gender[person] = gender

    def _same_couple(self, one: int, other: int) -> None:
        one, other = self.which(one), self.which(other)
        if one != other:
            self.couples[other] = one

    def unite(self, one: int, other: int) -> None:
        """Identify two people."""
        one, other = self.who(one), self.who(other)
        if one == other:
            return
        if self.named[one] and self.named[other]:
            self.broken = True
            return
        if self.named[other]:
            one, other = other, one
        self.people[other] = one
        if self.gender[other]:
            self.sex(one, self.gender[other])
        for table in (self.birth, self.own):
            if table[one] == NOBODY:
                table[one] = table[other]
            elif table[other] != NOBODY:
                self._same_couple(table[one], table[other])
        if any(self.who(a) == self.who(b) for a, b in self.unequal):
            self.broken = True

    # --- queries ----------------------------------------------------------------------------

    def _everyone(self) -> list[tuple[int, int, int]]:
        """Each person once, with the couples they were born to and belong to."""
        which = self.which
        return [
            (person, which(self.birth[person]), which(self.own[person]))
            for person, same in enumerate(self.people)
            if person == same
        ]

    def faults(self) -> list[Junction] | None:
        """The pairs one of which must be the same person for the axioms to hold; None if they
        do.
        """
        partners: dict[int, list[int]] = {}
        edges: dict[int, list[tuple[int, int]]] = {}
        for person, born, own in self._everyone():
            if own == NOBODY:
                continue
            if born == own:
                return []  # nothing can repair somebody being their own parent
            belong = partners.setdefault(own, [])
            belong.append(person)
            if born != NOBODY:
                edges.setdefault(born, []).append((own, person))
                edges.setdefault(own, []).append((born, person))
            if len(belong) > 2:
                a, b, c = belong[:3]
                return [Junction(a, b), Junction(a, c), Junction(b, c)]
        for belong in partners.values():
            if len(belong) == 2:
                one, other = belong
                if self.gender[one] and self.gender[one] == self.gender[other]:
                    return [Junction(one, other)]
        circle = _circle(edges)
        if circle is None:
            return None
        return [
            Junction(one, other)
            for one, other in zip(circle, [*circle[1:], circle[0]], strict=True)
            if self._alike(one, other)
        ]

    def _alike(self, one: int, other: int) -> bool:
        """Whether two people were born to one couple, or belong to one."""
        which = self.which
        return which(self.birth[one]) == which(self.birth[other]) or which(self.own[one]) == which(
            self.own[other]
        )

    def way(self, first: int, second: int) -> tuple[Way, list[Junction]] | None:
        """The steps from one person to another, and the pairs where they change direction; or
        None.
        """
        first, second = self.who(first), self.who(second)
        around: dict[int, list[tuple[int, int]]] = {}
        for person, born, own in self._everyone():
            if NOBODY not in (born, own) and person not in (first, second):
                around.setdefault(born, []).append((own, person))
                around.setdefault(own, []).append((born, person))
        which = self.which
        goals = {which(self.birth[second]), which(self.own[second])} - {NOBODY}
        starts = {which(self.birth[first]), which(self.own[first])} - {NOBODY}
        came: dict[int, tuple[int, int]] = dict.fromkeys(starts, (NOBODY, first))
        todo = list(came)
        for couple in todo:  # grows during iteration
            if couple in goals:
                return self._steps(came, couple, second)
            for other, person in around.get(couple, ()):
                if other not in came:
                    came[other] = (couple, person)
                    todo.append(other)
        return None

    def _steps(
        self, came: dict[int, tuple[int, int]], couple: int, second: int
    ) -> tuple[Way, list[Junction]]:
        steps: list[str] = []
        aside: list[Junction] = []
        there = second
        while couple != NOBODY:
            before, here = came[couple]
            child = self.which(self.birth[here]) == couple
            if child == (self.which(self.birth[there]) == couple):
                steps.append(SIDE if child else WED)
                aside.append(Junction(here, there))
            else:
                steps.append(UP if child else DOWN)
            couple, there = before, here
        return tuple(reversed(steps)), aside

    def distinct(self, pair: Junction) -> bool:
        """Whether two people cannot be the same person."""
        one, other = map(self.who, pair)
        genders = self.gender[one], self.gender[other]
        if (self.named[one] and self.named[other]) or (
            "" not in genders and len(set(genders)) == 2
        ):
            return True
        return any({self.who(a), self.who(b)} == {one, other} for a, b in self.unequal)

    def sure_gender(self, person: int) -> str:
        """The stated gender of a person."""
        return self.gender[self.who(person)]

    def likely_gender(self, person: int) -> str:
        """The stated gender, or the one implied by the spouse."""
        person = self.who(person)
        if self.gender[person] or self.own[person] == NOBODY:
            return self.gender[person]
        own = self.which(self.own[person])
        for other, _, couple in self._everyone():
            if couple == own and other != person:
                return OTHER.get(self.gender[other], "")
        return ""


def _circle(edges: dict[int, list[tuple[int, int]]]) -> list[int] | None:
    """The people on some cycle of couples, in order; None if there is no cycle."""
    came: dict[int, tuple[int, int]] = {}
    for start in edges:
        if start in came:
            continue
        came[start] = (NOBODY, NOBODY)
        todo = [start]
        for couple in todo:  # grows during iteration
            by = came[couple][1]
            for other, person in edges[couple]:
                if person == by:
                    continue
                if other not in came:
                    came[other] = (couple, person)
                    todo.append(other)
                    continue
                ways = []
                for end in (couple, other):
                    way = [(end, NOBODY)]
                    while way[-1][0] != start:
                        way.append(came[way[-1][0]])
                    ways.append(way)
                while min(map(len, ways)) > 1 and ways[0][-2][0] == ways[1][-2][0]:
                    ways[0].pop()
                    ways[1].pop()
                there, back = ([p for _, p in way[1:]] for way in ways)
                return [*reversed(there), person, *back]
    return None


def _mended(family: Family) -> Iterator[Family]:
    """The valid families that arise from one that may violate the axioms, by every possible
    repair.
    """
    if family.broken:
        return
    faults = family.faults()
    if faults is None:
        yield family
        return
    for one, other in faults:
        mended = family.copy()
        mended.unite(one, other)
        yield from _mended(mended)


class Families:
    """A story about kin that can be queried for what its parts entail about two people."""

    def __init__(
        self,
        facts: Sequence[Sequence[Fact]],
        query: Query,
        vocabulary: Collection[str],
        by_marriage: bool = False,
    ) -> None:
        unknown = [word for word in vocabulary if word not in WORDS]
        if unknown:
            raise ValueError(f"unknown kinship words: {unknown}")
        self._facts = facts
        self._first, self._second = query[1], query[2]
        self._vocabulary = tuple(vocabulary)
        self._ways = {
            relation: (*ways, BY_MARRIAGE[relation])
            if by_marriage and relation in BY_MARRIAGE
            else ways
            for relation, ways in WAYS.items()
        }

    def _parts(self, told: Sequence[Sequence[Fact]]) -> tuple[list[Fact], list[list[Fact]]]:
        """The facts connected to the first person, and the others in connected parts."""
        facts = [fact for facts in told for fact in facts]
        near: dict[str, list[str]] = {self._first: []}
        for fact in facts:
            for one, other in ((fact[1], fact[-1]), (fact[-1], fact[1])):
                near.setdefault(one, []).append(other)
        part: dict[str, int] = {}
        count = 0
        for name in near:  # the first person comes first, so theirs is part 0
            if name not in part:
                part[name], todo = count, [name]
                for person in todo:  # grows during iteration
                    for other in near[person]:
                        if other not in part:
                            part[other] = count
                            todo.append(other)
                count += 1
        parts: list[list[Fact]] = [[] for _ in range(count)]
        for fact in facts:
            parts[part[fact[1]]].append(fact)
        return parts[0], parts[1:]

    def _families(self, facts: Sequence[Fact]) -> Iterator[tuple[Family, dict[str, int]]]:
        """The families that fit these facts and need no repair, with the people's names."""
        family, people = Family(), dict[str, int]()

        def who(name: str) -> int:
            if name not in people:
                people[name] = family.person(named=True)
            return people[name]

        who(self._first), who(self._second)
        several: list[tuple[int, tuple[Way, ...], int, str]] = []
        for fact in facts:
            if fact[0] in GENDERS:
                family.sex(who(fact[1]), fact[0])
                continue
            relation, gender, _ = WORDS[fact[0]]
            ways = self._ways[relation]
            entry = (who(fact[1]), ways, who(fact[2]), "" if gender == "any" else gender)
            if len(ways) == 1:
                family.tell(entry[0], ways[0], entry[2], entry[3])
            else:
                several.append(entry)
        for grown in _grown(family, several):
            yield grown, people

    def possible(self) -> bool:
        """Whether any family fits the story."""
        own, others = self._parts(self._facts)
        return all(next(self._families(part), None) for part in (own, *others))

    def conclude(self, subset: Collection[int] | None = None) -> str | None:
        """The one word that follows from the story, or from only the sentences in `subset`.

        Assumes that some family fits the subset. Facts about unconnected people cannot matter:
        their families need not be related to those in the question.
        """
        told = self._facts if subset is None else [self._facts[n - 1] for n in subset]
        own, others = self._parts(told)
        if not any(self._second in fact[1:] for fact in own):
            return None
        if subset is None and not all(next(self._families(part), None) for part in others):
            return None
        words = set[str]()
        for family, people in self._families(own):
            first, second = people[self._first], people[self._second]
            way = family.way(first, second)
            if way is None:
                return None
            words |= set(self._words(way[0], family.likely_gender(second))) or {""}
            if len(words) > 1 or "" in words:
                return None
            rigid = family.sure_gender(second) and all(map(family.distinct, way[1]))
            if not rigid and self._other_word(family, first, second, next(iter(words))):
                return None
        return words.pop() if words else None

    def outcomes(self) -> dict[str, tuple[Family, dict[str, int]]]:
        """Every word that holds in some family that fits, with such a family and its people.

        The empty word stands for a family in which no word of the vocabulary holds. Nothing is
        returned if no family fits.
        """
        own, others = self._parts(self._facts)
        if not all(next(self._families(part), None) for part in others):
            return {}
        found: dict[str, tuple[Family, dict[str, int]]] = {}
        for family, people in self._families(own):
            first, second = people[self._first], people[self._second]
            way = family.way(first, second)
            words = set(self._words(way[0], family.likely_gender(second))) if way else set[str]()
            for word in words or {""}:
                found.setdefault(word, (family, people))
            rigid = way and family.sure_gender(second) and all(map(family.distinct, way[1]))
            for word in () if rigid else self._vocabulary:
                relation, gender, _ = WORDS[word]
                for steps in self._ways[relation] if word not in found else ():
                    grown = family.copy()
                    grown.tell(first, steps, second, "" if gender == "any" else gender)
                    mended = next(_mended(grown), None)
                    if mended is not None:
                        found.setdefault(word, (mended, people))
        return found

    def _words(self, way: Way, gender: str) -> Iterator[str]:
        """The words of the vocabulary for a relative at the end of a path."""
        for word in self._vocabulary:
            relation, sex, _ = WORDS[word]
            if way in self._ways[relation] and sex in ("any", gender):
                yield word

    def _other_word(self, family: Family, first: int, second: int, word: str) -> bool:
        """Whether another word of the vocabulary can be made to hold in a family."""
        for other in self._vocabulary:
            relation, gender, _ = WORDS[other]
            if other == word:
                continue
            for way in self._ways[relation]:
                grown = family.copy()
                grown.tell(first, way, second, "" if gender == "any" else gender)
                if next(_mended(grown), None) is not None:
                    return True
        return False


def _grown(
    family: Family, several: Sequence[tuple[int, tuple[Way, ...], int, str]]
) -> Iterator[Family]:
    """The families with each of the facts added in one of its ways."""
    if family.broken:
        return
    if not several:
        yield from _mended(family)
        return
    first, ways, second, gender = several[0]
    for way in ways:
        grown = family.copy()
        grown.tell(first, way, second, gender)
        yield from _grown(grown, several[1:])


def prove(
    facts: Sequence[Sequence[Fact]],
    claims: Sequence[Claim],
    vocabulary: Collection[str],
    by_marriage: bool = False,
) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    found = []
    for claim in claims:
        families = Families(facts, claim.query, vocabulary, by_marriage)
        found.append(examine(claim, len(facts), families.conclude, families.possible))
    return found
