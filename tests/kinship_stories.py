"""Stories of the kinship world for tests."""

from __future__ import annotations

from functools import cache
from typing import Any

from fabula.core.instance import Instance
from fabula.generation.author import Author
from fabula.recipe.loading import build, load
from fabula.recipe.model import Recipe

ALL_NOISE = ["supporting", "irrelevant", "disconnected"]


def recipe(**keys: Any) -> Recipe:
    """A recipe of the kinship world with these keys."""
    return build({"id": "kinship/test", "world": "kinship", **keys})


def stories(count: int, split: str = "test", seed: int = 0, **keys: Any) -> list[Instance]:
    """The first so many instances of a recipe with these keys."""
    return list(Author(recipe(**keys), split, seed).instances(0, count))


@cache
def shipped(name: str, split: str, count: int) -> tuple[Instance, ...]:
    """The first so many instances of a shipped recipe."""
    return tuple(Author(load(name), split).instances(0, count))
