"""Suites: many recipes at once, in the folders and under the names of a published benchmark."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from fabula.errors import FabulaError


class Folder(BaseModel):
    """One folder of a suite."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    """File name pattern, with {number}, {slug} and {split}."""
    sizes: dict[str, int]
    """Number of questions of each split."""
    language: str = "en"


class Suite(BaseModel):
    """A benchmark of many files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    about: str
    format: str
    tasks: dict[int, str]
    """Number of each task, and its slug."""
    folders: dict[str, Folder]

    def recipe(self, number: int) -> str:
        """The recipe of a task."""
        return f"{self.id.partition('/')[0]}/qa{number}"

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits of its folders."""
        return tuple(dict.fromkeys(name for f in self.folders.values() for name in f.sizes))

    @property
    def questions(self) -> int:
        """The number of questions in the whole suite."""
        return len(self.tasks) * sum(sum(f.sizes.values()) for f in self.folders.values())


@cache
def suites() -> dict[str, Suite]:
    """The available suites, by name."""
    found = {}
    for path in resources.files("fabula.recipe.suites").iterdir():
        if path.name.endswith(".toml"):
            suite = Suite.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
            found[suite.id] = suite
    return found


def suite_named(name: str) -> Suite | None:
    """The suite with this name, or None."""
    return suites().get(name)


def refuse(name: str) -> None:
    """Raise an error for the name of a suite: only `generate` takes a whole suite."""
    suite = suite_named(name)
    if suite:
        raise FabulaError(
            f"{name} is a suite of {len(suite.tasks)} recipes; choose one of them, "
            f"e.g. {suite.recipe(1)}."
        )
