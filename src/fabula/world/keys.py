"""Checks shared by the recipe models of the worlds, as annotations of their keys.

asks: Annotated[dict[str, Weight], among(KINDS)]
steps: Annotated[Amount, amount(1, "steps")] = 2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import AfterValidator

from fabula.errors import hint
from fabula.world.relations.amounts import Amount, within


def among(kinds: Sequence[str]) -> AfterValidator:
    """Accept a table of question kinds and weights whose kinds are all among these."""

    def check(weights: Mapping[str, float]) -> Mapping[str, float]:
        for kind in weights:
            if kind not in kinds:
                raise ValueError(f"unknown question '{kind}'.{hint(kind, kinds)}")
        return weights

    return AfterValidator(check)


def amount(least: int, what: str, most: int = 1000) -> AfterValidator:
    """Accept a number or a range within these bounds."""
    check: Callable[[Amount], Amount] = lambda given: within(given, least, what, most)  # noqa: E731
    return AfterValidator(check)


def twice(names: Sequence[str], key: str) -> None:
    """Raise ValueError if a name is given twice."""
    found = sorted({name for name in names if names.count(name) > 1})
    if found:
        raise ValueError(f"{key}: {', '.join(found)} listed twice")
