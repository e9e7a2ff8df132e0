"""Rewrites for analysis: operations on instances that keep answers proven.

An operation is a generator: from one instance, any number of rewritten ones, or `Dropped` with the
reason why there is none. Every rewritten record is read again (see reread.py), so `fabula verify`
proves it like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from fabula.analysis.rewrites import asking, contrast, telling
from fabula.analysis.rewrites.cloze import cloze
from fabula.analysis.rewrites.reread import Dropped, check_query
from fabula.core.instance import Instance
from fabula.errors import FabulaError, hint

__all__ = ["OPERATIONS", "Dropped", "Operation", "operation", "rewrite"]


class Operation(NamedTuple):
    """One way to rewrite instances."""

    make: Callable[..., Iterator[Instance | Dropped]]
    about: str
    options: tuple[str, ...] = ()
    """Its options by name; those without a default are required."""
    needs: tuple[str, ...] = ()


OPERATIONS: dict[str, Operation] = {
    "twin": Operation(asking.twin, "yes-no questions with the answer yes, asked as 'where is'"),
    "exhaustive": Operation(
        asking.exhaustive, "the same story with every question that can be asked", ("kinds",)
    ),
    "bare": Operation(telling.bare, "all distractors removed"),
    "gathered": Operation(telling.gathered, "the support moved next to the question"),
    "padded": Operation(
        telling.padded,
        "more distractors, up to a length",
        ("length", "filler", "seed"),
        ("length",),
    ),
    "renamed": Operation(
        telling.renamed, "people, places or objects with unseen names", ("sorts", "seed")
    ),
    "trimmed": Operation(
        telling.trimmed, "the earliest distractors dropped, down to a budget", ("tokens",),
        ("tokens",),
    ),
    "flip": Operation(
        contrast.flip,
        "pairs: each instance, and one sentence edited so that the answer changes",
        ("seed", "tokenizer"),
    ),
    "hold": Operation(
        contrast.hold,
        "pairs: each instance, and one sentence edited so that the answer stays",
        ("seed", "tokenizer"),
    ),
    "cloze": Operation(cloze, "the names of kinship stories as @entity-0, @entity-1, …", ("seed",)),
}  # fmt: skip


def operation(name: str, **options: Any) -> Callable[[Instance], Iterator[Instance | Dropped]]:
    """The operation with this name and options; None means not given."""
    if name not in OPERATIONS:
        raise FabulaError(f"unknown rewrite '{name}'.{hint(name, OPERATIONS)}")
    found = OPERATIONS[name]
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in found.options:
            takes = f" It takes: {', '.join(found.options)}." if found.options else ""
            raise FabulaError(f"rewrite '{name}' has no option '{key}'.{takes}")
    for key in found.needs:
        if key not in given:
            raise FabulaError(f"rewrite '{name}' needs '{key}', e.g. --{key} 100.")
    return partial(_made, found, given)


def _made(
    found: Operation, given: dict[str, Any], instance: Instance
) -> Iterator[Instance | Dropped]:
    """The rewritten instances of one whose query matches its question."""
    if found.make is not cloze:  # it only replaces names
        check_query(instance)
    yield from found.make(instance, **given)


def rewrite(
    instances: Iterable[Instance], name: str, **options: Any
) -> Iterator[Instance | Dropped]:
    """All instances rewritten, one after another.

    >>> instances = fabula.generate("babi/qa2", "test", size=2)
    >>> [len(made.story) for made in rewrite(instances, "padded", length=100)]
    [100, 100]
    """
    make = operation(name, **options)
    for instance in instances:
        yield from make(instance)
