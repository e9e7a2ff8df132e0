"""The examples of a Markdown page, run in order in one folder.

    ```sh        commands: those of `fabula` are run; `make` and `pip install` are looked up
    ```console   `$ command` and its output, which is replaced by what the command prints now;
                 a last line `…` stands for the rest of the output
    ```python    code, which has to run; with `>>>`, a session, the output of which is replaced by
                 what is printed now

A comment on the line before a block changes this:

    <!-- python -->                the output of the code is shown after it
    <!-- file: rooms.toml -->      the block is written to this file before anything after it runs
    <!-- not run: needs a GPU -->  commands are only parsed, so they and their options must exist

Promises:
1. A command, option, make target, extra or file that does not exist ends the build with its name.
2. Nothing on a page is shown as output that was not printed.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from docs.source import ROOT, BuildError, terminal

PIECE = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*?) -->\n)?"
    r"^```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<code>.*?)^```$"
    r"|<!-- (?P<kind>\w+)(?: (?P<number>\d+))?(?:: (?P<argument>[^\n]*?))? -->",
    re.MULTILINE | re.DOTALL,
)
"""A block of code with the comment before it, or a comment that stands for something else."""

WIDTH = "92"
"""Columns of the terminal that outputs are made for."""


def page(text: str, folder: Path, fill: Callable[[str, int, str], str], draft: bool = False) -> str:
    """A page with its examples run, and `fill(kind, number, argument)` for every other comment.

    In a draft, examples stay as they are written.
    """

    def piece(match: re.Match[str]) -> str:
        if match["kind"]:
            return fill(match["kind"], int(match["number"] or 0), (match["argument"] or "").strip())
        if draft:
            return match[0].partition("\n")[2] if match["note"] else match[0]
        return _block(match, folder)

    return PIECE.sub(piece, text)


def _block(match: re.Match[str], folder: Path) -> str:
    language, code = match["language"], match["code"]
    note, _, argument = (match["note"] or "").partition(": ")
    if note not in ("", "python", "file", "not run"):
        raise BuildError(f"<!-- {note} -->: unknown; see docs/examples.py.")
    if note == "file":
        target = folder / argument
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(code, encoding="utf-8")
        return f'```{language} title="{argument}"\n{code}```'
    if note == "not run":
        if language == "sh":
            for line in _lines(code):
                look_up(line, strict=False)
        return match[0].partition("\n")[2]
    if language == "sh":
        for line in _lines(code):
            if line.startswith("fabula "):
                output(line, folder)
            else:
                look_up(line)
    elif language == "console":
        return f"```console{match['rest']}\n{_console(code, folder)}```"
    elif language == "python" and note == "python":
        return f"```python\n{code.strip()}\n```\n\n```text\n{python(code, folder)}\n```"
    elif language == "python":
        if ">>>" in code:
            return f"```python\n{session(code, folder)}```"
        python(code, folder)
    elif language == "toml":
        tomllib.loads(code)
    return match[0]


def _lines(code: str) -> Iterable[str]:
    """The commands of a block; a backslash at the end of a line joins it to the next."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield shlex.join(words)


def _console(code: str, folder: Path) -> str:
    """A terminal session with the output that its commands print now."""
    shown = []
    for part in re.split(r"^(?=\$ )", code, flags=re.MULTILINE):
        if not part.strip():
            continue
        command, _, before = part.partition("\n")
        printed = output(command.removeprefix("$ "), folder)
        kept = before.rstrip("\n").split("\n")
        if kept[-1] == "…":
            printed = [*printed[: len(kept) - 1], "…"]
        shown += [command, *printed]
    return "\n".join(shown) + "\n"


# --- commands ---------------------------------------------------------------------------------


def shown(command: str, folder: Path, lines: int = 0) -> str:
    """A command with what it prints, as a block; with `lines`, only the first of them."""
    printed = output(command, folder)
    if lines and len(printed) > lines:
        printed = [*printed[:lines], "…"]
    return terminal(command, printed)


def output(command: str, folder: Path) -> list[str]:
    """The lines that a command of ours prints; an error if it fails."""
    words = shlex.split(command)
    if words[0] != "fabula":
        raise BuildError(f"{command}: only commands of fabula are run.")
    given = [one for word in words[1:] for one in _expanded(word, folder)]
    return _run([sys.executable, "-m", "fabula", *given], folder, command)


def _expanded(word: str, folder: Path) -> list[str]:
    """A word as a shell gives it to a command: 'runs/*' becomes the files there are."""
    found = sorted(glob.glob(word, root_dir=folder)) if "*" in word else []
    return found or [word]


def python(code: str, folder: Path) -> str:
    """The output of a piece of Python."""
    return "\n".join(_run([sys.executable, "-c", code], folder, f"this Python\n{code}"))


SESSION = """
import contextlib, doctest, io, sys

scope = {}
for example in doctest.DocTestParser().get_examples(sys.stdin.read()):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example.source, "<example>", "single"), scope)
    first, *more = example.source.splitlines()
    print(">>> " + first, *("... " + line for line in more), sep="\\n")
    print(said.getvalue(), end="")
"""
"""Runs a Python session and prints it with the output that it has now."""


def session(code: str, folder: Path) -> str:
    """A Python session with the output that its lines print now."""
    return "\n".join(_run([sys.executable, "-c", SESSION], folder, "this Python", code)) + "\n"


def _run(words: list[str], folder: Path, what: str, given: str | None = None) -> list[str]:
    done = subprocess.run(
        words,
        input=given,
        cwd=folder,
        env={**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found_defects = "audit" in words and done.returncode == 1 and not done.stderr
    if done.returncode and not found_defects:
        raise BuildError(f"{what}: {done.stderr.strip() or done.stdout.strip()}")
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


# --- commands that are not run ----------------------------------------------------------------


def look_up(line: str, strict: bool = True) -> None:
    """An error if a command names something that does not exist.

    With `strict`, commands of programs that are not known here are an error too.
    """
    words = shlex.split(line)
    while "=" in words[0]:  # variables of the environment
        words = words[1:]
    if words[0] == "fabula":
        _parse(words[1:], line)
    elif words[0] == "make":
        _check_make(words[1:], line)
    elif words[0].endswith("pip") and words[1] == "install":
        _check_install(words[2:], line)
    elif strict and words[:3] != ["python3", "-m", "venv"]:
        raise BuildError(f"{line}: cannot be checked; say <!-- not run: why --> before the block.")


def _parse(words: list[str], line: str) -> None:
    from typer.main import get_command

    from fabula.cli import app

    command: Any = get_command(app)
    try:
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        command.make_context(command.name, words)
    except Exception as error:  # what typer raises depends on the click it comes with
        raise BuildError(f"{line}: {getattr(error, 'message', error)}") from None


def _check_make(words: list[str], line: str) -> None:
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for word in words:
        if "=" not in word and word not in targets:
            raise BuildError(f"{line}: the Makefile has no target '{word}'.")


@cache
def _extras() -> frozenset[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return frozenset(project["optional-dependencies"])


def _check_install(words: list[str], line: str) -> None:
    for word in words:
        match = re.fullmatch(r"(?:fabula|\.)\[([\w,-]+)\]", word)
        if match and not set(match[1].split(",")) <= _extras():
            raise BuildError(f"{line}: pyproject.toml has no such extra.")
        known = match or word.startswith("-") or word == "fabula" or (ROOT / word).exists()
        if not known:
            raise BuildError(f"{line}: '{word}' is not in the repository.")
