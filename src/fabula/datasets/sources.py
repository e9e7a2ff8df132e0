"""Sources by name, a recipe or a stored data set: what `eval`, `train` and harnesses read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabula.core.instance import Instance
from fabula.datasets import stored
from fabula.datasets.dataset import Dataset
from fabula.datasets.stored import is_data
from fabula.errors import UsageError
from fabula.recipe.loading import load

__all__ = ["evaluation_split", "instances", "is_data", "splits_of"]


def splits_of(source: str, changes: Mapping[str, Any] | None = None) -> list[str]:
    """The splits of a recipe or a data set."""
    return list(stored.splits_of(source) if is_data(source) else load(source, changes).splits)


def evaluation_split(source: str, changes: Mapping[str, Any] | None = None) -> str:
    """The split that models are evaluated on: 'test', or the last one."""
    splits = splits_of(source, changes)
    return "test" if "test" in splits else splits[-1]


def instances(
    source: str,
    split: str | None = None,
    seed: int | None = None,
    size: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Iterator[Instance]:
    """The instances of a split: generated from a recipe, or read from a data set.

    `size` is their number; by default all. Invalid requests fail at once, not on first use.
    """
    if size is not None and size < 1:
        raise UsageError(f"size {size}: at least one instance is needed.")
    split = split or evaluation_split(source, changes)
    if is_data(source):
        if seed is not None or changes:
            raise UsageError(
                f"{source}: this data set is already generated, so its seed and settings cannot be "
                "changed. Use its recipe instead."
            )
        data = Dataset(source, split)
        return iter(data) if size is None else data.first(size)
    more = {} if size is None else {"size": size}
    return iter(Dataset(source, split, seed, **more, **(changes or {})))
