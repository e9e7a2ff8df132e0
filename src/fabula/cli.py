"""The command line. Each command is thin: it reads options, calls one function, shows the result.

Promises:
1. What a user can put right ends in one line 'error: …' on stderr that names the place and the
   remedy, with exit code 2; Ctrl-C ends with 130. Neither leaves anything half-written behind.
2. `--json` prints nothing but JSON on stdout; progress is only shown on a terminal, on stderr.
3. Heavy modules are loaded by the command that needs them: `fabula --help` is immediate.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula._version import __version__
from fabula.errors import FabulaError, hint

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.audits.babi import Audit
    from fabula.recipe import Recipe
    from fabula.verify import Verdict

app = typer.Typer(
    name="fabula",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: [bold]fabula list[/bold], then [bold]fabula show babi/qa2[/bold]",
)
audit_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(audit_app, name="audit", help="Audit published data: are its labels right?")

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


def _version(value: bool) -> None:
    if value:
        print(f"fabula {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Generate and prove benchmarks of story understanding."""


# --- list and show ------------------------------------------------------------------------------


@app.command("list")
def list_(
    long: Annotated[bool, typer.Option("--long", help="Say what each is about.")] = False,
    json: Json = False,
) -> None:
    """List the recipes: the benchmarks that can be generated.

    Example: [bold]fabula list[/bold]
    """
    from fabula.recipe import recipe_ids
    from fabula.show import recipe_row, show_recipes

    names = sorted(recipe_ids(), key=lambda name: name.partition("/")[0])
    rows = [recipe_row(name) for name in names]
    if json:
        _print_json(rows)
    else:
        show_recipes(rows, _console(), long)


@app.command()
def show(
    recipe: RecipeName,
    split: Annotated[
        str | None, typer.Option(metavar="SPLIT", help="Which split.", show_default="the first")
    ] = None,
    index: Annotated[int, typer.Option(metavar="I", min=0, help="Which instance, from 0.")] = 0,
    seed: Seed = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Show one instance: the story, the question, the answer and its proofs.

    It is the same as in the generated data set, and made alone, so any index is quick.

    Example: [bold]fabula show babi/qa2 --split test --index 417[/bold]
    """
    from fabula.generate import Author
    from fabula.recipe import load

    chosen = load(recipe, _changes(settings))
    author = Author(chosen, split if split is not None else next(iter(chosen.splits)), seed)
    instance = next(author.instances(index, index + 1))
    if json:
        sys.stdout.write(instance.to_json().decode() + "\n")
        return
    from fabula import show as shown

    again = shown.again(recipe, author.split, index, author.seed, settings or [])
    shown.show(instance, _console(), again)


# --- generate -----------------------------------------------------------------------------------


@app.command()
def generate(
    recipe: RecipeName,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder.")],
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Questions: 500 for each split, or train=1000,test=100 for just these splits.",
            show_default="as the recipe says",
        ),
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="jsonl (all fields) or babi (text).")
    ] = "jsonl",
    settings: Settings = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a data set that is already there.")
    ] = False,
    json: Json = False,
) -> None:
    """Generate a benchmark into a folder, each instance checked.

    The same recipe and seed give the same bytes, on any number of workers.

    A smaller size gives the beginning of a larger one.

    Example: [bold]fabula generate babi/qa2 --out data/qa2 --size train=1000,test=100[/bold]
    """
    from time import perf_counter

    from fabula.engine import write
    from fabula.formats import format_named
    from fabula.recipe import load
    from fabula.stats import file_size

    format_named(form)
    chosen = load(recipe, _changes(settings))
    sizes = _sizes(size, chosen)
    start = perf_counter()
    with _meter(f"generating {chosen.id}", sum(sizes.values())) as tick:
        manifest = write(
            chosen,
            out,
            sizes,
            form=form,
            seed=seed,
            workers=workers or _cores(),
            force=force,
            progress=lambda _, count: tick(count),
        )
    if json:
        _print_json({"out": str(out), **manifest})
        return
    took, parts = perf_counter() - start, manifest["splits"]
    total = sum(sizes.values())
    console = _console()
    say = console.print
    say(f"Wrote {total:,} questions of {chosen.id} to {out}", soft_wrap=True)
    width = max(len(name) for name in ["manifest.json", *(p["file"] for p in parts.values())])
    for split, part in parts.items():
        held = f"{part['instances']:,} questions, {file_size((out / part['file']).stat().st_size)}"
        say(
            f"  {part['file']:{width}}  {split}: {held}",
            soft_wrap=True,
        )
    say(f"  {'manifest.json':{width}}  recipe, seed and checksums")
    proof = f" Prove it: fabula verify {out}" if manifest["format"] in ("jsonl", "babi") else ""
    pace = f"in {took:.1f} s ({total / max(took, 1e-9):,.0f} a second), seed {manifest['seed']}."
    say(pace + proof, style="dim", soft_wrap=True)


def _changes(settings: Sequence[str] | None) -> dict[str, Any]:
    """The changes to a recipe: values as TOML, bare words as strings."""
    import tomllib

    changes: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, text = setting.partition("=")
        key, text = key.strip(), text.strip()
        if not equals or not key or not all(key.split(".")):
            raise FabulaError(f"--set {setting}: write it as KEY=VALUE, e.g. --set length=30.")
        if key in changes:
            raise FabulaError(f"--set {setting}: '{key}' is set twice.")
        try:
            parsed = tomllib.loads(f"value = {text}")
            if len(parsed) > 1:
                raise FabulaError(f"--set {setting}: one value only.")
            changes[key] = parsed["value"]
        except tomllib.TOMLDecodeError as error:
            if not text or text[0] in "[{\"'":
                raise FabulaError(
                    f"--set {setting}: the value is not valid TOML: {error}. "
                    "Write e.g. 'length=[10, 40]', with the quotes."
                ) from None
            changes[key] = text
    return changes


def _sizes(text: str | None, recipe: Recipe) -> dict[str, int]:
    """How many questions of which split."""
    if text is None:
        return {name: split.size for name, split in recipe.splits.items()}
    if "=" not in text:
        return dict.fromkeys(recipe.splits, _count(text, text))
    sizes: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in recipe.splits:
            raise FabulaError(
                f"--size {text}: recipe {recipe.id} has no split '{name}'."
                f"{hint(name, recipe.splits)}"
            )
        if name in sizes:
            raise FabulaError(f"--size {text}: '{name}' is named twice.")
        sizes[name] = _count(number, text)
    return sizes


def _count(number: str, text: str) -> int:
    digits = number.replace("_", "")
    if not (digits.isascii() and digits.isdecimal()) or int(digits) < 1:
        raise FabulaError(
            f"--size {text}: '{number}' is not a whole number from 1. "
            "Write e.g. --size 500 or --size train=1000,test=100."
        )
    return int(digits)


# --- verify, audit, stats -----------------------------------------------------------------------


@app.command()
def verify(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data file, or a folder of them.")],
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Failures to show in full.")] = 5,
    workers: Workers = None,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Only the first N of each file.", show_default="all"),
    ] = None,
    json: Json = False,
) -> None:
    """Prove a data set: every answer and every support, by the reader and by the logic program.

    Ends with exit code 1 if anything is not proven.

    Example: [bold]fabula verify data/qa2[/bold]
    """
    from fabula.verify import verify as prove

    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    with _meter(f"proving {path}", None) as tick:
        verdict = prove(
            path, limit=limit, workers=workers or _cores(), sample=sample, progress=tick
        )
    if json:
        _print_json({**verdict._asdict(), "failed": verdict.failed})
    else:
        _show_verdict(verdict, path)
    if verdict.failed:
        raise typer.Exit(1)


def _show_verdict(verdict: Verdict, path: Path) -> None:
    console = _console()
    for failure in verdict.failures:
        console.print(f"not proven: {failure.id}", style="bold red")
        _show_story(failure.story, failure.support, console)
        label = f"{failure.question}  {', '.join(failure.answer)}"
        console.print(f"  {label}")
        for reason in failure.reasons:
            console.print(f"  - {reason}")
        console.print()
    if verdict.failed > len(verdict.failures):
        rest = verdict.failed - len(verdict.failures)
        console.print(f"… and {rest:,} more (--limit shows more of them)")
    defects = f", {verdict.defects:,} declared defects" if verdict.defects else ""
    failed = f", {verdict.failed:,} NOT PROVEN" if verdict.failed else ""
    console.print(
        f"{path}: {verdict.proven:,} of {verdict.instances:,} proven{defects}{failed}",
        style="bold red" if verdict.failed else "bold green",
        soft_wrap=True,
    )


def _show_story(story: Sequence[str], support: Sequence[int], console: Console) -> None:
    width = len(str(len(story)))
    for number, sentence in enumerate(story, 1):
        mark = "*" if number in support else " "
        console.print(f"  {mark} {number:{width}} {sentence}")


@audit_app.callback()
def _audit() -> None:
    """Audit published data: are its labels right, and are they proofs?

    Example: [bold]fabula audit babi tasks_1-20_v1-2/en[/bold]
    """


@audit_app.command("babi")
def audit_babi(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="bAbI text files, or folders of them.")
    ],
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Remarks to show of each kind and file.")
    ] = 1,
    json: Json = False,
) -> None:
    """Audit bAbI text: does each answer follow, and does the cited support prove it?

    Example: [bold]fabula audit babi tasks_1-20_v1-2/en --limit 2[/bold]
    """
    from fabula.audits.babi import audit

    found = []
    with _meter("auditing", None) as tick:
        for result in audit(paths):
            found.append(result)
            tick(result.questions)
    if json:
        _print_json([_audit_row(result, limit) for result in found])
    else:
        _show_audits(found, limit)


_REMARKS = {
    "defects": "the answer does not follow",
    "odd_supports": "the support is not what the release's own convention cites",
    "unproven": "the support does not prove the answer",
}


def _audit_row(result: Audit, limit: int) -> dict[str, Any]:
    from dataclasses import fields

    row: dict[str, Any] = {}
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, list):
            row[field.name] = {
                "count": len(value), "shown": [remark._asdict() for remark in value[:limit]]
            }  # fmt: skip
        else:
            row[field.name] = value
    return row


def _show_audits(found: Sequence[Audit], limit: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = _console()
    for result in found:
        for kind, what in _REMARKS.items():
            for remark in getattr(result, kind, [])[:limit]:
                place = f"{remark.file}, line {remark.line}: {what}"
                console.print(place, style="bold")
                _show_story(remark.story, (), console)
                asked = f"    {remark.question}  {remark.label}"
                console.print(asked)
                console.print(f"    {remark.reason}\n")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("file", overflow="ellipsis", no_wrap=True)
    for name in ("asked", "right", "cited", "proves", "minimal"):
        table.add_column(name, justify="right")
    for result in found:
        counts = (result.questions, result.answers, result.supports, result.proofs, result.minimal)
        table.add_row(Text(result.file), *(f"{count:,}" for count in counts))
    if len(found) > 1:
        totals = [
            sum(getattr(result, name) for result in found)
            for name in ("questions", "answers", "supports", "proofs", "minimal")
        ]
        table.add_section()
        table.add_row("all", *(f"{count:,}" for count in totals), style="bold")
    console.print(table)
    legend = (
        "\nright: the answer follows from the text. cited: the support is what the release's "
        "convention cites. proves: the answer follows from the support alone. minimal: and no "
        "sentence of it can be dropped."
    )
    console.print(legend, style="dim")
    changed = [result.file for result in found if not result.identical]
    if changed:
        text = f"Not the same bytes when written again: {', '.join(changed)}"
        console.print(text)


@audit_app.command("stepgame")
def audit_stepgame(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="StepGame files, or folders of them.")
    ],
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Remarks to show of each kind and file.")
    ] = 1,
    json: Json = False,
) -> None:
    """Audit StepGame's data: does each label follow from what the sentences mean?

    Example: [bold]fabula audit stepgame StepGame/Dataset --limit 2[/bold]
    """
    from fabula.audits.stepgame import audit

    found = []
    with _meter("auditing", None) as tick:
        for result in audit(paths, keep=limit):
            found.append(result)
            tick(result.stories)
    if json:
        _print_json([result.to_dict() for result in found])
        return
    console = _console()
    for result in found:
        for remark in (*result.contradictions, *result.refuted, *result.unknown):
            console.print(f"{remark.place}: {remark.reason}", soft_wrap=True)
        for form, trial in list(result.suspects.items())[:limit]:
            console.print(f"suspect: {form}  wrong {trial.wrong} of {trial.tried}", soft_wrap=True)
        console.print(
            f"{result.file}: {result.stories:,} stories, {result.parsed:,} of "
            f"{result.sentences:,} sentences understood, {result.contradictory:,} "
            f"contradictory; labels: {result.agree:,} follow, {result.disagree:,} refuted, "
            f"{result.underived:,} not derived; {result.deep:,} need k steps",
            soft_wrap=True,
        )


@app.command("leak")
def leak_between(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Training file or folder.")],
    test: Annotated[Path, typer.Argument(metavar="TEST", help="Test file or folder.")],
    json: Json = False,
) -> None:
    """Tell how much of a test set is already in a training set.

    Example: [bold]fabula leak data/qa2/train.txt data/qa2/test.txt[/bold]
    """
    from rich.table import Table

    from fabula.leak import leak

    found = leak(train, test)
    if json:
        _print_json(found.to_dict())
        return
    table = Table("the same", "test items", "in training", "share", "example", box=None)
    for name, overlap in found.measures.items():
        table.add_row(
            name,
            f"{overlap.test:,}",
            f"{overlap.seen:,}",
            f"{overlap.share:.2%}",
            str(overlap.example),
        )
    _console().print(table)


@app.command()
def stats(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH…", help="Data files, or folders of them.")
    ] = None,
    paraphrases: Annotated[
        bool, typer.Option("--paraphrases", help="Measure the phrase bank of the kinship world.")
    ] = False,
    json: Json = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture with bar charts.")
    ] = None,
) -> None:
    """Count what is in a data set: answers, kinds of question, lengths, supports, compositions.

    Example: [bold]fabula stats data/qa2 --svg qa2.svg[/bold]
    """
    from fabula import stats as counted

    if paraphrases:
        from fabula.worlds.kinship.statistics import statistics

        figures = statistics()._asdict()
        if json:
            _print_json(figures)
        else:
            for name, value in figures.items():
                _console().print(f"{name.replace('_', ' '):28} {value}", soft_wrap=True)
        return
    if not paths:
        raise FabulaError("stats: name a data file or folder, or add --paraphrases.")
    summary = counted.summarise(paths)
    if svg is not None:
        _write_whole(svg, counted.svg(summary))
    if json:
        _print_json(summary.to_dict())
    else:
        console = _console()
        counted.show(summary, console)
        if svg is not None:
            console.print(f"\nWrote {svg}", soft_wrap=True)


# --- helpers --------------------------------------------------------------------------------------


def _console() -> Console:
    """The terminal; text that goes elsewhere is not wrapped to a width it does not have."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
    # no markup and no emoji codes: 'babi/qa1:train:0' is not a railway carriage
    return Console(width=width, markup=False, emoji=False, highlight=False)


def _print_json(value: Any) -> None:
    import orjson

    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    sys.stdout.write(text.decode() + "\n")


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            partial.write_text(text, encoding="utf-8")
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise FabulaError(f"{path}: cannot be written: {error.strerror or error}.") from None


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _meter(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
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


# --- the entry point --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without '…' is no reason to stop
    try:
        given = None if arguments is None else list(arguments)
        code = app(args=given, prog_name="fabula", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return 141
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except FabulaError as error:
        return _complain(str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _complain(f"{place}{error.strerror or error}.")
    except Exception as error:
        told = getattr(error, "format_message", None)  # the parser's own errors
        if told is None:
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "fabula")
        return _complain(f"{str(told()).rstrip('.') or 'which command'}. Try '{command} --help'.")
    if code == 130:
        print("stopped; nothing was left half-written", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _complain(message: str) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
    print(f"error: {message}", file=sys.stderr)
    return 2


def _forget_stdout() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
