"""A family, drawn afresh for every story.

It descends from one couple. On each level below, people marry with a given probability, and a
couple above the last level has a number of children in a given range. People are numbers; genders
are drawn for each child, and a spouse has the other gender. Who is what to whom is found by walking
along the letters of a position (see algebra.py), for the people that a story needs and no others.
"""

from __future__ import annotations

from fabula.seeds import Draw
from fabula.worlds.kinship.algebra import FEMALE, MALE, Vocabulary

LARGEST = 5_000  # people; a recipe for more is refused


class Family:
    """People, couples and children."""

    __slots__ = ("_vocabulary", "_relatives", "children", "couple", "from_", "gender", "partners")

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
        self.gender: list[str] = [MALE, FEMALE]
        self.from_: list[int] = [-1, -1]
        """For each person the couple they are a child of, or -1."""
        self.couple: list[int] = [0, 0]
        """For each person the couple they belong to, or -1."""
        self.partners: list[tuple[int, int]] = [(0, 1)]
        self.children: list[list[int]] = [[]]
        low, high = children
        level = [0]
        for depth in range(1, generations):
            below = []
            for couple in level:
                count = low if low == high else low + int(draw() * (high - low + 1))
                for _ in range(count):
                    person = self._add(MALE if draw() < 0.5 else FEMALE, couple)
                    self.children[couple].append(person)
                    if marriage >= 1 or draw() < marriage:
                        below.append(self._marry(person))
            level = below if depth < generations - 1 else []

    def _add(self, gender: str, couple: int) -> int:
        self.gender.append(gender)
        self.from_.append(couple)
        self.couple.append(-1)
        return len(self.gender) - 1

    def _marry(self, person: int) -> int:
        spouse = self._add(FEMALE if self.gender[person] == MALE else MALE, -1)
        self.couple[person] = self.couple[spouse] = len(self.partners)
        self.partners.append((person, spouse))
        self.children.append([])
        return len(self.partners) - 1

    def __len__(self) -> int:
        return len(self.gender)

    def _step(self, letter: str, person: int) -> list[int]:
        """Everyone one letter on from a person."""
        if letter in "PS":
            couple = self.from_[person]
            if couple < 0:
                return []
            if letter == "P":
                return list(self.partners[couple])
            return [child for child in self.children[couple] if child != person]
        couple = self.couple[person]
        if couple < 0:
            return []
        if letter == "C":
            return self.children[couple]
        first, second = self.partners[couple]
        return [second if first == person else first]

    def relatives(self, person: int) -> dict[int, str]:
        """Everyone for whom there is a word, with the relation: they are this person's …"""
        known = self._relatives.get(person)
        if known is None:
            known = {}
            near = {"": [person]}
            for place, relation in self._vocabulary.walks:
                found = near[place] = [
                    other for last in near[place[:-1]] for other in self._step(place[-1], last)
                ]
                if relation:
                    for other in found:
                        known[other] = relation
            self._relatives[person] = known
        return known


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
