"""Suites: many recipes at once, in the folders and under the names of a published benchmark.

Promises:
1. A file of a suite holds the first instances of a split of its recipe: the same as that recipe
   alone gives, on any number of workers.
2. Sizes count questions; a file is cut at exactly so many, in the middle of a story if need be.
3. A suite is written beside its target and moved there when whole.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from functools import cache
from hashlib import sha256
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict

from fabula._version import __version__
from fabula.core.files import whole_folder
from fabula.datasets.engines import MANIFEST, Job
from fabula.datasets.engines.local import check_free
from fabula.errors import FabulaError
from fabula.recipe.model import load


class Folder(BaseModel):
    """One folder of a suite."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    """Name of its files, with {number}, {slug} and {split}."""
    sizes: dict[str, int]
    """Questions of each split."""
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
        """The splits that its folders have."""
        return tuple(dict.fromkeys(name for f in self.folders.values() for name in f.sizes))

    @property
    def questions(self) -> int:
        """How many questions the whole suite has."""
        return len(self.tasks) * sum(sum(f.sizes.values()) for f in self.folders.values())


@cache
def suites() -> dict[str, Suite]:
    """The suites there are, by name."""
    found = {}
    for path in resources.files("fabula.recipe.suites").iterdir():
        if path.name.endswith(".toml"):
            suite = Suite.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
            found[suite.id] = suite
    return found


class _Source(NamedTuple):
    """What some files of a suite hold: the beginning of a split of a recipe in a language."""

    recipe: str
    language: str
    split: str
    size: int


def write_suite(
    suite: Suite,
    out: Path,
    limits: Mapping[str, int] | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    workers: int = 1,
    force: bool = False,
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Write all files, or those of just the splits in `limits` with at most so many questions each.

    The manifest of the suite.
    """
    check_free(out, str(out), force)
    work = _targets(suite, limits)
    for source in work:  # what is wrong with a recipe is told before anything is made
        load(source.recipe, {**(changes or {}), "language": source.language})
    with whole_folder(out) as made:
        files: dict[str, dict[str, Any]] = {}
        pool = ProcessPoolExecutor(workers, get_context("spawn"))
        try:
            jobs: list[Future[dict[str, dict[str, Any]]]] = [
                pool.submit(_write, made, source, targets, suite.format, seed, dict(changes or {}))
                for source, targets in work.items()
            ]
            for done in as_completed(jobs):
                files |= done.result()
                progress(sum(file["questions"] for file in done.result().values()))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        manifest = {
            "suite": suite.id,
            "version": __version__,
            "seed": load(suite.recipe(1)).seed if seed is None else seed,
            "format": suite.format,
            "changes": dict(changes or {}),
            "questions": sum(file["questions"] for file in files.values()),
            "files": dict(sorted(files.items())),
        }
        (made / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def _targets(suite: Suite, limits: Mapping[str, int] | None) -> dict[_Source, list[str]]:
    """The files of a suite, by what they are cut from."""
    most = dict.fromkeys(suite.splits, suite.questions) if limits is None else limits
    work: dict[_Source, list[str]] = {}
    for name, folder in suite.folders.items():
        for number, slug in suite.tasks.items():
            for split in (name for name in folder.sizes if name in most):
                count = min(folder.sizes[split], most[split])
                source = _Source(suite.recipe(number), folder.language, split, count)
                file = folder.file.format(number=number, slug=slug, split=split)
                work.setdefault(source, []).append(f"{name}/{file}")
    # the longest first, so that no worker is left with it at the end
    return dict(sorted(work.items(), key=lambda item: -item[0].size))


def _write(
    folder: Path,
    source: _Source,
    targets: list[str],
    form: str,
    seed: int | None,
    changes: dict[str, Any],
) -> dict[str, dict[str, Any]]:
    """Make the content of a source once, and write it wherever it belongs."""
    recipe = load(source.recipe, {**changes, "language": source.language})
    job = Job(recipe, recipe.seed if seed is None else seed, form)
    content = job.piece(source.split, 0, source.size).content
    written: dict[str, dict[str, Any]] = {}
    for target in targets:
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written[target] = {
            "recipe": source.recipe,
            "split": source.split,
            "language": source.language,
            "questions": source.size,
            "sha256": sha256(content).hexdigest(),
        }
    return written


def suite_named(name: str) -> Suite | None:
    """The suite of this name, if it is one."""
    return suites().get(name)


def refuse(name: str) -> None:
    """A suite is generated as a whole; for all else one of its recipes must be named."""
    suite = suite_named(name)
    if suite:
        raise FabulaError(
            f"{name} is a suite of {len(suite.tasks)} recipes; name one of them, "
            f"e.g. {suite.recipe(1)}."
        )
