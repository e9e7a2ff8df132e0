"""Leakage: how much of a test set occurs in the training set, by measures of growing strength.

    text       the same story, word for word, with the same question
    order      the same sentences in any order, with the same question
    proof      the same supporting sentences as a set, with the same question
    signature  the same question and support with names abstracted
    facts      relations only: the same facts before noise, in any wording, with the same question
    canonical  as facts, with a relation and its inverse identified ('A left of B', 'B right of A')

Promises:
1. Both sets are streamed through a columnar engine. An item takes 8 bytes of hash per measure,
   spilled to disk if memory runs out. The odds that two of a million items share a hash are below
   1e-7.
2. An item that a measure does not apply to is left out of it and not counted as new.
3. It does not matter how an item was read (as a table, or one by one): a test compares both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fabula.analysis.leak.chance import expected_share, sample_space
from fabula.analysis.leak.prints import MEASURES, Prints
from fabula.analysis.tables import engine
from fabula.errors import FabulaError

__all__ = [
    "MEASURES", "Leak", "Overlap", "Repeats", "expected_share", "leak", "repeats", "sample_space",
]  # fmt: skip


class Overlap(NamedTuple):
    """The overlap of two sets by one measure."""

    train: int
    """Number of items of the training set that could be measured."""
    train_repeats: int
    """Number of those that equal an earlier one of the same set."""
    test: int
    test_repeats: int
    seen: int
    """Number of items of the test set that equal one of the training set."""
    example: str
    """Place of the first of them."""

    @property
    def share(self) -> float:
        """The fraction of the test set that is seen in training."""
        return self.seen / self.test if self.test else 0.0


class Repeats(NamedTuple):
    """How often a set repeats itself by one measure."""

    items: int
    repeated: int
    """Number of items that equal an earlier one."""
    example: str
    """Place of the first of them."""


@dataclass(frozen=True, slots=True)
class Leak:
    """How much of a test set occurs in a training set."""

    train: int
    test: int
    measures: dict[str, Overlap] = field(default_factory=dict)
    """Measure to overlap; measures that apply to no item are left out."""

    def to_dict(self) -> dict[str, Any]:
        """The leakage as JSON data."""
        found = {
            measure: {**overlap._asdict(), "share": round(overlap.share, 6)}
            for measure, overlap in self.measures.items()
        }
        return {"train": self.train, "test": self.test, "measures": found}


def leak(train: Path | Iterable[Path], test: Path | Iterable[Path]) -> Leak:
    """The leakage between two data sets, each a file, a folder, or several of them."""
    with engine() as tables:
        known, fresh = Prints(tables, "train", train), Prints(tables, "test", test)
        for prints, named in ((known, train), (fresh, test)):
            if not prints.items:
                place = named if isinstance(named, Path) else ", ".join(map(str, named))
                raise FabulaError(f"{place}: the data set has no questions.")
        found = {}
        for measure in MEASURES:
            ours, theirs = known.repeats(measure), fresh.repeats(measure)
            if ours.items and theirs.items:
                seen, example = fresh.seen_in(known, measure)
                found[measure] = Overlap(
                    ours.items, ours.repeated, theirs.items, theirs.repeated, seen, example
                )
        return Leak(known.items, fresh.items, found)


def repeats(paths: Path | Iterable[Path]) -> dict[str, Repeats]:
    """How often a data set repeats itself, by each measure that applies."""
    with engine() as tables:
        prints = Prints(tables, "items", paths)
        found = {measure: prints.repeats(measure) for measure in MEASURES}
        return {
            measure: Repeats(*counted, prints.first_repeat(measure))
            for measure, counted in found.items()
            if counted.items
        }
