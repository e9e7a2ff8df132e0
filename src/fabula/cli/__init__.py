"""The command line: one module per command. Each parses options, calls a public function and prints
the result.

    menu.py    all commands by group, and the texts of `fabula` and `fabula --help`
    root.py    the entry point with its promises
    tree.py    the command line, built from the modules of the commands that are needed
    common.py  shared options, parsing of values, the terminal
    stages.py  the progress display
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabula.cli.root import main

if TYPE_CHECKING:
    import typer

    app: typer.Typer

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    if name == "app":  # all commands, which take a while to load
        from fabula.cli.tree import app_with

        globals()["app"] = made = app_with()
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
