"""`fabula rewrite`: changes the stories or questions of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Force, Json, NewFolder, listed, print_json, terminal

OPERATION = "Options of an operation"


def rewrite(
    operation: Annotated[str, typer.Argument(metavar="OPERATION", help="See the list above.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data set, or one file of it.")],
    out: NewFolder,
    length: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="padded: sentences per story.", rich_help_panel=OPERATION
        ),
    ] = None,
    filler: Annotated[
        bool,
        typer.Option(
            "--filler",
            help="padded: use filler sentences, which state nothing.",
            rich_help_panel=OPERATION,
        ),
    ] = False,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="trimmed: maximum number of tokens (words and punctuation marks).",
            rich_help_panel=OPERATION,
        ),
    ] = None,
    sorts: Annotated[
        str | None,
        typer.Option(
            metavar="SORTS",
            help="renamed: persons, places, objects; separated by commas.",
            rich_help_panel=OPERATION,
        ),
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="exhaustive: question kinds, separated by commas.",
            rich_help_panel=OPERATION,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="flip, hold, padded, renamed, cloze: random seed.",
            rich_help_panel=OPERATION,
        ),
    ] = None,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="flip, hold: the same number of tokens in both, by this tokenizer.json.",
            rich_help_panel=OPERATION,
        ),
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="FORMAT", help="File format, as in `fabula generate`.")
    ] = "jsonl",
    force: Force = False,
    json: Json = False,
) -> None:
    """Rewrite the instances of a data set, or of bAbI text, so that their answers stay proven.

    [bold]flip[/bold]        pairs: one sentence edited so that the answer changes
    [bold]hold[/bold]        pairs: one sentence edited so that the answer stays
    [bold]twin[/bold]        yes-no questions with the answer yes, asked as 'Where is …?'
    [bold]exhaustive[/bold]  the same story with every question that can be asked
    [bold]bare[/bold]        all distractors removed
    [bold]gathered[/bold]    the support moved next to the question
    [bold]padded[/bold]      more distractors, up to --length, or --filler sentences
    [bold]renamed[/bold]     people (or --sorts) with unseen names
    [bold]trimmed[/bold]     the earliest distractors removed, down to --max-tokens
    [bold]cloze[/bold]       the names of kinship stories as @entity-0, @entity-1, …

    Examples:
      [bold]fabula rewrite padded data/mix --length 100 --out data/long[/bold]
      [bold]fabula rewrite renamed data/mix --sorts persons,places --out data/new[/bold]
    """
    import fabula

    found = fabula.rewrite(
        path,
        operation,
        out,
        format=format,
        force=force,
        tokenizer=None if tokenizer is None else str(tokenizer),
        length=length,
        filler=filler or None,
        tokens=max_tokens,
        sorts=listed(sorts),
        kinds=listed(kinds),
        seed=seed,
    )
    if json:
        examples = [each._asdict() for each in found.examples]
        print_json({"out": str(out), **found.manifest, "examples": examples})
        return
    say = terminal().print
    say(f"Wrote {found.written:,} instances ({operation}) from {found.read:,} to {out}",
        soft_wrap=True)  # fmt: skip
    if found.dropped:
        say(f"{found.dropped:,} could not be rewritten with a proven answer, e.g.")
        for each in found.examples:
            say(f"  {each.id}: {each.reason}", soft_wrap=True)
    say(f"Prove it: fabula verify {out}", style="dim", soft_wrap=True)
