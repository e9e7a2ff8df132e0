"""Writes a recipe file that generates more of a cell.

Promise: a file that is returned loads, and generates instances of the cell in the probed split;
both were tried.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError
from fabula.evaluation.probe.conditions import Cell
from fabula.evaluation.probe.pool import Item, Pool, narrowing
from fabula.recipe.collection import Collection
from fabula.recipe.loading import is_shipped, load
from fabula.recipe.model import Recipe, merge
from fabula.recipe.settings import toml

TRIED = 40
"""Number of instances, of different stories, that a recipe has to generate."""


def recipe_for(recipe: Recipe, cell: Cell, items: Sequence[Item], split: str, note: str) -> str:
    """The text of a recipe that generates instances of a cell; empty if none could be found.

    `items` are instances of the recipe: those in the cell show what it consists of.
    """
    members = [item for item in items if cell.holds(item.row)]
    if isinstance(recipe, Collection):
        parts = Counter(str(item.instance.provenance.get("part")) for item in members)
        if not parts:
            return ""
        recipe = recipe.members[parts.most_common(1)[0][0]]
    for changes in _ways(recipe, cell, members):
        text = _written(recipe, {**cell.settings, **changes}, cell, split, note)
        if _works(text, cell, split):
            return text
    return ""


def _ways(recipe: Recipe, cell: Cell, members: Sequence[Item]) -> Iterator[dict[str, Any]]:
    """Changes to the recipe that may work, the mildest first."""
    plain = narrowing(recipe, cell.keys)
    yield plain
    if getattr(recipe, "tasks", None) and members:  # kinship: stories are made for a task
        seen = Counter(
            (item.instance.features["k"], tuple(item.instance.features["noise"]),
             ",".join(item.instance.answer))
            for item in members
            if {"k", "noise"} <= item.instance.features.keys()
        )  # fmt: skip
        for most in (len(seen), 3, 1):
            chosen = [key for key, _ in seen.most_common(most)]
            tasks = [{"k": k, "noise": list(noise)} for k, noise in
                     dict.fromkeys((k, noise) for k, noise, _ in chosen)]  # fmt: skip
            answers = sorted({answer for *_, answer in chosen})
            yield {"tasks": tasks, **narrowing(recipe, {"answers": answers, **cell.keys})}
    if members:
        ((answer, _),) = Counter(",".join(i.instance.answer) for i in members).most_common(1)
        yield narrowing(recipe, {"answers": [answer], **cell.keys})


def _written(  # a table that is cleared would be merged with that of an extended recipe
    recipe: Recipe, changes: Mapping[str, Any], cell: Cell, split: str, note: str
) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", str(cell).lower()).strip("-")[:60]
    cleared = [key for key, value in changes.items() if value == {}]
    if is_shipped(recipe.id) and not recipe.origin.file and not cleared:
        content: dict[str, Any] = {"extends": recipe.id}
        for key, value in recipe.origin.changes.items():
            content = merge(content, _nested(key, value))
    else:
        content = {
            key: value
            for key, value in recipe.model_dump(mode="json", exclude_unset=True).items()
            if key not in ("id", "title", "about", *cleared) and value is not None
        }
    changes = {key: value for key, value in changes.items() if key not in cleared}
    content = {"id": f"probe/{name}", "title": str(cell)[:100], **content, **changes}
    overridden = {k: v for k, v in changes.items() if k in recipe.split_overrides.get(split, {})}
    if overridden:
        content = merge(content, {"split_overrides": {split: overridden}})
    lines = [f"# {line}" for line in note.splitlines()]
    lines += [f"{toml_key(key)} = {toml(value, True)}" for key, value in content.items()]
    return "\n".join(lines) + "\n"


def toml_key(key: str) -> str:
    """A key as TOML takes it."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else toml(key, True)


def _nested(path: str, value: Any) -> dict[str, Any]:
    key, dot, rest = path.partition(".")
    return {key: _nested(rest, value) if dot else value}


def _works(text: str, cell: Cell, split: str) -> bool:
    """Whether a recipe loads and makes instances of the cell."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        try:
            recipe = load(path)
            made = Pool(load(recipe, {"max_tries": 2_000}), split, None)
            items = list(islice(made._variants[0].plain, TRIED))
        except FabulaError:
            return False
    plain = Cell(tuple(c for c in cell.conditions if c.key not in cell.settings))
    return bool(items) and all(plain.holds(item.row) for item in items)
