"""The keys that recipes of the world of kinds have besides those of every recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator, model_validator

from fabula.errors import FabulaError, hint
from fabula.recipe import Recipe
from fabula.relations.amounts import Amount, bounds, within
from fabula.worlds.kinds.language import language

KINDS = ("afraid", "colour")


class KindsRecipe(Recipe):
    """A recipe of the world of kinds."""

    length: Literal[1] = 1
    """Not used: a story here tells all there is to tell."""
    people: tuple[str, ...]
    """Names of individuals."""
    animals: tuple[str, ...]
    """Kinds, in the singular."""
    colours: tuple[str, ...] = ()
    individuals: Amount = 4
    """How many of them a story is about."""
    kinds: Amount = 4  # type: ignore[assignment]
    """How many kinds a story knows, besides those that only stand above others."""
    steps: Amount = 0
    """For deduction: kinds above kinds that a fear is inherited from."""
    peers: Amount = (1, 4)
    """For induction: how many of the same kind have a colour."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    unlike: float = 0.0
    """How often an individual's colour is drawn freely instead of following its kind."""
    small_names: bool = False
    """Questions write names without a capital, as task 15 of the release does."""

    @field_validator("asks")
    @classmethod
    def _known_questions(cls, weights: dict[str, float]) -> dict[str, float]:
        for kind in weights:
            if kind not in KINDS:
                raise ValueError(f"unknown question '{kind}'.{hint(kind, KINDS)}")
        if len([kind for kind, weight in weights.items() if weight]) > 1:
            raise ValueError("a story is told for one kind of question: 'afraid' or 'colour'")
        return weights
