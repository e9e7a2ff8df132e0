"""The outcome of a reply."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """The outcome of a reply."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    """No word of the recipe's vocabulary is given as the answer."""
    REFUSAL = "refusal"
    """It says that it cannot tell."""
    TRUNCATED = "truncated"
    """It was cut off before an answer was marked."""


class Score(NamedTuple):
    """How a reply was scored."""

    outcome: Outcome
    answer: tuple[str, ...] = ()
    """The answer as understood, in the words of the answer set; several if it is ambiguous."""

    @property
    def correct(self) -> bool:
        """Whether the answer is right."""
        return self.outcome is Outcome.CORRECT
