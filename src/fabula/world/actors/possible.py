"""Rejects quotas of the actor world that can never be filled, before anything is generated.

Only what is certainly impossible is rejected: a support larger than any story, or than any question
of its kind can have; an answer that no question of the kind can have; a required event or telling
that no story has; a guess that must be wrong although the support itself says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabula.errors import hint
from fabula.recipe.cells import Cell
from fabula.world.actors.questions import CONTAINING, GIVE_KINDS, KINDS

if TYPE_CHECKING:
    from fabula.world.actors.recipe import ActorsRecipe

LISTS = ("list", *CONTAINING)
NEEDS = ("where-will-go", "why-go", "why-get")


def check(recipe: ActorsRecipe) -> None:
    """Raise ValueError, naming the key and the reason, if some quota can never be filled."""
    for place, cell in _quotas(recipe):
        kinds = [kind for kind in cell.asks or recipe.kinds() if recipe.asks.get(kind)]
        if kinds:
            _check_size(recipe, place, cell, kinds)
            _check_answers(recipe, place, cell, kinds)
            _check_guesses(recipe, place, cell, kinds)
        _check_concepts(recipe, place, cell)


def _quotas(recipe: ActorsRecipe) -> Iterator[tuple[str, Cell]]:
    """Every quota, and the key it is set by."""
    yield "keep", recipe.keep
    for number, cell in enumerate(recipe.cells):
        yield f"cells[{number}]", cell
    if not recipe.cells:
        for cell in recipe.quota_cells:
            yield f"bins.{cell.asks[0]}", cell


def _check_size(recipe: ActorsRecipe, place: str, cell: Cell, kinds: list[str]) -> None:
    least = cell.support_size[0]
    longest = recipe.lengths[1]
    if isinstance(recipe.questions, int):
        longest += recipe.question_interval * (
            recipe.questions - 1 + recipe.max_extensions * recipe.questions
        )
    largest = max(_largest(recipe, kind, longest) for kind in kinds)
    if least > largest:
        named = kinds[0] if len(kinds) == 1 else "these questions"
        raise ValueError(
            f"{place}: no support of {named} has {least} sentences; "
            f"stories have at most {longest} sentences, and supports at most {largest}"
        )


def _largest(recipe: ActorsRecipe, kind: str, longest: int) -> int:
    """An upper bound on the size of supports for this kind of question."""
    if kind in NEEDS:
        return min(1, longest)
    if kind in GIVE_KINDS:  # the give, and the sentence before it if it has a pronoun
        return min(2, longest)
    if kind == "count" or kind in LISTS:  # the same for each thing
        return min(2 * len(recipe.entities.things), longest)
    return longest


def _check_answers(recipe: ActorsRecipe, place: str, cell: Cell, kinds: list[str]) -> None:
    for answer in cell.answers:
        known: list[str] = []
        for kind in kinds:
            if kind in LISTS:
                nothing = recipe.grammar.answers["nothing"]
                known += [*recipe.entities.things, nothing]
            else:
                known += KINDS[kind].choices(recipe.cast, recipe.grammar) or []
        if not set(answer.split(",")) <= set(known):
            named = kinds[0] if len(kinds) == 1 else "any of the questions"
            raise ValueError(
                f"{place}: '{answer}' is never the answer to {named}.{hint(answer, known)}"
            )


def _check_guesses(recipe: ActorsRecipe, place: str, cell: Cell, kinds: list[str]) -> None:
    if "beside" not in cell.misleads or cell.support_size[1] > 1:
        return
    yes = recipe.grammar.answers["yes"]
    told = [k for k in kinds if k == "where-person" or (k == "yes-no" and cell.answers == (yes,))]
    if told == kinds:
        key = " ".join((kinds[0], *cell.answers)) if place.startswith("bins") else ""
        raise ValueError(
            f"{f'decoys.{key}' if key else f'{place}.misleads'}: if the support is one sentence, "
            "the place mentioned last with the person is always right; "
            "set `beside` to 0 there, or ask for larger supports"
        )


def _check_concepts(recipe: ActorsRecipe, place: str, cell: Cell) -> None:
    told = recipe.concepts()
    for key in ("requires", "exactly", "distracted_by"):
        for concept in getattr(cell, key):
            if concept not in told:
                raise ValueError(
                    f"{place}.{key}: no story of this recipe has {concept}; "
                    "give it a weight in events, tellings or coref"
                )
