"""Recipes from files: found, read, extended, changed and built.

Promises:
1. A problem is reported with its place and a suggestion.
2. Built-in recipes by name (`babi/qa2`) and your own files work the same.
3. `dialect` chooses one of the recipe's `[dialects.NAME]` tables, whose keys override the recipe's;
   keys set by the user override both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fabula.core.files import inside, is_file, parse_toml
from fabula.core.registry import WORLDS, plugin_folders
from fabula.core.soundness import shown
from fabula.errors import FabulaError, ParseError, RecipeError, UnknownRecipeError, hint
from fabula.recipe.collection import TELLING, Collection, Part
from fabula.recipe.explain import explain
from fabula.recipe.model import SAID, Origin, Recipe, Split, merge
from fabula.recipe.renamed import rename, rename_paths
from fabula.recipe.suite import refuse, suites

__all__ = ["build", "is_shipped", "load", "load_again", "read_recipe", "recipe_ids", "settings_of"]

# --- finding and reading ----------------------------------------------------------------------


def recipe_ids(plugins: bool = True) -> list[str]:
    """The names of all recipes in natural order; with `plugins`, also those of plug-in packages."""
    return sorted((_id_of(path) for path in _shipped(plugins)), key=_natural)


def _shipped(plugins: bool = True) -> Iterator[Any]:
    more = plugin_folders("recipes") if plugins else ()
    for place in (resources.files("fabula.recipe.library"), *more):
        for folder in place.iterdir():
            if folder.is_dir():
                yield from (p for p in folder.iterdir() if p.name.endswith(".toml"))


def _id_of(path: Any) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.toml')}"


def _natural(text: str) -> list[tuple[str, int]]:
    return [(word, int(part or 0)) for word, part in re.findall(r"(\D*)(\d*)", text)]


def read_recipe(name: str | Path, extending: tuple[str, ...] = ()) -> dict[str, Any]:
    """The raw content of a recipe, by name or path, merged over that of the recipe it extends."""
    text, place = _source(str(name))
    try:
        data = parse_toml(text, place)
    except ParseError as error:
        raise RecipeError(str(error)) from None
    if "id" not in data:
        data["id"] = Path(str(name)).stem
    shipped = str(name) in recipe_ids()
    if not shipped:
        data = _beside(data, Path(str(name)).parent, place)
    base = data.pop("extends", None)
    if base is None:
        return rename(data, _renamed(data), place)
    if not isinstance(base, str):
        raise RecipeError(f"{place}, extends: give the name of one recipe.")
    if base in (str(name), *extending):
        raise RecipeError(f"{place}, extends: {base} extends itself; remove the cycle.")
    if len(extending) >= MOST_EXTENDED:
        raise RecipeError(f"{place}, extends: more than {MOST_EXTENDED} levels of recipes.")
    try:
        extended = read_recipe(base, (*extending, str(name)))
        if "splits" in data:  # replaced, not merged
            extended.pop("splits", None)
        return merge(extended, rename(data, _renamed({**extended, **data}), place))
    except RecipeError as error:
        raise RecipeError(f"{place}, extends: {error}") from None


def is_shipped(name: str) -> bool:
    """Whether this is the name of a built-in recipe."""
    return any(_id_of(path) == name for path in _shipped())


MOST_EXTENDED = 16
FILES = ("extends", "recipe", "templates")
"""Keys that name files; relative paths start at the recipe's own folder."""


def _beside(data: Mapping[str, Any], folder: Path, place: str) -> dict[str, Any]:
    """The content of a recipe file, with the files it names resolved to its folder."""

    def resolved(key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {inner: resolved(inner, each) for inner, each in value.items()}
        if isinstance(value, list):
            return [resolved("", each) for each in value]
        last = key.rpartition(".")[2]
        if last not in FILES or not isinstance(value, str):
            return value
        named = last != "templates" and not value.endswith(".toml")
        if named and (is_shipped(value) or not is_file(Path(value))):
            return value  # a built-in recipe, or none at all
        try:
            return str(inside(folder, value, f"{place}, {key}"))
        except FabulaError as error:
            raise RecipeError(str(error)) from None

    return {key: resolved(key, value) for key, value in data.items()}


def _source(name: str) -> tuple[str, str]:
    for path in _shipped():
        if _id_of(path) == name:
            return path.read_text(encoding="utf-8"), f"recipe {name}"
    path = Path(name)
    if path.suffix == ".toml" or is_file(path):
        try:
            return path.read_text(encoding="utf-8"), f"recipe {name}"
        except FileNotFoundError:
            raise UnknownRecipeError(f"recipe {name}: no such file.") from None
        except (OSError, ValueError) as error:  # not UTF-8, or a name with a NUL in it
            raise RecipeError(f"recipe {name}: cannot be read: {error}.") from None
    refuse(name)
    raise UnknownRecipeError(
        f"no recipe '{name}'.{hint(name, [*recipe_ids(), *suites()])}"
        " (`fabula list` shows all; your own file needs the ending .toml)"
    )


def recipe_source(name: str) -> str:
    """The TOML of a recipe as written, comments included."""
    return _source(name)[0]


def load(name: str | Path | Recipe, changes: Mapping[str, Any] | None = None) -> Recipe:
    """A recipe by name or path, with changes such as {'dialect': 'release', 'length': 30}.

    >>> import fabula
    >>> recipe = fabula.load("babi/qa2", {"length": 30})
    >>> recipe.id, recipe.length, list(recipe.splits)
    ('babi/qa2', 30, ['train', 'valid', 'test'])
    """
    if isinstance(name, Recipe):
        origin, place = name.origin, f"recipe {name.id}"
        data = name.model_dump(exclude_unset=True)
    else:
        origin = Origin("" if is_shipped(str(name)) else Path(name).name)
        data, place = read_recipe(name), f"recipe {name}"
    changes = rename_paths(changes or {}, _renamed(data), place)
    made = build(data, changes, place)
    made._origin = origin.changed(changes)
    return made


def settings_of(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The changes to its recipe that a record was generated with."""
    changes = provenance.get("changes")
    said = {} if "part" in provenance else {
        key: value
        for key, usual in SAID.items()
        if isinstance(value := provenance.get(key), str) and value != usual
    }  # fmt: skip
    return {**said, **(changes if isinstance(changes, Mapping) else {})}


def load_again(provenance: Mapping[str, Any]) -> Recipe:
    """The recipe that a record was generated with.

    Either a built-in recipe, or a user's own file in the current folder: a record from somebody
    else cannot make us read other files.
    """
    changes = settings_of(provenance)
    if "file" in provenance:
        name = Path(str(provenance["file"])).name
    else:
        name = str(provenance.get("recipe", ""))
        if not is_shipped(name):
            raise RecipeError(f"recipe {name}: not a built-in recipe; give the path of its file.")
    return load(name, near(changes, f"recipe {name}"))


def near(changes: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Changes to a recipe from an untrusted source; RecipeError if they name files outside the
    current folder.
    """
    return _beside(changes, Path(), place)


def build(
    data: Mapping[str, Any], changes: Mapping[str, Any] | None = None, place: str = "recipe"
) -> Recipe:
    """A recipe from its raw content; errors name the place."""
    old = _renamed(data)
    data, changes = rename(data, old, place), rename_paths(changes or {}, old, place)
    content = {key: value for key, value in data.items() if key != "dialects"}
    dialects = data.get("dialects", {})
    dialect = _word(changes.get("dialect", content.get("dialect", "")), "dialect", place)
    _check_dialects(dialects, place)
    if dialect:
        known = {*dialects, data.get("dialect", "")} - {""}
        if dialect not in known:
            remedy = hint(dialect, known) or " This recipe has no dialects."
            raise RecipeError(f"{place}, dialect: unknown '{dialect}'.{remedy}")
        content = merge(content, dialects.get(dialect, {}))
        content["dialect"] = dialect
    for path, value in changes.items():
        if path != "dialect":
            content = _set(content, path.split("."), value, place)
    if not any(path.split(".")[0] == "split_overrides" for path in changes):
        for path in changes:
            content = _everywhere(content, path.split("."))
    if "parts" in content:
        return _collect(content, place)
    if "world" not in content:
        raise RecipeError(f"{place}, world: this key is missing.{hint('', WORLDS)}")
    world = _word(content["world"], "world", place)
    if world not in WORLDS:
        raise RecipeError(f"{place}, world: unknown '{world}'.{hint(world, WORLDS)}")
    model = WORLDS[world].recipe
    try:
        recipe = model.model_validate(content)
    except ValidationError as error:
        raise RecipeError(explain(error, place, model)) from None
    for split in recipe.split_overrides:
        if split not in recipe.splits:
            remedy = hint(split, recipe.splits)
            raise RecipeError(f"{place}, split_overrides: no split '{split}'.{remedy}")
        recipe.for_split(split)
    return recipe


def _renamed(data: Mapping[str, Any]) -> Mapping[str, str]:
    """The old names of the keys of a recipe, by its world."""
    world = data.get("world")
    known = isinstance(world, str) and world in WORLDS
    return (WORLDS[str(world)].recipe if known else Recipe).renamed


def _word(value: Any, key: str, place: str) -> str:
    if not isinstance(value, str):
        raise RecipeError(f"{place}, {key}: expected a word in quotes, found {shown(value)}.")
    return value


def _check_dialects(dialects: Any, place: str) -> None:
    if not isinstance(dialects, Mapping):
        raise RecipeError(
            f"{place}, dialects: expected tables [dialects.NAME], found {shown(dialects)}."
        )
    for name, keys in dialects.items():
        if not isinstance(keys, Mapping):
            raise RecipeError(
                f"{place}, dialects.{name}: expected a table of keys, found {shown(keys)}."
            )
        if not name.strip():
            raise RecipeError(f"{place}, dialects: a dialect has an empty name; rename it.")


def _collect(content: Mapping[str, Any], place: str) -> Recipe:
    """Build a recipe made of recipes."""
    try:
        whole = Collection.model_validate(content)
    except ValidationError as error:
        raise RecipeError(explain(error, place, Collection)) from None
    whole = whole.gathered({part.name: _member(whole, part) for part in whole.parts})
    whole.check()
    return whole


def _member(whole: Collection, part: Part) -> Recipe:
    """The recipe of a part, with the splits of the collection."""
    place = f"recipe {whole.id}, part '{part.name}'"
    changes = part.changes if part.recipe else {**whole.common, **part.changes}
    name = part.recipe or str(changes.pop("recipe", ""))
    if not name:
        raise RecipeError(f"{place}: set `recipe`, here or in [common].")
    try:
        data = read_recipe(name)
    except RecipeError as error:
        raise RecipeError(f"{place}: {error}") from None
    if "parts" in data:
        raise RecipeError(f"{place}: {name} is itself made of parts; use those parts instead.")
    if changes:  # no longer that recipe, so it has its own stories
        data["id"] = f"{whole.id}/{part.name}"
    data["splits"] = {
        split: {"size": whole.splits[split].size, "share": whole.shares[split]}
        for split in whole.splits
    }
    overrides = data.get("split_overrides", {})
    if not isinstance(overrides, dict):
        raise RecipeError(f"{place}: {name}, split_overrides: expected one table per split.")
    data["split_overrides"] = {
        split: keys for split, keys in overrides.items() if split in whole.splits
    }
    telling = {key: getattr(whole, key) for key in TELLING if key in whole.model_fields_set}
    return build(data, {**changes, **telling}, place)


def _set(content: dict[str, Any], path: list[str], value: Any, place: str) -> dict[str, Any]:
    key, rest = path[0], path[1:]
    if not rest:
        return {**content, key: value}
    inner = content.get(key, {})
    if isinstance(inner, int) and rest[0] in Split.model_fields:  # train = 1000, train.share = …
        inner = {"size": inner}
    if not isinstance(inner, dict):
        raise RecipeError(f"{place}: '{key}' is not a table, so '{'.'.join(path)}' cannot be set.")
    return {**content, key: _set(inner, rest, value, place)}


def _everywhere(content: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """The content without per-split values under this path: a change applies to all splits."""
    overrides = content.get("split_overrides")
    if not isinstance(overrides, dict):
        return content
    kept = {
        split: _without(keys, path) if isinstance(keys, dict) else keys
        for split, keys in overrides.items()
    }
    return {**content, "split_overrides": kept}


def _without(table: dict[str, Any], path: list[str]) -> dict[str, Any]:
    key, rest = path[0], path[1:]
    if key not in table or (rest and not isinstance(table[key], dict)):
        return table
    others = {name: value for name, value in table.items() if name != key}
    return {**others, key: _without(table[key], rest)} if rest else others
