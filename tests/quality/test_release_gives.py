"""The release dialect of tasks 5 and 7 hands things on as the published files do.

Shares as counted on the published English files (the last give and refuted labels: 10,000
training questions of task 5; the order of gives: 1,000 each of tasks 5 and
task 7). The slack allows for the sampling error of both sides.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from fabula.generation.author import Author
from fabula.recipe.loading import load

SIZE = 6_000


def given(name: str) -> tuple[Counter[str], int]:
    """Counts of what is asked, and of gives that follow another one."""
    counts: Counter[str] = Counter()
    author = Author(load(name, {"dialect": "release", "splits.train": SIZE}), "train", 3)
    for passage in author.passages(0, SIZE):
        gives = [
            (number, fact)
            for number, facts in enumerate(passage.tale.reading.facts(), 1)
            for fact in facts
            if fact[0] == "give"
        ]
        for (number, fact), (later, other) in pairwise(gives):
            counts["another thing"] += fact[2] != other[2]
            counts["another thing at once"] += fact[2] != other[2] and later == number + 1
            counts["gives"] += 1
        for asked in passage.asked:
            last = max((n for n, _ in gives if n <= asked.position), default=0)
            counts["last give"] += asked.support == (last,)
            counts["refuted"] += not asked.masks
    return counts, SIZE


def test_task_5_asks_about_the_last_give_and_is_rarely_refuted() -> None:
    counts, size = given("babi/qa5")
    assert counts["last give"] / size == pytest.approx(0.983, abs=0.006)
    assert counts["refuted"] / size == pytest.approx(0.002, abs=0.0018)
    assert counts["refuted"] > 0


@pytest.mark.parametrize(("name", "share"), [("babi/qa5", 0.119), ("babi/qa7", 0.049)])
def test_what_was_given_is_given_on(name: str, share: float) -> None:
    counts, _ = given(name)
    assert counts["another thing at once"] / counts["gives"] < 0.002
    assert counts["another thing"] / counts["gives"] == pytest.approx(share, abs=0.06)
