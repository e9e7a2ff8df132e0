"""Fabula in other evaluation harnesses: one module for each, and shared code here.

Promises:
1. Every harness asks with `fabula.prompt` and scores with `fabula.score`: a model has the same
   answers right wherever it is run.
2. A harness stores the whole record of an item, so a log can be scored and proven again without the
   recipe.
3. A harness is imported only by its own module; if it is missing, the error names the command that
   installs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import orjson

from fabula.core.instance import Instance, story_name
from fabula.datasets.sources import evaluation_split, instances, is_data, splits_of
from fabula.recipe.loading import recipe_ids

__all__ = [
    "EXTRAS", "evaluation_split", "from_data", "instances", "is_data", "splits_of", "story_of",
    "task_names", "to_data", "traits",
]  # fmt: skip

EXTRAS = {
    "inspect_ai": "inspect",
    "lm_eval": "lm-eval",
    "reasoning_gym": "reasoning-gym",
    "verifiers": "verifiers",
}
"""The extra of this package that installs each harness."""

# --- what harnesses store of an instance ------------------------------------------------------


def to_data(instance: Instance) -> dict[str, Any]:
    """The record as plain data, for a log."""
    data: dict[str, Any] = orjson.loads(instance.to_json())
    return data


def from_data(data: Mapping[str, Any]) -> Instance:
    """The record that a log holds."""
    return Instance.from_json(orjson.dumps(data), str(data.get("id", "record")))


def traits(instance: Instance) -> dict[str, Any]:
    """Keys to group results by: question kind, composition, all features."""
    return {
        "kind": instance.query[0],
        "composition": "+".join(instance.composition) or "nothing",
        **instance.features,
    }


def story_of(instance: Instance) -> str:
    """The name of the story; questions about one story are not independent."""
    return story_name(instance.provenance, instance.id)


# --- names of recipes in harnesses ------------------------------------------------------------


def task_names() -> dict[str, str]:
    """Task name to recipe: 'babi_qa2', and 'qa2' if the short name is unique."""
    names = {_name(recipe): recipe for recipe in recipe_ids()}
    short = Counter(_name(recipe.partition("/")[2]) for recipe in names.values())
    for recipe in list(names.values()):
        name = _name(recipe.partition("/")[2])
        if short[name] == 1 and name.isidentifier():
            names.setdefault(name, recipe)
    return names


def _name(recipe: str) -> str:
    return recipe.replace("/", "_").replace("-", "_")
