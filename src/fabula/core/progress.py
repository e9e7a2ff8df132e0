"""Progress of work in stages: the worker names the stages, the caller decides how to show them.

    with stage("loading the model"):
        ...
    with stage("questions", 1000) as tick:
        for each in tick.each(questions):
            ...

`silent` shows nothing; the command line has a display on the terminal (cli/stages.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Tick:
    """Advances a stage."""

    def __init__(self, on: Callable[[int, str], None] = lambda count, note: None) -> None:
        self.on = on
        """Called with the number of items just done, and a note to show."""

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, counted as they are consumed."""
        for item in items:
            yield item
            self.on(1, "")


class Stages(Protocol):
    """Begins a stage with a name and a total."""

    def __call__(self, what: str, total: int | None = None) -> AbstractContextManager[Tick]:
        """A stage, for as long as the context lasts."""


@contextmanager
def silent(what: str, total: int | None = None) -> Iterator[Tick]:
    """A stage that is not shown."""
    yield Tick()
