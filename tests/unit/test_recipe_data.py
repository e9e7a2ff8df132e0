"""A recipe is plain data: generation leaves nothing in it, and it can be looked up by content."""

from __future__ import annotations

import pickle

import pytest

from fabula.generation.author import Author
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load

RECIPES = ("babi/qa2", "babi/qa17", "stepgame/noise", "clutrr/gen-23", "babi/qa15", "babi/qa18")
TOOLS = ("drawing", "telling", "events", "templates", "phrases", "grammar", "language", "tale")


@pytest.mark.parametrize("name", RECIPES)
def test_generation_leaves_no_tools_in_a_recipe(name: str) -> None:
    author = Author(load(name), "test", 7)
    assert len(list(author.instances(0, 2))) == 2
    for key, value in author.recipe.__dict__.items():
        assert type(value).__module__.rpartition(".")[2] not in TOOLS, key


@pytest.mark.parametrize("name", ["stepgame/clean", "dyna/concat-t12"])
def test_recipes_of_the_same_content_are_the_same_key(name: str) -> None:
    recipe, again = load(name), load(name)
    assert recipe is not again
    assert {recipe: "made once"}[again] == "made once"
    assert {recipe: "made once"}[pickle.loads(pickle.dumps(recipe))] == "made once"
    other = load(name, {"splits": {"train": 10, "test": 20}})
    assert other not in {recipe: "made once"}


def test_a_collection_keeps_its_members_when_it_is_pickled() -> None:
    whole = load("dyna/concat-t12")
    assert isinstance(whole, Collection)
    copy = pickle.loads(pickle.dumps(whole))
    assert copy.members == whole.members
    assert list(whole.members) == [part.name for part in whole.parts]
    assert copy.digest == whole.digest
