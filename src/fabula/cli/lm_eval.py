"""`fabula lm-eval`: task files for lm-evaluation-harness."""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Json, NewFolder, print_json, terminal


def lm_eval(
    out: NewFolder,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE…",
            help="Recipes, .toml files, or generated data sets (JSONL), which are copied.",
            show_default="every recipe",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write task files for lm-evaluation-harness: a folder for its --include_path.

    For a recipe, the data are generated when lm_eval starts; its --metadata sets seed, size,
    split, style and settings.

    Examples:
      [bold]fabula lm-eval babi/qa2 data/rooms --out tasks[/bold]
      [bold]fabula lm-eval --out tasks[/bold]
    """
    from fabula.integrations.lm_eval import write

    tasks = write(out, sources or ())
    if json:
        print_json({"out": str(out), "tasks": tasks})
        return
    say = terminal().print
    say(f"Wrote {len(tasks)} tasks to {out}", soft_wrap=True)
    for task in tasks[:8]:
        say(f"  {task}")
    if len(tasks) > 8:
        say(f"  … and {len(tasks) - 8} more, one file each")
    say(
        f"Run one: lm_eval run --model dummy --include_path {out} --tasks {tasks[0]} "
        """--metadata '{"size": 100}'""",
        style="dim",
        soft_wrap=True,
    )
