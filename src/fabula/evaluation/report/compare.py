"""Several runs side by side: which differences are significant?

Promises:
1. Two runs are compared on the questions that both were asked: the same id with the same story,
   question and answer. One may have been asked only a part of the other's.
2. Questions about one story count together: p-values flip the signs of whole stories (exact; with
   one question per story it is McNemar's test) and are corrected for their number (Holm); the
   interval of a difference is by stories too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from fabula.evaluation.report.cases import Case, Run
from fabula.evaluation.report.numbers import FEW, cell_of, difference, grouped, was_seen
from fabula.evaluation.statistics import Story, holm

Pair = tuple[Case, Case]


def pairs_of(first: Run, second: Run) -> list[Pair]:
    """The questions that both runs were asked, each with both replies."""
    answered = {case.asked: case for case in second.cases}
    return [(case, answered[case.asked]) for case in first.cases if case.asked in answered]


def comparisons(
    runs: Sequence[Run],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """(differences between pairs of runs, the same by question kind, remarks about them)."""
    whole, by_kind, notes = [], [], []
    apart: list[str] = []
    for first, second in combinations(runs, 2):
        pairs = pairs_of(first, second)
        if not pairs:
            apart.append(f"{first.name} and {second.name}")
            continue
        if len(pairs) < max(len(first.cases), len(second.cases)):
            notes.append(
                f"Differences: {first.name} ({len(first.cases):,} questions) and {second.name} "
                f"({len(second.cases):,}) are compared on the {len(pairs):,} that both were asked."
            )
        whole.append(_difference(first, second, "all", pairs))
        kinds = _by_first(pairs, lambda case: case.kind)
        if len(kinds) > 1:
            by_kind += [_difference(first, second, *item) for item in sorted(kinds.items())]
    if apart:
        more = f" and {len(apart) - 1} other pairs" if len(apart) > 1 else ""
        notes.append(f"Differences: {apart[0]}{more} have no question in common.")
    for rows in (whole, by_kind):
        for row, corrected in zip(rows, holm([row["p"] for row in rows]), strict=True):
            row["p_holm"] = corrected
    return whole, by_kind, notes


def heatmap(first: Run, second: Run) -> list[dict[str, Any]]:
    """A row for each cell of the heatmap: the difference on the questions of both."""
    rows = []
    for cell, pairs in sorted(_by_first(pairs_of(first, second), cell_of).items()):
        size, composition, kind = cell
        rows.append(
            {
                "support_size": size,
                "composition": composition,
                "kind": kind,
                "count": len(pairs),
                "first": sum(a.right for a, _ in pairs) / len(pairs),
                "second": sum(b.right for _, b in pairs) / len(pairs),
                **difference(_stories(pairs)),
                "few": len(pairs) < FEW,
                "seen": was_seen(first if first.seen else second, cell),
            }
        )
    return rows


def _by_first(pairs: Sequence[Pair], key: Callable[[Case], Any]) -> dict[Any, list[Pair]]:
    """Pairs by a key of their first reply."""
    second = {a.asked: b for a, b in pairs}
    groups = grouped([a for a, _ in pairs], key)
    return {
        value: [(case, second[case.asked]) for case in cases] for value, cases in groups.items()
    }


def _stories(pairs: Sequence[Pair]) -> list[Story]:
    """The difference of each story."""
    values: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for a, b in pairs:
        values[a.story] += a.right - b.right
        counts[a.story] += 1
    return [Story(values[story], count) for story, count in counts.items()]


def _difference(first: Run, second: Run, kind: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    counts = Counter((a.right, b.right) for a, b in pairs)
    stories = _stories(pairs)
    return {
        "first": first.name,
        "second": second.name,
        "kind": kind,
        "count": len(pairs),
        "stories": len(stories),
        "both_right": counts[True, True],
        "only_first": counts[True, False],
        "only_second": counts[False, True],
        "both_wrong": counts[False, False],
        **difference(stories),
    }
