"""Stories with a thread: all units of a story belong to one occasion and go through its phases.

    The removal lorry was ordered for seven in the morning. Ann labelled the boxes, and her uncle
    Bob taped them shut.
    By eight the lorry stood at the door. Cara, Bob's wife, guided it backwards until he shouted.

An occasion (language/<code>/kinship/thread-*.toml) has phases in order of time, each with opening
sentences and with its own scenes. Units are told in the order of the story: a unit that begins a
phase opens with one of its sentences; later ones may have a connective ('Meanwhile, …'). Long
stories have several occasions, one after the other. Which people appear together says nothing about
their kinship.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.seeds import Draw, pick, shuffled
from fabula.world.kinship.mentions import Choice
from fabula.world.kinship.phrases import Person, Phase, Phrases
from fabula.world.kinship.telling import Told, tell

FACTS = 14  # maximum number of facts in one occasion


class _Step(NamedTuple):
    """The place of a unit in the story."""

    phase: Phase
    opens: bool


class Thread:
    """Tells the units of one story."""

    def __init__(self, tongue: Phrases, pool: str, units: int, facts: int, draw: Draw) -> None:
        self._tongue, self._draw = tongue, draw
        known = shuffled(draw, tongue.occasions[pool])
        needed = min(len(known), -(-facts // FACTS))
        phases = [phase for occasion in known[:needed] for phase in occasion]
        places = [unit * len(phases) // units for unit in range(units)]
        steps = [
            _Step(phases[place], unit == 0 or place != places[unit - 1])
            for unit, place in enumerate(places)
        ]
        self._steps = iter(steps)
        self._told: Told = set()

    def tell(self, people: Sequence[Person], links: Sequence[str], forms: Choice) -> str:
        """The next unit (see `telling.tell`)."""
        phase, opens = next(self._steps)
        pool = phase.pool._replace(leads=()) if opens else phase.pool
        unit = tell(self._tongue, people, links, self._draw, pool, self._told, forms)
        return f"{pick(self._draw, phase.openings)} {unit}" if opens else unit
