"""A stage with containers and surfaces: things are in boxes and on tables, and move with them.

Promises, in addition to those of the stage without furniture (events.py):
1. A put moves what one has into (PUT) or onto (LAY) a suitable thing within reach, never into
   itself or into its own contents; a take gets it out again.
2. Within reach is what is in the same place and not carried by somebody else, even in a box in a
   box.
3. What is in or on a thing is where that thing is. A box can be carried, with all its contents;
   *fixed* things stay where they are.

Generated stories and the game both run on this stage (the game adds a map, sizes and needs).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.core.seeds import Draw
from fabula.world.actors.events import Stage

PREPOSITION = {"PUT": "in", "LAY": "on"}


class Furnished(Stage):
    """The state of a world in which a holder may be a person or a thing."""

    def __init__(
        self,
        persons: Sequence[str],
        places: Sequence[str],
        objects: Sequence[str],
        draw: Draw,
        furniture: Mapping[str, str],
        fixed: Sequence[str] = (),
    ) -> None:
        """`objects` are all things; `furniture` says for some whether things are put in or on
        them.
        """
        super().__init__(persons, places, objects, draw)
        self.furniture = furniture
        self.fixed = frozenset(fixed)

    # --- where things are -----------------------------------------------------------------

    def bearer(self, thing: str) -> str | None:
        """The person who carries a thing, by hand or in something; None if nobody does."""
        holder = self.holder[thing]
        while holder is not None and holder in self.furniture:
            holder = self.holder[holder]
        return holder

    def within(self, thing: str, container: str) -> bool:
        """Whether a thing is the container or inside it, at any depth."""
        at: str | None = thing
        while at is not None and at != container:
            at = self.holder.get(at)
        return at == container

    def reaches(self, person: str, thing: str) -> bool:
        """Whether a person can reach a thing."""
        return self.spot[thing] == self.place[person] and self.bearer(thing) in (None, person)

    def contents(self, holder: str) -> list[str]:
        """The things that a holder holds directly, without their contents."""
        return [thing for thing, who in self.holder.items() if who == holder]

    # --- what can happen ------------------------------------------------------------------

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments of an event, for one person or for anyone."""
        people = self.persons if person is None else (person,)
        holder = self.holder
        if kind == "GRAB":
            return [
                (who, thing)
                for thing in self.objects
                if holder[thing] is None and thing not in self.fixed
                for who in people
                if self.place[who] == self.spot[thing]
            ]
        if kind == "TAKE":
            return [
                (who, thing, box)
                for thing, box in holder.items()
                if box is not None and box in self.furniture
                for who in people
                if self.reaches(who, thing)
            ]
        have = [
            (who, thing)
            for thing, who in holder.items()
            if who is not None and (who in self.place if person is None else who == person)
        ]
        if kind == "DROP":
            return have  # type: ignore[return-value]
        if kind == "GIVE":
            return [
                (who, thing, other)
                for who, thing in have
                for other in self.persons
                if other != who and self.place[other] == self.place[who]
            ]
        use = PREPOSITION[kind]
        return [
            (who, thing, box)
            for who, thing in have
            for box, made_for in self.furniture.items()
            if made_for == use and self.reaches(who, box) and not self.within(box, thing)
        ]

    # --- what happens ---------------------------------------------------------------------

    def move(self, person: str, place: str) -> None:
        """Move a person to a place, with everything they have and its contents."""
        self.moves.append((person, self.place[person], place))
        self.place[person] = place
        for thing in self.objects:
            if self.bearer(thing) == person:
                self.spot[thing] = place
                self.trail[thing].append(place)

    def act(self, kind: str, args: tuple[str, ...]) -> None:
        """Perform a grab, drop, give, put or take."""
        if kind in PREPOSITION:
            self.holder[args[1]] = args[2]
        elif kind == "TAKE":
            self.holder[args[1]] = args[0]
        else:
            super().act(kind, args)
