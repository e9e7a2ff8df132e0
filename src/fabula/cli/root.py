"""The root of the command line: the entry point.

Promises:
1. User errors print one line 'error: …' on stderr (what is wrong, where, how to fix it) and exit
   with code 2; Ctrl-C exits with 130. Neither leaves a half-written file behind.
2. `--json` prints only JSON on stdout; progress is only shown on a terminal, on stderr.
3. Heavy modules are loaded by the command that needs them: `fabula --help` is immediate.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from fabula._version import __version__
from fabula.cli.menu import BEGIN, COMMANDS, overview
from fabula.errors import FabulaError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _note
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # do not fail on a terminal without '…'
            stream.reconfigure(errors="replace")
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        for word in given:
            _check_text(word)
        code = _call(given)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return 141
    except KeyboardInterrupt:
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
        print("stopped; no half-written file was left behind", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _call(given: list[str]) -> Any:
    """Run a command, loading no other; what needs no command is printed at once."""
    if not given:
        sys.stdout.write(BEGIN)
        return 0
    if given in (["--help"], ["-h"]):
        bold = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        sys.stdout.write(overview(bold=bold))
        return 0
    if given == ["--version"]:
        print(f"fabula {__version__}")
        return 0
    import typer

    from fabula.cli.tree import app_with
    from fabula.core.search import speak

    speak()
    known = [name for names in COMMANDS.values() for name in names]
    app = app_with(given[:1] if given[0] in known else ())
    try:
        return app(args=given, prog_name="fabula", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None


LARGEST = 2**63 - 1  # the largest integer that fits into a record, a manifest and a table


def _check_text(word: str) -> None:
    """Reject arguments that cannot be file names or cannot be written to a file."""
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


LONGEST_COMPLAINT = 1_500  # characters; messages may quote the user's data at length


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_COMPLAINT else f"{line[:LONGEST_COMPLAINT]} …"


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning, such as the new name of a recipe key, as one line on stderr."""
    print(f"note: {_one_line(str(message))}", file=sys.stderr)


def _complain(message: str) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
    if os.environ.get("RANK", "0") == "0":  # of several processes under torchrun, only one reports
        print(f"error: {_one_line(message)}", file=sys.stderr)
    return 2


def _forget_stdout() -> None:
    """Discard output: nobody reads it any more, and the interpreter's last flush must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
