"""The data passed between the steps: an assignment goes in, passages come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fabula.core.instance import Asked
from fabula.core.seeds import Draw
from fabula.language.tongue import Tongue
from fabula.recipe.collection import Collection
from fabula.recipe.model import Recipe
from fabula.world import WORLDS
from fabula.world.base import Annotation, Candidate, OneWording, Query, Reading, Tale
from fabula.world.fast import Page


class Assignment(NamedTuple):
    """One split of one recipe, to be generated from one seed."""

    recipe: Recipe
    """The recipe with the overrides of the split applied."""
    split: str
    seed: int
    whole: Recipe
    """The recipe named in the records: the same, or the collection it is part of."""
    part: str = ""
    """Its name in that collection."""

    @property
    def stated(self) -> tuple[str, ...]:
        """The names of the conventions that are stated.

        A prompt states the same ones for all parts of a collection, a story only those it relies
        on.
        """
        own = conventions_of(self.recipe)
        if not self.part or self.recipe.conventions == "story":
            return own
        return tuple(dict.fromkeys((*conventions_of(self.whole), *own)))


def conventions_of(recipe: Recipe) -> tuple[str, ...]:
    """The names of the conventions that answers of a recipe, or of its parts, may rely on."""
    if isinstance(recipe, Collection):
        parts = recipe.members.values()
        return tuple(dict.fromkeys(name for part in parts for name in conventions_of(part)))
    return WORLDS[recipe.world].conventions(recipe)


class ToldTale(OneWording):
    """The tale of a page (see world/fast.py): its text, and everything else on demand."""

    def __init__(self, page: Page, make: Callable[[], Tale]) -> None:
        """`make` makes the same story by the general path."""
        self.sentences = page.sentences
        self.chain_length = page.chain_length
        self._make = make
        self._made: Tale | None = None

    def _whole(self) -> Tale:
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def reading(self) -> Reading:
        """The reading of the sentences."""
        return self._whole().reading

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Always False: the story is complete."""
        return False

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that could be asked now."""
        return self._whole().candidates(kind, draw)

    def truth(self, query: Query) -> tuple[str, ...]:
        """The simulator's own answer."""
        return self._whole().truth(query)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles and features of a question asked after `position` sentences."""
        return self._whole().annotate(query, mask, position)


class Member(NamedTuple):
    """The role of a passage in a contrast set (see family.py)."""

    kind: str
    """base, flip, hold or unknown."""
    base: int
    """Index of the instance that it is, or is a variant of."""
    variant: Any = None
    """The edited story (see contrast.py); None for a base."""
    asked: Asked | None = None
    """The question of the base, with its answer and supports."""
    sentences: Sequence[str] = ()
    """The story of the base, as it is told."""


class Passage(NamedTuple):
    """A story with its questions."""

    number: str
    first: int
    """Index of its first instance."""
    tale: Tale
    asked: list[Asked]
    tongue: Tongue | None = None
    """The tongue, if the language of the recipe is not the world's own."""
    told: Sequence[str] = ()
    """The sentences in that language."""

    part: str = ""
    """The part of a collection that it belongs to."""
    preface: Sequence[str] = ()
    """Sentences before the story that state conventions, in the language of the recipe. The
    sentence numbers of questions and supports do not count them.
    """
    member: Member | None = None
    """Its role in a contrast set; None in recipes without."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences in the language of the recipe."""
        told = self.told if self.tongue else self.tale.sentences
        return [*self.preface, *told] if self.preface else told
