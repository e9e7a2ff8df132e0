"""The root of the command line: all commands by group, and the entry point.

Promises:
1. User errors print one line 'error: …' on stderr (what is wrong, where, how to fix it) and exit
   with code 2; Ctrl-C exits with 130. Neither leaves anything half-written behind.
2. `--json` prints nothing but JSON on stdout; progress is only shown on a terminal, on stderr.
3. Heavy modules are loaded by the command that needs them: `fabula --help` is immediate.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from fabula._version import __version__
from fabula.cli import (
    audit,
    baselines,
    concat,
    concurrence,
    curves,
    diff,
    doses,
    experiment,
    generate,
    inject,
    leak,
    lm_eval,
    models,
    play,
    report,
    rewrite,
    show,
    stats,
    train,
    verify,
)
from fabula.cli import eval as evaluate
from fabula.cli import list as listing
from fabula.cli.common import CHECK, EVALUATE, EXPLORE, MAKE, TRAIN, Command
from fabula.core.search import speak
from fabula.errors import FabulaError

app = typer.Typer(
    name="fabula",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: [bold]fabula list[/bold], then [bold]fabula show babi/qa2[/bold]",
)

BEGIN = """\
Fabula generates, proves and uses benchmarks of story understanding.

  See the benchmarks    fabula list
  Look at an instance   fabula show babi/qa2
  Make a data set       fabula generate babi/qa2 --out data/qa2
  Prove every answer    fabula verify data/qa2
  Evaluate your model   fabula eval py:my_model.py:answer babi/qa2 --out runs/me
  See where it fails    fabula report runs/me --out report.html

All commands: fabula --help. One of them, with examples: fabula COMMAND --help
"""


def _version(value: bool) -> None:
    if value:
        print(f"fabula {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Generate and prove benchmarks of story understanding."""
    if context.invoked_subcommand is None:
        sys.stdout.write(BEGIN)


COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    EXPLORE: {"list": listing.list_, "show": show.show, "play": play.play},
    MAKE: {
        "generate": generate.generate,
        "rewrite": rewrite.rewrite,
        "inject": inject.inject,
        "concat": concat.concat,
    },
    CHECK: {
        "verify": verify.verify,
        "stats": stats.stats,
        "baselines": baselines.baselines,
        "leak": leak.leak,
        "diff": diff.diff,
    },
    EVALUATE: {
        "eval": evaluate.eval_,
        "report": report.report,
        "curves": curves.curves,
        "concurrence": concurrence.concurrence,
        "lm-eval": lm_eval.lm_eval,
    },
    TRAIN: {
        "models": models.models,
        "train": train.train,
        "doses": doses.doses,
        "experiment": experiment.experiment,
    },
}
"""The commands by group, in the order of the help."""

for _panel, _commands in COMMANDS.items():
    for _name, _function in _commands.items():
        app.command(_name, cls=Command, rich_help_panel=_panel)(_function)
app.add_typer(audit.app, name="audit", rich_help_panel=CHECK)


# --- the entry point --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without '…' is no reason to stop
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        for word in given:
            _check_text(word)
        speak()
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
        message = str(told()).rstrip(".") or "which command?"
        stop = "" if message.endswith("?") else "."
        return _complain(f"{message}{stop} Try '{command} --help'.")
    if code == 130:
        print("stopped; nothing was left half-written", file=sys.stderr)
    return code if isinstance(code, int) else 0


LARGEST = 2**63 - 1  # what fits into a record, a manifest and a table


def _check_text(word: str) -> None:
    """Refuse what cannot be the name of a file, nor be written down."""
    number = re.fullmatch(r"(?:--[\w-]+=)?[+-]?(\d[\d_]{17,})", word, re.ASCII)
    if number and (len(number[1]) > 100 or int(number[1]) > LARGEST):
        raise FabulaError(f"{word[:60]}: a number must fit into 64 bits; choose a smaller one.")
    if "\0" in word:
        raise FabulaError(f"{word!r}: an argument cannot contain a NUL character.")
    try:
        word.encode()
    except UnicodeEncodeError:
        raise FabulaError(
            f"{word!r}: not valid UTF-8; rename the file, or set your terminal to UTF-8."
        ) from None


LONGEST_COMPLAINT = 1_500  # characters: what a user gets to see of a message that quotes their data


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_COMPLAINT else f"{line[:LONGEST_COMPLAINT]} …"


def _complain(message: str) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
    if os.environ.get("RANK", "0") == "0":  # of several processes under torchrun, one speaks
        print(f"error: {_one_line(message)}", file=sys.stderr)
    return 2


def _forget_stdout() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
