"""From a recipe to a data set in a folder.

Promises:
1. The bytes depend only on recipe, seed, sizes, format and shard size: they are the same from one
   process, several, or a Ray cluster.
2. Output is all or nothing: a run interrupted at any moment (killed, a full disk, a lost worker)
   leaves nothing that looks like a data set. Run again, it makes the missing files and ends with
   the same bytes.
3. Memory does not grow with the number of instances.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from fabula.core.files import unwritable
from fabula.datasets.card import CARD, card
from fabula.datasets.engines.manifest import manifest_of
from fabula.datasets.engines.places import store_at
from fabula.datasets.engines.plan import SHARD, Plan, Shard
from fabula.datasets.engines.shard import Tick
from fabula.datasets.engines.store import MANIFEST, Made, Store
from fabula.datasets.formats import format_named
from fabula.errors import FabulaError, hint
from fabula.recipe.model import Recipe

Runner = Callable[[Plan, Sequence[Shard], Store, Tick], Generator[Made, None, None]]

ENGINES = ("inline", "processes", "ray")


def write(
    recipe: Recipe,
    out: Path | str,
    sizes: Mapping[str, int],
    form: str = "jsonl",
    seed: int | None = None,
    workers: int | None = 1,
    force: bool = False,
    progress: Tick = lambda count: None,
    engine: str = "processes",
    address: str | None = None,
    shard_size: int = SHARD,
) -> dict[str, Any]:
    """Generate the splits into a folder and return the manifest.

    The arguments are those of `fabula.write`; `form` is the name of a format, `engine` one of
    ENGINES, and `address` that of a Ray cluster.
    """
    format_named(form)
    if engine not in ENGINES:
        raise FabulaError(f"unknown engine '{engine}'.{hint(engine, ENGINES)}")
    if address is not None and engine != "ray":
        raise FabulaError("--address is for Ray clusters only: add --engine ray.")
    plan = Plan(recipe, recipe.seed if seed is None else seed, dict(sizes), form, shard_size)
    plan.shards  # noqa: B018  report problems of the plan before touching anything
    runner = _runner(engine, workers, address)
    store = store_at(out, plan.digest)
    try:
        found = store.begin(force)
        if found is not None:
            progress(found["instances"])
            return found
        manifest = _complete(plan, store, _make(plan, store, progress, runner))
        store.finish()
    except BaseException as error:
        kept = store.leave()
        if kept:
            of = f"{kept:,} of {len(plan.shards):,} files are finished and kept"
            error.add_note(f"{of}: the same command resumes from there.")
        if isinstance(error, OSError):
            raise unwritable(out, error, *_notes(error)) from error
        raise
    return manifest


def _notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))


def _runner(engine: str, workers: int | None, address: str | None) -> Runner:
    if engine == "ray":
        from fabula.datasets.engines.on_ray import on_ray

        return partial(on_ray, workers=workers, address=address)
    from fabula.datasets.engines.processes import inline, processes

    return inline if engine == "inline" else partial(processes, workers=workers or 1)


def _make(plan: Plan, store: Store, progress: Tick, runner: Runner) -> dict[str, Made]:
    """Make the missing shards; returns all of them, by file."""
    found = {shard.file: store.made(shard.file) for shard in plan.shards}
    made = {file: done for file, done in found.items() if done is not None}
    progress(sum(done.instances for done in made.values()))
    todo = [shard for shard in plan.shards if shard.file not in made]
    with closing(runner(plan, todo, store, progress)) as results:
        for done in results:
            made[done.file] = done
    return made


def _complete(plan: Plan, store: Store, made: Mapping[str, Made]) -> dict[str, Any]:
    """Write the files that make the shards a data set, the manifest last."""
    manifest = manifest_of(plan, made)
    store.put(CARD, card(plan, manifest).encode())
    store.put(MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest
