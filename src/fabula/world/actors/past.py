"""Where everybody was before the story's present, and how it is told.

Promises:
1. In each part of the past ('yesterday', 'this morning' …) a person was in one place, another one
   than in the part before; the last part is where their present begins.
2. All of it is settled before the first sentence. Whatever part of whomever's past is told, and
   when, it contradicts nothing.
3. As the recipe's `times` says, what is told next is
   `any`      some part of somebody's past that was not told yet, each as likely as the others;
   `release`  the next part of the past of a person drawn at random, and what is told between two
              questions is put in another order, in which no sentence keeps its place (the bAbI
              release's way: two sentences are always swapped).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.seeds import Draw, below
from fabula.world.actors.events import Stage, Told


class Moment(NamedTuple):
    """Somebody in a part of the past."""

    person: str
    part: int


class Past:
    """The past of everybody, and what of it was told."""

    def __init__(self, stage: Stage, times: Sequence[str], in_turn: bool, draw: Draw) -> None:
        self._times = times
        self._in_turn = in_turn
        self._persons = stage.persons
        self._way = {
            person: _way_to(stage.place[person], stage.places, len(times), draw)
            for person in stage.persons
        }
        self.told: list[Moment] = []
        """What was told, in the order in which it was drawn."""
        self._untold = [
            Moment(person, part) for person in stage.persons for part in range(len(times))
        ]

    def tell(self, draw: Draw) -> Told | None:
        """The next sentence on the past; None if there is none (for the person drawn)."""
        if self._in_turn:
            person = self._persons[below(draw, len(self._persons))]
            moment = Moment(person, sum(known.person == person for known in self.told))
            if moment.part == len(self._times):
                return None
        elif self._untold:
            moment = self._untold.pop(below(draw, len(self._untold)))
        else:
            return None
        self.told.append(moment)
        place = self._way[moment.person][moment.part]
        return Told("TIME", (moment.person,), (place, self._times[moment.part]))

    def exhausted(self) -> bool:
        """Whether all was told."""
        return len(self.told) == len(self._persons) * len(self._times)

    def place(self, moment: Moment) -> str:
        """Where somebody was."""
        return self._way[moment.person][moment.part]

    def before(self, person: str, place: str) -> str | None:
        """Where a person was before they came to a place in the last part told of that has it."""
        parts = [
            moment.part
            for moment in self.told
            if moment.person == person and self.place(moment) == place
        ]
        part = max(parts, default=0)
        return self._way[person][part - 1] if part else None


def _way_to(place: str, places: Sequence[str], length: int, draw: Draw) -> list[str]:
    """So many places, each another than the one before, that end in this place."""
    way = [place]
    while len(way) < length:
        other = places[below(draw, len(places) - 1)]
        way.append(other if other != way[-1] else places[-1])
    way.reverse()
    return way


def displaced(told: Sequence[Told], draw: Draw) -> list[Told]:
    """The sentences in an order in which none keeps its place: they change places in one ring."""
    order = list(told)
    for last in range(len(order) - 1, 0, -1):
        other = below(draw, last)
        order[last], order[other] = order[other], order[last]
    return order
