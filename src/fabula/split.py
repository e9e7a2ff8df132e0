"""Splits that share no content, by construction.

A hash of what must not leak decides which split may have it; no coordination, no list of what was
seen. For whole stories the hash is that of the opening: stories that begin differently differ, and
a story that belongs elsewhere is dropped after three sentences instead of twenty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.seeds import fingerprint

OPENING = 3


class Splitter:
    """Tells for one split whether content may go there."""

    def __init__(self, shares: Mapping[str, float], split: str, key: str) -> None:
        low = 0.0
        for name, share in shares.items():
            if name == split:
                break
            low += share
        self._low = int(low * 2**64)
        # the last share reaches to the end, so that rounding leaves no gap
        last = split == list(shares)[-1] and sum(shares.values()) > 0.999999
        self._high = 2**64 if last else int((low + shares[split]) * 2**64)
        self.key = key

    def admits(self, content: str) -> bool:
        """Whether this content belongs to the split."""
        return self._low <= fingerprint(content) < self._high

    def admits_opening(self, sentences: Sequence[str]) -> bool:
        """Whether a story that begins so belongs to the split."""
        return self.key != "story" or self.admits("\n".join(sentences[:OPENING]))
