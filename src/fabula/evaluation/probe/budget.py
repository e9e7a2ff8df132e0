"""A budget in questions, tokens or dollars."""

from __future__ import annotations

import re
from typing import NamedTuple

from fabula.errors import UsageError
from fabula.evaluation.model import Usage

TOKENS_GUESSED = 400  # per question and reply, before the first one has arrived


class Budget(NamedTuple):
    """How much may be spent."""

    amount: float
    unit: str
    """questions, tokens or dollars"""

    @classmethod
    def of(cls, said: str | int) -> Budget:
        """The budget that was typed.

        >>> Budget.of("500"), Budget.of("200_000 tokens"), Budget.of("$2")
        (500 questions, 200,000 tokens, $2.00)
        """
        text = str(said).strip().lower().replace("_", "").replace(",", "")
        found = re.fullmatch(r"(\$?)\s*(\d+(?:\.\d+)?)\s*([a-z]*)", text)
        units = {"": "questions", "question": "questions", "questions": "questions",
                 "token": "tokens", "tokens": "tokens", "usd": "dollars", "dollar": "dollars",
                 "dollars": "dollars"}  # fmt: skip
        unit = units.get(found[3]) if found else None
        if found and found[1]:
            unit = "dollars" if not found[3] else None
        if not found or unit is None or float(found[2]) <= 0:
            raise UsageError(
                f"--budget {said}: write a number of questions, tokens or dollars, e.g. 500, "
                "200000tokens or '$2'."
            )
        if unit != "dollars" and float(found[2]) % 1:
            raise UsageError(f"--budget {said}: {unit} come in whole numbers.")
        return cls(float(found[2]), unit)

    def __repr__(self) -> str:
        return f"${self.amount:,.2f}" if self.unit == "dollars" else (
            f"{self.amount:,.0f} {self.unit}")  # fmt: skip

    def left(self, asked: int, used: Usage) -> int:
        """About how many more questions it allows, given the number asked and their usage."""
        if self.unit == "questions":
            return max(0, int(self.amount) - asked)
        if self.unit == "tokens":
            spent = float(used.input_tokens + used.output_tokens)
            each = spent / asked if asked else TOKENS_GUESSED
        else:
            spent = used.cost
            each = spent / asked if asked else self.amount / 500
        return max(0, int((self.amount - spent) / each)) if each else 0

    def check(self, asked: int, used: Usage, model: str) -> None:
        """Raise UsageError if a model does not report the usage of its replies."""
        if self.unit == "tokens" and asked and not used.input_tokens + used.output_tokens:
            raise UsageError(
                f"--budget {self!r}: {model} does not report tokens; give a number of questions."
            )
        if self.unit == "dollars" and asked and not used.cost:
            raise UsageError(
                f"--budget {self!r}: the price of {model} is unknown; set --price, or give a "
                "number of questions or tokens."
            )
