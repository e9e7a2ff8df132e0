"""Fabula in other people's harnesses: one module for each, and what they share here.

Promises:
1. Every harness asks with `fabula.prompt` and scores with `fabula.score`: a model has the same
   answers right wherever it is run.
2. What a harness keeps of an item holds the whole record, so a log can be scored and proven again
   without the recipe.
3. A harness is imported only by its own module, and a missing one is named with the command that
   installs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from fabula.core.instance import Instance, story_name
from fabula.datasets.formats import read_jsonl
from fabula.errors import FabulaError, MissingExtraError, hint
from fabula.generation.author import author
from fabula.recipe.model import load, recipe_ids

EXTRAS = {
    "inspect_ai": "inspect",
    "lm_eval": "lm-eval",
    "datasets": "lm-eval",
    "reasoning_gym": "reasoning-gym",
    "verifiers": "verifiers",
}
"""Which extra of this package brings which harness."""


def need(package: str) -> Any:
    """The package, or an error that says how to install it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise  # it is there, but broken: its own message says more
        extra = EXTRAS[package.partition(".")[0]]
        raise MissingExtraError(
            f"{package.partition('.')[0]} is not installed: pip install 'fabula[{extra}]'."
        ) from None


# --- where instances come from ----------------------------------------------------------------


def is_data_set(source: str) -> bool:
    """Whether a source is a folder or file of generated data, and not a recipe."""
    path = Path(source)
    return path.suffix == ".jsonl" or path.is_dir()


def splits_of(source: str, changes: Mapping[str, Any] | None = None) -> list[str]:
    """The splits of a recipe or a data set."""
    if not is_data_set(source):
        return list(load(source, changes).splits)
    return sorted({file.name.partition("-")[0].removesuffix(".jsonl") for file in _files(source)})


def evaluation_split(source: str, changes: Mapping[str, Any] | None = None) -> str:
    """The split that models are measured on: 'test', or the last one."""
    splits = splits_of(source, changes)
    return "test" if "test" in splits else splits[-1]


def instances(
    source: str,
    split: str | None = None,
    seed: int | None = None,
    size: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Iterator[Instance]:
    """The instances of a split: generated from a recipe, or read from a data set in JSONL.

    `size` is how many; without it, as many as there are. They come as they are asked for; what is
    wrong with the request is said at once.
    """
    if size is not None and size < 1:
        raise FabulaError(f"size {size}: at least one instance is needed.")
    split = split or evaluation_split(source, changes)
    if is_data_set(source):
        if seed is not None or changes:
            raise FabulaError(
                f"{source}: this data set is already generated, so seed and settings cannot be "
                "changed. Name its recipe instead."
            )
        return islice(_read(source, split), size)
    made = author(source, split, seed, changes)
    count = made.recipe.splits[split].size if size is None else size
    return made.instances(0, count)


def _read(source: str, split: str) -> Iterator[Instance]:
    splits = splits_of(source)
    if split not in splits:
        raise FabulaError(f"{source}: no split '{split}'.{hint(split, splits)}")
    names = (f"{split}.jsonl", f"{split}-")
    return chain.from_iterable(
        read_jsonl(file) for file in _files(source) if file.name.startswith(names)
    )


def _files(source: str) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        found = sorted(path.glob("*.jsonl"))
        if not found:
            raise FabulaError(f"{source}: no *.jsonl file in this folder.")
        return found
    if not path.is_file():
        raise FabulaError(f"{source}: there is no such file.")
    return [path]


# --- what harnesses keep of an instance -------------------------------------------------------


def to_data(instance: Instance) -> dict[str, Any]:
    """The record as plain data, for a log."""
    data: dict[str, Any] = orjson.loads(instance.to_json())
    return data


def from_data(data: Mapping[str, Any]) -> Instance:
    """The record that a log holds."""
    return Instance.from_json(orjson.dumps(data), str(data.get("id", "record")))


def traits(instance: Instance) -> dict[str, Any]:
    """What results can be grouped by: the kind of question, the composition, all features."""
    return {
        "kind": instance.query[0],
        "composition": "+".join(instance.composition) or "nothing",
        **instance.features,
    }


def story_of(instance: Instance) -> str:
    """Names the story; questions about one story are not independent of each other."""
    return story_name(instance.provenance, instance.id)


# --- names of recipes in harnesses ------------------------------------------------------------


def task_names() -> dict[str, str]:
    """Task name to recipe: 'babi_qa2', and 'qa2' where only one recipe is called so."""
    names = {_name(recipe): recipe for recipe in recipe_ids()}
    short = Counter(_name(recipe.partition("/")[2]) for recipe in names.values())
    for recipe in list(names.values()):
        name = _name(recipe.partition("/")[2])
        if short[name] == 1 and name.isidentifier():
            names.setdefault(name, recipe)
    return names


def _name(recipe: str) -> str:
    return recipe.replace("/", "_").replace("-", "_")
