"""Questions to browse: wrong and right ones of all kinds, with every run's reply.

Promise: the sample of a run covers every question kind, size of support and outcome, so that a
common failure does not hide a rare one; replies of other runs to the same question are next to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from fabula.analysis.show import command
from fabula.errors import FabulaError
from fabula.evaluation.report.cases import Case, Run
from fabula.evaluation.report.numbers import cell_of, grouped
from fabula.evaluation.report.proof import steps
from fabula.evaluation.run import asked_as, kept_record, read_at

WRONG = 60
"""Number of wrong replies shown per run."""
RIGHT = 20
"""Number of correct replies shown per run."""
CELLS = 150
"""Number of cells of the heatmap that are covered at least once."""
LONGEST = 4_000
"""Maximum number of characters shown of a reply or prompt."""


def questions(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The questions to show, each with the replies of all runs that were asked it."""
    chosen: dict[int, Case] = {}
    for run in runs:
        for right, most in ((False, WRONG), (True, RIGHT)):
            cases = [case for case in run.cases if case.right is right]
            chosen |= {case.asked: case for case in sample(cases, most)}
        for cases in list(grouped(run.cases, cell_of).values())[:CELLS]:
            chosen |= {case.asked: case for case in sample(cases, 1)}
    replies: dict[int, list[dict[str, Any]]] = defaultdict(list)
    records: dict[int, dict[str, Any]] = {}
    for run in runs:
        cases = [case for case in run.cases if case.asked in chosen]
        for case, said in zip(cases, read_at(run.folder, [c.place for c in cases]), strict=True):
            records.setdefault(case.asked, said["instance"])
            replies[case.asked].append(_reply(run, said))
    order = sorted(chosen.values(), key=lambda case: (case.kind, case.id))
    names = _names(order)
    return [
        {"name": names[case.asked], **_question(records[case.asked], case),
         "replies": replies[case.asked]}
        for case in order
    ]  # fmt: skip


def sample(cases: Iterable[Case], most: int) -> list[Case]:
    """Some cases: first one of each group, then a second of each, and so on."""
    groups: dict[tuple[Any, ...], list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.right, case.kind, case.support_size, case.outcome].append(case)
    turns = (
        [groups[key][turn] for key in sorted(groups, key=str) if turn < len(groups[key])]
        for turn in range(most)
    )
    found: list[Case] = []
    for turn in turns:
        found += turn[: most - len(found)]
    return found


def _names(cases: Sequence[Case]) -> dict[int, str]:
    """A unique name for each question: its id, numbered if runs asked different ones under it."""
    used: dict[str, int] = defaultdict(int)
    found = {}
    for case in cases:
        used[case.id] += 1
        found[case.asked] = case.id if used[case.id] == 1 else f"{case.id}~{used[case.id]}"
    return found


def _question(record: dict[str, Any], case: Case) -> dict[str, Any]:
    return {
        "kind": case.kind,
        "size": case.support_size,
        "composition": case.composition,
        "story": record["story"],
        "support": record["support"],
        "roles": record["roles"],
        "question": record["question"],
        "answer": record["answer"],
        "proof": _proof(record),
        "steps": steps(record),
        "guessed": list(case.guessed),
        "rewritten": "rewrite" in record["provenance"],
        "again": command(record["provenance"]),
    }


def _reply(run: Run, said: dict[str, Any]) -> dict[str, Any]:
    return {
        "run": run.name,
        "outcome": said["outcome"],
        "said": said["answer"],
        "reply": said["reply"][:LONGEST],
        "prompt": _prompt(run, said["instance"]),
    }


def _prompt(run: Run, record: dict[str, Any]) -> str:
    """The prompt; empty for models that read story and question directly."""
    if run.manifest.get("about", {}).get("kind") == "trained":
        return ""
    try:
        instance = kept_record(record)
        return asked_as(run.manifest, instance)[-LONGEST:]
    except (FabulaError, LookupError):  # a style of another version
        return ""


def _proof(record: dict[str, Any]) -> str:
    """The support of the answer in one line."""
    numbers = ", ".join(map(str, sorted(record["support"])))
    others = len(record["supports"]) - 1
    if not record["supports"]:
        return "does not follow from the text"
    told = f"follows from {numbers}" if numbers else "follows from no sentence"
    return told + (f" (and {others} other way{'s' * (others > 1)})" if others > 0 else "")
