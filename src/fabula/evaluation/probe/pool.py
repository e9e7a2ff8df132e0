"""Fresh instances of a recipe with their measured features, and more of any cell on demand.

Promises:
1. Instances come from the split that is asked for, after those of the split's own size: nothing
   that was generated for training or for a released test set is asked.
2. No index is used twice, whatever is generated toward; ids are unique in a pool.
3. The same recipe, seed and requests give the same instances in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fabula.core.instance import Instance, story_name
from fabula.errors import FabulaError, RecipeError
from fabula.evaluation.probe.conditions import NUMBERS, Cell, Row
from fabula.generation.author import Author
from fabula.generation.passage import Passage
from fabula.generation.shortcuts import GUESSES, misled
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe

TRIES = 200
"""Stories tried for one instance of a cell before the cell counts as too rare."""
PLAIN_ROLES = ("support", "distractor", "convention")
EMPTY: dict[str, Any] = {"bins": {}, "balanced_answers": {}, "decoys": {}, "quotas": []}
"""Keys of a recipe that create cells, and are emptied if cells are given."""


class Item(NamedTuple):
    """An instance and its measured features."""

    instance: Instance
    row: Row
    story: str
    """The story; questions about one story are not independent, so one of each is asked."""


class Pool:
    """Instances of a recipe, or of several settings of it."""

    def __init__(
        self,
        recipe: Recipe,
        split: str,
        seed: int | None,
        variants: Sequence[Mapping[str, Any]] = ({},),
    ) -> None:
        self.recipe, self.split, self.seed = recipe, split, seed
        self.items: list[Item] = []
        self._variants = [_Variant(recipe, split, seed, changes) for changes in variants]
        self._toward: dict[tuple[str, int], Iterator[Item] | None] = {}

    def grow(self, count: int) -> list[Item]:
        """`count` more instances, drawn as the recipe draws them, equally many of every variant."""
        start = len(self.items)
        share, rest = divmod(count, len(self._variants))
        for number, variant in enumerate(self._variants):
            self.items += islice(variant.plain, share + (number < rest))
        return self.items[start:]

    def grow_toward(self, cell: Cell, count: int) -> list[Item]:
        """Up to `count` more instances of a cell, by a recipe whose only quota is the cell."""
        start = len(self.items)
        wanted = cell.settings
        fitting = [v for v in self._variants if {**v.changes, **wanted} == v.changes]
        for number, variant in enumerate(fitting):
            more = count * (number + 1) // len(fitting) - count * number // len(fitting)
            key = (str(cell), self._variants.index(variant))
            if key not in self._toward:
                self._toward[key] = variant.toward(cell)
            source = self._toward[key]
            if source is None:
                continue
            try:
                for _ in range(more):
                    self.items.append(next(source))
            except (FabulaError, StopIteration):
                self._toward[key] = None  # too rare: the pool must be enough
        return self.items[start:]


class _Variant:
    """The recipe under some settings."""

    def __init__(
        self, recipe: Recipe, split: str, seed: int | None, changes: Mapping[str, Any]
    ) -> None:
        self.changes = dict(changes)
        self.recipe = load(recipe, self.changes) if changes else recipe
        self.split, self.seed = split, seed
        if split not in self.recipe.splits:
            known = ", ".join(self.recipe.splits)
            raise RecipeError(f"recipe {recipe.id}: no split '{split}'; it has {known}.")
        self._next = self.recipe.splits[split].size
        self.plain = self._items(self.recipe)

    def toward(self, cell: Cell) -> Iterator[Item] | None:
        """Instances of a cell; None if the recipe cannot be narrowed to it."""
        try:
            narrowed = load(self.recipe, {**narrowing(self.recipe, cell.keys), "max_tries": TRIES})
        except RecipeError:
            return None
        found = self._items(narrowed)
        return (item for item in found if cell.holds(item.row))

    def _items(self, recipe: Recipe) -> Iterator[Item]:
        author = Author(recipe, self.split, self.seed)
        block = max(author.block, 1)
        block *= -(-32 // block)
        while True:
            start = self._next + -self._next % block
            self._next = start + block  # so that no other recipe uses these indices
            for passage in author.passages(start, start + block):
                yield from _measured(author, passage, self.changes)


def narrowing(recipe: Recipe, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The changes that reduce a recipe to a cell with these keys.

    RecipeError if it is made of other recipes, which have their own cells.
    """
    if isinstance(recipe, Collection):
        raise RecipeError(f"recipe {recipe.id}: made of parts; narrow one of them.")
    cleared = {key: EMPTY[key] for key in EMPTY if getattr(recipe, key, None)}
    return {**cleared, "cells": [dict(keys)]}


def _measured(author: Author, passage: Passage, settings: Mapping[str, Any]) -> Iterator[Item]:
    """The instances of a passage, with their measured features."""
    made = author.parts[passage.part] if author.parts else author
    reading = passage.tale.reading
    facts = reading.facts()
    instances = author.records(passage)
    for asked, instance in zip(passage.asked, instances, strict=False):
        best = asked.masks[0] if asked.masks else sum(1 << n for n in asked.support)
        others = ((1 << asked.position) - 1) << 1 & ~best
        told = facts[: asked.position]
        choices = made.world.choices(made.recipe, asked.query)
        words = {
            "asks": frozenset([asked.query[0]]),
            "requires": frozenset(instance.composition),
            "answers": frozenset([",".join(asked.answer)]),
            "misleads": frozenset(
                guess
                for guess in GUESSES
                if len(asked.query) > 1 and misled(guess, told, asked.query, choices, asked.answer)
            ),
            "noise": frozenset(instance.roles).difference(PLAIN_ROLES),
            "distracted_by": frozenset(reading.concepts(others)),
        }
        numbers = {
            key: value for key in NUMBERS if type(value := instance.features.get(key)) is int
        }
        story = story_name(instance.provenance, instance.id)
        yield Item(instance, Row(words, numbers, settings), story)
