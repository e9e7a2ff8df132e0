"""The simulator's own record of what its sentences disclose about where people are.

It is only needed for 'Is P in the L?': the simulator always knows where P is, but 'maybe' is right
as long as the sentences leave it open. For each event it records what its sentence says (see Told):

- a movement discloses its place, the place that was left, or two places one of which is right;
- taking, dropping, giving, putting and the like are disclosed in full, and everyone and everything
  involved is in one place.

People and things that were together form a *company*, which has one place; what somebody holds
comes along to the next one. A company is constrained by everything said about any of its members.
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
        """The conjunction of both constraints."""
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
    """The information that a sequence of sentences discloses."""

    def __init__(self, told: Iterable[Told], present: str = "") -> None:
        """`present` names the part of the past that continues into the story's present."""
        self._present = present
        self._confines: list[Confines] = []
        """The constraints on each company; for one that has joined another, those before that."""
        self._joined: list[int] = []
        """Company to the one it has joined; itself if none."""
        self._company: dict[str, int] = {}
        """The company of each person and thing."""
        self._first: dict[str, int] = {}
        """The company each person was in before their first stated movement."""
        self._holder: dict[str, str | None] = {}
        for event in told:
            self.note(event)

    def of(self, name: str) -> Confines:
        """Where somebody or something may be now."""
        return self._confines[self._whole(self._company_of(name))]

    def note(self, event: Told) -> None:
        """Take in the next event."""
        kind, subjects, args = event.kind, event.subjects, event.args
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
        """Move somebody to a new company, with everything they have."""
        fresh = self._found(confines)
        self._first.setdefault(person, self._company.get(person, -1))
        self._company[person] = fresh
        for thing in self._holder:
            if self._bearer(thing) == person:
                self._company[thing] = fresh

    def _bearer(self, thing: str) -> str | None:
        """The person who carries a thing, by hand or in something."""
        holder = self._holder[thing]
        while holder is not None and holder in self._holder:
            holder = self._holder[holder]
        return holder

    def _meet(self, *names: str) -> None:
        """Put all of these in one place."""
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
        """The company in which a person's present begins."""
        if person not in self._first:
            return self._company_of(person)
        if self._first[person] < 0:
            self._first[person] = self._found(Confines())
        return self._first[person]

    def _found(self, confines: Confines) -> int:
        """Create a new company."""
        self._confines.append(confines)
        self._joined.append(len(self._joined))
        return len(self._joined) - 1

    def _confine(self, company: int, confines: Confines) -> None:
        whole = self._whole(company)
        self._confines[whole] = self._confines[whole].both(confines)

    def _whole(self, company: int) -> int:
        """The company that this one has been merged into."""
        while self._joined[company] != company:
            company = self._joined[company]
        return company
