"""The stage with containers and surfaces, and the recipe keys for them."""

from __future__ import annotations

from typing import Any

import pytest

from fabula.core.seeds import stream
from fabula.errors import RecipeError
from fabula.recipe.loading import build
from fabula.world.actors.events import FURNISHING, Lots, Scenario
from fabula.world.actors.furnished import Furnished

PEOPLE, PLACES = ("Ann", "Bob", "Cat"), ("hall", "den", "loft")
THINGS = ("cup", "pen", "box", "chest", "tray", "table")
FURNITURE = {"box": "in", "chest": "in", "tray": "on", "table": "on"}


def stage(seed: int) -> Furnished:
    draw = stream("stage", seed, "x", 0, "x")
    return Furnished(PEOPLE, PLACES, THINGS, draw, FURNITURE, fixed=("table",))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_in_something_is_where_it_is(seed: int) -> None:
    world = stage(seed)
    weights = {"MOVE": 1.0, "GRAB": 1.0, "DROP": 0.3, "GIVE": 0.5, **dict.fromkeys(FURNISHING, 1.0)}
    lots = Lots(weights, {}, len(PEOPLE), len(PLACES), by_person=False, twice_the_same=False)
    scenario = Scenario(world, lots, stream("play", seed, "x", 0, "x"))
    table, seen, deepest = world.spot["table"], set(), 0
    for _ in range(400):
        told = scenario.beat(2)
        assert told
        seen.add(told[0].kind)
        for thing, holder in world.holder.items():
            depth, at = 0, holder
            while at is not None and at in FURNITURE:
                assert world.spot[at] == world.spot[thing]
                at, depth = world.holder[at], depth + 1
                assert depth < len(THINGS), "something is inside itself"
            if at is not None:
                assert world.place[at] == world.spot[thing]
            assert world.bearer(thing) == at
            assert world.trail[thing][-1] == world.spot[thing]
            deepest = max(deepest, depth)
        assert (world.holder["table"], world.spot["table"]) == (None, table)
    assert seen == weights.keys()
    assert deepest >= 2, "boxes come to be in boxes"


@pytest.mark.parametrize("kind", [*FURNISHING, "GRAB", "DROP", "GIVE"])
def test_every_option_names_what_is_within_reach(kind: str) -> None:
    world = stage(3)
    world.place = dict.fromkeys(PEOPLE, "hall")
    world.spot = dict.fromkeys(THINGS, "hall")
    world.holder.update({"cup": "box", "box": "Ann", "pen": "Bob", "tray": "chest"})
    found = set(world.options(kind))
    options: dict[str, set[tuple[str, ...]]] = {
        "PUT": {("Ann", "box", "chest"), ("Bob", "pen", "chest")},
        "LAY": {
            ("Ann", "box", "table"), ("Ann", "box", "tray"),
            ("Bob", "pen", "table"), ("Bob", "pen", "tray"),
        },
        "TAKE": {("Ann", "cup", "box"), *((who, "tray", "chest") for who in PEOPLE)},
        "GRAB": {(who, "chest") for who in PEOPLE},
        "DROP": {("Ann", "box"), ("Bob", "pen")},
        "GIVE": {
            ("Ann", "box", "Bob"), ("Ann", "box", "Cat"),
            ("Bob", "pen", "Ann"), ("Bob", "pen", "Cat"),
        },
    }  # fmt: skip
    expected = options[kind]
    assert found == expected
    assert set(world.options(kind, "Ann")) == {option for option in expected if option[0] == "Ann"}


RECIPE: dict[str, Any] = {
    "id": "r",
    "world": "actors",
    "entities": {
        "persons": ["Mary", "John"],
        "places": ["hall", "den"],
        "objects": ["cup"],
        "containers": ["box"],
    },
    "events": {"MOVE": 1, "GRAB": 1, "PUT": 1, "TAKE": 1},
    "asks": {"what-in": 1},
}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"entities.containers": []}, "entities.containers: PUT needs at least one"),
        ({"events.LAY": 1}, "entities.surfaces: LAY needs at least one"),
        (
            {"events.PUT": 0},
            "events.TAKE: there is never anything to take; give PUT or LAY a weight",
        ),
        ({"entities.fixed": ["bx"]}, "'bx' is not a container or surface. Did you mean 'box'?"),
        (
            {"entities.surfaces": ["box"]},
            "'box' is listed both as a container or surface and as something else",
        ),
        (
            {"entities.containers": ["Mary"]},
            "'Mary' is listed both as a container or surface and as something else",
        ),
        ({"entities.containers": ["box on the left"]}, "cannot be parsed back"),
        ({"asks": {"what-inn": 1}}, "unknown question 'what-inn'. Did you mean 'what-in'?"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(changes: dict[str, Any], said: str) -> None:
    build(RECIPE)
    with pytest.raises(RecipeError) as error:
        build(RECIPE, changes)
    assert said in str(error.value)
