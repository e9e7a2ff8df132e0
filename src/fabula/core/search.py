"""The search for one instance: what stood in the way, and when to give up.

A question is examined condition by condition, always in the same order; `depth` says how far it
came. If the condition that questions got to is never met in many chances, it is never going to be:
the search ends with its name, instead of going on to the last of `max_tries` stories.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter

CHANCES = 20_000  # questions that failed one condition, and none that met it
STALE = 5_000  # questions without a signature that was not seen before
HOME = 920  # the last condition: that the question belongs to the split (see examine.py)
NOTED = 4_000  # refusals between two notes that the search goes on

log = logging.getLogger("fabula.core.search")


def speak() -> None:
    """Show on a terminal that a search goes on; elsewhere nothing is printed."""
    if sys.stderr.isatty() and not log.handlers:
        log.addHandler(logging.StreamHandler())
        log.setLevel(logging.INFO)


class Reasons(Counter[str]):
    """Why questions were refused, with how often."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        """The furthest condition that a question failed; none got past it."""
        self.chances = 0
        """How many failed that one."""
        self.signatures: set[int] = set()
        self._stale = 0
        self._refused = 0

    def refuse(self, reason: str, depth: int) -> None:
        """Count a question that was refused for a reason after `depth` conditions."""
        self[reason] += 1
        self._refused += 1
        if depth > self.depth:
            self.depth, self.chances = depth, 0
        if depth == self.depth:
            self.chances += 1
        if self._refused % NOTED == 0:
            log.info(
                "still looking for a question that fits; %s refused so far, most often: %s",
                f"{self._refused:,}", self.most_common(1)[0][0],
            )  # fmt: skip

    def meet(self, signature: int) -> None:
        """Note the signature of a question that fails because other instances have it."""
        if signature in self.signatures:
            self._stale += 1
        else:
            self._stale = 0
            self.signatures.add(signature)

    @property
    def hopeless(self) -> bool:
        """Whether a condition was never met although there were chances enough."""
        # what belongs to other splits is counted apart, with a remedy of its own
        return (self.chances >= CHANCES and self.depth < HOME) or self._stale >= STALE

    @property
    def crowded(self) -> bool:
        """Whether there are too few signatures for `max_per_signature`."""
        return self._stale >= STALE
