"""Splits that share no content, by construction.

A hash of the content that must not leak decides which split may have it: no coordination, no list
of what was seen. For whole stories the opening is hashed: stories that begin differently differ,
and a story that belongs to another split is dropped after three sentences instead of twenty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.core.seeds import fingerprint

OPENING = 3


def content(told: Sequence[str], query: Sequence[str]) -> str:
    """Facts and a question about them as one text, independent of their order."""
    return "\n".join([*sorted(told), query[0], *sorted(query[1:])])


def proof_content(told: Sequence[str], query: Sequence[str]) -> str:
    """Sentences and a question about them as one text, independent of their order."""
    return "\n".join([*sorted(told), *query])


class Splitter:
    """Decides for one split whether content may go there."""

    def __init__(self, shares: Mapping[str, float], split: str, key: str) -> None:
        total = sum(shares.values())
        # the unused share comes first, so that a split of this name and share is the same whether
        # or not there are splits before it
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
        self.by_opening = key == "story"
        """Whether the first sentences of a story tell which split it belongs to."""
        self._admitted = ""

    def admits(self, content: str) -> bool:
        """Whether this content belongs to the split; the last admitted content is not hashed
        again.
        """
        if content == self._admitted:
            return True
        if self._low <= fingerprint(content) < self._high:
            self._admitted = content
            return True
        return False

    def admits_opening(self, sentences: Sequence[str]) -> bool:
        """Whether a story that begins like this belongs to the split."""
        return not self.by_opening or self.admits("\n".join(sentences[:OPENING]))


class CompoundSplitter(Splitter):
    """Decides for one split whether a composition may go there, by a precomputed list."""

    def __init__(
        self, shares: Mapping[str, float], split: str, split_of: Mapping[str, str], first: str
    ) -> None:
        super().__init__(shares, split, "compound-divergence")
        self._split_of = split_of
        self._split = split
        self._first = first

    def admits(self, content: str) -> bool:
        """Whether this composition belongs to the split; unknown ones belong to the first."""
        return self._split_of.get(content, self._first) == self._split
