"""The sections *Contrast* (pairs of stories that differ in one edit) and *Open questions*."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from fabula.evaluation import statistics
from fabula.evaluation.report.cases import Case, Run
from fabula.evaluation.report.numbers import Row, by_story
from fabula.evaluation.report.page import Extra, Notes, Section, Table, percent
from fabula.scoring.outcome import Outcome

BASE, UNKNOWN = "base", "unknown"
PAIRS = (
    "The same question about two stories that differ in one edit: after a flip the answer changes, "
    "after a hold it stays. Consistent: both are right. The last columns say how the edited story "
    "was failed, where the original was right: by the answer to the original, or by another one."
)
OPEN = (
    "Some questions have no answer that follows from the story. Over-answering: giving one anyway. "
    "Under-answering: saying 'unknown' although the answer follows."
)


# --- contrast pairs -------------------------------------------------------------------------------


def pairs(runs: Sequence[Run]) -> Extra | None:
    """The section on contrast pairs; None if the runs have none."""
    rows = [row for run in runs for row in _pair_rows(run)]
    if not rows:
        return None
    head = ["run", "edit", "pairs", "consistent", "95%", "only original", "only edited",
            "both wrong", "kept the old answer", "gave another"]  # fmt: skip
    lines = [
        [row["run"], row["variant"], f"{row['count']:,}", percent(row["consistent"]),
         f"{percent(row['low'])} to {percent(row['high'])}",
         *(f"{row[key]:,}" for key in ("only_base", "only_variant", "both_wrong", "kept",
                                       "another"))]
        for row in rows
    ]  # fmt: skip
    blocks = [Table("Contrast pairs", head, lines)]
    said = [
        f"{row['run']} gets both stories right in {percent(row['consistent'])} of {row['count']:,} "
        f"{row['variant']} pairs ({percent(row['low'])} to {percent(row['high'])})."
        for row in rows
    ]
    return Extra(Section("contrast", "Contrast", PAIRS, blocks), said, rows)


def _pair_rows(run: Run) -> list[Row]:
    bases = {case.pair: case for case in run.cases if case.variant == BASE}
    by_variant: dict[str, list[tuple[Case, Case]]] = defaultdict(list)
    for case in run.cases:
        if case.pair in bases and case.variant not in ("", BASE, UNKNOWN):
            by_variant[case.variant].append((bases[case.pair], case))
    return [_pair_row(run, variant, found) for variant, found in sorted(by_variant.items())]


def _pair_row(run: Run, variant: str, found: Sequence[tuple[Case, Case]]) -> Row:
    counts = Counter((base.right, other.right) for base, other in found)
    both = {id(other): base.right and other.right for base, other in found}
    stories = by_story([other for _, other in found], lambda case: both[id(case)])
    value, low, high = statistics.share(stories)
    missed = [(base, other) for base, other in found if base.right and not other.right]
    kept = sum(base.said == other.said for base, other in missed)
    return {
        "run": run.name,
        "variant": variant,
        "count": len(found),
        "consistent": value,
        "low": low,
        "high": high,
        "only_base": counts[True, False],
        "only_variant": counts[False, True],
        "both_wrong": counts[False, False],
        "kept": kept,
        "another": len(missed) - kept,
    }


# --- questions that the story leaves open ---------------------------------------------------------


def unknown(runs: Sequence[Run]) -> Extra | None:
    """The section on questions without an answer; None if there are none."""
    rows = [row for run in runs if (row := _open_row(run))]
    if not rows:
        return None
    head = ["run", "answerable", "right", "under-answered", "open", "right on open",
            "over-answered"]  # fmt: skip
    lines = [
        [row["run"], f"{row['answerable']:,}", percent(row["accuracy_answerable"]),
         percent(row["under_answering"]), f"{row['open']:,}", percent(row["accuracy_open"]),
         percent(row["over_answering"])]
        for row in rows
    ]  # fmt: skip
    blocks: list[Any] = [Table("Open questions", head, lines)]
    if any(not row["answerable"] for row in rows):
        blocks.append(Notes(["All questions of a run are open: under-answering is not known."]))
    said = [
        f"{row['run']} answers {percent(row['over_answering'])} of the {row['open']:,} questions "
        "that cannot be answered"
        + (f", and says 'unknown' to {percent(row['under_answering'])} of those that can"
           if row["answerable"] else "")
        + "."
        for row in rows
    ]  # fmt: skip
    return Extra(Section("open", "Open questions", OPEN, blocks), said, rows)


def _open_row(run: Run) -> Row | None:
    left_open = [case for case in run.cases if case.open]
    answerable = [case for case in run.cases if not case.open]
    if not left_open:
        return None
    return {
        "run": run.name,
        "answerable": len(answerable),
        "accuracy_answerable": _share(answerable, lambda case: case.right),
        "under_answering": _share(answerable, _gives_up),
        "open": len(left_open),
        "accuracy_open": _share(left_open, lambda case: case.right),
        "over_answering": _share(
            left_open, lambda case: bool(case.said) and not case.right and not _gives_up(case)
        ),
    }


def _gives_up(case: Case) -> bool:
    return case.said == (UNKNOWN,) or case.outcome == Outcome.REFUSAL


def _share(cases: Sequence[Case], value: Any) -> float | None:
    return sum(map(value, cases)) / len(cases) if cases else None
