"""Conformance tests for worlds, ours and those of other packages.

    from fabula.testing import check_world

    def test_my_world():
        check_world("clocks")

`check_world` fails with a sentence that says which promise is broken, by which instance. It needs
at least one registered recipe of the world; the more recipes and dialects, the more it sees.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabula.core.instance import Instance
from fabula.core.registry import WORLDS
from fabula.core.supports import mask_of
from fabula.errors import RecipeError
from fabula.generation.author import Author
from fabula.language.catalogue import codes
from fabula.recipe.loading import load, read_recipe, recipe_ids
from fabula.recipe.model import Recipe
from fabula.world.base import World

__all__ = ["check_instance", "check_world", "recipes_of"]


def recipes_of(world: str) -> Iterator[Recipe]:
    """Every registered recipe of a world, in every dialect."""
    for name in recipe_ids():
        data = read_recipe(name)
        if data.get("world") == world and "parts" not in data:
            for dialect in data.get("dialects", {}) or ("",):
                yield load(name, {"dialect": dialect} if dialect else None)
            if data.get("dialect") not in (None, *data.get("dialects", {})):
                yield load(name)


def check_world(name: str, size: int = 20, seed: int = 1) -> int:
    """Check every recipe of a world on `size` instances of each split; how many were checked.

    Checked are: determinism (an instance alone is the one in the batch), reading (sentences and
    questions parse back to facts and query, in every language), truth (the simulator answers what
    the reader answers), proof (supports suffice, none of their sentences can be dropped, the logic
    program agrees), splits (no content in two of them) and errors (a misspelt key is refused).
    """
    world = WORLDS.find(name)
    _expect(world.name == name, f"world '{name}': its attribute `name` is '{world.name}'")
    _expect(bool(world.about.strip()), f"world '{name}': its module has no docstring")
    count = 0
    for recipe in recipes_of(name):
        seen: dict[str, str] = {}
        for split in recipe.splits:
            author = Author(recipe, split, seed)
            made = list(author.instances(0, size))
            for index, instance in enumerate(made):
                check_instance(instance, world)
                content = "\n".join([*instance.story, instance.question])
                other = seen.setdefault(content, split)
                _expect(
                    other == split or recipe.split_key == "none",
                    f"{instance.id}: the same story and question is in split '{other}'",
                )
                if index % 7 == 3:
                    alone = next(Author(recipe, split, seed).instances(index, index + 1))
                    _expect(alone == instance, f"{instance.id}: made alone, it is another one")
            count += len(made)
        _check_languages(recipe, world, seed)
        _check_errors(recipe)
    _expect(count > 0, f"world '{name}': no recipe of it is registered")
    return count


def check_instance(instance: Instance, world: World) -> None:
    """Check one English record: it reads back, its supports stand, and the logic program agrees."""
    from fabula.analysis.verify import objections

    reading = world.read(world.idiom("en", instance.features), instance.story)
    if "defect" not in instance.features:
        for support in instance.supports:
            alone = reading.alone(instance.query, mask_of(support))
            _expect(
                alone is not None and sorted(alone) == sorted(instance.answer),
                f"{instance.id}: support {list(support)} alone gives {alone}",
            )
    found = objections(instance)
    _expect(not found, f"{instance.id}: {'; '.join(found)}\n" + "\n".join(instance.story))


def _check_languages(recipe: Recipe, world: World, seed: int) -> None:
    """The same facts, query and supports in every language, and all of it can be read."""
    split = next(iter(recipe.splits))
    for code in codes(world.name):
        if code != recipe.language:
            other = Author(load(recipe, {"language": code}), split, seed)
            for ours, theirs in zip(
                Author(recipe, split, seed).instances(0, 3), other.instances(0, 3), strict=True
            ):
                _expect(
                    (ours.facts, ours.query, ours.supports)
                    == (theirs.facts, theirs.query, theirs.supports),
                    f"{ours.id}: in '{code}' it is about something else",
                )


def _check_errors(recipe: Recipe) -> None:
    """A misspelt key is refused with a suggestion."""
    try:
        load(recipe, {"splitss": {"train": 1}})
    except RecipeError as error:
        _expect("splits" in str(error), f"recipe {recipe.id}: '{error}' suggests nothing")
    else:
        raise AssertionError(f"recipe {recipe.id}: an unknown key is ignored")


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)
