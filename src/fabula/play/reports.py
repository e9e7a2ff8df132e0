"""Messages that are not part of the story: what can be seen, why an action is impossible, what
follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fabula.core.instance import Asked
from fabula.core.supports import numbers_of
from fabula.language import Language
from fabula.play.simulation import Refusal, Simulation

SHOWN = 4  # further proofs that are listed


class Reports:
    """The messages of the game, in the words of a language file."""

    def __init__(self, phrases: Mapping[str, Any]) -> None:
        self._say: Mapping[str, str] = phrases["reports"]
        self._why: Mapping[str, str] = phrases["refusals"]
        self._joints: Mapping[str, str] = phrases["conjunctions"]

    def say(self, what: str, *names: str) -> str:
        """A phrase of the file with its slots filled."""
        return self._say[what].format(*names)

    def refusal(self, refusal: Refusal) -> str:
        """Why something is impossible; surplus names are listed in the last slot."""
        pattern, names = self._why[refusal.reason], list(refusal.names)
        slots = {int(number) for number in re.findall(r"\{(\d)\}", pattern)}
        if slots and len(names) > max(slots):
            listed = names[max(slots) :]
            if refusal.reason == "no-way":
                listed = [self.say("definite", name) for name in listed]
            names[max(slots) :] = [self._listed(listed, "or")]
        return pattern.format(*names)

    # --- what is seen ---------------------------------------------------------------------

    def look(self, simulation: Simulation, who: str) -> str:
        """A description of the surroundings of a person."""
        stage, place = simulation.stage, simulation.stage.place[who]
        lines = [self.say("place", who, place)]
        lines += self._place(simulation, place, [p for p in stage.persons if p != who])
        return "\n".join(lines)

    def _place(self, simulation: Simulation, place: str, people: Iterable[str]) -> list[str]:
        stage = simulation.stage
        lines = []
        present = [person for person in people if stage.place[person] == place]
        if present:
            lines.append(self.say("people", self._listed(present)))
        things = simulation.here(place)
        if things:
            lines.append(self.say("things", self._listed(things)))
        lines += self._insides(simulation, things)
        exits = [
            self.say("exit", there, way) if way else self.say("definite", there)
            for there, way in simulation.world.ways[place].items()
        ]
        if exits:
            lines.append(self.say("exits", self._listed(exits, "or")))
        return lines

    def _insides(self, simulation: Simulation, things: Iterable[str]) -> list[str]:
        """The contents of things, nested ones included."""
        lines = []
        for thing in things:
            held = simulation.stage.contents(thing)
            if held:
                use = simulation.stage.furniture[thing]
                lines.append(self.say(f"contents-{use}", thing, self._listed(held)))
                lines += self._insides(simulation, held)
        return lines

    def inventory(self, simulation: Simulation, who: str) -> str:
        """The inventory of a person."""
        held = simulation.stage.contents(who)
        if not held:
            return self.say("carries-nothing", who)
        lines = [self.say("carries", who, self._listed(held))]
        return "\n".join([*lines, *self._insides(simulation, held)])

    def examine(self, simulation: Simulation, entity: str) -> str:
        """A description of a thing, person or place."""
        if entity in simulation.world.things:
            return "\n".join(self._thing(simulation, entity))
        if entity in simulation.world.people:
            lines = [self.inventory(simulation, entity)]
            if entity in simulation.need:
                lines.insert(0, self.say("need", entity, simulation.need[entity]))
            room = simulation.world.people[entity].room
            if room is not None:
                lines.append(self.say("hands", entity, f"{room:g}"))
            return "\n".join(lines)
        return "\n".join(self._place(simulation, entity, simulation.stage.persons))

    def _thing(self, simulation: Simulation, thing: str) -> list[str]:
        world, stage = simulation.world.things[thing], simulation.stage
        lines = []
        for name, known in (("colour", simulation.colour), ("state", simulation.state)):
            if thing in known:
                lines.append(self.say(name, thing, known[thing]))
        if world.size:
            lines.append(self.say("size", thing, f"{world.size:g}"))
        if world.fixed:
            lines.append(self.say("fixed", thing))
        holder = stage.holder[thing]
        if holder in stage.persons:
            lines.append(self.say("held", thing, str(holder)))
        elif holder is not None:
            lines.append(self.say(f"kept-{stage.furniture[holder]}", thing, holder))
        else:
            lines.append(self.say("kept-in", thing, stage.spot[thing]))
        if world.use:
            inside = self._insides(simulation, [thing])
            lines += inside or [self.say(f"empty-{world.use}", thing)]
            if world.room is not None:
                lines.append(self.say("room", thing, f"{world.room:g}"))
        return lines

    # --- what follows ---------------------------------------------------------------------

    def answer(self, asked: Asked, sentences: Sequence[str]) -> str:
        """An answer with the sentences it follows from."""
        lines = [self.say("answer", ", ".join(asked.answer)), self.say("because")]
        lines.append(self.numbered(sentences, asked.support))
        others = [numbers_of(mask) for mask in asked.masks[1 : 1 + SHOWN]]
        if others:
            lines.append(self.say("also", self._listed([self._cited(o) for o in others], "or")))
        return "\n".join(lines)

    def numbered(self, sentences: Sequence[str], numbers: Iterable[int]) -> str:
        """Sentences with their numbers."""
        width = len(str(len(sentences)))
        return "\n".join(f"  {number:{width}} {sentences[number - 1]}" for number in numbers)

    def kinds(self, tongue: Language) -> list[str]:
        """The questions that can be asked, with their slots open."""
        return [frame.format(*"…" * 4) for frame in tongue.questions.values()]

    def _cited(self, numbers: Sequence[int]) -> str:
        what = "sentence" if len(numbers) == 1 else "sentences"
        return self.say(what, self._listed([str(number) for number in numbers]))

    # --- lists ----------------------------------------------------------------------------

    def _listed(self, names: Sequence[str], joint: str = "and") -> str:
        if not names:
            return self._say["nothing"]
        if len(names) == 1:
            return names[0]
        start = f"{self._joints['comma']} ".join(names[:-1])
        return f"{start} {self._joints[joint]} {names[-1]}"
