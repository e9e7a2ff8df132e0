"""Asks a model every question of a benchmark, scores the replies, and writes them as they come.

Promises:
1. A run that was cut off goes on where it stopped: nothing that was answered is asked again.
2. A line of `replies.jsonl` is whole or is asked again; `run.json` says what was asked and how.
3. Replies are scored by `fabula.score`, the one scorer; a reply cut off by the limit on tokens is
   counted as truncated, an error is no reply.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import orjson

from fabula._version import __version__
from fabula.errors import FabulaError
from fabula.evaluate.model import Ask, Model, Reply
from fabula.instance import Instance
from fabula.prompt import prompt
from fabula.score import score

REPLIES, MANIFEST = "replies.jsonl", "run.json"
DEFAULT = Ask()
PORTION = 64  # instances handed to a model at a time

Report = Callable[[int, int], None]
"""Called with how many were asked and how many of these were right."""


class Result(NamedTuple):
    """One scored reply."""

    instance: dict[str, Any]
    reply: str
    outcome: str
    answer: tuple[str, ...]
    usage: dict[str, Any]


def evaluate(
    model: Model,
    instances: Sequence[Instance],
    folder: Path,
    ask: Ask = DEFAULT,
    examples: Sequence[Instance] = (),
    source: str = "",
    report: Report = lambda asked, right: None,
) -> dict[str, Any]:
    """Ask, score and write; the manifest of the run."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = {
        "model": model.name,
        "about": model.about(),
        "data": source,
        "instances": len(instances),
        "first": instances[0].id if instances else None,
        "ask": ask._asdict(),
        "version": __version__,
    }
    _agree(folder / MANIFEST, plan)
    done = _done(folder / REPLIES)
    report(len(done), sum(outcome == "correct" for outcome in done.values()))
    left = [found for found in instances if found.id not in done]
    begun, failed = perf_counter(), 0
    with (folder / REPLIES).open("ab") as file:
        for portion in _portions(left, max(PORTION, ask.concurrency * 4)):
            asked = [(found, prompt(found, ask.style, examples[: ask.shots])) for found in portion]
            for at, reply in model.replies(asked):
                if reply.error:
                    failed += 1
                    report(0, 0)
                    continue
                line = _line(portion[at], reply)
                file.write(orjson.dumps(line) + b"\n")
                file.flush()
                report(1, int(line["outcome"] == "correct"))
    finished = _done(folder / REPLIES)
    written = {
        **plan,
        "asked": len(finished),
        "failed": failed,
        "outcomes": {o: list(finished.values()).count(o) for o in sorted(set(finished.values()))},
        "seconds": round(perf_counter() - begun, 3),
    }
    _write(folder / MANIFEST, written)
    return written


def read_run(folder: Path) -> Iterator[dict[str, Any]]:
    """The scored replies of a run, in the order in which they came."""
    path = folder / REPLIES
    if not path.is_file():
        raise FabulaError(f"{folder}: no run is here; make one with `fabula eval`.")
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield orjson.loads(line)


def _line(instance: Instance, reply: Reply) -> dict[str, Any]:
    scored = score(instance, reply.text, reply.truncated)
    record = orjson.loads(instance.to_json())
    del record["facts"]
    return {
        "id": instance.id,
        "outcome": str(scored.outcome),
        "answer": scored.answer,
        "reply": reply.text,
        "truncated": reply.truncated,
        "usage": reply.usage._asdict(),
        "instance": record,
    }


def _portions(items: Sequence[Instance], size: int) -> Iterator[list[Instance]]:
    left = iter(items)
    while portion := list(islice(left, size)):
        yield portion


def _done(path: Path) -> dict[str, str]:
    """Outcome by id of what was answered; a line cut off in the middle is taken away."""
    if not path.is_file():
        return {}
    whole, done = 0, {}
    with path.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            said = orjson.loads(line)
            done[said["id"]] = said["outcome"]
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return done


def _agree(path: Path, plan: dict[str, Any]) -> None:
    """A folder holds one run: what was asked before must be what is asked now."""
    if path.is_file():
        before = orjson.loads(path.read_bytes())
        said = orjson.loads(orjson.dumps(plan))
        for key, value in said.items():
            if key not in ("version", "about") and before.get(key) != value:
                raise FabulaError(
                    f"{path.parent}: holds another run ({key} was {before.get(key)!r}, now "
                    f"{value!r}); choose another folder or remove it."
                )
    else:
        _write(path, plan)


def _write(path: Path, value: Any) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
