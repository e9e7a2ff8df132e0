"""Splits that share no content, by construction.

A hash of what must not leak decides which split may have it; no coordination, no list of what was
seen. For whole stories the hash is that of the opening: stories that begin differently differ, and
a story that belongs elsewhere is dropped after three sentences instead of twenty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.core.seeds import fingerprint

OPENING = 3


def content(told: Sequence[str], query: Sequence[str]) -> str:
    """Facts and a question about them as one text, whatever the order in which they are told."""
    return "\n".join([*sorted(told), query[0], *sorted(query[1:])])


def proof_content(told: Sequence[str], query: Sequence[str]) -> str:
    """Sentences and a question about them as one text, whatever the order they are told in."""
    return "\n".join([*sorted(told), *query])


class Splitter:
    """Tells for one split whether content may go there."""

    def __init__(self, shares: Mapping[str, float], split: str, key: str) -> None:
        total = sum(shares.values())
        # what no split draws on is the beginning, so that a split of this name and share is the
        # same whether the splits before it are there or not
        low = 1 - total if total < 0.999999 else 0.0
        for name, share in shares.items():
            if name == split:
                break
            low += share
        self._low = int(low * 2**64)
        # the last share reaches to the end, so that rounding leaves no gap
        last = split == list(shares)[-1]
        self._high = 2**64 if last else int((low + shares[split]) * 2**64)
        self.key = key
        self._admitted = ""

    def admits(self, content: str) -> bool:
        """Whether this content belongs to the split; what was just admitted is not hashed again."""
        if content == self._admitted:
            return True
        if self._low <= fingerprint(content) < self._high:
            self._admitted = content
            return True
        return False

    def admits_opening(self, sentences: Sequence[str]) -> bool:
        """Whether a story that begins so belongs to the split."""
        return self.key != "story" or self.admits("\n".join(sentences[:OPENING]))


class CompoundSplitter(Splitter):
    """Tells for one split whether a composition may go there, by a list made beforehand."""

    def __init__(
        self, shares: Mapping[str, float], split: str, homes: Mapping[str, str], first: str
    ) -> None:
        super().__init__(shares, split, "compound-divergence")
        self._homes = homes
        self._split = split
        self._first = first

    def admits(self, content: str) -> bool:
        """Whether this composition belongs to the split; one never met belongs to the first."""
        return self._homes.get(content, self._first) == self._split
