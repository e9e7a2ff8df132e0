"""What the commands share: options, the terminal, progress, reading of what was typed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.errors import FabulaError, hint

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.recipe.model import Recipe

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A name from `fabula list`, or your own .toml file.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Another seed, another data set.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the recipe, dotted if it is inside a table: length=30, "
        "dialect=release, events.MOVE=2, 'length=[10, 40]'. Can be repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes.", show_default="one for each core"),
]


# --- what was typed ---


def changes_of(settings: Sequence[str] | None, option: str = "--set") -> dict[str, Any]:
    """The changes asked for by an option: values as TOML, bare words as strings."""
    from fabula.core.files import parse_toml
    from fabula.core.soundness import DEEPEST, shown
    from fabula.errors import ParseError

    changes: dict[str, Any] = {}
    example = "lr=0.003" if option == "--with" else "length=[10, 40]"
    for setting in settings or ():
        key, equals, text = setting.partition("=")
        key, text = key.strip(), text.strip()
        if not equals or not key or not all(key.split(".")):
            raise FabulaError(
                f"{option} {setting}: write it as KEY=VALUE, e.g. {option} {example}."
            )
        if key in changes:
            raise FabulaError(f"{option} {setting}: '{key}' is set twice.")
        if key.count(".") > DEEPEST:
            raise FabulaError(f"{option} {shown(setting)}: nested deeper than {DEEPEST} levels.")
        try:
            parsed = parse_toml(f"value = {text}", f"{option} {setting[:80]}")
        except ParseError as error:
            if not text or text[0] in "[{\"'" or "not valid TOML" not in str(error):
                said = str(error).replace(": not valid TOML", ": the value is not valid TOML")
                raise FabulaError(f"{said} Write e.g. '{example}', with the quotes.") from None
            changes[key] = text
            continue
        if len(parsed) > 1:
            raise FabulaError(f"{option} {setting}: one value only.")
        changes[key] = parsed["value"]
    return changes


def sizes_of(text: str | None, recipe: Recipe) -> dict[str, int]:
    """How many questions of which split."""
    if text is None:
        return {name: split.size for name, split in recipe.splits.items()}
    return counts_of(text, tuple(recipe.splits), f"recipe {recipe.id}")


def counts_of(text: str, splits: Collection[str], owner: str) -> dict[str, int]:
    """How many questions of which split, as typed."""
    if "=" not in text:
        return dict.fromkeys(splits, _count(text, text))
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in splits:
            raise FabulaError(f"--size {text}: {owner} has no split '{name}'.{hint(name, splits)}")
        if name in sizes:
            raise FabulaError(f"--size {text}: '{name}' is named twice.")
        sizes[name] = _count(number, text)
    return sizes


def _count(number: str, text: str) -> int:
    """A number of questions as typed."""
    digits = number.replace("_", "")
    if not (digits.isascii() and digits.isdecimal()) or int(digits) < 1:
        raise FabulaError(
            f"--size {text}: '{number}' is not a whole number from 1. "
            "Write e.g. --size 500 or --size train=1000,test=100."
        )
    return int(digits)


# --- what is shown ---


def terminal(stderr: bool = False) -> Console:
    """The terminal; text that goes elsewhere is not wrapped to a width it does not have."""
    from rich.console import Console

    width = (
        None if (sys.stderr if stderr else sys.stdout).isatty() or "COLUMNS" in os.environ else 100
    )
    # no markup and no emoji codes: 'babi/qa1:train:0' is not a railway carriage
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def print_json(value: Any) -> None:
    """JSON on stdout."""
    import orjson

    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    sys.stdout.write(text.decode() + "\n")


@contextmanager
def meter(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Shows progress on a terminal if it takes more than a second; yields what counts on."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            elapsed = task.elapsed or 0
            return Text(f"{task.completed / elapsed:,.0f}/s" if elapsed else "")

    columns: list[ProgressColumn] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
    ]
    end = [TimeRemainingColumn()] if total else []
    progress = Progress(
        *columns,
        MofNCompleteColumn(),
        Rate(),
        *end,
        console=Console(stderr=True, emoji=False),
        transient=True,
    )
    task = progress.add_task(what, total=total)
    timer = Timer(1.0, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda count: progress.advance(task, count)
    finally:
        timer.cancel()
        timer.join()
        progress.stop()
