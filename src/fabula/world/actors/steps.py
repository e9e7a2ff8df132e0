"""The steps of a plot (see steer.py): the events it can bring about, and the people they take.

Promises:
1. A step returns its sentences, in order; None if it is not possible, and then nothing that the
   story mentions has changed.
2. Only people not mentioned yet are placed somewhere; everybody else has to go there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.core.seeds import Draw, pick, pick_weighted
from fabula.world.actors.events import Scenario, Stage, Told

if TYPE_CHECKING:
    from fabula.world.actors.tale import ActorsTale

FIRM = ("MOVE", "AFFIRM", "CONJ")
DOUBLE = ("COREF", "COMPOUND")


class Guarded(Stage):
    """A view of the stage that leaves the people and things of the plot alone."""

    def __init__(self, stage: Stage) -> None:
        self.persons = stage.persons
        self.places = stage.places
        self.objects = stage.objects
        # one state, two views
        self.place, self.spot = stage.place, stage.spot
        self.holder, self.trail = stage.holder, stage.trail
        self.moves, self.gives = stage.moves, stage.gives
        self.everyone = stage.persons
        self.kept: set[str] = set()

    def keep(self, *names: str) -> None:
        """Leave these people and things alone from now on."""
        self.kept.update(names)
        self.persons = [name for name in self.everyone if name not in self.kept]

    def free(self, *names: str) -> None:
        """Release these people and things."""
        self.kept.difference_update(names)
        self.persons = [name for name in self.everyone if name not in self.kept]

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments that involve nobody and nothing of the plot."""
        return [found for found in super().options(kind, person) if self.kept.isdisjoint(found)]


class Steps(Scenario):
    """Draws beats, and can bring events about."""

    def __init__(self, tale: ActorsTale, draw: Draw, verdict: bool) -> None:
        guarded = Guarded(tale.stage)
        super().__init__(guarded, tale.scenario.lots, draw)
        self._stage = guarded
        self._tale = tale
        self._beats = {name: weight for name, weight in tale.recipe.beats.items() if weight}
        self._coref = self.lots.coref if "COREF" in self._beats else {}
        self._verdict = verdict
        """Whether the question is a yes-no question, so that a place may stay open."""
        self._only_open = False
        """Whether the place must stay open."""
        self._who = ""
        """The person whose place the story shows so far."""
        self._other = ""
        """The person who left something behind."""
        self._asked = ""
        """The thing that will be asked about."""
        self._reserve: list[str] = []
        """People kept to be met: not mentioned yet, or slipped in."""
        self._things: list[str] = []
        """Things that lie where somebody is to find them."""

    # --- the steps ------------------------------------------------------------------------

    def _anchor(self, cost: int) -> list[Told] | None:
        """A stated movement of somebody."""
        stage, draw = self._stage, self.draw
        if len(stage.persons) < 3:
            return None
        kinds = [kind for kind in (FIRM if cost == 1 else DOUBLE) if kind in self._beats]
        if cost == 2 and not self._coref.get("MOVE"):
            kinds = [kind for kind in kinds if kind != "COREF"]
        if cost == 1 and self._verdict and "INDEF" in self._beats:
            # an open place is shown by a chain as well
            kinds = ["INDEF"] if self._only_open else [*kinds, "INDEF"]
        kind = pick_weighted(draw, kinds, [self._beats[name] for name in kinds])
        if kind in ("CONJ", "COMPOUND"):
            told = self._together(twice=kind == "COMPOUND")
            person = pick(draw, told[0].subjects)
        else:
            person = pick(draw, stage.persons)
            told = []
            if kind == "COREF":
                first = self._corefable(person)
                if first is None:
                    return None
                told.append(first)
            how = "MOVE" if kind == "COREF" else kind
            moved = self._relocate(how, person, self._elsewhere(stage.place[person]))
            told.append(moved.anaphoric(kind == "COREF"))
        self._become(person)
        return told

    def _have(self) -> list[Told] | None:
        """The person whose place is shown has something."""
        person = self._who
        if self._held(person):
            return []
        thing = self._thing_at(self._stage.place[person])
        if thing is None:
            return None
        self._stage.keep(thing)
        return [self._happen("GRAB", person, thing)]

    def _slip_in(self) -> list[Told] | None:
        """Somebody joins that person; the story only says that they left a place, or names two
        places.
        """
        stage = self._stage
        place = stage.place[self._who]
        others = [name for name in stage.persons if stage.place[name] != place]
        if not others:
            return None
        person = pick(self.draw, others)
        kinds = self._hiding()
        kind = pick_weighted(self.draw, kinds, [self._beats[name] for name in kinds])
        told = self._relocate(kind, person, place)
        stage.keep(person)
        self._reserve.append(person)
        return [told]

    def _give_over(self) -> list[Told] | None:
        """A give that shows the place of the receiver."""
        person = self._who
        held = self._held(person)
        other = self._hidden(self._stage.place[person])
        if not held or other is None:
            return None
        thing = pick(self.draw, held)
        told = self._happen("GIVE", person, thing, other)
        self._become(other)
        return [told]

    def _take_over(self) -> list[Told] | None:
        """Another gives the person something, which shows the place of the giver."""
        person = self._who
        other = self._hidden(self._stage.place[person])
        thing = self._thing_at(self._stage.place[person]) if other else None
        if other is None or thing is None:
            return None
        told = [self._happen("GRAB", other, thing), self._happen("GIVE", other, thing, person)]
        self._become(other)
        return told

    def _leave_behind(self) -> list[Told] | None:
        """Another, whose place was never mentioned, takes something and drops it."""
        place = self._stage.place[self._who]
        other = self._hidden(place)
        thing = self._thing_at(place) if other else None
        if other is None or thing is None:
            return None
        self._stage.keep(thing)
        self._things.append(thing)
        self._other = other
        return [self._happen("GRAB", other, thing), self._happen("DROP", other, thing)]

    def _find(self) -> list[Told]:
        """The person takes it, which shows where the other was."""
        thing = self._things.pop()
        told = self._happen("GRAB", self._who, thing)
        self._become(self._other)
        self._stage.free(thing)
        return [told]

    def _lay_down(self, cost: int) -> list[Told] | None:
        """The person whose place is shown drops something."""
        person, stage = self._who, self._stage
        told = []
        held = self._held(person)
        if cost == 2 or not held:
            found = self._thing_at(stage.place[person])
            if found is None:
                return None
            told.append(self._happen("GRAB", person, found))
            held = [found]
        thing = pick(self.draw, held)
        stage.keep(thing)
        told.append(self._happen("DROP", person, thing).anaphoric(cost == 2))
        self._things.append(thing)
        return told

    def _pick_up(self, cost: int) -> list[Told] | None:
        """Another, whose place was never mentioned, takes what was dropped."""
        stage = self._stage
        thing = self._things.pop()
        other = self._hidden(stage.spot[thing])
        if other is None or stage.holder[thing] is not None:
            return None
        told = []
        if cost == 2:
            extra = self._thing_at(stage.spot[thing], but=thing)
            if extra is None:
                return None
            told.append(self._happen("GRAB", other, extra))
        told.append(self._happen("GRAB", other, thing).anaphoric(cost == 2))
        self._become(other)
        stage.free(thing)
        return told

    def _get(self, cost: int) -> list[Told] | None:
        """The person whose place is shown takes a thing that will be asked about."""
        stage, person = self._stage, self._who
        thing = self._thing_at(stage.place[person])
        if thing is None:
            return None
        told = []
        stage.keep(thing)
        self._asked = thing
        if cost == 2:
            first = self._aside(person, thing)
            if first is None:
                return None
            told.append(first)
        elif "GIVE" in self._beats and self.draw() < 0.4:
            giver = self._hidden(stage.place[person])
            if giver is not None:
                stage.free(giver)
                taken = self._happen("GRAB", giver, thing)
                return [taken, self._happen("GIVE", giver, thing, person)]
        return [*told, self._happen("GRAB", person, thing).anaphoric(cost == 2)]

    def _let_lie(self) -> list[Told]:
        """The person drops the thing again, and perhaps leaves."""
        person = self._who
        told = [self._happen("DROP", person, self._asked)]
        if "MOVE" in self._beats and self.draw() < 0.5:
            told += self._wander()
        self._stage.free(person)
        return told

    def _leave(self, cost: int) -> list[Told] | None:
        """The person moves on, with everything they have."""
        stage, person = self._stage, self._who
        told = []
        if cost == 2:
            first = self._aside(person)
            if first is None:
                return None
            told.append(first)
        kind = "MOVE"
        if cost == 1:
            kinds = [name for name in ("MOVE", "AFFIRM") if name in self._beats]
            if not kinds:
                return None
            kind = pick_weighted(self.draw, kinds, [self._beats[name] for name in kinds])
        moved = self._relocate(kind, person, self._elsewhere(stage.place[person]))
        return [*told, moved.anaphoric(cost == 2)]

    def _busy(self) -> list[Told]:
        """The person does something else that changes nothing, if possible."""
        person = self._who
        thing = self._thing_at(self._stage.place[person], lying=True) if person else None
        return [self._happen("GRAB", person, thing)] if thing and "GRAB" in self._beats else []

    def _wander(self) -> list[Told]:
        """The person goes somewhere."""
        if "MOVE" not in self._beats:
            return []
        person = self._who
        return [self._relocate("MOVE", person, self._elsewhere(self._stage.place[person]))]

    def _handle(self, thing: str, cost: int, keeps: bool) -> list[Told] | None:
        """The person gets a thing; if they are not to keep it, two sentences get it and drop it."""
        stage, person = self._stage, self._who
        here = stage.place[person]
        ways = []
        if cost == 1:
            ways.append("grab")
            if "GIVE" in self._beats:
                ways.append("give")
        else:
            ways += ["drop"] if self._coref.get("DROP") and not keeps else []
            ways += (
                ["grab"] if self._coref.get("GRAB") and self._coref.get("MOVE") and keeps else []
            )
        if not ways:
            return None
        way = pick(self.draw, ways)
        if way == "drop":
            self._lay(thing, here)
            told = [self._happen("GRAB", person, thing)]
            if self._coref.get("MOVE") and self.draw() < 0.5:
                told += self._wander()
            return [*told, self._happen("DROP", person, thing).anaphoric()]
        if way == "give":
            giver = self._hidden(here)
            if giver is None:
                return None
            self._lay(thing, here)
            stage.free(giver)
            got = self._happen("GRAB", giver, thing)
            return [got, self._happen("GIVE", giver, thing, person)]
        told = []
        if cost == 2:
            told.append(self._relocate("MOVE", person, self._elsewhere(here)))
        self._lay(thing, stage.place[person])
        return [*told, self._happen("GRAB", person, thing).anaphoric(cost == 2)]

    def _lose(self, thing: str) -> list[Told]:
        """The person lets go of a thing, if they have it."""
        stage, person = self._stage, self._who
        if stage.holder[thing] != person:
            return []
        others = [name for name in stage.persons if stage.place[name] == stage.place[person]]
        if others and "GIVE" in self._beats and self.draw() < 0.5:
            return [self._happen("GIVE", person, thing, pick(self.draw, others))]
        return [self._happen("DROP", person, thing)] if "DROP" in self._beats else []

    # --- what the steps need --------------------------------------------------------------

    def _become(self, person: str) -> None:
        """Make this the person whose place is shown."""
        if self._who:
            self._stage.free(self._who)
        self._who = person
        self._stage.keep(person)

    def _happen(self, kind: str, *args: str) -> Told:
        self._stage.act(kind, args)
        return self.lots.told(kind, args)

    def _held(self, person: str) -> list[str]:
        return [thing for thing, who in self._stage.holder.items() if who == person]

    def _hiding(self) -> list[str]:
        """The tellings that let somebody move without saying where to."""
        return [kind for kind in ("NEGATE", "INDEF") if kind in self._beats]

    def _reserve_one(self) -> None:
        """Keep somebody unmentioned, to be met later."""
        if len(self._stage.persons) > 3:
            person = pick(self.draw, self._stage.persons)
            self._stage.keep(person)
            self._reserve.append(person)

    def _hidden(self, place: str) -> str | None:
        """Somebody who, by the story so far, may be at this place; now they are, and are kept."""
        stage, stays = self._stage, self._tale.reading.knowledge.stays
        while self._reserve:
            person = self._reserve.pop()
            if stage.place[person] == place:
                return person
            if person not in stays:
                stage.place[person] = place  # where they were all along
                return person
        there = [name for name in stage.persons if stage.place[name] == place and name not in stays]
        unspoken = there or [name for name in stage.persons if name not in stays]
        if not unspoken:
            return None
        person = pick(self.draw, unspoken)
        stage.place[person] = place
        stage.keep(person)
        return person

    def _thing_at(self, place: str, but: str = "", lying: bool = False) -> str | None:
        """A thing that lies here, or whose place was never mentioned."""
        stage, trails = self._stage, self._tale.reading.knowledge.trails
        free = [
            thing
            for thing in stage.objects
            if stage.holder[thing] is None and thing not in stage.kept and thing != but
        ]
        here = [thing for thing in free if stage.spot[thing] == place and thing in trails]
        unspoken = [] if lying else [thing for thing in free if thing not in trails]
        if not here and not unspoken:
            return None
        thing = pick(self.draw, unspoken or here)
        if thing in unspoken:
            self._lay(thing, place)
        return thing

    def _lay(self, thing: str, place: str) -> None:
        """Place a thing that was never mentioned: it lies there, and always has."""
        self._stage.spot[thing] = place
        self._stage.trail[thing][:] = [place]

    def _aside(self, person: str, but: str = "") -> Told | None:
        """Something else that the person does before, without leaving."""
        thing = self._thing_at(self._stage.place[person], but)
        if thing is not None and self._coref.get("GRAB"):
            return self._happen("GRAB", person, thing)
        held = [name for name in self._held(person) if name != but and name not in self._stage.kept]
        if held and self._coref.get("DROP"):
            return self._happen("DROP", person, pick(self.draw, held))
        return None
