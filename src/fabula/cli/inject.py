"""`fabula inject`: adds questions to bAbI files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import DATA, Force, Json, NewFolder, listed, print_json, terminal


def inject(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="bAbI text: a file or a folder.")],
    out: NewFolder,
    kinds: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Question kinds, separated by commas.",
            show_default="where-person,where-object",
            rich_help_panel=DATA,
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Extend bAbI files: after every question, ask all others that can be answered at that point.

    The answers are derived from the text alone, so files from any source work, and each cites a
    minimal proof. Tasks without people and things, such as 15 to 19, are skipped.

    Examples:
      [bold]fabula inject tasks/en --out data/inject[/bold]
      [bold]fabula inject tasks/en --kinds where-object --out data/inject[/bold]
    """
    from fabula.analysis.rewrites.text import inject as add

    found = add(path, out, listed(kinds), force)
    if json:
        print_json({"out": str(out), "questions": found.questions, "left_out": found.skipped})
        return
    say = terminal().print
    for reason in found.skipped:
        say(f"  skipped: {reason}", soft_wrap=True)
    for name, count in found.questions.items():
        say(f"  {name}: {count:,} questions", soft_wrap=True)
    total = sum(found.questions.values())
    say(f"Wrote {total:,} questions to {out}", soft_wrap=True)
    say(f"Check it: fabula audit babi {out}", style="dim", soft_wrap=True)
