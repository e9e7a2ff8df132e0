"""Stories of the kinship world for tests, each with its split and index."""

from __future__ import annotations

from functools import cache
from typing import Any

from fabula.generate import Author, Passage
from fabula.instance import Instance
from fabula.recipe import Recipe, build, load
from fabula.seeds import Draw
from fabula.worlds.base import Tale
from fabula.worlds.kinship import KINSHIP, begin

ALL_NOISE = ["supporting", "irrelevant", "disconnected"]


class KinshipAuthor(Author):
    """An author who tells the world which instance of which split it is making."""

    def passage(self, number: str, first: int) -> Passage:
        def known(recipe: Recipe, unfold: Draw, tell: Draw, *_: Any) -> Tale:
            return begin(recipe, unfold, tell, self.split, first)

        self.world = KINSHIP._replace(begin=known)
        return super().passage(number, first)


def recipe(**keys: Any) -> Recipe:
    """A recipe of the kinship world with these keys."""
    return build({"id": "kinship/test", "world": "kinship", **keys})


def stories(count: int, split: str = "test", seed: int = 0, **keys: Any) -> list[Instance]:
    """The first so many instances of a recipe with these keys."""
    return list(KinshipAuthor(recipe(**keys), split, seed).instances(0, count))


@cache
def shipped(name: str, split: str, count: int) -> tuple[Instance, ...]:
    """The first so many instances of a shipped recipe."""
    return tuple(KinshipAuthor(load(name), split).instances(0, count))
