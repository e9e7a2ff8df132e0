"""The simulator: people move, take, drop and give things, and the world knows where everything is.

Promises:
1. A move goes to another place; a grab takes a free object in the same place; a drop lets go of
   what one has; a give passes what one has to another person in the same place.
2. The initial state is never told: everyone and everything starts at an independent random place.
3. An event is drawn from all valid ones, as the recipe's `event_sampling` says:
   `kind`    a kind by weight among those possible now, then uniformly among its valid arguments
             (as in Dyna-bAbI);
   `person`  a person uniformly and a kind by weight, drawn again if impossible (as in the bAbI
             release: people with more options act more often).
4. The time before the story (TIME, see past.py) and people's needs (NEED, SEEK, SATISFY, see
   wants.py) are separate: neither changes what else can happen.
5. With the recipe's `gives = "release"`, gives are restricted as in the bAbI release (relay.py).

A *beat* is one draw: a single event told plainly, or a telling with its events (a conjunction has
two people move, a coreference two events of one person).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from fabula.core.seeds import Draw, pick

if TYPE_CHECKING:
    from fabula.world.actors.past import Past
    from fabula.world.actors.relay import Relay
    from fabula.world.actors.wants import Wants

FURNISHING: Final = ("PUT", "LAY", "TAKE")
"""Events with containers and surfaces: in, on, from (see furnished.py)."""
COREFERABLE: Final = ("MOVE", "GRAB", "DROP", "GIVE", *FURNISHING)
DRIVES: Final = ("NEED", "SEEK", "SATISFY")
EVENTS: Final = (*COREFERABLE, *DRIVES)
TELLINGS: Final = ("AFFIRM", "NEGATE", "INDEF", "COREF", "CONJ", "COMPOUND", "TIME")
CONCEPTS: Final = (*COREFERABLE, "NEED", *TELLINGS)
"""The concepts that a support may consist of; SEEK counts as a move and SATISFY as a grab."""
ACTIONS: Final = ("GRAB", "DROP", "GIVE", *FURNISHING)
MOVING: Final = ("MOVE", "AFFIRM", "NEGATE", "INDEF")
"""Tellings of one person's move."""
FINITE: Final = (*ACTIONS, *DRIVES, "TIME")
"""Beats that may all be impossible at once; some movement is always possible."""
PATIENCE: Final = 2_000  # draws before a story is dropped as stuck
MEMO_LIMIT: Final = 50_000
SENTENCES: Final = {"COREF": 2, "COMPOUND": 2}  # all other beats take one


class Told:
    """One sentence to be told: what it discloses about what happened.

    Stories of a recipe share equal sentences (see `Lots.told`), with their words.
    """

    __slots__ = ("anaphor", "args", "by_pronoun", "kind", "subjects", "words")

    def __init__(
        self, kind: str, subjects: tuple[str, ...], args: tuple[str, ...], anaphor: bool = False
    ) -> None:
        self.kind = kind
        """The kind of sentence: MOVE, AFFIRM, NEGATE, INDEF, GRAB, DROP, GIVE, PUT, LAY, TAKE, TIME
        or NEED."""
        self.subjects = subjects
        self.args = args
        self.anaphor = anaphor
        """Whether a pronoun stands for the subjects."""
        self.by_pronoun: Told | None = None
        """The same with a pronoun."""
        self.words: dict[int, str] = {}
        """Its sentences, by number (see tale.py)."""

    def anaphoric(self, anaphor: bool = True) -> Told:
        """The same, with a pronoun if `anaphor` is set."""
        if not anaphor:
            return self
        if self.by_pronoun is None:
            self.by_pronoun = Told(self.kind, self.subjects, self.args, True)
        return self.by_pronoun

    def __repr__(self) -> str:
        return f"Told({self.kind!r}, {self.subjects!r}, {self.args!r}, {self.anaphor!r})"


class Stage:
    """The state of the world while a story unfolds."""

    def __init__(
        self,
        persons: Sequence[str],
        places: Sequence[str],
        objects: Sequence[str],
        draw: Draw,
    ) -> None:
        self.persons = persons
        self.places = places
        self.objects = objects
        count = len(places)
        self.place = {person: places[int(draw() * count)] for person in persons}
        self.spot = {thing: places[int(draw() * count)] for thing in objects}
        self.holder: dict[str, str | None] = dict.fromkeys(objects)
        self.trail = {thing: [place] for thing, place in self.spot.items()}
        self.moves: list[tuple[str, str, str]] = []
        """Who went from where to where."""
        self.gives: list[tuple[str, str, str]] = []
        """(giver, thing, receiver) of each give."""

    # --- what can happen ------------------------------------------------------------------

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments of a grab, drop or give, for one person or for anyone."""
        place, holder = self.place, self.holder
        if kind == "GRAB":
            found: list[tuple[str, ...]] = []
            for thing in self.objects:
                if holder[thing] is None:
                    here = self.spot[thing]
                    if person is None:
                        for who, at in place.items():
                            if at == here:
                                found.append((who, thing))
                    elif place[person] == here:
                        found.append((person, thing))
            return found
        have = []
        for thing, owner in holder.items():
            if owner is not None and (person is None or owner == person):
                have.append((owner, thing))
        if kind == "DROP":
            return have  # type: ignore[return-value]
        found = []
        for giver, thing in have:
            here = place[giver]
            for other, at in place.items():
                if at == here and other != giver:
                    found.append((giver, thing, other))
        return found

    # --- what happens ---------------------------------------------------------------------

    def move(self, person: str, place: str) -> None:
        """Move a person to a place, with everything they have."""
        self.moves.append((person, self.place[person], place))
        self.place[person] = place
        if self.objects:
            for thing, who in self.holder.items():
                if who == person:
                    self.spot[thing] = place
                    self.trail[thing].append(place)

    def act(self, kind: str, args: tuple[str, ...]) -> None:
        """Perform a grab, drop or give."""
        if kind == "GRAB":
            self.holder[args[1]] = args[0]
        elif kind == "DROP":
            self.holder[args[1]] = None
        else:
            self.holder[args[1]] = args[2]
            self.gives.append((args[0], args[1], args[2]))


class Lots:
    """The beats that may be drawn, by weight; prepared once per recipe."""

    def __init__(
        self,
        weights: Mapping[str, float],
        coref: Mapping[str, float],
        people: int,
        places: int,
        by_person: bool,
        twice_the_same: bool,
    ) -> None:
        self.coref = {kind: weight for kind, weight in coref.items() if weight > 0}
        self.corefs = _cumulate(list(self.coref.items()))
        self.by_person = by_person
        self.twice_the_same = twice_the_same

        def conceivable(kind: str) -> bool:
            """Whether there are enough people and places for a kind of beat at all."""
            if kind in ("CONJ", "COMPOUND"):
                return people >= 2 and places >= 3
            if kind == "INDEF":
                return places >= (2 if twice_the_same else 3)
            return places >= 2 or kind in FINITE or kind == "COREF"

        lots = [(kind, weight) for kind, weight in weights.items() if weight and conceivable(kind)]
        self.all = _cumulate(lots)
        self.finite = all(kind in FINITE for kind, _ in lots)
        """Whether a story may run out of events."""
        self.short = _cumulate([lot for lot in lots if lot[0] not in SENTENCES])
        self._told: dict[tuple[str, ...], Told] = {}

    def told(self, kind: str, args: tuple[str, ...]) -> Told:
        """The sentence about an event, given its actor and the other arguments."""
        key = (kind, *args)
        found = self._told.get(key)
        if found is None:
            found = self._told[key] = Told(kind, args[:1], args[1:])
            self._limit()
        return found

    def moved(self, kind: str, person: str, place: str) -> Told:
        """The same for events with one argument besides the person."""
        found = self._told.get((kind, person, place))
        return self.told(kind, (person, place)) if found is None else found

    def together(self, first: str, second: str, place: str) -> Told:
        """The sentence about two people who move together."""
        key = ("CONJ", first, second, place)
        found = self._told.get(key)
        if found is None:
            found = self._told[key] = Told("MOVE", (first, second), (place,))
            self._limit()
        return found

    def _limit(self) -> None:
        if len(self._told) > MEMO_LIMIT:  # so that memory stays flat, however many names there are
            self._told.clear()


class Scenario:
    """Draws beats and performs them."""

    def __init__(
        self,
        stage: Stage,
        lots: Lots,
        draw: Draw,
        past: Past | None = None,
        wants: Wants | None = None,
        relay: Relay | None = None,
    ) -> None:
        self.stage = stage
        self.lots = lots
        self.draw = draw
        self.past = past
        self.wants = wants
        self.relay = relay

    def beat(self, room: int) -> list[Told] | None:
        """The sentences of the next beat, at most `room`; None if nothing is possible."""
        kinds, bounds = self.lots.all if room > 1 else self.lots.short
        if not kinds:
            return None
        draw, total = self.draw, bounds[-1]
        for _ in range(PATIENCE):
            kind = kinds[bisect_right(bounds, draw() * total)] if len(kinds) > 1 else kinds[0]
            told = self._try(kind)
            if told:  # redrawing impossible beats keeps the possible ones in proportion
                if self.wants is not None:
                    for happened in told:
                        self.wants.note(happened)
                if self.relay is not None:
                    for happened in told:
                        self.relay.note(happened)
                return told
            if self.lots.finite and not any(map(self._possible, kinds)):
                return None
        return None

    def _possible(self, kind: str) -> bool:
        """Whether a beat that may be impossible is possible now."""
        if kind == "TIME":
            return self.past is not None and not self.past.exhausted()
        if kind in DRIVES:
            return self.wants is not None and bool(self.wants.options(kind))
        return bool(self.stage.options(kind))

    def _try(self, kind: str) -> list[Told] | None:
        """A beat of this kind, or None if it is impossible now (or for the person drawn)."""
        stage, draw = self.stage, self.draw
        if kind in MOVING:
            person = stage.persons[int(draw() * len(stage.persons))]
            if self.lots.by_person:
                place = stage.places[int(draw() * len(stage.places))]
                if place == stage.place[person]:
                    return None
            else:
                place = self._elsewhere(stage.place[person])
            return [self._relocate(kind, person, place)]
        if kind in ACTIONS:
            actor = pick(draw, stage.persons) if self.lots.by_person else None
            options = stage.options(kind, actor)
            if kind == "GIVE" and self.relay is not None:
                options = self.relay.admitted(options)
            return [self._act(kind, options)] if options else None
        if kind == "COREF":
            return self._coreference()
        if kind == "TIME":
            memory = self.past.tell(draw) if self.past else None
            return [self.lots.told(kind, memory.subjects + memory.args)] if memory else None
        if kind in DRIVES:
            return self._drive(kind)
        return self._together(twice=kind == "COMPOUND")

    def _drive(self, kind: str) -> list[Told] | None:
        """A need arises, or is followed."""
        assert self.wants is not None
        person = pick(self.draw, self.stage.persons) if self.lots.by_person else None
        options = self.wants.options(kind, person)
        if not options:
            return None
        if kind == "SATISFY":
            return [self._act("GRAB", options)]
        who, what = pick(self.draw, options)
        if kind == "NEED":
            return [self.lots.moved(kind, who, what)]
        return [self._relocate("MOVE", who, what)]

    def _act(self, kind: str, options: list[tuple[str, ...]]) -> Told:
        args = options[int(self.draw() * len(options))]
        self.stage.act(kind, args)
        return self.lots.told(kind, args)

    def _elsewhere(self, place: str) -> str:
        """Another place, drawn uniformly."""
        places = self.stage.places
        other = places[int(self.draw() * (len(places) - 1))]
        return other if other != place else places[-1]

    def _relocate(self, kind: str, person: str, new: str) -> Told:
        """Move a person; the kind of sentence discloses all or part of it."""
        stage = self.stage
        old = stage.place[person]
        stage.move(person, new)
        if kind == "NEGATE":
            return self.lots.moved(kind, person, old)
        if kind != "INDEF":
            return self.lots.moved(kind, person, new)
        draw = self.draw
        # as in the release: any place, even the same one or the old one
        if self.lots.twice_the_same:
            other = pick(draw, stage.places)
        else:
            other = self._other_than(stage.places, old, new)
        if draw() < 0.5:
            return self.lots.told(kind, (person, new, other))
        return self.lots.told(kind, (person, other, new))

    def _other_than(self, names: Sequence[str], *taken: str) -> str:
        """A name that is not among those taken, drawn uniformly."""
        while True:
            name = names[int(self.draw() * len(names))]
            if name not in taken:
                return name

    def _together(self, twice: bool) -> list[Told]:
        """Two people move to a place where neither was; then, if `twice`, on to another."""
        stage = self.stage
        first = pick(self.draw, stage.persons)
        second = self._other_than(stage.persons, first)
        told = []
        for anaphor in (False, True) if twice else (False,):
            place = self._other_than(stage.places, stage.place[first], stage.place[second])
            stage.move(first, place)
            stage.move(second, place)
            told.append(self.lots.together(first, second, place).anaphoric(anaphor))
        return told

    def _coreference(self) -> list[Told]:
        """Two events of one person, the second with a pronoun; if there is only one, it is told
        plainly.
        """
        first = self._corefable(None)
        if first is None:
            return []
        second = self._corefable(first.subjects[0])
        return [first, second.anaphoric()] if second else [first]

    def _corefable(self, person: str | None) -> Told | None:
        """An event for coreference, by the person or by anyone; None if none is possible."""
        stage = self.stage
        kinds, bounds = self.lots.corefs
        while kinds:
            kind = kinds[bisect_right(bounds, self.draw() * bounds[-1])]
            if kind == "MOVE":
                mover = person or pick(self.draw, stage.persons)
                return self._relocate(kind, mover, self._elsewhere(stage.place[mover]))
            options = stage.options(kind, person)
            if options:
                return self._act(kind, options)
            kinds, bounds = _cumulate(
                [lot for lot in self.lots.coref.items() if lot[0] != kind and lot[0] in kinds]
            )
        return None


def _cumulate(lots: Sequence[tuple[str, float]]) -> tuple[list[str], list[float]]:
    """The kinds, and the cumulative weights at which the range of each ends."""
    return [kind for kind, _ in lots], list(accumulate(weight for _, weight in lots))
