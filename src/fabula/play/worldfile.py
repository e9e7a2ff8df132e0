"""A world as data: a TOML file, read strictly.

Promises:
1. Unknown keys, names that do not exist or occur twice, a thing inside itself, an unreachable
   place: all are rejected with the file, the place in it and a fix.
2. Every name of the world can be told and parsed back: the same check as for recipes.

    title = "Two rooms"

    [places.kitchen]
    exits = { north = "hall" }       # and so south of the hall; or a list: exits = ["hall"]
    [places.hall]

    [people.Mary]
    at = "hall"

    [things.box]
    at = "kitchen"
    use = "in"                       # one can put things in it; "on" for a table
    room = 3                         # things of size 3 in all
    [things.apple]
    at = "box"
    size = 1
    colour = "green"
"""

from __future__ import annotations

from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from fabula.core.files import is_file, parse_toml, unfit_name
from fabula.errors import ParseError, RecipeError, hint
from fabula.language import language, language_file
from fabula.recipe.explain import explain
from fabula.recipe.loading import build
from fabula.recipe.model import Recipe, Strict

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Place(Strict):
    """A place and its exits."""

    exits: dict[str, str] | tuple[str, ...] = ()
    """Neighbours, by direction or just listed; every exit also leads back. If no place of the world
    has exits, every place can be reached from every other.
    """


class Thing(Strict):
    """A thing and its place."""

    at: str
    """A place, a person who has it, or a thing it is in or on."""
    use: Literal["in", "on"] | None = None
    """Whether other things can be put in it or on it."""
    fixed: bool = False
    """Whether it cannot be carried."""
    size: Amount = 0
    room: Amount | None = None
    """The total size of the things that fit in or on it; without it, anything fits."""
    colour: str | None = None
    state: str | None = None


class Person(Strict):
    """A person who can act."""

    at: str
    """A place."""
    pronoun: str | None = None
    """The pronoun, if the language file does not know it."""
    room: Amount | None = None
    """The total size they can carry; without it, anything."""
    need: str | None = None
    """Their initial need."""


class Need(Strict):
    """Something that drives people: the hungry go where food is and take it."""

    wants: Annotated[tuple[str, ...], Field(min_length=1)]
    """Things any of which helps."""
    place: str | None = None
    """Where they look if they know of none."""


class WorldFile(Strict):
    """A world to play in."""

    id: str
    title: str = ""
    about: str = ""
    language: str = "en"
    places: Annotated[dict[str, Place], Field(min_length=1)]
    people: Annotated[dict[str, Person], Field(min_length=1)]
    things: dict[str, Thing] = {}
    needs: dict[str, Need] = {}

    @model_validator(mode="after")
    def _sound(self) -> WorldFile:
        if reason := unfit_name(self.id):
            raise ValueError(f"id: {reason}")
        try:
            opposites(self.language)  # fails for a language that the game does not support
        except RecipeError as error:
            raise ValueError(f"language: {error}") from None
        self._check_names()
        for name, thing in self.things.items():
            self._check_position(f"things.{name}.at", thing.at)
            self._check_inside(name)
            if thing.use is None and thing.room is not None:
                raise ValueError(f'things.{name}.room: needs use = "in" or "on"')
            looks = language(self.language, "actors").lore.looks
            for look in ("colour", "state"):
                word = getattr(thing, look)
                if word is not None:
                    _exists(f"things.{name}.{look}", word, looks[look], look)
        for name, person in self.people.items():
            _exists(f"people.{name}.at", person.at, self.places, "place")
            if person.need is not None:
                _exists(f"people.{name}.need", person.need, self.needs, "need")
        for name, need in self.needs.items():
            for wanted in need.wants:
                _exists(f"needs.{name}.wants", wanted, self.things, "thing")
                if self.things[wanted].fixed:
                    raise ValueError(f"needs.{name}.wants: '{wanted}' is fixed; nobody can take it")
            if need.place is not None:
                _exists(f"needs.{name}.place", need.place, self.places, "place")
        self._check_room()
        self._check_map()
        if len(self.places) == 1 and not self.things:
            raise ValueError("places: nothing can happen in one place without things; add some")
        self.recipe  # noqa: B018  builds it, and so checks that every name can be told
        return self

    def _check_names(self) -> None:
        """Check that no two names are equal, ignoring case: players type the names."""
        seen: dict[str, str] = {}
        for sort in ("places", "people", "things"):
            for name in getattr(self, sort):
                other = seen.setdefault(name.casefold(), f"{sort}.{name}")
                if other != f"{sort}.{name}":
                    raise ValueError(
                        f"{sort}.{name}: {other} already has this name; choose another"
                    )

    def _check_position(self, where: str, at: str) -> None:
        known = {**self.places, **self.people, **self.things}
        _exists(where, at, known, "place, person or thing")
        if at in self.things and self.things[at].use is None:
            raise ValueError(
                f'{where}: nothing can be put in or on \'{at}\'; give it use = "in" or "on"'
            )

    def _check_inside(self, name: str) -> None:
        at, inside = self.things[name].at, [name]
        while at in self.things:
            inside.append(at)
            if at == name:
                raise ValueError(f"things.{name}.at: it is inside itself: {' in '.join(inside)}")
            if len(inside) > len(self.things):
                return  # the cycle is further in and is reported there
            at = self.things[at].at

    def _check_room(self) -> None:
        """Check that containers have room for the things that start in them."""
        for sort, holders in (("things", self.things), ("people", self.people)):
            for name, holder in holders.items():
                held = sum(thing.size for thing in self.things.values() if thing.at == name)
                if holder.room is not None and held > holder.room:
                    raise ValueError(
                        f"{sort}.{name}.room: {holder.room:g} is less than its contents, {held:g}"
                    )
                if sort == "people" and any(t.at == name and t.fixed for t in self.things.values()):
                    raise ValueError(
                        f"people.{name}: holds a thing that is fixed; put it elsewhere"
                    )

    def _check_map(self) -> None:
        opposite = opposites(self.language)
        for name, place in self.places.items():
            exits = place.exits if isinstance(place.exits, dict) else dict.fromkeys(place.exits, "")
            if isinstance(place.exits, dict):
                for direction in place.exits:
                    _exists(f"places.{name}.exits", direction, opposite, "direction")
            for neighbour in place.exits.values() if isinstance(place.exits, dict) else exits:
                _exists(f"places.{name}.exits", neighbour, self.places, "place")
                if neighbour == name:
                    raise ValueError(f"places.{name}.exits: leads to itself")
        start = next(iter(self.places))
        reached, todo = {start}, [start]
        while todo:
            for neighbour in self.ways[todo.pop()]:
                if neighbour not in reached:
                    reached.add(neighbour)
                    todo.append(neighbour)
        lost = [name for name in self.places if name not in reached]
        if lost:
            raise ValueError(f"places.{lost[0]}: cannot be reached from {start}; add an exit")

    @cached_property
    def ways(self) -> dict[str, dict[str, str]]:
        """Place to neighbour to the direction of the exit, '' if it has none."""
        if not any(place.exits for place in self.places.values()):
            return {
                name: {other: "" for other in self.places if other != name} for name in self.places
            }
        opposite = opposites(self.language)
        ways: dict[str, dict[str, str]] = {name: {} for name in self.places}
        for name, place in self.places.items():
            if isinstance(place.exits, dict):
                for direction, neighbour in place.exits.items():
                    self._lead(ways, name, neighbour, direction)
                    self._lead(ways, neighbour, name, opposite[direction])
            else:
                for neighbour in place.exits:
                    ways[name].setdefault(neighbour, "")
                    ways[neighbour].setdefault(name, "")
        return ways

    def _lead(
        self, ways: dict[str, dict[str, str]], name: str, neighbour: str, direction: str
    ) -> None:
        for other, taken in ways[name].items():
            if taken == direction and other != neighbour:
                raise ValueError(
                    f"places.{name}.exits: {direction} leads to {other} and to {neighbour}"
                )
        if ways[name].get(neighbour, direction) not in ("", direction):
            raise ValueError(
                f"places.{name}.exits: {neighbour} lies {ways[name][neighbour]} and {direction}"
            )
        ways[name][neighbour] = direction

    @cached_property
    def recipe(self) -> Recipe:
        """A recipe of the actor world whose stories could happen here."""
        from fabula.world.actors.events import EVENTS
        from fabula.world.actors.questions import KINDS

        uses = {name: thing.use for name, thing in self.things.items() if thing.use}
        pronouns = {n: p.pronoun for n, p in self.people.items() if p.pronoun}
        possible = {
            "MOVE": len(self.places) > 1,
            "PUT": "in" in uses.values(),
            "LAY": "on" in uses.values(),
            "TAKE": bool(uses),
        }
        content: dict[str, Any] = {
            "id": f"play/{self.id}",
            "title": self.title,
            "about": self.about,
            "world": "actors",
            "language": self.language,
            "entities": {
                "persons": list(self.people),
                "places": list(self.places),
                "objects": [name for name in self.things if name not in uses],
                "containers": [name for name, use in uses.items() if use == "in"],
                "surfaces": [name for name, use in uses.items() if use == "on"],
                "fixed": [n for n, thing in self.things.items() if thing.fixed and n in uses],
            },
            "pronouns": pronouns,
            "events": {
                kind: 1.0
                for kind in EVENTS
                if possible.get(kind, kind in ("GRAB", "DROP", "GIVE") and bool(self.things))
            },
            "asks": dict.fromkeys(KINDS, 1.0),
            "split_key": "none",
            "splits": {"play": {"size": 1, "share": 1.0}},
        }
        try:
            return build(content, place="")
        except RecipeError as error:
            raise ValueError(str(error).removeprefix(", ").removeprefix("entities.")) from None


def opposites(code: str) -> dict[str, str]:
    """Every direction of a language with its opposite."""
    one_way: dict[str, str] = language_file(code, "play")["directions"]
    return {**one_way, **{back: there for there, back in one_way.items()}}


def _exists(where: str, name: str, known: Any, sort: str) -> None:
    if name not in known:
        raise ValueError(f"{where}: there is no {sort} '{name}'.{hint(name, known)}")


# --- finding and reading ----------------------------------------------------------------------


def world_ids() -> list[str]:
    """The names of the built-in worlds."""
    folder = resources.files("fabula.play") / "worlds"
    return sorted(
        p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml")
    )


def load_world(name: str | Path) -> WorldFile:
    """A world by name or path."""
    text = _text(str(name))
    place = f"world {name}"
    try:
        data = parse_toml(text, place)
    except ParseError as error:
        raise RecipeError(str(error)) from None
    data.setdefault("id", Path(str(name)).stem)
    try:
        return WorldFile.model_validate(data)
    except ValidationError as error:
        raise RecipeError(explain(error, place, WorldFile)) from None


def _text(name: str) -> str:
    if name in world_ids():
        path = resources.files("fabula.play") / "worlds" / f"{name}.toml"
        return path.read_text(encoding="utf-8")
    file = Path(name)
    if file.suffix != ".toml" and not is_file(file):
        raise RecipeError(
            f"no world '{name}'.{hint(name, world_ids())} Your own file needs the ending .toml."
        )
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RecipeError(f"world {name}: no such file.") from None
    except (OSError, ValueError) as error:
        raise RecipeError(f"world {name}: cannot be read: {error}.") from None
