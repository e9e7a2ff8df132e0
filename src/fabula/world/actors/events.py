"""The simulator: people move, take, drop and give things, and the world knows where all is.

Promises:
1. A move goes to another place; a grab takes a free object of the same place; a drop lets go what
   one has; a give passes what one has to another person of the same place.
2. Nothing of the start is told: everyone and everything stands at an independent random place.
3. An event is drawn from all valid ones, as the recipe's `draw` says:
   `kind`    a kind by weight among those possible now, then uniformly among its valid arguments
             (Dyna-bAbI's way);
   `person`  person and kind uniformly by weight, drawn anew if impossible (the bAbI release's way:
             people with more options act more often).
4. What was before the story (TIME, see past.py) and what people want (NEED, SEEK, SATISFY, see
   wants.py) are kept apart: neither changes what else can happen.
5. With the recipe's `gives = "release"`, gives are limited as in the bAbI release (see relay.py).

A *beat* is what is drawn at a time: one event told plainly, or a telling with its events (a
conjunction has two people move, a coreference two events of one person).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from fabula.core.seeds import Draw, pick, pick_weighted

if TYPE_CHECKING:
    from fabula.world.actors.past import Past
    from fabula.world.actors.relay import Relay
    from fabula.world.actors.wants import Wants

FURNISHING = ("PUT", "LAY", "TAKE")
"""Events with containers and surfaces: in, on, from (see furnished.py)."""
COREFERABLE = ("MOVE", "GRAB", "DROP", "GIVE", *FURNISHING)
DRIVES = ("NEED", "SEEK", "SATISFY")
EVENTS = (*COREFERABLE, *DRIVES)
TELLINGS = ("AFFIRM", "NEGATE", "INDEF", "COREF", "CONJ", "COMPOUND", "TIME")
CONCEPTS = (*COREFERABLE, "NEED", *TELLINGS)
"""What a support may consist of; SEEK is told as a move and SATISFY as a grab."""
ACTIONS = ("GRAB", "DROP", "GIVE", *FURNISHING)
FINITE = (*ACTIONS, *DRIVES, "TIME")
"""Beats that may all be impossible; some movement is always possible."""
PATIENCE = 2_000  # draws before a story is given up as stuck
SENTENCES = {"COREF": 2, "COMPOUND": 2}  # all other beats take one


class Told(NamedTuple):
    """One sentence to tell: what it discloses of what happened."""

    kind: str
    """The kind of sentence: MOVE, AFFIRM, NEGATE, INDEF, GRAB, DROP, GIVE, PUT, LAY, TAKE, TIME or
    NEED."""
    subjects: tuple[str, ...]
    args: tuple[str, ...]
    anaphor: bool = False
    """Whether a pronoun stands for the subjects."""


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
        """Who gave what to whom."""

    # --- what can happen ------------------------------------------------------------------

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments of a grab, drop or give, of one person or of anyone."""
        place, holder = self.place, self.holder
        if kind == "GRAB":
            spot = self.spot
            return [
                (who, thing)
                for thing in self.objects
                if holder[thing] is None
                for who in (self.persons if person is None else (person,))
                if place[who] == spot[thing]
            ]
        have = [
            (who, thing)
            for thing, who in holder.items()
            if who is not None and (person is None or who == person)
        ]
        if kind == "DROP":
            return have  # type: ignore[return-value]
        return [
            (who, thing, other)
            for who, thing in have
            for other in self.persons
            if other != who and place[other] == place[who]
        ]

    # --- what happens ---------------------------------------------------------------------

    def move(self, person: str, place: str) -> None:
        """Person goes to the place, with all they have."""
        self.moves.append((person, self.place[person], place))
        self.place[person] = place
        if self.objects:
            for thing, who in self.holder.items():
                if who == person:
                    self.spot[thing] = place
                    self.trail[thing].append(place)

    def act(self, kind: str, args: tuple[str, ...]) -> None:
        """A grab, drop or give takes place."""
        if kind == "GRAB":
            self.holder[args[1]] = args[0]
        elif kind == "DROP":
            self.holder[args[1]] = None
        else:
            self.holder[args[1]] = args[2]
            self.gives.append((args[0], args[1], args[2]))


class Lots:
    """What may be drawn, by weight: made once for a recipe."""

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
        """Whether a story may come to its end."""
        self.short = _cumulate([lot for lot in lots if lot[0] not in SENTENCES])


class Scenario:
    """Draws beats and lets them happen."""

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
            if told:  # drawing anew what is impossible leaves the possible in proportion
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
            return [memory] if memory else None
        if kind in DRIVES:
            return self._drive(kind)
        if kind == "CONJ" or kind == "COMPOUND":
            return self._together(twice=kind == "COMPOUND")
        person = stage.persons[int(draw() * len(stage.persons))]
        if self.lots.by_person:
            place = stage.places[int(draw() * len(stage.places))]
            return None if place == stage.place[person] else [self._relocate(kind, person, place)]
        return [self._relocate(kind, person, self._elsewhere(stage.place[person]))]

    def _drive(self, kind: str) -> list[Told] | None:
        """A need comes up, or is followed."""
        assert self.wants is not None
        person = pick(self.draw, self.stage.persons) if self.lots.by_person else None
        options = self.wants.options(kind, person)
        if not options:
            return None
        if kind == "SATISFY":
            return [self._act("GRAB", options)]
        who, what = pick(self.draw, options)
        return [
            Told(kind, (who,), (what,)) if kind == "NEED" else self._relocate("MOVE", who, what)
        ]

    def _act(self, kind: str, options: list[tuple[str, ...]]) -> Told:
        args = pick(self.draw, options)
        self.stage.act(kind, args)
        return Told(kind, args[:1], args[1:])

    def _elsewhere(self, place: str) -> str:
        """Another place, each equally likely."""
        places = self.stage.places
        other = places[int(self.draw() * (len(places) - 1))]
        return other if other != place else places[-1]

    def _relocate(self, kind: str, person: str, new: str) -> Told:
        """A person really moves; the kind of sentence discloses all or a part of it."""
        stage = self.stage
        old = stage.place[person]
        stage.move(person, new)
        if kind == "NEGATE":
            return Told(kind, (person,), (old,))
        if kind != "INDEF":
            return Told(kind, (person,), (new,))
        draw = self.draw
        if self.lots.twice_the_same:  # as the release does: any place, the same and the old too
            other = pick(draw, stage.places)
        else:
            other = self._other_than(stage.places, old, new)
        return Told(kind, (person,), (new, other) if draw() < 0.5 else (other, new))

    def _other_than(self, names: Sequence[str], *taken: str) -> str:
        """One of the names that is none of those taken, each as likely as the others."""
        while True:
            name = names[int(self.draw() * len(names))]
            if name not in taken:
                return name

    def _together(self, twice: bool) -> list[Told]:
        """Two people move to a place where neither was; then perhaps on to another."""
        stage = self.stage
        first = pick(self.draw, stage.persons)
        second = self._other_than(stage.persons, first)
        told = []
        for anaphor in (False, True) if twice else (False,):
            place = self._other_than(stage.places, stage.place[first], stage.place[second])
            stage.move(first, place)
            stage.move(second, place)
            told.append(Told("MOVE", (first, second), (place,), anaphor))
        return told

    def _coreference(self) -> list[Told]:
        """Two events of one person, the second with a pronoun; a lone first one stays plain."""
        first = self._corefable(None)
        if first is None:
            return []
        second = self._corefable(first.subjects[0])
        return [first, second._replace(anaphor=True)] if second else [first]

    def _corefable(self, person: str | None) -> Told | None:
        """An event that coreference tells, of the person or of anyone; None if none is possible."""
        kinds = list(self.lots.coref)
        while kinds:
            kind = pick_weighted(self.draw, kinds, [self.lots.coref[k] for k in kinds])
            if kind == "MOVE":
                mover = person or pick(self.draw, self.stage.persons)
                return self._relocate(kind, mover, self._elsewhere(self.stage.place[mover]))
            options = self.stage.options(kind, person)
            if options:
                return self._act(kind, options)
            kinds.remove(kind)
        return None


def _cumulate(lots: Sequence[tuple[str, float]]) -> tuple[list[str], list[float]]:
    """Kinds and the upper bounds of their parts of the range from 0 to the sum of weights."""
    return [kind for kind, _ in lots], list(accumulate(weight for _, weight in lots))
