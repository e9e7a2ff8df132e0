"""The README says what is so: its recipe works, its lists are complete, its story comes so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fabula import generate, instance
from fabula.analysis.gallery import text
from fabula.recipe.loading import build, recipe_ids
from fabula.recipe.model import Cell, Recipe, Split, Strict
from fabula.world.actors.events import EVENTS, TELLINGS
from fabula.world.actors.questions import KINDS
from fabula.world.actors.recipe import ActorsRecipe, Entities, There

PATH = Path(__file__).parent.parent.parent / "README.md"
README = PATH.read_text(encoding="utf-8")


def test_its_recipe_works() -> None:
    (source,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    recipe = build({"id": "rooms", **tomllib.loads(source)})
    made = list(generate(recipe, "test", size=4))
    assert [one.features["support_size"] for one in made] == [2, 3, 2, 3]


@pytest.mark.parametrize("part", [Recipe, Cell, Split, ActorsRecipe, Entities, There])
def test_every_key_is_explained(part: type[Strict]) -> None:
    named = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`\n]+)`", README))))
    assert not set(part.model_fields) - named


def test_every_word_and_family_of_recipes_is_named() -> None:
    named = set(re.findall(r"`([\w-]+)", README))
    families = {name.partition("/")[0] for name in recipe_ids(plugins=False)}
    assert not {*EVENTS, *TELLINGS, *KINDS, *families} - named


def test_its_story_is_made_so(refresh: bool) -> None:
    block = re.search(
        r"\$ fabula show (\S+) --split (\w+) --index (\d+) --seed (\d+)((?: --set \S+)*)\n(.*?)```",
        README,
        re.DOTALL,
    )
    assert block, "there is no story with its command"
    recipe, split, index, seed, changes, shown = block.groups()
    keys = re.findall(r"--set (\w+)=(\w+)", changes)
    values: dict[str, Any] = {key: int(v) if v.isdigit() else v for key, v in keys}
    made = "\n".join(text(instance(recipe, split, int(index), int(seed), **values))) + "\n"
    if refresh:
        PATH.write_text(README.replace(shown, made), encoding="utf-8")
        return
    assert shown == made, "run `make golden`, and see whether the story is still a good example"
