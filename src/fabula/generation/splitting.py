"""Which content a split may have: decided by hash, or by compound divergence on a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache

import orjson

from fabula.core.split import CompoundSplitter, Splitter
from fabula.generation.composition import composition_name
from fabula.generation.divergence import PILOT, partition
from fabula.generation.passage import Passage
from fabula.recipe.loading import build, load
from fabula.recipe.model import Recipe

Sample = Callable[[Recipe, str, int, int], Iterable[Passage]]
"""The first passages of a split, given recipe, split, seed and number of instances."""


def splitter_of(recipe: Recipe, split: str, seed: int, sample: Sample) -> Splitter:
    """The splitter that decides which content belongs to a split."""
    if recipe.split_key != "compound-divergence":
        return Splitter(recipe.shares, split, recipe.split_key)
    split_of = _splits_of_compositions(recipe.model_dump_json(exclude_unset=True), seed, sample)
    return CompoundSplitter(recipe.shares, split, split_of, next(iter(recipe.splits)))


@lru_cache(maxsize=8)
def _splits_of_compositions(content: str, seed: int, sample: Sample) -> dict[str, str]:
    """The split of each composition that occurs in a sample of the recipe."""
    recipe = build(orjson.loads(content))
    changes = {"splits": {"pilot": PILOT}, "split_key": "none", "split_overrides": {}}
    counts = Counter(
        composition_name(asked.query[0], passage.tale.reading.concepts(asked.masks[0]))
        for passage in sample(load(recipe, changes), "pilot", seed, PILOT)
        for asked in passage.asked
        if asked.masks
    )
    parts = partition(counts, list(recipe.shares.values()))
    return {
        name: split for split, names in zip(recipe.shares, parts, strict=True) for name in names
    }
