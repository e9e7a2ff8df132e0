"""The functions of the public API that belong to no single layer; `fabula` exports them.

Each is what the command of the same name does: commands only parse options, call, and print.
"""

from __future__ import annotations

from pathlib import Path

from fabula.core.registry import WORLDS
from fabula.datasets.dataset import Dataset
from fabula.datasets.formats import FORMATS
from fabula.datasets.writing import write
from fabula.recipe.loading import recipe_ids
from fabula.recipe.suite import suites
from fabula.world.base import World

__all__ = ["formats", "read", "recipes", "worlds", "write"]


def recipes() -> list[str]:
    """The names of all built-in recipes and of those that plug-ins bring.

    >>> fabula.recipes()[:2]
    ['actors/containers', 'actors/mix']
    """
    return [*recipe_ids(), *suites()]


def worlds() -> dict[str, World]:
    """The worlds by name, those of plug-ins included.

    >>> list(fabula.worlds())[:5]
    ['actors', 'space', 'sizes', 'kinds', 'kinship']
    """
    return {name: WORLDS[name] for name in WORLDS}


def formats() -> dict[str, str]:
    """The formats that data sets can be written in, each with one line about it.

    >>> fabula.formats()["jsonl"]
    'one JSON record a line, with all fields'
    """
    return {name: style.about for name, style in FORMATS.working().items()}


def read(path: str | Path, split: str | None = None) -> Dataset:
    """A data set that was written: a folder, a file or a URL of records."""
    return Dataset(path, split)
