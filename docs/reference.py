"""The pages about what there is: recipes, worlds, formats; made from the code.

Whatever is registered has its place here without a line being added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from docs.source import (
    ROOT,
    BuildError,
    field_notes,
    opening,
    prose,
    section,
    shown,
    table,
    terminal,
)
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import fabula
from fabula.analysis.gallery import INDEX, sample_split, text, variants
from fabula.datasets.formats import FORMATS
from fabula.language.catalogue import codes
from fabula.language.conventions import conventions
from fabula.recipe.model import Recipe, load, recipe_ids, recipe_source
from fabula.world import WORLDS

Pages = dict[str, str]
"""Path of a page and its Markdown."""


# --- recipes ----------------------------------------------------------------------------------


def recipe_pages() -> Pages:
    """A page for each family of recipes, and one that lists them all with the keys they have."""
    families: dict[str, list[str]] = {}
    for name in recipe_ids():
        families.setdefault(name.partition("/")[0], []).append(name)
    parts = ["# Recipes", section("README.md", "The recipes").partition("\n\n")[0]]
    for family, names in families.items():
        rows = [[f"[`{name}`]({family}.md#{_anchor(name)})", load(name).title] for name in names]
        parts += [f"## {family}", table(["recipe", "what it is"], rows)]
    parts.append("How to write one: [A recipe of your own](own.md).")
    pages = {"recipes/index.md": "\n\n".join(parts)}
    for family, names in families.items():
        body = [f"# {family}", *(_recipe(name) for name in names)]
        pages[f"recipes/{family}.md"] = "\n\n".join(body)
    pages["recipes/own.md"] = "# A recipe of your own\n\n" + section(
        "README.md", "A recipe of your own"
    )
    return pages


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def _recipe(name: str) -> str:
    recipe = load(name)
    world = f"[{recipe.world}](../worlds/{recipe.world}.md)" if recipe.world else "several worlds"
    sizes = ", ".join(f"{split} {part.size:,}" for split, part in recipe.splits.items())
    kinds = ", ".join(f"`{kind}`" for kind in recipe.kinds())
    asked = f"Asks {kinds}. " if kinds else ""
    apart = "" if recipe.split_key == "none" else f", kept apart by `{recipe.split_key}`"
    parts = [
        f"## {name} {{ #{_anchor(name)} }}",
        f"**{recipe.title}.**" if recipe.title else "",
        recipe.about.strip(),
        f"World: {world}. {asked}Splits: {sizes}{apart}.",
    ]
    for variant in variants():
        if variant.recipe == name:
            split = sample_split(variant)
            made = fabula.instance(name, split, INDEX, **variant.changes)
            option = f" --set dialect={variant.dialect}" if variant.dialect else ""
            command = f"fabula show {name} --split {split} --index {INDEX}{option}"
            parts.append(terminal(command, text(made)))
    source = recipe_source(name)
    parts.append(folded(f"The recipe {name}", f"```toml\n{source.strip()}\n```"))
    return "\n\n".join(part for part in parts if part)


def folded(title: str, content: str) -> str:
    """A block that opens when it is clicked."""
    inner = "\n".join(f"    {line}" if line else "" for line in content.splitlines())
    return f'??? note "{title}"\n\n{inner}'


# --- worlds -----------------------------------------------------------------------------------


def world_pages() -> Pages:
    """A page for each world, from its docstring and the keys of its recipes."""
    rows = [
        [f"[{name}]({name}.md)", opening(world.about).removesuffix(".")]
        for name, world in WORLDS.items()
    ]
    head = "A world is a simulator: it lets things happen, tells them, and knows the truth."
    pages = {"worlds/index.md": f"# Worlds\n\n{head}\n\n{table(['world', 'what it is'], rows)}"}
    for name, world in WORLDS.items():
        used = [recipe for recipe in recipe_ids() if load(recipe).world == name]
        links = ", ".join(
            f"[`{r}`](../recipes/{r.partition('/')[0]}.md#{_anchor(r)})" for r in used
        )
        parts = [
            f"# {name.capitalize()}",
            prose(world.about),
            f"Recipes: {links or 'none yet'}.",
            f"Languages: {', '.join(f'`{code}`' for code in codes(name))}.",
            "## Questions",
            table(["kind", "for example", "answer"], list(_questions(used))),
            "## Conventions",
            "What answers may rely on besides the text "
            "([where it is stated](../verified.md#conventions)):",
            table(["convention", "what it says"], list(_conventions(name))),
            "## Keys of its recipes",
            "Besides those that [every recipe has](../recipes/own.md#keys-of-every-recipe):",
            table(["key", "default", "meaning"], list(_keys(world.recipe))),
        ]
        pages[f"worlds/{name}.md"] = "\n\n".join(parts)
    return pages


def _conventions(world: str) -> Iterator[list[str]]:
    """The conventions of a world, in English."""
    for name, sentence in conventions("en", world).items():
        yield [f"`{name}`", sentence]


def _questions(recipes: list[str]) -> Iterator[list[str]]:
    """Each kind of question that recipes ask, as it is asked first."""
    seen: set[str] = set()
    for name in recipes:
        wanted = set(load(name).kinds()) - seen
        if not wanted:
            continue
        for one in fabula.generate(name, sample_split_of(name), size=30):
            kind = one.query[0]
            if kind not in seen:
                seen.add(kind)
                wanted.discard(kind)
                yield [f"`{kind}`", one.question, ", ".join(one.answer)]
            if not wanted:
                break


def sample_split_of(name: str) -> str:
    """The split that samples of a recipe are from."""
    return sample_split(next(variant for variant in variants() if variant.recipe == name))


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[list[str]]:
    notes = field_notes(model)
    for key, field in model.model_fields.items():
        inherited = issubclass(model, Recipe) and Recipe.model_fields.get(key) is not None
        if inherited and notes.get(key) == field_notes(Recipe).get(key):
            continue
        note = notes.get(key, "")
        inner = _table_in(field)
        if inner is not None:
            yield [f"`{prefix}{key}`", "", note or opening(inner.__doc__)]
            yield from _keys(inner, f"{prefix}{key}.")
        else:
            yield [f"`{prefix}{key}`", _default(field), note]


def _table_in(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that is a table of its own."""
    for candidate in (field.annotation, *get_args(field.annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}, ""):
        return ""
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)


# --- formats ----------------------------------------------------------------------------------

SHOWN = 900
"""Characters of a format that are shown."""

BESIDES = ("manifest.json", "README.md")
"""Files of a data set that are there in every format."""


def format_page(folder: Path) -> str:
    """Every format with the beginning of a file in it, written while the site is built."""
    rows = [[f"[`{name}`](#{name})", form.about] for name, form in FORMATS.items()]
    parts = [
        "# Formats",
        "`fabula generate RECIPE --out DIR --format NAME` writes a data set in any of these.",
        table(["format", "what it is"], rows),
        "An instance has the same content in all of them; `jsonl` and `parquet` hold all of it.",
    ]
    for name, form in FORMATS.items():
        command, files = _written(name, folder)
        parts += [
            f"## {name}",
            f"{_sentence(form.about)}.",
            f"```console\n$ {command}\n```",
            _beginning(files[0], folder),
        ]
    return "\n\n".join(parts)


def _sentence(words: str) -> str:
    """Words with a capital at the beginning, unless they begin with a name such as bAbI."""
    first = words.partition(" ")[0]
    return words[:1].upper() + words[1:] if first.islower() else words


def _written(name: str, folder: Path) -> tuple[str, list[Path]]:
    """The command that writes a small data set in a format, and the files it wrote."""
    for recipe in ("babi/qa2", "stepgame/clean", "clutrr/gen-23"):
        split = sample_split_of(recipe)
        command = f"fabula generate {recipe} --out {name} --format {name} --size {split}=2"
        try:
            shown(command, folder)
        except BuildError as error:
            last = error
            continue
        files = [file for file in sorted((folder / name).rglob("*")) if file.is_file()]
        return command, [file for file in files if file.name not in BESIDES]
    raise last


def _beginning(file: Path, folder: Path) -> str:
    name = file.relative_to(folder)
    if file.suffix == ".parquet":
        from pyarrow.parquet import read_schema

        columns = "\n".join(f"{one.name:14} {one.type}" for one in read_schema(file))
        return f'```text title="columns of {name}"\n{columns}\n```'
    words = file.read_text(encoding="utf-8")
    kept = words[:SHOWN].rstrip("\n")
    more = " …" if len(words) > SHOWN else ""
    kind = {".jsonl": "json", ".json": "json", ".csv": "text"}.get(file.suffix, "text")
    return f'```{kind} title="{name}"\n{kept}{more}\n```'


# --- experiments ----------------------------------------------------------------------------------


def experiment_sections() -> str:
    """What came of the experiments, from the folder of their results."""
    found = sorted((ROOT / "experiments" / "results").glob("[A-Z][0-9]*.md"))
    if not found:
        raise BuildError("no results of experiments; make them: make experiments")
    parts = []
    for file in found:
        told = file.read_text(encoding="utf-8").removeprefix("# ")
        title, _, rest = told.partition("\n")
        parts.append(f"### {title}\n{rest}")
    return "\n\n".join(parts)
