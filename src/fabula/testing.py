"""Conformance tests for worlds: built-in ones and those of plug-in packages.

    from fabula.testing import check_world

    def test_my_world():
        check_world("clocks")

`check_world` raises AssertionError; the message names the instance and what is wrong with it. It
needs at least one registered recipe of the world; more recipes and dialects give more coverage.

Promises checked:
1. Determinism: an instance generated alone equals the one in a batch; another seed gives others.
2. Reading: sentences and questions parse back to the facts and the query of the record, and text
   that the world does not know raises ParseError, both in the reader and in the verifier.
3. Proof: each support alone gives the answer, and none of its sentences can be dropped. Reader,
   verifier and logic program agree, and the latter two reject a wrong answer and a support that
   lacks a sentence.
4. Languages: in every language, facts, query and supports are the same and are proven again.
5. Splits: no story and question is in two splits.
6. Errors: a misspelt key or question kind is rejected with a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.core.registry import WORLDS
from fabula.core.supports import mask_of
from fabula.errors import ParseError, RecipeError
from fabula.generation.author import Author
from fabula.language.catalogue import codes, native, tongue_of
from fabula.recipe.loading import load, read_recipe, recipe_ids
from fabula.recipe.model import Recipe
from fabula.world.base import Claim, World, same_answer

__all__ = ["check_instance", "check_world", "recipes_of"]

NONSENSE = "Zqx vlorps gnarf, plim."
EVERY = 7
"""Every n-th instance is generated again alone, and goes through the slow checks."""


def recipes_of(world: str) -> Iterator[Recipe]:
    """Every registered recipe of a world, in every dialect; collections are left out."""
    for name in recipe_ids():
        data = read_recipe(name)
        if data.get("world") == world and "parts" not in data:
            for dialect in {str(data.get("dialect", "")): 0, **data.get("dialects", {})}:
                yield load(name, {"dialect": dialect} if dialect else None)


def check_world(name: str, size: int = 20, seed: int = 1, logic: bool = True) -> int:
    """Check every recipe of a world on `size` instances of each split; return their number.

    Args:
        name: a registered world.
        size: instances generated for each split of each recipe and dialect.
        seed: seed of the instances.
        logic: whether the logic program has to prove every n-th instance, the slowest check.
    """
    world = WORLDS.find(name)
    _expect(world.name == name, f"world '{name}': its attribute `name` is '{world.name}'")
    _expect(bool(world.about.strip()), f"world '{name}': its module has no docstring")
    _expect(bool(codes(name)), f"world '{name}': no language file language/<code>/{name}.toml")
    count = 0
    for recipe in recipes_of(name):
        seen: dict[str, str] = {}
        turn = cycle(range(EVERY))
        for split in recipe.splits:
            made = list(Author(recipe, split, seed).instances(0, size))
            _expect(len(made) == size, f"recipe {recipe.id}, {split}: {len(made)} of {size} made")
            for index, instance in enumerate(made):
                thorough = next(turn) == 0
                check_instance(instance, world, logic and thorough)
                _check_split(instance, split, recipe, seen)
                if thorough:
                    alone = next(Author(recipe, split, seed).instances(index, index + 1))
                    _expect(alone == instance, f"{instance.id}: generated alone, it differs")
            others = [each.story for each in Author(recipe, split, seed + 1).instances(0, 3)]
            _expect(
                others != [each.story for each in made[:3]] or size < 3,
                f"recipe {recipe.id}, {split}: seeds {seed} and {seed + 1} give the same stories",
            )
            count += len(made)
        _check_languages(recipe, seed)
        _check_errors(recipe)
    _expect(count > 0, f"world '{name}': no recipe of it is registered")
    return count


def check_instance(instance: Instance, world: World, logic: bool = False) -> None:
    """Check one record in any language; with `logic`, the logic program has to prove it too."""
    kept = Instance.from_json(instance.to_json())
    _expect(kept == instance, f"{instance.id}: differs after writing and reading it")
    found = objections(instance, logic)
    _expect(not found, f"{instance.id}: {'; '.join(found)}\n" + "\n".join(instance.story))
    if instance.choices is not None and "defect" not in instance.features:
        missing = set(instance.answer) - set(instance.choices)
        _expect(not missing, f"{instance.id}: {', '.join(missing)} is not among the choices")
    if tongue_of(world.name, instance.provenance) is None:
        _check_text(instance, world)
        _check_supports(instance, world)
        _check_refusals(instance, world, logic)


def _code(instance: Instance, world: World) -> str:
    code = native(str(instance.provenance.get("language", "en")), world.name)
    return world.idiom(code, instance.features)


def _check_text(instance: Instance, world: World) -> None:
    """Check that questions parse back, and that both parsers reject unknown text."""
    code = _code(instance, world)
    again = world.parse_question(code, world.ask(code, instance.query))
    _expect(again == instance.query, f"{instance.id}: {instance.query} is read back as {again}")
    features = instance.features
    for what, parse in (
        ("reader: sentence", lambda: world.read(code, [NONSENSE])),
        ("reader: question", lambda: world.parse_question(code, NONSENSE)),
        ("verifier: sentence", lambda: world.account(code, [NONSENSE], features)),
    ):
        try:
            parse()
        except ParseError:
            continue
        absent = what.startswith("verifier") and world.account(code, [], features) is None
        _expect(absent, f"world '{world.name}', {what} '{NONSENSE}' raises no ParseError")


def _check_supports(instance: Instance, world: World) -> None:
    """Check that each support alone gives the answer and contains no sentence with a convention."""
    if "defect" in instance.features:
        return
    reading = world.read(_code(instance, world), instance.story)
    for support in instance.supports:
        alone = reading.alone(instance.query, mask_of(support))
        _expect(
            alone is not None and same_answer(instance.query, alone, instance.answer),
            f"{instance.id}: support {list(support)} alone gives {alone}",
        )
        stated = [number for number in support if instance.roles[number - 1] == "convention"]
        _expect(not stated, f"{instance.id}: sentence {stated} states a convention, not a fact")


def _check_refusals(instance: Instance, world: World, logic: bool) -> None:
    """Check that the verifier rejects a wrong answer and an incomplete support."""
    if "defect" in instance.features or not instance.supports:
        return
    support = max(instance.supports, key=len)
    wrong = [replace(instance, support=support[1:], supports=(support[1:],))] if support else []
    for choice in instance.choices or ():
        if choice not in instance.answer:
            wrong.append(replace(instance, answer=(choice,)))
            break
    for planted in wrong:
        claim = Claim(planted.query, planted.answer, planted.supports)
        account = world.account(
            native(str(instance.provenance.get("language", "en")), world.name),
            instance.story,
            instance.features,
        )
        for by_logic in (False, True)[: 1 + logic]:
            found = (
                account.prove([claim], by_logic)
                if account
                else world.prove(_code(instance, world), instance.story, [claim])
            )
            _expect(
                bool(found[0]),
                f"{instance.id}: the {'logic program' if by_logic else 'verifier'} accepts "
                f"{', '.join(claim.answer)} with support {list(claim.supports[0])}",
            )


def _check_split(instance: Instance, split: str, recipe: Recipe, seen: dict[str, str]) -> None:
    content = "\n".join([*instance.story, instance.question])
    other = seen.setdefault(content, split)
    _expect(
        other == split or recipe.split_key == "none",
        f"{instance.id}: the same story and question is in split '{other}'",
    )


def _check_languages(recipe: Recipe, seed: int, size: int = 1) -> None:
    """Check that instances in other languages have the same facts and are proven from their own
    text.
    """
    split = next(iter(recipe.splits))
    ours = list(Author(recipe, split, seed).instances(0, size))
    for code in codes(recipe.world):
        if code == recipe.language:
            continue
        try:
            told = load(recipe, {"language": code})
            theirs = list(Author(told, split, seed).instances(0, size))
        except RecipeError as error:
            _expect(code in str(error), f"recipe {recipe.id} in '{code}': {error}")
            continue  # rejected with its reason, e.g. wordings that the language lacks
        for own, other in zip(ours, theirs, strict=True):
            _expect(
                (own.facts, own.query, own.supports) == (other.facts, other.query, other.supports),
                f"{own.id}: in '{code}' it has other facts, another query or other supports",
            )
        found = objections(theirs[0])
        _expect(not found, f"{theirs[0].id} in '{code}': {'; '.join(found)}")


def _check_errors(recipe: Recipe) -> None:
    """Check that misspelt keys and question kinds are rejected with a suggestion."""
    kind = next(iter(recipe.asks), "")
    for changes, meant in (
        ({"splitss": {"train": 1}}, "splits"),
        ({"asks": {f"{kind}x": 1.0}}, kind),
    ):
        try:
            load(recipe, changes)
        except RecipeError as error:
            _expect(f"'{meant}'" in str(error), f"recipe {recipe.id}: no suggestion in '{error}'")
        else:
            raise AssertionError(f"recipe {recipe.id}: {changes} is accepted")


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)
