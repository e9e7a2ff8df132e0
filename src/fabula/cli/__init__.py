"""The command line. Each command is thin: it reads options, calls one function, shows the result.

Promises:
1. What a user can put right ends in one line 'error: …' on stderr that names the place and the
   remedy, with exit code 2; Ctrl-C ends with 130. Neither leaves anything half-written behind.
2. `--json` prints nothing but JSON on stdout; progress is only shown on a terminal, on stderr.
3. Heavy modules are loaded by the command that needs them: `fabula --help` is immediate.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from fabula._version import __version__
from fabula.cli import check, data, dyna, evaluate, experiment, harness, make, play, train
from fabula.core.search import speak
from fabula.errors import FabulaError

app = typer.Typer(
    name="fabula",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: [bold]fabula list[/bold], then [bold]fabula show babi/qa2[/bold]",
)


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


app.command("list")(make.list_)
app.command()(make.show)
app.command()(make.generate)
app.command()(dyna.rewrite)
app.command()(dyna.inject)
app.command()(dyna.concat)
app.command()(check.verify)
app.add_typer(check.audit_app, name="audit", help="Audit published data: are its labels right?")
app.command("leak")(check.leak_between)
app.command()(check.stats)
app.command()(data.diff)
app.command()(data.baselines)
app.command()(play.play)
app.command()(train.models)
app.command()(train.train)
app.command()(experiment.experiment)
app.command("eval")(evaluate.eval_)
app.command()(evaluate.report)
app.command()(evaluate.doses)
app.command()(evaluate.curves)
app.command()(evaluate.concurrence)
app.command("lm-eval")(harness.lm_eval)


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
