"""Old names of recipe keys: accepted wherever a recipe can be changed, with a deprecation note.

Promises:
1. A recipe file, `--set` or record with an old name keeps its meaning.
2. Each use of an old name is reported with its place and the new name; a table with both names of a
   key is rejected.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from fabula.errors import RecipeError

TABLES = ("dialects", "split_overrides")
"""Tables of tables whose keys are those of a recipe."""


def rename(data: Mapping[str, Any], old: Mapping[str, str], place: str) -> dict[str, Any]:
    """The content of a recipe with every key under its current name.

    `old` maps old names to new ones (`Recipe.renamed`); `place` is where the content comes from.
    """
    result = _rename_keys(data, old, place)
    for table in TABLES:
        inner = result.get(table)
        if isinstance(inner, dict):
            result[table] = {
                name: _rename_keys(keys, old, f"{place}, {table}.{name}")
                if isinstance(keys, dict)
                else keys
                for name, keys in inner.items()
            }
    return result


def rename_paths(changes: Mapping[str, Any], old: Mapping[str, str], place: str) -> dict[str, Any]:
    """Changes by dotted path, e.g. {'splits.train': 10}, with keys under their current names."""
    result: dict[str, Any] = {}
    for path, value in changes.items():
        parts = path.split(".")
        at = 2 if parts[0] in TABLES and len(parts) > 2 else 0
        if parts[at] in old:
            parts[at] = _announce(parts[at], old, place)
        result[".".join(parts)] = value
    return result


def _rename_keys(data: Mapping[str, Any], old: Mapping[str, str], place: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in data.items():
        if key in old and old[key] in data:
            raise RecipeError(
                f"{place}, {key}: the old name of {old[key]}, which is given too; delete one."
            )
        result[_announce(key, old, place) if key in old else key] = value
    return result


def _announce(key: str, old: Mapping[str, str], place: str) -> str:
    new = old[key]
    warnings.warn(f"{place}: '{key}' is now called '{new}'.", FutureWarning, stacklevel=2)
    return new
