"""Scores of contrast pairs and of unanswerable questions, from the rows of a run.

A row is a line of `replies.jsonl`: id, outcome, answer, and the record. For each pair:

    consistency  both the original and the variant are right
    stuck        for flips: the variant gets the answer of the original, so the edit had no effect
                 where it should
    swayed       for holds: the original is right and the variant is not, so the edit had an effect
                 where it should not

For questions that the story leaves open:

    over-answering   an answer is given although there is none
    under-answering  'unknown' is given although the answer follows
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fabula.core.instance import UNKNOWN

RIGHT = "correct"
Row = Mapping[str, Any]


def contrast_scores(rows: Iterable[Row]) -> dict[str, Any]:
    """The scores of pairs by variant, and of answerable and open questions; empty without any."""
    said = list(rows)
    found: dict[str, Any] = {}
    pairs = _pairs(said)
    if pairs:
        found["pairs"] = pairs
    if any(_offers(row) for row in said):
        found["answerability"] = _answerability(said)
    return found


def _pairs(rows: list[Row]) -> dict[str, dict[str, Any]]:
    bases = {row["id"]: row for row in rows}
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        record = row["instance"]
        variant = record.get("variant")
        if variant in (None, "base"):
            continue
        base = bases.get(record["pair"])
        if base is None:  # the original was not asked
            continue
        count = counts.setdefault(variant, Counter())
        one, other = base["outcome"] == RIGHT, row["outcome"] == RIGHT
        count["pairs"] += 1
        count["both" if one and other else "base" if one else "variant" if other else "none"] += 1
        expected = sorted(base["instance"]["answer"])
        if variant != "hold" and not other and sorted(row["answer"]) == expected:
            count["stuck"] += 1
        if variant == "hold" and one and not other:
            count["swayed"] += 1
    return {variant: _shares(counts[variant], variant) for variant in sorted(counts)}


def _shares(count: Counter[str], variant: str) -> dict[str, Any]:
    total = count["pairs"]
    failure = "swayed" if variant == "hold" else "stuck"
    return {
        "pairs": total,
        "both_right": count["both"],
        "only_base_right": count["base"],
        "only_variant_right": count["variant"],
        "none_right": count["none"],
        failure: count[failure],
        "consistency": count["both"] / total,
    }


def _offers(row: Row) -> bool:
    return UNKNOWN in (row["instance"].get("choices") or ())


def _answerability(rows: list[Row]) -> dict[str, Any]:
    groups: dict[bool, list[Row]] = {True: [], False: []}
    for row in rows:
        if _offers(row):
            groups[list(row["instance"]["answer"]) != [UNKNOWN]].append(row)
    given = {
        answerable: sum(list(row["answer"]) == [UNKNOWN] for row in group)
        for answerable, group in groups.items()
    }
    return {
        "answerable": {**_accuracy(groups[True]), "under_answered": given[True]},
        "unanswerable": {
            **_accuracy(groups[False]),
            "over_answered": sum(
                bool(row["answer"]) and list(row["answer"]) != [UNKNOWN] for row in groups[False]
            ),
        },
    }


def _accuracy(rows: list[Row]) -> dict[str, Any]:
    right = sum(row["outcome"] == RIGHT for row in rows)
    return {
        "count": len(rows),
        "right": right,
        "accuracy": right / len(rows) if rows else None,
    }


def contrast_lines(scores: Mapping[str, Any]) -> list[str]:
    """The scores in plain sentences, for a terminal or a report."""
    lines = []
    for variant, found in scores.get("pairs", {}).items():
        failure = "swayed" if variant == "hold" else "stuck"
        meaning = (
            "changed a right answer that should stay"
            if variant == "hold"
            else "kept the answer of the original"
        )
        lines.append(
            f"{variant}: both right in {found['both_right']:,} of {found['pairs']:,} pairs "
            f"({found['consistency']:.1%}); {meaning} in {found[failure]:,}."
        )
    groups = scores.get("answerability")
    if groups:
        one, other = groups["answerable"], groups["unanswerable"]
        lines.append(
            f"answerable: {one['right']:,} of {one['count']:,} right, {one['under_answered']:,} "
            f"answered 'unknown'; unanswerable: {other['right']:,} of {other['count']:,} right, "
            f"{other['over_answered']:,} given an answer."
        )
    return lines
