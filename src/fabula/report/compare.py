"""Several runs side by side: which differences can be believed?

Promises:
1. Runs are compared on the questions that all of a pair answered, and only if they were asked the
   same ones (the digests of their data agree).
2. p-values are exact (McNemar) and corrected for their number (Holm); the interval of a difference
   resamples whole stories.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from fabula.evaluate.statistics import Story, bootstrap, holm, mcnemar
from fabula.report.cases import Case, Run

Pair = tuple[Case, Case]


def comparisons(
    runs: Sequence[Run],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """(differences of pairs of runs, the same by kind of question, why some are left out)."""
    whole, by_kind, notes = [], [], []
    apart: list[str] = []
    for first, second in combinations(runs, 2):
        if first.manifest.get("digest") != second.manifest.get("digest"):
            apart.append(f"{first.name} and {second.name}")
            continue
        answered = {case.id: case for case in second.cases}
        pairs = [(case, answered[case.id]) for case in first.cases if case.id in answered]
        if not pairs:
            notes.append(f"{first.name} and {second.name} have no question in common yet.")
            continue
        whole.append(_difference(first, second, "all", pairs))
        kinds: dict[str, list[Pair]] = defaultdict(list)
        for pair in pairs:
            kinds[pair[0].kind].append(pair)
        if len(kinds) > 1:
            by_kind += [_difference(first, second, *item) for item in sorted(kinds.items())]
    if apart:
        more = f" and {len(apart) - 1} other pairs" if len(apart) > 1 else ""
        notes.append(f"Differences: {apart[0]}{more} were not asked the same questions.")
    for rows in (whole, by_kind):
        for row, corrected in zip(rows, holm([row["p"] for row in rows]), strict=True):
            row["p_holm"] = corrected
    return whole, by_kind, notes


def _difference(first: Run, second: Run, kind: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    def both(test: Callable[[bool, bool], bool]) -> int:
        return sum(test(a.right, b.right) for a, b in pairs)

    only_first, only_second = both(lambda a, b: a and not b), both(lambda a, b: b and not a)
    stories: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for a, b in pairs:
        cell = stories[a.story]
        cell[0] += a.right - b.right
        cell[1] += 1
    found = bootstrap([Story(*cell) for cell in stories.values()], "difference")
    return {
        "first": first.name,
        "second": second.name,
        "kind": kind,
        "count": len(pairs),
        "both_right": both(lambda a, b: a and b),
        "only_first": only_first,
        "only_second": only_second,
        "both_wrong": both(lambda a, b: not a and not b),
        "difference": found.value,
        "low": None if found.low != found.low else found.low,
        "high": None if found.high != found.high else found.high,
        "p": mcnemar(only_first, only_second),
    }
