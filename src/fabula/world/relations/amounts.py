"""Amounts in recipes: a number, or a range from least to most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import Field, field_validator

from fabula.core.seeds import Draw
from fabula.recipe.model import Strict

T = TypeVar("T")

LONGEST_DETOUR = 16  # alternative routes are counted in advance (see chain.py)

Amount = int | tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


def bounds(amount: int | tuple[int, int]) -> tuple[int, int]:
    """The lower and the upper bound of an amount."""
    return (amount, amount) if isinstance(amount, int) else amount


def draw_amount(draw: Draw, amount: int | tuple[int, int]) -> int:
    """A number drawn uniformly from an amount."""
    low, high = bounds(amount)
    return low if low == high else low + int(draw() * (high - low + 1))


def some(draw: Draw, items: Sequence[T], count: int) -> list[T]:
    """`count` of the items in random order, using exactly `count` random draws."""
    rest = list(items)
    last = len(rest) - 1
    for i in range(count):
        j = i + int(draw() * (last - i + 1))
        rest[i], rest[j] = rest[j], rest[i]
    return rest[:count]


def within(amount: Amount, least: int, what: str, most: int = 1000) -> Amount:
    """The amount, if it is a valid range within these bounds; raises ValueError otherwise."""
    low, high = bounds(amount)
    if low < least or high < low or high > most:
        raise ValueError(f"{amount} is not a number of {what} between {least} and {most:,}")
    return amount


class Noise(Strict):
    """Distractors added on purpose: how many of each kind."""

    irrelevant: Amount = 0
    """Links that branch off the chain and lead nowhere."""
    supporting: Amount = 0
    """Links in one alternative, longer route between two entities of the chain; 2 or more."""
    disconnected: Amount = 0
    """Links in a separate chain among entities of its own."""

    @field_validator("irrelevant", "disconnected")
    @classmethod
    def _range(cls, amount: Amount) -> Amount:
        return within(amount, 0, "sentences")

    @field_validator("supporting")
    @classmethod
    def _short(cls, amount: Amount) -> Amount:
        return within(amount, 0, "sentences", most=LONGEST_DETOUR)

    def newcomers(self) -> int:
        """The maximum number of new entities that the noise can need."""
        island, detour = bounds(self.disconnected)[1], bounds(self.supporting)[1]
        return bounds(self.irrelevant)[1] + max(0, detour - 1) + (island + 1 if island else 0)
