"""The search for one instance: why questions are rejected, and when to give up.

A question is checked condition by condition, always in the same order; `depth` says how far it got.
If no question meets a condition in many chances, the search ends with the name of that condition,
instead of trying all `max_tries` stories.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import Final

CHANCES: Final = 20_000  # questions that failed one condition while none met it
STALE: Final = 5_000  # questions without a new signature
HOME: Final = 920  # the last condition: that the question belongs to the split (see examine.py)
ELSEWHERE: Final = "belongs to another split"
NOTED: Final = 4_000  # rejections between two progress notes

log = logging.getLogger("fabula.core.search")


def speak() -> None:
    """Report on a terminal that a search is still running; print nothing elsewhere."""
    if sys.stderr.isatty() and not log.handlers:
        log.addHandler(logging.StreamHandler())
        log.setLevel(logging.INFO)


class Reasons:
    """Why questions were rejected, with counts."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self.elsewhere = 0
        """How often a question belonged to another split."""
        self.depth = 0
        """The furthest condition that a question failed; none got past it."""
        self.chances = 0
        """The number of questions that failed it."""
        self.signatures: set[int] = set()
        self._stale = 0
        self._refused = 0

    def note(self, reason: str) -> None:
        """Count a reason why a story, or any question about it, failed."""
        self._counts[reason] = self._counts.get(reason, 0) + 1
        if reason == ELSEWHERE:
            self.elsewhere += 1

    def most_common(self, n: int) -> list[tuple[str, int]]:
        """The most frequent reasons, with counts."""
        return Counter(self._counts).most_common(n)

    def refuse(self, reason: str, depth: int) -> None:
        """Count a question that was rejected for a reason after `depth` conditions."""
        self.note(reason)
        self._refused += 1
        if depth > self.depth:
            self.depth, self.chances = depth, 0
        if depth == self.depth:
            self.chances += 1
        if self._refused % NOTED == 0:
            log.info(
                "still looking for a matching question; %s rejected so far, most often: %s",
                f"{self._refused:,}", self.most_common(1)[0][0],
            )  # fmt: skip

    def meet(self, signature: int) -> None:
        """Note the signature of a question that is rejected because it is reserved for other
        instances.
        """
        if signature in self.signatures:
            self._stale += 1
        else:
            self._stale = 0
            self.signatures.add(signature)

    @property
    def hopeless(self) -> bool:
        """Whether a condition was never met despite enough chances."""
        # questions of other splits are counted separately, with an error of their own
        return (self.chances >= CHANCES and self.depth < HOME) or self._stale >= STALE

    @property
    def crowded(self) -> bool:
        """Whether there are too few signatures for `max_per_signature`."""
        return self._stale >= STALE
