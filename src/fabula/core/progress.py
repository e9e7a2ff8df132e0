"""Progress of work that has stages: who does the work names them, who shows them decides how.

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
        """Called with how many more are done, and a note to show."""

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, counted as they come."""
        for item in items:
            yield item
            self.on(1, "")


class Stages(Protocol):
    """Begins a stage, by its name and total."""

    def __call__(self, what: str, total: int | None = None) -> AbstractContextManager[Tick]:
        """A stage, for as long as the context lasts."""


@contextmanager
def silent(what: str, total: int | None = None) -> Iterator[Tick]:
    """A stage that nobody sees."""
    yield Tick()
