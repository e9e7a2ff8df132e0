"""The simulation: the stage of the actor world with a map, sizes, colours, states and needs.

Promises:
1. An action is possible or rejected with a reason; a rejected action changes nothing.
2. People only go to places that an exit leads to; get what is within reach, held by nobody else,
   not fixed and not too big; drop, give and put only what they have; put things only in or on what
   is made for it and has room; nothing goes in or out of a closed container. The world can set
   anything, a person only what is where they are.
3. Events are returned as sentences to tell: the same events that generated stories have.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import NamedTuple

from fabula.errors import hint
from fabula.language import Language, language_file
from fabula.play.worldfile import WorldFile
from fabula.world.actors.events import Told
from fabula.world.actors.furnished import PREPOSITION, Furnished


class Action(NamedTuple):
    """Something that a person may do: a kind of event and its arguments, the actor first."""

    kind: str
    """MOVE, GRAB, DROP, GIVE, PUT, LAY or TAKE."""
    args: tuple[str, ...]


class Refusal(NamedTuple):
    """Why something is impossible: a reason of the language file and its names."""

    reason: str
    names: tuple[str, ...]


class Simulation:
    """The state of the world and the actions that are possible in it."""

    def __init__(self, world: WorldFile) -> None:
        self.world = world
        uses = {name: thing.use for name, thing in world.things.items() if thing.use}
        fixed = [name for name, thing in world.things.items() if thing.fixed]
        self.stage = Furnished(
            tuple(world.people), tuple(world.places), tuple(world.things), lambda: 0.0, uses, fixed
        )
        stage = self.stage
        stage.place.update({name: person.at for name, person in world.people.items()})
        for name, thing in world.things.items():
            stage.holder[name] = None if thing.at in world.places else thing.at
        for name in world.things:
            at = name
            while at in world.things:
                at = world.things[at].at
            stage.spot[name] = at if at in world.places else world.people[at].at
            stage.trail[name] = [stage.spot[name]]
        self.colour = {name: thing.colour for name, thing in world.things.items() if thing.colour}
        self.state = {name: thing.state for name, thing in world.things.items() if thing.state}
        self.need = {name: person.need for name, person in world.people.items() if person.need}

    def copy(self) -> Simulation:
        """An independent copy of the state."""
        twin = Simulation(self.world)
        stage, other = self.stage, twin.stage
        other.place, other.spot = dict(stage.place), dict(stage.spot)
        other.holder = dict(stage.holder)
        other.moves, other.gives = list(stage.moves), list(stage.gives)
        other.trail = {thing: list(way) for thing, way in stage.trail.items()}
        twin.colour, twin.state = dict(self.colour), dict(self.state)
        twin.need = dict(self.need)
        return twin

    # --- what is so -----------------------------------------------------------------------

    def here(self, place: str) -> list[str]:
        """Things in a place that nobody holds and nothing contains."""
        stage = self.stage
        return [t for t, at in stage.spot.items() if at == place and stage.holder[t] is None]

    def room_of(self, holder: str) -> float | None:
        """The total size that a person or thing can hold, or None if anything fits."""
        if holder in self.world.people:
            return self.world.people[holder].room
        return self.world.things[holder].room

    def taken(self, holder: str) -> float:
        """The total size that a person or thing holds."""
        return sum(self.world.things[thing].size for thing in self.stage.contents(holder))

    def path(self, start: str, goal: str) -> list[str]:
        """The places on a shortest path, without the start."""
        before = {start: start}
        todo = deque([start])
        while todo and goal not in before:
            here = todo.popleft()
            for neighbour in self.world.ways[here]:
                if neighbour not in before:
                    before[neighbour] = here
                    todo.append(neighbour)
        way = []
        while goal != start:
            way.append(goal)
            goal = before[goal]
        return way[::-1]

    # --- what is possible -----------------------------------------------------------------

    def refusal(self, action: Action) -> Refusal | None:
        """Why an action is impossible now; None if it is possible."""
        kind, (who, what, *rest) = action
        if kind == "MOVE":
            return self._no_way(who, what)
        if kind == "GRAB":
            return self._no_grab(who, what)
        if kind == "TAKE":
            return self._no_take(who, what, rest[0])
        if self.stage.holder[what] != who:
            return Refusal("has-not", (who, what))
        if kind == "DROP":
            return None
        if kind == "GIVE":
            return self._no_give(who, what, rest[0])
        return self._no_put(kind, who, what, rest[0])

    def _no_way(self, who: str, place: str) -> Refusal | None:
        here = self.stage.place[who]
        if place == here:
            return Refusal("here-already", (who, place))
        ways = self.world.ways[here]
        return None if place in ways else Refusal("no-way", (who, here, place, *ways))

    def _absent(self, who: str, thing: str) -> Refusal | None:
        here = self.stage.place[who]
        return Refusal("away-thing", (who, thing, here)) if self.stage.spot[thing] != here else None

    def _no_grab(self, who: str, thing: str) -> Refusal | None:
        holder = self.stage.holder[thing]
        if holder == who:
            return Refusal("has-already", (who, thing))
        if absent := self._absent(who, thing):
            return absent
        if holder is not None:
            return Refusal("held", (who, thing, holder))
        if thing in self.stage.fixed:
            return Refusal("fixed", (who, thing))
        return self._no_room(who, thing, who)

    def _no_take(self, who: str, thing: str, box: str) -> Refusal | None:
        if absent := self._absent(who, box):
            return absent
        use = self.stage.furniture.get(box)
        if use is None:
            return Refusal("not-made", (who, box))
        if shut := self._shut(who, box):
            return shut
        if self.stage.holder[thing] != box:
            return Refusal("not-there", (who, thing, box, use))
        if not self.stage.reaches(who, box):
            return Refusal("out-of-reach", (who, box, self.stage.bearer(box) or ""))
        if thing in self.stage.fixed:
            return Refusal("fixed", (who, thing))
        return self._no_room(who, thing, who)

    def _no_give(self, who: str, thing: str, other: str) -> Refusal | None:
        if other == who:
            return Refusal("to-oneself", (who,))
        if self.stage.place[other] != self.stage.place[who]:
            return Refusal("away-person", (who, other, self.stage.place[who]))
        return self._no_room(who, thing, other)

    def _no_put(self, kind: str, who: str, thing: str, box: str) -> Refusal | None:
        stage, use = self.stage, PREPOSITION[kind]
        if absent := self._absent(who, box):
            return absent
        made = stage.furniture.get(box)
        if made is None:
            return Refusal("not-made", (who, box))
        if made != use:
            return Refusal("made-otherwise", (who, box, made, use))
        if stage.within(box, thing):
            reason = "itself" if thing == box else "inside-out"
            return Refusal(reason, (who, thing, box, use))
        if shut := self._shut(who, box):
            return shut
        if not stage.reaches(who, box):
            return Refusal("out-of-reach", (who, box, stage.bearer(box) or ""))
        return self._no_room(who, thing, box)

    def _shut(self, who: str, box: str) -> Refusal | None:
        """Why nothing goes in or out of a box: it, or a box around it, is closed."""
        stage, at = self.stage, box
        while at in stage.furniture:
            state = self.state.get(at)
            if stage.furniture[at] == "in" and state in _shut_states(self.world.language):
                return Refusal("shut", (who, at, str(state)))
            at = stage.holder[at] or ""
        return None

    def _no_room(self, who: str, thing: str, holder: str) -> Refusal | None:
        room, size = self.room_of(holder), self.world.things[thing].size
        taken = self.taken(holder)
        if room is None or taken + size <= room:
            return None
        reason = "no-hands" if holder in self.world.people else "no-room"
        return Refusal(reason, (who, thing, holder, f"{room:g}", f"{taken:g}", f"{size:g}"))

    def possible(self, person: str) -> dict[str, list[Action]]:
        """All possible actions of a person, by kind."""
        here = self.stage.place[person]
        found = {"MOVE": [Action("MOVE", (person, place)) for place in self.world.ways[here]]}
        for kind in ("GRAB", "DROP", "GIVE", "PUT", "LAY", "TAKE"):
            tried = (Action(kind, args) for args in self.stage.options(kind, person))
            found[kind] = [action for action in tried if self.refusal(action) is None]
        return {kind: actions for kind, actions in found.items() if actions}

    # --- what happens ---------------------------------------------------------------------

    def do(self, action: Action) -> Told:
        """Perform a possible action."""
        kind, args = action
        if kind == "MOVE":
            self.stage.move(*args)
        else:
            self.stage.act(kind, args)
            self._relieve(args[-1] if kind == "GIVE" else args[0], args[1])
        return Told(kind, args[:1], args[1:])

    def _relieve(self, person: str, thing: str) -> None:
        """End the need of a person who has got what they needed."""
        need = self.need.get(person)
        if need and thing in self.world.needs[need].wants and self.stage.holder[thing] == person:
            del self.need[person]

    def set(
        self, entity: str, name: str | None, word: str, tongue: Language
    ) -> Told | Refusal | None:
        """Set a property, as the world; None if no sentence can express it."""
        if entity in self.world.people:
            if name not in (None, "need"):
                return Refusal("property-of-person", ("", entity, str(name)))
            if word not in self.world.needs:
                return Refusal("no-need", ("", word, *self.world.needs))
            for thing in self.world.needs[word].wants:
                if self.stage.holder[thing] == entity:
                    return Refusal("needless", (entity, thing, word))
            self.need[entity] = word
            return self.need_told(entity, tongue)
        if entity in self.world.places:
            return Refusal("place-set", ())
        if name == "size":
            return Refusal("size-set", ("", entity))
        looks = tongue.lore.looks
        look = name or next((look for look, words in looks.items() if word in words), None)
        if look == "need" or (look is None and word in tongue.lore.needs):
            return Refusal("need-of-thing", ("", entity))
        if look is None or word not in looks[look]:
            known = looks[look] if look else [word for words in looks.values() for word in words]
            return Refusal("untold", ("", word, hint(word, known)))
        (self.state if look == "state" else self.colour)[entity] = word
        return Told(look.upper(), (entity,), (word,))

    def need_told(self, person: str, tongue: Language) -> Told | None:
        """The need of a person as a sentence; None if it would mean something else to a reader.

        It can be told if common knowledge about it agrees with this world, and it leads them
        elsewhere.
        """
        need, here = self.need[person], self.world.needs[self.need[person]]
        known = tongue.lore.needs.get(need)
        if known != (here.place, *here.wants) or self.stage.place[person] == here.place:
            return None
        return Told("NEED", (person,), (need,))

    def transport(self, person: str, place: str) -> Told:
        """Put a person in a place, as the world."""
        if self.stage.place[person] != place:
            self.stage.move(person, place)
        return Told("AFFIRM", (person,), (place,))


@cache
def _shut_states(code: str) -> frozenset[str]:
    """The states of a container in which nothing goes in or comes out."""
    return frozenset(language_file(code, "play")["shut"])
