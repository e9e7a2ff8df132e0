"""Shows instances and recipes in a terminal; colour only adds, it never carries meaning."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fabula.core.instance import Instance
from fabula.recipe.loading import build, read_recipe, settings_of
from fabula.recipe.settings import typed

SHOWN_SUPPORTS = 12


# --- an instance ------------------------------------------------------------------------------


def show(instance: Instance, console: Console, again: str = "") -> None:
    """Print an instance; `again` is the command that shows it, if the caller knows it."""
    console.print(render(instance))
    for line in _source(instance, again or command(instance.provenance)):
        console.print(line, soft_wrap=True)


def render(instance: Instance) -> RenderableType:
    """An instance: story, question, and answer with its proofs."""
    return Group(
        Text(instance.id, style="bold"),
        Text(),
        _story(instance),
        Text(),
        Padding(_facts(instance), (0, 0, 0, 2)),
        Text(),
    )


def _story(instance: Instance) -> Table:
    """Numbered sentences; an asterisk and bold print mark the support."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    noisy = any(role not in ("support", "distractor", "") for role in instance.roles)
    if noisy:
        table.add_column(style="dim", no_wrap=True)
    for number, sentence in enumerate(instance.story, 1):
        cited = number in instance.support
        style = "bold green" if cited else ""
        row = [
            Text("*" if cited else " ", style="bold green"),
            Text(str(number), style=style or "dim"),
            Text(sentence, style=style),
        ]
        if noisy:
            role = instance.roles[number - 1] if number <= len(instance.roles) else ""
            row.append(Text("" if role == "support" else role))
        table.add_row(*row)
    return table


def _facts(instance: Instance) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("question", Text(instance.question, style="bold"))
    table.add_row("answer", Text(", ".join(instance.answer), style="bold green"))
    if instance.choices:
        table.add_row("one of", Text(", ".join(instance.choices)))
    table.add_row("support", Text(_numbers(instance.support)))
    if len(instance.supports) != 1 or tuple(sorted(instance.support)) != instance.supports[0]:
        table.add_row("all proofs", Text("\n".join(_supports(instance))))
    table.add_row("composition", Text(" + ".join(instance.composition) or "nothing"))
    table.add_row("features", Text(", ".join(_features(instance.features))))
    if "defect" in instance.features:
        table.add_row(Text("defect", style="red"), Text(str(instance.features["defect"])))
    return table


def _supports(instance: Instance) -> Iterator[str]:
    if not instance.supports:
        yield "none: the answer does not follow from the text"
    for support in instance.supports[:SHOWN_SUPPORTS]:
        yield _numbers(support)
    if len(instance.supports) > SHOWN_SUPPORTS:
        yield f"… {len(instance.supports) - SHOWN_SUPPORTS} more (all with --json)"


def _numbers(numbers: Sequence[int]) -> str:
    if not numbers:
        return "no sentence"
    return f"sentence{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def _features(features: Mapping[str, Any]) -> Iterator[str]:
    for name, value in features.items():
        if name != "defect" and isinstance(value, str | int | float):
            yield f"{name.replace('_', ' ')} {value}"


def command(provenance: Mapping[str, Any]) -> str:
    """The command that shows a record's instance again; for a rewritten record, the original.

    Empty for records without a recipe. A user's own recipe is named by its file.
    """
    if not {"recipe", "recipe_digest", "split", "index", "seed"} <= provenance.keys():
        return ""
    return again(
        str(provenance.get("file") or provenance["recipe"]),
        str(provenance["split"]),
        int(provenance["index"]),
        int(provenance["seed"]),
        typed(settings_of(provenance)),
    )


def again(recipe: str, split: str, index: int, seed: int, settings: Sequence[str]) -> str:
    """The command that shows this instance; `settings` as typed: --set KEY=VALUE …"""
    words = ["fabula", "show", recipe, "--split", split, "--index", str(index), "--seed", str(seed)]
    return shlex.join([*words, *settings])


def _source(instance: Instance, again: str) -> Iterator[Text]:
    """The source of the record; a command stays on one line, so that it can be copied."""
    if again:
        label = "original" if "rewrite" in instance.provenance else "again"
        yield Text.assemble((f"{label}  ", "dim"), again)
    yield Text.assemble(("from   ", "dim"), (_origin(instance), "dim"))


def _origin(instance: Instance) -> str:
    source = instance.provenance
    dialect = f", dialect {source['dialect']}" if source.get("dialect") else ""
    return (
        f"recipe {source.get('recipe', '?')}{dialect} (digest {source.get('recipe_digest', '?')}), "
        f"seed {source.get('seed', '?')}, fabula {source.get('version', '?')}"
    )


# --- recipes ------------------------------------------------------------------------------------


def recipe_row(name: str) -> dict[str, Any]:
    """The columns of a recipe in a list."""
    content = read_recipe(name)
    recipe = build(content, place=f"recipe {name}")
    dialects = dict.fromkeys([recipe.dialect, *content.get("dialects", {})])
    return {
        "id": name,
        "title": recipe.title,
        "about": recipe.about,
        "world": recipe.world,
        "asks": list(recipe.kinds()),
        "splits": {split: part.size for split, part in recipe.splits.items()},
        "dialects": [dialect for dialect in dialects if dialect],
    }


def show_recipes(rows: Sequence[Mapping[str, Any]], console: Console, long: bool = False) -> None:
    """Print a table of recipes; with `long`, also their descriptions."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("recipe", style="bold", no_wrap=True)
    table.add_column("world", no_wrap=True)
    table.add_column("title", overflow="fold")
    table.add_column("dialects", overflow="fold")
    family = ""
    for row in rows:
        if family and not row["id"].startswith(family):
            table.add_section()
        family = row["id"].partition("/")[0] + "/"
        what = Text(row["title"], style="bold" if long else "")
        if long and row["about"]:
            what.append(f"\n{' '.join(str(row['about']).split())}", style="not bold")
        table.add_row(Text(row["id"]), row["world"], what, ", ".join(row["dialects"]))
    console.print(table)
    console.print()
    console.print(
        f"{len(rows)} recipes. See one: fabula show {rows[0]['id']}\n"
        "Your own .toml file works wherever a name does.",
        style="dim",
    )
