"""Statistics of a data set, counted while it is generated: exact, for any size and format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabula.generation.author import Passage
from fabula.generation.composition import Ledger

COUNTS = ("kinds", "answers", "sentences", "support_sizes", "supports", "conventions")
MOST_KEYS = 1_000  # different answers counted separately; the rest is counted together
OTHERS = "(others)"


class Tally:
    """Counts of questions: by kind, answer, sentences before, support size, number of supports, and
    the conventions that answers rely on.
    """

    def __init__(
        self,
        counts: Mapping[str, Mapping[str, int]] | None = None,
        ledger: Ledger | None = None,
        only_best: bool = False,
    ) -> None:
        """With `only_best`, of the numbers of supports only 0 is counted: more are not known."""
        self._only_best = only_best
        given = counts or {}
        self.ledger = ledger
        """The compositions, if the recipe is compositional."""
        self.counts: dict[str, Counter[str]] = {
            name: Counter(given.get(name, {})) for name in COUNTS
        }

    def counting(self, passages: Iterable[Passage]) -> Iterator[Passage]:
        """The same passages, counted as they pass."""
        only_best = self._only_best
        kinds: list[str] = []
        answers: list[str] = []
        told: list[int] = []
        sizes: list[int] = []
        supports: list[int] = []
        relied: list[str] = []
        for passage in passages:
            for asked in passage.asked:
                position, query, _, answer, cited, masks, conventions = asked[:7]
                kinds.append(query[0])
                answers.append(", ".join(answer))
                told.append(position)
                sizes.append(masks[0].bit_count() if masks else len(cited))
                if not (masks and only_best):
                    supports.append(len(masks))
                relied += conventions
            if self.ledger is not None:
                self.ledger.note(passage)
            yield passage
        found: tuple[list[Any], ...] = (kinds, answers, told, sizes, supports, relied)
        for name, values in zip(COUNTS, found, strict=True):
            self._add(name, Counter(values))

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name, counts in other.counts.items():
            self._add(name, counts)
        if self.ledger is None:
            self.ledger = other.ledger
        elif other.ledger is not None:
            self.ledger.merge(other.ledger)

    def _add(self, name: str, more: Mapping[Any, int]) -> None:
        counts = self.counts[name]
        for key, count in more.items():
            word = str(key)
            if len(counts) >= MOST_KEYS and word not in counts:
                word = OTHERS
            counts[word] += count

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The counts, most frequent first or in numerical order."""
        return {name: dict(sorted(c.items(), key=_order)) for name, c in self.counts.items()}


def _order(item: tuple[str, int]) -> tuple[int, int, str]:
    key, count = item
    return (0, int(key), "") if key.isdecimal() else (1, -count, key)
