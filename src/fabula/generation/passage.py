"""What is handed from step to step: an assignment goes in, passages come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.instance import Asked
from fabula.language.tongue import Tongue
from fabula.recipe.collection import Collection
from fabula.recipe.model import Recipe
from fabula.world import WORLDS
from fabula.world.base import Tale


class Assignment(NamedTuple):
    """One split of one recipe, to be generated from one seed."""

    recipe: Recipe
    """The recipe as it is in force in the split."""
    split: str
    seed: int
    whole: Recipe
    """The recipe that records name: the same, or the collection that it is a part of."""
    part: str = ""
    """Its name in that collection."""

    @property
    def stated(self) -> tuple[str, ...]:
        """The conventions that are stated, by name.

        A prompt states the same for all parts of a collection, a story only what it relies on.
        """
        own = conventions_of(self.recipe)
        if not self.part or self.recipe.conventions == "story":
            return own
        return tuple(dict.fromkeys((*conventions_of(self.whole), *own)))


def conventions_of(recipe: Recipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe, or of any of its parts, may rely on, by name."""
    if isinstance(recipe, Collection):
        parts = recipe.members.values()
        return tuple(dict.fromkeys(name for part in parts for name in conventions_of(part)))
    return WORLDS[recipe.world].conventions(recipe)


class Passage(NamedTuple):
    """A story with the questions put to it."""

    number: str
    first: int
    """Index of its first instance."""
    tale: Tale
    asked: list[Asked]
    tongue: Tongue | None = None
    """What tells it in another language than the world's own."""
    told: Sequence[str] = ()
    """Its sentences in that language."""

    part: str = ""
    """The part it belongs to, in a recipe made of recipes."""
    preface: Sequence[str] = ()
    """Sentences that state conventions before the story, in the language of the recipe. Questions
    and their supports count without them."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences in the language of the recipe."""
        told = self.told if self.tongue else self.tale.sentences
        return [*self.preface, *told] if self.preface else told
