"""The section *Evidence*: are right answers right for the right reason?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fabula.evaluation import statistics
from fabula.evaluation.report.cases import Case, Run
from fabula.evaluation.report.numbers import Row, by_story
from fabula.evaluation.report.page import (
    Extra,
    Group,
    Heading,
    Notes,
    Section,
    Square,
    Story,
    Table,
    percent,
)
from fabula.evaluation.run import read_at
from fabula.scoring.outcome import Reason, Verdict

EXAMPLES = 2
"""Examples of each of the four outcomes."""
LEAD = (
    "The model was asked for the sentences that its answer follows from, and the reader judged "
    "them: evidence is sufficient if the right answer follows from it, whichever proof it is. "
    "Precision is the share of the cited sentences that belong to a proof, recall the share of a "
    "proof that is cited. A model that cites everything is always sufficient, with low precision."
)
MEANING = {
    Verdict.MINIMAL: "sufficient and minimal",
    Verdict.IDLE: "sufficient, with idle sentences",
    Verdict.STALE: "stale (true before, not at the end)",
    Verdict.INSUFFICIENT: "insufficient",
    Verdict.MISSING: "missing",
}


def section(runs: Sequence[Run]) -> Extra | None:
    """The section; None if no run was asked for evidence."""
    cited = [(run, [case for case in run.cases if case.reason]) for run in runs]
    cited = [(run, cases) for run, cases in cited if cases]
    if not cited:
        return None
    rows = [_row(run, cases) for run, cases in cited]
    blocks: list[Any] = []
    for (run, cases), row in zip(cited, rows, strict=True):
        if len(runs) > 1:
            blocks.append(Heading(run.name))
        shares = f"Precision {percent(row['precision'])}, recall {percent(row['recall'])}"
        blocks += [_square(row), _verdicts(row), Notes([f"{shares} (means over all replies)."])]
        blocks += _examples(run, cases)
    return Extra(
        Section("evidence", "Evidence", LEAD, blocks), [_sentence(row) for row in rows], rows
    )


def _row(run: Run, cases: Sequence[Case]) -> Row:
    reasons = Counter(case.reason for case in cases)
    verdicts = Counter(case.verdict for case in cases)
    right = [case for case in cases if case.right]
    reason = statistics.share(
        by_story(right, lambda case: case.reason == Reason.RIGHT)
    ) if right else None  # fmt: skip
    return {
        "run": run.name,
        "count": len(cases),
        **{str(reason): reasons[str(reason)] for reason in Reason},
        "verdicts": {str(verdict): verdicts[str(verdict)] for verdict in Verdict},
        "right_reason": reason.value if reason else None,
        "low": reason.low if reason else None,
        "high": reason.high if reason else None,
        "precision": sum(case.precision for case in cases) / len(cases),
        "recall": sum(case.recall for case in cases) / len(cases),
    }


def _sentence(row: Row) -> str:
    shares = f"evidence precision {percent(row['precision'])}, recall {percent(row['recall'])}"
    if row["right_reason"] is None:
        return f"{row['run']} has no right answer to give a reason for ({shares})."
    lucky = row[str(Reason.LUCKY)]
    return (
        f"Of the right answers of {row['run']}, {percent(row['right_reason'])} are for the right "
        f"reason ({percent(row['low'])} to {percent(row['high'])}); {lucky:,} "
        f"{'is' if lucky == 1 else 'are'} not. {shares[:1].upper()}{shares[1:]}."
    )


def _square(row: Row) -> Square:
    def cell(reason: Reason) -> tuple[str, str]:
        count = row[str(reason)]
        return percent(count / row["count"]), f"{count:,} {reason}"

    return Square(
        "Answers and evidence",
        ("right evidence", "wrong or no evidence"),
        [("right answer", [cell(Reason.RIGHT), cell(Reason.LUCKY)]),
         ("wrong answer", [cell(Reason.SLIP), cell(Reason.WRONG)])],
    )  # fmt: skip


def _verdicts(row: Row) -> Table:
    lines = [
        [MEANING[Verdict(verdict)], f"{count:,}", percent(count / row["count"])]
        for verdict, count in row["verdicts"].items()
    ]
    return Table("Verdicts on the evidence", ["verdict", "n", "share"], lines)


def _examples(run: Run, cases: Sequence[Case]) -> list[Group]:
    """Some replies of each outcome, with the cited sentences marked."""
    groups = []
    for reason in Reason:
        stories = {case.story: case for case in reversed(cases) if case.reason == reason}
        chosen = list(reversed(stories.values()))[:EXAMPLES]
        if chosen:
            shown = [_story(said) for said in read_at(run.folder, [c.place for c in chosen])]
            title = f"{str(reason).capitalize()}: examples"
            groups.append(Group("details", [Group("stories", shown)], title))
    return groups


def _story(said: dict[str, Any]) -> Story:
    record, evidence = said["instance"], said["evidence"]
    cited = set(evidence["cited"])
    proof = ", ".join(map(str, record["support"])) or "no sentence"
    numbers = ", ".join(map(str, evidence["cited"])) or "nothing"
    return Story(
        said["id"],
        [(text, number in cited) for number, text in enumerate(record["story"], 1)],
        record["question"],
        ", ".join(record["answer"]),
        ", ".join(said["answer"]) or said["outcome"],
        [f"cites {numbers} (highlighted): {MEANING[Verdict(evidence['verdict'])]}",
         f"a proof: {proof}"],
        said["outcome"] == "correct",
    )  # fmt: skip
