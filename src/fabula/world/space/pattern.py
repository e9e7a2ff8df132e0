"""Sentences that tell one step, with slots for the two names."""

from __future__ import annotations

import re
from typing import Final

UNREAD: Final = 1 << 62


class Pattern:
    """A sentence for one relation, with two slots for names."""

    def __init__(self, text: str) -> None:
        self.text = text
        """With the slots {0} and {1}."""
        self.read = UNREAD
        """How the first lies from the second by what the reader makes of it (see quick.py)."""
        parts = re.split(r"\{([01])\}", text)
        self._plain = len(parts) == 5 and parts[1] != parts[3]
        self._turned = parts[1] == "1"
        self._before, self._between, self._after = parts[0], parts[2], parts[-1]

    def fill(self, first: str, second: str) -> str:
        """The sentence with these names."""
        if not self._plain:
            return self.text.format(first, second)
        if self._turned:
            first, second = second, first
        return f"{self._before}{first}{self._between}{second}{self._after}"
