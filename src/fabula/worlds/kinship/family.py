"""A family, drawn afresh for every story.

It descends from one couple. On each level below, people marry with a given probability, and a
couple above the last level has a number of children in a given range. People are numbers; genders
are drawn for each child, and a spouse has the other gender. Who is what to whom is found by walking
along the letters of a position (see algebra.py), for the people that a story needs and no others.
"""

from __future__ import annotations

from functools import lru_cache

from fabula.seeds import Draw
from fabula.worlds.kinship.algebra import FEMALE, MALE, Vocabulary

LARGEST = 5_000  # people; a recipe for more is refused


class Family:
    """People, couples and children."""

    __slots__ = (
        "_relatives", "_vocabulary", "children", "couple", "from_", "gender", "generations", "kind",
        "partners",
    )  # fmt: skip

    def __init__(
        self,
        draw: Draw,
        vocabulary: Vocabulary,
        generations: int,
        children: tuple[int, int],
        marriage: float,
    ) -> None:
        self._vocabulary = vocabulary
        self._relatives: dict[int, dict[int, str]] = {}
        gender = self.gender = [MALE, FEMALE]
        from_ = self.from_ = [-1, -1]
        """For each person the couple they are a child of, or -1."""
        married = self.couple = [0, 0]
        """For each person the couple they belong to, or -1."""
        partners = self.partners = [(0, 1)]
        families: list[list[int]] = [[]]
        self.children = families
        kind = self.kind = [0, 1]
        """For each person 2 * generation, and one more for those who married in."""
        self.generations = generations
        low, high = children
        level = [0]
        for depth in range(1, generations):
            below: list[int] = []
            for couple in level:
                count = low if low == high else low + int(draw() * (high - low + 1))
                for _ in range(count):
                    person = len(gender)
                    male = draw() < 0.5
                    gender.append(MALE if male else FEMALE)
                    from_.append(couple)
                    families[couple].append(person)
                    kind.append(2 * depth)
                    if marriage >= 1 or draw() < marriage:
                        gender.append(FEMALE if male else MALE)
                        from_.append(-1)
                        kind.append(2 * depth + 1)
                        number = len(partners)
                        married += (number, number)
                        partners.append((person, person + 1))
                        families.append([])
                        below.append(number)
                    else:
                        married.append(-1)
            level = below

    def __len__(self) -> int:
        return len(self.gender)

    def _step(self, letter: str, person: int) -> list[int] | tuple[int, ...]:
        """Everyone one letter on from a person."""
        if letter == "C":
            couple = self.couple[person]
            return self.children[couple] if couple >= 0 else ()
        if letter == "M":
            couple = self.couple[person]
            if couple < 0:
                return ()
            first, second = self.partners[couple]
            return (second,) if first == person else (first,)
        couple = self.from_[person]
        if couple < 0:
            return ()
        if letter == "P":
            return self.partners[couple]
        return [child for child in self.children[couple] if child != person]

    def all_of(self, person: int, relation: str) -> list[int]:
        """Everyone who is this to a person."""
        step = self._step
        result: list[int] = []
        for place in self._vocabulary.relations[relation].places:
            found = step(place[0], person)
            for letter in place[1:]:
                found = [other for last in found for other in step(letter, last)]
            result += found
        return result

    def relatives(self, person: int) -> dict[int, str]:
        """Everyone for whom there is a word, with the relation: they are this person's …"""
        known = self._relatives.get(person)
        if known is None:
            known = {}
            step = self._step
            near = {"": [person]}
            for place, start, letter, relation in self._vocabulary.walks:
                last = near[start]
                if not last:
                    near[place] = last
                    continue
                found = near[place] = [other for one in last for other in step(letter, one)]
                if relation:
                    for other in found:
                        known[other] = relation
            self._relatives[person] = known
        return known


# Kinds of people by where they stand, to look for a clause only where there is room for it.


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


@lru_cache(maxsize=100_000)
def room(
    vocabulary: Vocabulary, generations: int, relations: tuple[str, ...]
) -> tuple[frozenset[int], ...]:
    """For each person of a clause the kinds from which the rest of it can be walked."""
    later = frozenset(range(2 * generations))
    kinds = [later]
    for relation in reversed(relations):
        here = set()
        for kind in range(2 * generations):
            for place in vocabulary.relations[relation].places:
                found = {kind}
                for letter in place:
                    found = {k for last in found for k in _moves(letter, last, generations)}
                if found & later:
                    here.add(kind)
        later = frozenset(here)
        kinds.append(later)
    return tuple(reversed(kinds))


def largest(generations: int, children: tuple[int, int], marriage: float) -> int:
    """How many people such a family can have."""
    size, couples = 2, 1
    for _ in range(1, generations):
        born = couples * children[1]
        couples = born if marriage > 0 else 0
        size += born + couples
        if size > LARGEST:
            break
    return size
