"""Runs a recipe into a folder, on one process or several, with the same bytes.

Promises:
1. Work is cut into ranges of instances; workers render ranges to bytes, which are written in order.
2. Output is made in a hidden folder beside the target and moved there when whole: what is left by
   Ctrl-C, a full disk or an error never looks like a data set.
3. Memory does not grow with the number of instances.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import orjson

from fabula._version import __version__
from fabula.errors import OutputError
from fabula.formats import Format, format_named
from fabula.generate import Author
from fabula.recipe import Recipe

CHUNK = 1_000  # instances a worker renders at a time
MANIFEST = "manifest.json"

Progress = Callable[[str, int], None]
"""Called with a split and the number of instances just written."""


class Job:
    """What a worker needs to render any range of a recipe."""

    def __init__(self, recipe: Recipe, seed: int, form: str) -> None:
        self.format: Format = format_named(form)
        self.recipe = recipe
        self.seed = seed
        self._authors: dict[str, Author] = {}

    def render(self, split: str, start: int, stop: int) -> bytes:
        """The bytes of instances start … stop-1."""
        author = self._authors.get(split)
        if author is None:
            author = self._authors[split] = Author(self.recipe, split, self.seed)
        render = self.format.render
        gc.disable()  # a range makes little garbage, and looking for it costs a tenth of the time
        try:
            return b"".join([render(author, p) for p in author.passages(start, stop)])
        finally:
            gc.enable()


_job: Job | None = None


def _employ(recipe: Recipe, seed: int, form: str) -> None:
    global _job  # noqa: PLW0603  one job per worker process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _job = Job(recipe, seed, form)


def _work(split: str, start: int, stop: int) -> bytes:
    assert _job is not None
    return _job.render(split, start, stop)


def ranges(size: int, block: int) -> Iterator[tuple[int, int]]:
    """Ranges that cover 0 … size-1 and never cut a block of instances."""
    step = max(block, CHUNK // block * block)
    for start in range(0, size, step):
        yield start, min(size, start + step)


def render_all(
    recipe: Recipe, split: str, size: int, seed: int, form: str, workers: int
) -> Iterator[tuple[int, bytes]]:
    """(number of instances, bytes) of one range after another, in order."""
    block = Author(recipe, split, seed).block
    if workers <= 1 or size <= CHUNK:
        job = Job(recipe, seed, form)
        for start, stop in ranges(size, block):
            yield stop - start, job.render(split, start, stop)
        return
    pool = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_employ, initargs=(recipe, seed, form)
    )
    waiting: deque[tuple[int, Future[bytes]]] = deque()
    try:
        for start, stop in ranges(size, block):
            waiting.append((stop - start, pool.submit(_work, split, start, stop)))
            if len(waiting) > 3 * workers:  # bounded, so that memory stays flat
                count, future = waiting.popleft()
                yield count, future.result()
        while waiting:
            count, future = waiting.popleft()
            yield count, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def write(
    recipe: Recipe,
    out: Path,
    sizes: Mapping[str, int],
    form: str = "jsonl",
    seed: int | None = None,
    workers: int = 1,
    force: bool = False,
    progress: Progress = lambda split, count: None,
) -> dict[str, Any]:
    """Generate the splits into a folder and return the manifest."""
    style = format_named(form)
    used = recipe.seed if seed is None else seed
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; name a folder.")
    if out.exists() and any(out.iterdir()) and not force:
        raise OutputError(f"{out} is not empty; name another folder, or add --force to replace it.")
    if force and out.exists() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise OutputError(f"{out} holds no manifest of ours, so --force does not replace it.")
    made = [folder for folder in out.parents if not folder.exists()]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=out.parent))
    except OSError as error:
        raise OutputError(f"{out}: cannot be created: {error.strerror}.") from None
    try:
        files = {}
        for split, size in sizes.items():
            name = style.file.format(split=split)
            digest = sha256()
            with (partial / name).open("wb") as file:
                file.write(style.header)
                digest.update(style.header)
                for count, data in render_all(recipe, split, size, used, form, workers):
                    file.write(data)
                    digest.update(data)
                    progress(split, count)
            files[split] = {"file": name, "instances": size, "sha256": digest.hexdigest()}
        manifest = {
            "recipe": recipe.id,
            "recipe_digest": recipe.digest,
            "version": __version__,
            "seed": used,
            "format": form,
            "splits": files,
            "content": recipe.model_dump(mode="json", exclude_defaults=True),
        }
        (partial / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
        partial.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        os.replace(partial, out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        for folder in made if not out.exists() else ():
            folder.rmdir()
    return manifest
