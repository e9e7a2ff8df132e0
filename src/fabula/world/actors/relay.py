"""The order in which things are passed on in the bAbI release.

In the published files of tasks 5 and 7, a thing that was just given tends to be passed on before
any other is given. In the training file of task 5, the previous thing could still be passed on at
553 of the gives; another thing was given at only 16 of them, and 14 of those had been picked up
since. Gives drawn freely would choose another thing 17% of the time.

Promise: while somebody can pass on the thing that was given last, another thing is given only if it
was picked up since.
"""

from __future__ import annotations

from fabula.world.actors.events import Stage, Told

Option = tuple[str, ...]
"""Giver, thing and receiver."""


class Relay:
    """Decides which of the possible gives may happen."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._admitted: set[str] = set()
        """The thing given last and the things picked up since; empty before the first give."""
        self._given = ""

    def admitted(self, gives: list[Option]) -> list[Option]:
        """The gives that may happen now."""
        if not self._given or not self._passable(self._given):
            return gives
        return [give for give in gives if give[1] in self._admitted]

    def _passable(self, thing: str) -> bool:
        """Whether somebody holds the thing and has company."""
        place = self._stage.place
        holder = self._stage.holder[thing]
        if holder is None:
            return False
        return any(place[name] == place[holder] for name in self._stage.persons if name != holder)

    def note(self, told: Told) -> None:
        """Record an event."""
        if told.kind == "GIVE":
            self._given = told.args[0]
            self._admitted = {self._given}
        elif told.kind == "GRAB":
            self._admitted.add(told.args[0])
