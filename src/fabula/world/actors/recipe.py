"""The recipe keys of the actor world, in addition to those of every recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from fabula.errors import ParseError, hint
from fabula.language import Language, Statement, language
from fabula.recipe.model import Recipe, Strict, Weight
from fabula.world.actors import possible
from fabula.world.actors.events import (
    ACTIONS,
    CONCEPTS,
    COREFERABLE,
    EVENTS,
    FURNISHING,
    TELLINGS,
)
from fabula.world.actors.questions import KINDS, Cast

Names = Annotated[tuple[str, ...], Field(min_length=1)]
Chance = Annotated[float, Field(ge=0, le=1)]


class Entities(Strict):
    """The people, places and things of the stories."""

    persons: Names
    places: Names
    objects: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    """Things that other things can be put in; they can be carried unless they are `fixed`."""
    surfaces: tuple[str, ...] = ()
    """Things that other things can be put on; they can be carried unless they are `fixed`."""
    fixed: tuple[str, ...] = ()
    """The containers and surfaces that nobody can carry."""

    @field_validator("persons", "places", "objects", "containers", "surfaces", "fixed")
    @classmethod
    def _distinct(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} listed twice")
        return names

    @model_validator(mode="after")
    def _sound(self) -> Entities:
        for name in self.fixed:
            if name not in self.furniture:
                known = hint(name, self.furniture)
                raise ValueError(f"fixed: '{name}' is not a container or surface.{known}")
        for name in (*self.containers, *self.surfaces):
            if (*self.persons, *self.things).count(name) > 1:
                raise ValueError(
                    f"'{name}' is listed both as a container or surface and as something else"
                )
        return self

    @property
    def things(self) -> tuple[str, ...]:
        """All objects, containers and surfaces."""
        return (*self.objects, *self.containers, *self.surfaces)

    @cached_property
    def furniture(self) -> dict[str, str]:
        """Containers and surfaces, and whether things are put in or on them."""
        return dict.fromkeys(self.containers, "in") | dict.fromkeys(self.surfaces, "on")


class There(Strict):
    """How often a grab or drop ends in 'there'."""

    GRAB: Chance = 0.0
    DROP: Chance = 0.0


class ActorsRecipe(Recipe):
    """A recipe of the actor world."""

    entities: Entities
    pronouns: dict[str, str] = {}
    """Pronouns of people that the language file does not know, e.g. Zoe = 'she'."""
    events: dict[str, Weight] = {}
    """Events told plainly, by weight: MOVE, GRAB, DROP, GIVE, PUT, LAY, TAKE, NEED, SEEK, …"""
    tellings: dict[str, Weight] = {}
    """Tellings with their own events, drawn together with `events`: AFFIRM, NEGATE, TIME,
    COREF, …
    """
    coref: dict[str, Weight] = {"MOVE": 1.0, "GRAB": 1.0, "DROP": 1.0}
    """Events told by COREF, by weight."""
    there: There = There()
    event_sampling: Literal["kind", "person"] = "kind"
    """How the next event is drawn (see events.py)."""
    single_visit: bool = False
    """Ask 'where was … before the L' only if the object or person came to L exactly once."""
    recent_events: Annotated[int, Field(ge=0)] = 0
    """Ask only about one of the last n events, as the release does; 0: about any."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    repeat_either: bool = False
    """Whether 'either in the X or the Y' may name the same place twice, as in the release."""
    time_order: Literal["any", "release"] = "any"
    """The order in which TIME tells the past (see past.py)."""
    gives: Literal["any", "release"] = "any"
    """Which of the possible gives may happen: any, or those of the release (see relay.py)."""
    moods: tuple[str, ...] = ()
    """Moods that NEED can draw; by default all whose place and thing the recipe has."""
    max_needs: Annotated[int, Field(ge=0)] = 0
    """Maximum number of needs per person; 0: any number, one after another."""
    start_outside: bool = False
    """Whether nobody is in any of the places at the start, as in the release's task 20."""
    lowercase_names: bool = False
    """Whether questions about needs write names without a capital, as in the release."""
    renamed: ClassVar[Mapping[str, str]] = {
        **Recipe.renamed,
        "window": "recent_events",
        "draw": "event_sampling",
        "times": "time_order",
        "needs_each": "max_needs",
        "outside": "start_outside",
        "small_names": "lowercase_names",
    }

    @field_validator("events")
    @classmethod
    def _known_events(cls, weights: dict[str, float]) -> dict[str, float]:
        return _known(weights, EVENTS, "event")

    @field_validator("coref")
    @classmethod
    def _known_coref(cls, weights: dict[str, float]) -> dict[str, float]:
        return _known(weights, COREFERABLE, "event")

    @field_validator("tellings")
    @classmethod
    def _known_tellings(cls, weights: dict[str, float]) -> dict[str, float]:
        return _known(weights, TELLINGS, "telling")

    @field_validator("asks")
    @classmethod
    def _known_questions(cls, weights: dict[str, float]) -> dict[str, float]:
        return _known(weights, KINDS, "question")

    @field_validator("balance")
    @classmethod
    def _known_kinds(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        _known(dict.fromkeys(kinds, 1.0), KINDS, "question")
        return kinds

    @model_validator(mode="after")
    def _tellable(self) -> ActorsRecipe:
        if not any(self.beats.values()):
            raise ValueError("events: nothing can happen; give an event or a telling a weight")
        acting = [kind for kind in ACTIONS if self.events.get(kind)]
        if acting and not self.entities.things:
            raise ValueError(f"entities.objects: {', '.join(acting)} need at least one object")
        self._check_furniture()
        if self.beats.get("COREF") and not any(self.coref.values()):
            raise ValueError("coref: COREF needs at least one event with a positive weight")
        if self.start_outside and self.beats.get("TIME"):
            raise ValueError(
                "start_outside: cannot be combined with TIME, where everybody starts in a place"
            )
        self._check_moods()
        self._check_cells()
        possible.check(self)
        self._check_names()
        return self

    def _check_furniture(self) -> None:
        told = {kind for kind, weight in self.events.items() if weight}
        if self.beats.get("COREF"):
            told |= {kind for kind, weight in self.coref.items() if weight}
        entities = self.entities
        for kind, key, there in (
            ("PUT", "containers", entities.containers),
            ("LAY", "surfaces", entities.surfaces),
            ("TAKE", "containers", entities.furniture),
        ):
            if kind in told and not there:
                raise ValueError(f"entities.{key}: {kind} needs at least one, e.g. ['box']")
        if "TAKE" in told and not told & {"PUT", "LAY"}:
            raise ValueError(
                "events.TAKE: there is never anything to take; give PUT or LAY a weight"
            )

    def _check_moods(self) -> None:
        needs = self.grammar.lore.needs
        for mood in self.moods:
            if mood not in needs:
                raise ValueError(f"moods: unknown '{mood}'.{hint(mood, needs)}")
            if needs[mood] not in self._reachable:
                place, thing = needs[mood]
                raise ValueError(
                    f"moods: '{mood}' needs the place '{place}' and the object '{thing}'; "
                    "add them to entities"
                )
        if self.beats.get("NEED") and not self.cast.moods:
            ways = "; ".join(f"{mood}: {', '.join(need)}" for mood, need in needs.items())
            raise ValueError(
                "events.NEED: no mood has both its place and its object in entities; "
                f"add those of at least one mood ({ways})"
            )
        idle = [kind for kind in ("SEEK", "SATISFY") if self.beats.get(kind)]
        if idle and not self.beats.get("NEED"):
            raise ValueError(f"events.{idle[0]}: nobody wants anything; give NEED a weight")

    def _check_cells(self) -> None:
        concepts = {*CONCEPTS}
        cells = {"keep": self.keep, **{f"cells[{i}]": c for i, c in enumerate(self.cells)}}
        for name, cell in cells.items():
            for kind in cell.asks:
                if not self.asks.get(kind):
                    raise ValueError(f"{name}.asks: '{kind}' is not asked.{hint(kind, self.asks)}")
            for key, named in cell.concepts.items():
                for concept in named:
                    if concept not in concepts:
                        raise ValueError(
                            f"{name}.{key}: unknown '{concept}'.{hint(concept, concepts)}"
                        )

    def _check_names(self) -> None:
        """Check that every name can be told and parsed back in every frame that mentions it."""
        tongue = self.grammar
        people, places, things = self.entities.persons, self.entities.places, self.entities.things
        probes: list[tuple[str, tuple[str, ...], tuple[str, ...], str]] = [
            ("AFFIRM", (name,), (places[0],), f"persons: '{name}'") for name in people
        ]
        probes += [("INDEF", (people[0],), (n, n), f"places: '{n}'") for n in places]
        probes += [("MOVE", (people[0],), (n,), f"places: '{n}'") for n in places]
        for kind in ("GRAB", "GRAB-there"):
            probes += [(kind, (people[0],), (name,), f"objects: '{name}'") for name in things]
        if self.entities.furniture:
            probes += [
                (kind, (people[0],), (thing, thing), f"objects: '{thing}'")
                for kind in FURNISHING
                for thing in things
            ]
        for frame, subjects, args, where in probes:
            said = tongue.say(frame, subjects[0], args, lambda: 0.0)
            meant = Statement(frame.split("-")[0], subjects, args)
            try:
                understood = tongue.parse(said) == meant
            except ParseError:
                understood = False
            if not understood:
                raise ValueError(
                    f"entities.{where} cannot be parsed back from '{said}'; choose another name"
                )
        if self.beats.get("COREF"):
            for person in people:
                if self.pronoun((person,)) is None:
                    raise ValueError(
                        f"entities.persons: no pronoun is known for '{person}'; "
                        f'add [pronouns] {person} = "he", "she" or another'
                    )

    def pronoun(self, people: tuple[str, ...]) -> str | None:
        """The pronoun for one person or two."""
        known = self.pronouns.get(people[0]) if len(people) == 1 else None
        return known or self.grammar.pronoun(people)

    @property
    def beats(self) -> dict[str, float]:
        """Everything that may be drawn, by weight."""
        return {**self.events, **self.tellings}

    def concepts(self) -> frozenset[str]:
        """The question kinds, events and tellings of its stories."""
        told = {kind for kind, weight in self.beats.items() if weight}
        if "COREF" in told:
            told |= {kind for kind, weight in self.coref.items() if weight}
        if "COMPOUND" in told:  # begins with a conjunction
            told.add("CONJ")
        if told & {"AFFIRM", "CONJ"}:  # moves, told another way
            told = told - {"AFFIRM"} | {"MOVE"}
        return super().concepts() | told

    @cached_property
    def there_chances(self) -> dict[str, float]:
        """How often a kind of sentence ends in 'there', for kinds that may."""
        return {"GRAB": self.there.GRAB, "DROP": self.there.DROP}

    @property
    def grammar(self) -> Language:
        """The grammar of the world's own language, with its words for this world."""
        return language(self.native, "actors")

    @cached_property
    def cast(self) -> Cast:
        """The people, places and things that questions may name."""
        entities, needs = self.entities, self.grammar.lore.needs
        moods = self.moods or tuple(mood for mood in needs if needs[mood] in self._reachable)
        return Cast(
            entities.persons,
            entities.places,
            entities.things,
            moods,
            entities.containers,
            entities.surfaces,
        )

    @cached_property
    def _reachable(self) -> set[tuple[str, str]]:
        """The needs whose place and thing exist, as (place, thing)."""
        return set(product(self.entities.places, self.entities.objects))


def _known(weights: dict[str, float], known: Iterable[str], what: str) -> dict[str, float]:
    words = list(known)
    for word in weights:
        if word not in words:
            raise ValueError(f"unknown {what} '{word}'.{hint(word, words)}")
    return weights
