"""Reference pages generated from the code: recipes, keys, worlds, formats.

Everything that is registered appears here without a line being added.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from docs.examples import shown
from docs.source import BuildError, field_notes, folded, opening, prose, table, terminal
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import fabula
from fabula.analysis.gallery import INDEX, sample_split, text, variants
from fabula.datasets.formats import FORMATS
from fabula.language.catalogue import codes
from fabula.language.conventions import conventions
from fabula.recipe.cells import ANY, Cell, Compositional, Decoys, HeldOut
from fabula.recipe.loading import load, recipe_ids, recipe_source
from fabula.recipe.model import Recipe, Split
from fabula.world import WORLDS

Pages = dict[str, str]
"""Path of a page and its Markdown."""


# --- recipes ----------------------------------------------------------------------------------


def recipe_pages() -> Pages:
    """A page for each family of recipes, and one that lists them all with the keys they have."""
    families: dict[str, list[str]] = {}
    for name in recipe_ids():
        families.setdefault(name.partition("/")[0], []).append(name)
    parts = [
        "# Recipes",
        "A recipe is one benchmark as data: a TOML file that names a world, what happens in its "
        "stories, how it is told, what is asked, and the sizes of the splits.",
    ]
    for family, names in families.items():
        rows = [[f"[`{name}`]({family}.md#{_anchor(name)})", load(name).title] for name in names]
        parts += [f"## {family}", table(["recipe", "what it is"], rows)]
    parts.append("Write your own: [Write a recipe](../recipe.md). All keys: [Keys](../keys.md).")
    pages = {"recipes/index.md": "\n\n".join(parts)}
    for family, names in families.items():
        body = [f"# {family}", *(_recipe(name) for name in names)]
        pages[f"recipes/{family}.md"] = "\n\n".join(body)
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


# --- worlds -----------------------------------------------------------------------------------


def world_pages() -> Pages:
    """A page for each world, from its docstring and the keys of its recipes."""
    rows = [
        [f"[{name}]({name}.md)", opening(world.about).removesuffix(".")]
        for name, world in WORLDS.items()
    ]
    head = "A world simulates what happens, tells it in sentences, and knows the truth."
    pages = {"worlds/index.md": f"# Worlds\n\n{head}\n\n{table(['world', 'what it is'], rows)}"}
    for name, world in WORLDS.items():
        used = [recipe for recipe in recipe_ids() if load(recipe).world == name]
        links = ", ".join(
            f"[`{r}`](../recipes/{r.partition('/')[0]}.md#{_anchor(r)})" for r in used
        )
        parts = [
            f"# {name.capitalize()}",
            prose(world.about),
            _fragment(name),
            ""
            if type(world).__module__.startswith("fabula.")
            else "This world comes from another package: [Add a world](../add-a-world.md).",
            f"Recipes: {links or 'none yet'}.",
            f"Languages: {', '.join(f'`{code}`' for code in codes(name))}.",
            "## Questions",
            table(["kind", "for example", "answer"], list(_questions(used))),
            "## Conventions",
            "What answers may rely on besides the text "
            "([where conventions are stated](../conventions.md)):",
            table(["convention", "what it says"], list(_conventions(name))),
            f"Keys of its recipes: [Recipe keys](../keys.md#{name}).",
        ]
        pages[f"worlds/{name}.md"] = "\n\n".join(part for part in parts if part)
    return pages


def _fragment(world: str) -> str:
    """The hand-written part of the page of a world, if there is one."""
    file = Path(__file__).parent / "worlds" / f"{world}.md"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


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


# --- keys -------------------------------------------------------------------------------------

NOTES = {
    "title": "One line for `fabula list`.",
    "world": "The world that its stories come from.",
    "language": "Language of story, question and answer; see [Languages](languages.md).",
    "seed": "The seed, unless the command line gives another.",
    "splits": "Splits and their sizes: `train = 1000`, or `train = {size = 1000, share = 0.5}`.",
    "name": "A name for error messages.",
    "entities": "Who and what the stories are about.",
    "persons": "People, by name.",
    "places": "Places, without an article.",
    "objects": "Things that can be carried, without an article.",
    "there": "How often a grab or drop ends in 'there'.",
    "GRAB": "Share of grabs.",
    "DROP": "Share of drops.",
    "noise": "Sentences that are not needed for the proof.",
    "generations": "Generations of a family.",
    "colours": "Colours that animals can have.",
    "text": "The sentence, with a slot for each person.",
}
"""Keys that have no line of their own in the code."""

SEPARATE = (Cell, Split, Decoys, Compositional, HeldOut)
"""Tables inside a recipe whose keys have a section of their own."""


def key_page() -> str:
    """Every key of every recipe, from the models that read them."""
    parts = [
        "# Recipe keys",
        "[Write a recipe](recipe.md) explains how the keys work together. A misspelt key is an "
        "error that suggests the right one.",
        "## Keys of every recipe { #every }",
        _key_table(Recipe, all_keys=True),
        "## Keys of a cell { #cells }",
        "A cell is a quota: a kind of instance and its share. `keep` takes the same keys, as a "
        "condition that every instance has to meet. Ranges are written `[low, high]`, a single "
        "number stands for itself.",
        _key_table(Cell),
        "## Keys of a split { #splits }",
        _key_table(Split),
        "## Keys of decoys { #decoys }",
        prose(Decoys.__doc__),
        _key_table(Decoys),
        "## Keys of a compositional benchmark { #compositional }",
        prose(Compositional.__doc__),
        _key_table(Compositional),
        prose(HeldOut.__doc__),
        _key_table(HeldOut),
    ]
    for name, world in WORLDS.items():
        parts += [
            f"## Keys of {name} {{ #{name} }}",
            f"Recipes of the world [{name}](worlds/{name}.md) also have:",
            _key_table(world.recipe),
        ]
    return "\n\n".join(parts)


def _key_table(model: type[BaseModel], all_keys: bool = False) -> str:
    return table(["key", "default", "meaning"], list(_keys(model, "", all_keys)))


def _keys(model: type[BaseModel], prefix: str = "", all_keys: bool = True) -> Iterator[list[str]]:
    """The keys of a model; of a world's recipes only those that not every recipe has."""
    notes = field_notes(model)
    for key, field in model.model_fields.items():
        inherited = issubclass(model, Recipe) and Recipe.model_fields.get(key) is not None
        if inherited and not all_keys and notes.get(key) == field_notes(Recipe).get(key):
            continue
        inner = _table_in(field)
        note = notes.get(key) or NOTES.get(key) or (opening(inner.__doc__) if inner else "")
        if inner is not None and inner not in SEPARATE:
            yield [f"`{prefix}{key}`", "", note]
            yield from _keys(inner, f"{prefix}{key}.")
        else:
            yield [f"`{prefix}{key}`", "" if inner else _default(field), note]


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
    if value == ANY:
        return "any"
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


def format_page(folder: Path | None) -> str:
    """Every format with the beginning of a file in it, written while the site is built.

    Without a folder to write into, only what the formats are.
    """
    rows = [[f"[`{name}`](#{_anchor(name)})", form.about] for name, form in FORMATS.items()]
    parts = [
        "# Formats",
        "`fabula generate RECIPE --out DIR --format NAME` writes a data set in any of these.",
        table(["format", "what it is"], rows),
        "An instance has the same content in all of them; `jsonl` and `parquet` hold all of it.",
    ]
    for name, form in FORMATS.items():
        parts += [f"## {name} {{ #{_anchor(name)} }}", f"{_sentence(form.about)}."]
        if folder is not None:
            command, files = _written(name, folder)
            parts += [f"```console\n$ {command}\n```", _beginning(files[0], folder)]
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
    content = file.read_bytes()
    words = (gzip.decompress(content) if file.suffix == ".gz" else content).decode()
    kept = words[:SHOWN].rstrip("\n")
    more = " …" if len(words) > SHOWN else ""
    kind = {".jsonl": "json", ".gz": "json", ".json": "json"}.get(file.suffix, "text")
    return f'```{kind} title="{name}"\n{kept}{more}\n```'
