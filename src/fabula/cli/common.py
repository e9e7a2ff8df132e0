"""Shared by the commands: groups in the help, common options, parsing of values, the terminal."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from fabula.errors import FabulaError, hint

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.generation.shortcuts import Score
    from fabula.recipe.model import Recipe

# --- groups of options in the help ---

DATA, OUTPUT, EXECUTION = "Data", "Output", "Execution"
PROMPT = "Prompt"

RENAMED = {
    "eval": {"--tokens": "--max-tokens"},
    "rewrite": {"--tokens": "--max-tokens"},
    "train": {"--start": "--fine-tune-from"},
}
"""Old names of options, by command; still accepted, but not listed in the help."""


def flowing(text: str) -> str:
    """A help text whose paragraphs wrap at the width of the terminal.

    Lines of lists and examples stay as they are, with their indentation.
    """
    paragraphs = []
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        listed = any(line.startswith((" ", "[bold]")) for line in lines)
        # inside the markup, so that a paragraph of its own is not dedented
        kept = [re.sub(r"^( +)\[bold\]", r"[bold]\1", line) for line in lines]
        paragraphs.append("\n".join(kept) if listed else " ".join(lines))
    return "\n\n".join(paragraphs)


def _laid_out(command: Any, context: Any) -> Any:
    """The command for its help: text that flows, and no type for options without a value."""
    for option in command.get_params(context):
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
    shown = copy(command)
    shown.help = flowing(inspect.cleandoc(command.help or ""))
    return shown


class Group(TyperGroup):
    """A group of commands whose help is laid out well."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        TyperGroup.format_help(_laid_out(self, ctx), ctx, formatter)


class Command(TyperCommand):
    """A command whose help is laid out well, and that accepts the old names of its options."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        TyperCommand.format_help(_laid_out(self, ctx), ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with the current names of options."""
        renamed = RENAMED.get(self.name or "", {})
        current = []
        for word in args:
            option, equals, value = word.partition("=")
            current.append(renamed.get(option, option) + equals + value)
        return super().parse_args(ctx, current)


# --- shared options ---

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A name from `fabula list`, or your own .toml file.")
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Random seed of the data.", rich_help_panel=DATA),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the recipe: length=30, dialect=release, events.MOVE=2, "
        "'length=[10, 40]'. Can be repeated.",
        rich_help_panel=DATA,
    ),
]
AnswerForm = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Answer format: word, sentence, letter, json.",
        rich_help_panel=PROMPT,
    ),
]
InstructionLanguage = Annotated[
    str | None,
    typer.Option(
        metavar="CODE",
        help="Language of the instructions: en, hi, hi-Deva.",
        show_default="that of the story",
        rich_help_panel=PROMPT,
    ),
]
MaxTokens = Annotated[
    int,
    typer.Option(metavar="N", min=1, help="Maximum tokens per reply.", rich_help_panel=PROMPT),
]
Concurrency = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="Maximum concurrent requests; the batch size of a batched function.",
        rich_help_panel=EXECUTION,
    ),
]
Device = Annotated[
    str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …", rich_help_panel=EXECUTION)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace an existing data set.", rich_help_panel=OUTPUT),
]
NewFolder = Annotated[
    Path, typer.Option(metavar="DIR", help="A new or empty folder.", rich_help_panel=OUTPUT)
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Worker processes.", show_default="one per core",
        rich_help_panel=EXECUTION,
    ),
]  # fmt: skip


# --- parsing of values ---


def changes_of(settings: Sequence[str] | None, option: str = "--set") -> dict[str, Any]:
    """The changes given by an option: values as TOML, bare words as strings."""
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
            raise FabulaError(f"{option} {setting}: give one value only.")
        changes[key] = parsed["value"]
    return changes


def sizes_of(text: str | None, recipe: Recipe) -> dict[str, int]:
    """The number of questions per split."""
    if text is None:
        return {name: split.size for name, split in recipe.splits.items()}
    return counts_of(text, tuple(recipe.splits), f"recipe {recipe.id}")


def counts_of(text: str, splits: Collection[str], owner: str) -> dict[str, int]:
    """The number of questions per split, as typed."""
    if "=" not in text:
        return dict.fromkeys(splits, _count(text, text))
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in splits:
            raise FabulaError(f"--size {text}: {owner} has no split '{name}'.{hint(name, splits)}")
        if name in sizes:
            raise FabulaError(f"--size {text}: '{name}' is listed twice.")
        sizes[name] = _count(number, text)
    return sizes


def _count(number: str, text: str) -> int:
    """A number of questions, as typed."""
    digits = number.replace("_", "")
    if not (digits.isascii() and digits.isdecimal()) or int(digits) < 1:
        raise FabulaError(
            f"--size {text}: '{number}' is not a positive whole number. "
            "Write e.g. --size 500 or --size train=1000,test=100."
        )
    return int(digits)


# --- output ---


def terminal(stderr: bool = False) -> Console:
    """The terminal; redirected output is not wrapped."""
    from rich.console import Console

    width = (
        None if (sys.stderr if stderr else sys.stdout).isatty() or "COLUMNS" in os.environ else 100
    )
    # no markup and no emoji codes: 'babi/qa1:train:0' is not a railway carriage
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def dim(text: str) -> str:
    """A text to be shown dimly on a terminal; as it is elsewhere. Loads nothing, unlike Rich."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"\033[2m{text}\033[0m"


def print_json(value: Any) -> None:
    """Print JSON on stdout."""
    import orjson

    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    sys.stdout.write(text.decode() + "\n")


def listed(text: str | None) -> tuple[str, ...] | None:
    """Words separated by commas."""
    return tuple(word.strip() for word in text.split(",")) if text else None


def show_story(story: Sequence[str], support: Sequence[int], console: Console) -> None:
    """Print numbered sentences, marking those of the support."""
    width = len(str(len(story)))
    for number, sentence in enumerate(story, 1):
        mark = "*" if number in support else " "
        console.print(f"  {mark} {number:{width}} {sentence}")


def show_scores(found: Sequence[Score], console: Console) -> None:
    """Print the score of each baseline, with bars."""
    from fabula.analysis.charts import bar_of

    plain = "utf" not in (console.encoding or "").lower()
    width = max(len(score.name) for score in found)
    for score in found:
        bar = bar_of(score.accuracy, 24, plain)
        console.print(
            f"  {score.name:{width}}  {score.right:>7,} of {score.total:,}  "
            f"{score.accuracy:6.1%}  {bar}"
        )


@contextmanager
def meter(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show progress on a terminal if it takes more than a second; yields a function that advances
    it.
    """
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
