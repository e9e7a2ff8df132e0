"""Builds the command line from the modules of its commands."""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from fabula._version import __version__
from fabula.cli.common import Command
from fabula.cli.menu import BEGIN, COMMANDS, overview


class Root(TyperGroup):
    """The root, whose help is the overview of all commands, whichever are loaded."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the overview."""
        formatter.write(overview())


def app_with(names: Collection[str] = ()) -> typer.Typer:
    """The command line with these commands, all of them by default; only theirs are loaded."""
    made = typer.Typer(
        name="fabula",
        cls=Root,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def show_version(value: bool) -> None:
        if value:
            print(f"fabula {__version__}")
            raise typer.Exit

    @made.callback(invoke_without_command=True)
    def root(
        context: typer.Context,
        version: bool = typer.Option(
            False, "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        """Generate story-understanding benchmarks with proofs, and evaluate models."""
        if context.invoked_subcommand is None:
            sys.stdout.write(BEGIN)

    for panel, commands in COMMANDS.items():
        for name in commands:
            if names and name not in names:
                continue
            stem = name.replace("-", "_")
            module = import_module(f"fabula.cli.{stem}")
            if hasattr(module, "app"):
                made.add_typer(module.app, name=name, rich_help_panel=panel)
                continue
            function = getattr(module, stem, None) or getattr(module, f"{stem}_")
            made.command(name, cls=Command, rich_help_panel=panel)(function)
    return made
