"""What the simulator has disclosed of where people are: a record of its own, made from the events.

It is needed for 'Is P in the L?' only: the simulator always knows where P is, but 'maybe' is right
as long as the told events leave it open. Of each event it counts what was told (see Told):

- a movement is told with its place, as 'no longer in' the place left, or as one of two places;
- taking, dropping, giving, putting and the like are told in full, and all who and that take part
  are together in one place.

People and things that were together form a *company*, which has one place; what somebody holds goes
along into the next one. A company is confined by all that was told of any of its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fabula.world.actors.events import Told


class Confines(NamedTuple):
    """The places that are left open."""

    within: frozenset[str] | None = None
    """One of these; None: anywhere."""
    without: frozenset[str] = frozenset()
    """And none of these."""

    def both(self, other: Confines) -> Confines:
        """Confined by both."""
        within = self.within
        if within is None:
            within = other.within
        elif other.within is not None:
            within &= other.within
        return Confines(within, self.without | other.without)

    def verdict(self, place: str) -> str:
        """Whether it is this place: yes, no or maybe."""
        if place in self.without or (self.within is not None and place not in self.within):
            return "no"
        if self.within is not None and self.within - self.without == {place}:
            return "yes"
        return "maybe"


class Disclosure:
    """What a list of told events discloses."""

    def __init__(self, told: Iterable[Told], present: str = "") -> None:
        """`present` names the part of the past that goes on in the story's present."""
        self._present = present
        self._confines: list[Confines] = []
        """What is told of each company; of one that has joined another, what was told before."""
        self._joined: list[int] = []
        """Company to the one it has joined; itself if none."""
        self._company: dict[str, int] = {}
        """Who and what is in which company."""
        self._first: dict[str, int] = {}
        """The company in which somebody was before their first told movement."""
        self._holder: dict[str, str | None] = {}
        for event in told:
            self._note(event)

    def of(self, name: str) -> Confines:
        """Where somebody or something may be now."""
        return self._confines[self._whole(self._company_of(name))]

    def _note(self, event: Told) -> None:
        kind, subjects, args, _ = event
        for person in subjects:
            if kind in ("MOVE", "AFFIRM", "INDEF"):
                self._go(person, Confines(frozenset(args)))
            elif kind == "NEGATE":
                self._go(person, Confines(None, frozenset(args)))
            elif kind == "TIME":
                if args[1] == self._present:
                    self._confine(self._first_of(person), Confines(frozenset(args[:1])))
            elif kind == "GRAB" or kind == "DROP":
                self._meet(person, args[0])
                self._holder[args[0]] = person if kind == "GRAB" else None
            elif kind == "GIVE" or kind == "PUT" or kind == "LAY":
                self._meet(person, *args)
                self._holder[args[0]] = args[1]
            elif kind == "TAKE":
                self._meet(person, *args)
                self._holder[args[0]] = person

    def _go(self, person: str, confines: Confines) -> None:
        """Somebody goes into a new company, with all they have."""
        fresh = self._found(confines)
        self._first.setdefault(person, self._company.get(person, -1))
        self._company[person] = fresh
        for thing in self._holder:
            if self._bearer(thing) == person:
                self._company[thing] = fresh

    def _bearer(self, thing: str) -> str | None:
        """Who carries a thing, by hand or in something."""
        holder = self._holder[thing]
        while holder is not None and holder in self._holder:
            holder = self._holder[holder]
        return holder

    def _meet(self, *names: str) -> None:
        """All of these are in one place."""
        one = self._whole(self._company_of(names[0]))
        for name in names[1:]:
            other = self._whole(self._company_of(name))
            if other != one:
                self._joined[other] = one
                self._confine(one, self._confines[other])

    def _company_of(self, name: str) -> int:
        if name not in self._company:
            self._company[name] = self._found(Confines())
        return self._company[name]

    def _first_of(self, person: str) -> int:
        """The company in which somebody's present begins."""
        if person not in self._first:
            return self._company_of(person)
        if self._first[person] < 0:
            self._first[person] = self._found(Confines())
        return self._first[person]

    def _found(self, confines: Confines) -> int:
        """A new company."""
        self._confines.append(confines)
        self._joined.append(len(self._joined))
        return len(self._joined) - 1

    def _confine(self, company: int, confines: Confines) -> None:
        whole = self._whole(company)
        self._confines[whole] = self._confines[whole].both(confines)

    def _whole(self, company: int) -> int:
        """The company that this one has become a part of."""
        while self._joined[company] != company:
            company = self._joined[company]
        return company
