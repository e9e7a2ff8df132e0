"""A stage with containers and surfaces: things are in boxes and on tables, and go where these go.

Promises, besides those of the stage without furniture (events.py):
1. A put lays what one has into (PUT) or onto (LAY) a thing within reach that is made for it, and
   never into itself or into what it holds; a take gets it out again.
2. Within reach is what is in the same place and not carried by somebody else, be it in a box that
   is in a box.
3. What is in or on a thing is where that thing is. A box can be carried, with all that is in it;
   what is *fixed* stays where it stands.

Generated stories and the game are played on this stage (the game adds a map, sizes and needs).
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
        """`objects` are all things; `furniture` says of some whether one puts things in or on."""
        super().__init__(persons, places, objects, draw)
        self.furniture = furniture
        self.fixed = frozenset(fixed)

    # --- where things are -----------------------------------------------------------------

    def bearer(self, thing: str) -> str | None:
        """Who carries a thing, by hand or in something; None if nobody does."""
        holder = self.holder[thing]
        while holder is not None and holder in self.furniture:
            holder = self.holder[holder]
        return holder

    def within(self, thing: str, container: str) -> bool:
        """Whether a thing is the container or inside it, however deep."""
        at: str | None = thing
        while at is not None and at != container:
            at = self.holder.get(at)
        return at == container

    def reaches(self, person: str, thing: str) -> bool:
        """Whether a person can lay hands on a thing."""
        return self.spot[thing] == self.place[person] and self.bearer(thing) in (None, person)

    def contents(self, holder: str) -> list[str]:
        """What somebody or something holds, without what is in that."""
        return [thing for thing, who in self.holder.items() if who == holder]

    # --- what can happen ------------------------------------------------------------------

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments of an event, of one person or of anyone."""
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
        """Person goes to the place, with all they have and all that is in that."""
        self.moves.append((person, self.place[person], place))
        self.place[person] = place
        for thing in self.objects:
            if self.bearer(thing) == person:
                self.spot[thing] = place
                self.trail[thing].append(place)

    def act(self, kind: str, args: tuple[str, ...]) -> None:
        """A grab, drop, give, put or take takes place."""
        if kind in PREPOSITION:
            self.holder[args[1]] = args[2]
        elif kind == "TAKE":
            self.holder[args[1]] = args[0]
        else:
            super().act(kind, args)
