"""Progress display of a command that works in stages: the current one is always on screen.

    with stages() as stage:
        with stage("questions of babi/qa2", 1000) as tick:
            asked = list(tick.each(made))
        with stage("loading a model"):
            ...

A stage without a total has a moving bar. Without a terminal, nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fabula.core.progress import Stages, Tick, silent

NARROWEST = 12  # minimum number of columns of the bar


@contextmanager
def stages() -> Iterator[Stages]:
    """A display that shows one stage at a time and disappears at the end."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Name(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(shortened(task.description, console.width // 3), no_wrap=True)

    class Count(ProgressColumn):
        def render(self, task: Task) -> Text:
            if task.total is None:
                return Text(f"{task.completed:,.0f}" if task.completed else "", no_wrap=True)
            return Text(f"{task.completed:,.0f}/{task.total:,.0f}", no_wrap=True)

    class Time(ProgressColumn):
        max_refresh = 0.5
        left, past = TimeRemainingColumn(compact=True), TimeElapsedColumn()

        def render(self, task: Task) -> Text:
            return (self.past if task.total is None else self.left).render(task)

    console = Console(stderr=True, emoji=False, highlight=False)
    progress = Progress(
        Name(),
        BarColumn(bar_width=max(NARROWEST, console.width // 3 - 12)),
        Count(),
        TextColumn("{task.fields[note]}", markup=False),
        Time(),
        console=console,
        transient=True,
    )

    @contextmanager
    def stage(what: str, total: int | None = None) -> Iterator[Tick]:
        outer = [task.id for task in progress.tasks if task.visible]
        for task in outer:
            progress.update(task, visible=False)
        here = progress.add_task(what, total=total, note="")

        def on(count: int, note: str) -> None:
            fields: dict[str, Any] = {"note": note} if note else {}
            progress.update(here, advance=count, **fields)

        try:
            yield Tick(on)
        finally:
            progress.remove_task(here)
            for task in outer:
                progress.update(task, visible=True)

    with progress:
        yield stage


def shortened(name: str, room: int) -> str:
    """A text truncated in the middle to some columns: the beginning and the end of a name stay."""
    if len(name) <= room:
        return name
    head = room // 3
    return f"{name[:head]}…{name[head + 1 - room :]}"
