"""Writes a suite: many recipes at once, in the folders of a published benchmark.

Promises:
1. A file of a suite holds the first instances of a split of its recipe: the same as the recipe
   alone gives, on any number of workers.
2. Sizes count questions; a file is cut at exactly that number, in the middle of a story if
   necessary.
3. A suite is written next to its target and moved there when it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from fabula._version import __version__
from fabula.core.files import whole_folder
from fabula.core.workers import run_jobs
from fabula.datasets.engines import Job
from fabula.datasets.engines.local import check_free
from fabula.datasets.manifest import write_manifest
from fabula.recipe.loading import load
from fabula.recipe.suite import Suite


class _Source(NamedTuple):
    """The common source of some files: the beginning of a split of a recipe in a language."""

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
    """Write all files and return the manifest.

    With `limits`, only the files of these splits, with at most that many questions each.
    """
    check_free(out, str(out), force)
    work = _targets(suite, limits)
    for source in work:  # problems of a recipe are reported before anything is generated
        load(source.recipe, {**(changes or {}), "language": source.language})
    with whole_folder(out) as made:
        files: list[tuple[str, dict[str, Any]]] = []
        jobs = [
            partial(_write, made, source, targets, suite.format, seed, dict(changes or {}))
            for source, targets in work.items()
        ]
        for done in run_jobs(jobs, workers):
            files += done
            progress(sum(file["instances"] for _, file in done))
        return write_manifest(
            made,
            sorted(files, key=lambda each: each[1]["file"]),
            suite=suite.id,
            version=__version__,
            seed=load(suite.recipe(1)).seed if seed is None else seed,
            format=suite.format,
            changes=dict(changes or {}),
        )


def _targets(suite: Suite, limits: Mapping[str, int] | None) -> dict[_Source, list[str]]:
    """The files of a suite, by their source."""
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
) -> list[tuple[str, dict[str, Any]]]:
    """Generate the content of a source once, and write it to all its files."""
    recipe = load(source.recipe, {**changes, "language": source.language})
    job = Job(recipe, recipe.seed if seed is None else seed, form)
    content = job.piece(source.split, 0, source.size).content
    written = []
    for target in targets:
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        file = {
            "file": target,
            "instances": source.size,
            "bytes": len(content),
            "sha256": sha256(content).hexdigest(),
            "recipe": source.recipe,
            "language": source.language,
        }
        written.append((source.split, file))
    return written
