"""Where everybody was before the story's present, and how it is told.

Promises:
1. In each part of the past ('yesterday', 'this morning' …) a person was in one place, different
   from the one in the part before; the last part is where their present begins.
2. All of it is fixed before the first sentence. No sentence about the past can contradict another,
   whoever it is about and whenever it is told.
3. As the recipe's `time_order` says, the next sentence about the past is
   `any`      some part of somebody's past that was not told yet, drawn uniformly;
   `release`  the next part of the past of a person drawn at random; the sentences between two
              questions are then shuffled so that none keeps its position (as in the bAbI release,
              where two sentences are always swapped).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.seeds import Draw, below
from fabula.world.actors.events import Stage, Told


class Moment(NamedTuple):
    """A person in a part of the past."""

    person: str
    part: int


class Past:
    """Everybody's past, and the part of it that was told."""

    def __init__(self, stage: Stage, times: Sequence[str], in_turn: bool, draw: Draw) -> None:
        self._times = times
        self._in_turn = in_turn
        self._persons = stage.persons
        self._way = {
            person: _way_to(stage.place[person], stage.places, len(times), draw)
            for person in stage.persons
        }
        self.told: list[Moment] = []
        """The moments told so far, in the order in which they were drawn."""
        self._untold = [
            Moment(person, part) for person in stage.persons for part in range(len(times))
        ]

    def tell(self, draw: Draw) -> Told | None:
        """The next sentence about the past; None if there is none (for the person drawn)."""
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
        """Whether all of the past was told."""
        return len(self.told) == len(self._persons) * len(self._times)

    def place(self, moment: Moment) -> str:
        """Where the person was."""
        return self._way[moment.person][moment.part]

    def before(self, person: str, place: str) -> str | None:
        """Where a person was before their latest known arrival at a place."""
        parts = [
            moment.part
            for moment in self.told
            if moment.person == person and self.place(moment) == place
        ]
        part = max(parts, default=0)
        return self._way[person][part - 1] if part else None


def _way_to(place: str, places: Sequence[str], length: int, draw: Draw) -> list[str]:
    """`length` places, each different from the one before, the last of which is `place`."""
    way = [place]
    while len(way) < length:
        other = places[below(draw, len(places) - 1)]
        way.append(other if other != way[-1] else places[-1])
    way.reverse()
    return way


def displaced(told: Sequence[Told], draw: Draw) -> list[Told]:
    """The sentences in an order in which none keeps its position: a random cycle."""
    order = list(told)
    for last in range(len(order) - 1, 0, -1):
        other = below(draw, last)
        order[last], order[other] = order[other], order[last]
    return order
