"""The section *Where it fails*: the findings of `fabula probe`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.files import read_json
from fabula.evaluation.report.cases import Run
from fabula.evaluation.report.page import (
    Code,
    Extra,
    Group,
    Heading,
    Notes,
    Section,
    Story,
    Table,
    p_value,
    percent,
)

FILE = "probe.json"
HEAD = ("what fails", "accuracy", "elsewhere", "95%", "p (Holm)", "n")
LEAD = (
    "Weaknesses that a search found and fresh instances confirmed, the worst first. The p-values "
    "are corrected for the number of suspects tested."
)


def section(runs: Sequence[Run]) -> Extra | None:
    """The section; None if no run is a probe."""
    known = {
        run.name: read_json(run.folder / FILE, "findings")
        for run in runs
        if (run.folder / FILE).is_file()
    }
    if not known:
        return None
    blocks: list[Any] = []
    takeaways: list[str] = []
    for name, found in known.items():
        if len(runs) > 1:
            blocks.append(Heading(name))
        findings = found["findings"]
        message = str(found.get("message", ""))
        takeaways += [f"{name} {_sentence(each)}." for each in findings[:3]]
        if not findings:
            takeaways.append(f"{name}: {message or 'the probe confirmed no weakness.'}")
        blocks += [Table("Findings", HEAD, [_row(each) for each in findings])] if findings else []
        blocks += [_details(each) for each in findings]
        lines = [line for line in [message] if line]
        rejected = found.get("rejected") or ()
        if rejected:
            lines.append(f"Tested and not confirmed: {'; '.join(map(str, rejected))}.")
        blocks += [Notes(lines)] if lines else []
    return Extra(Section("probe", "Where it fails", LEAD, blocks), takeaways, known)


def _sentence(finding: Mapping[str, Any]) -> str:
    return str(finding.get("sentence") or finding.get("cell"))


def _row(finding: Mapping[str, Any]) -> list[str]:
    low, high = finding["interval"]
    what = _sentence(finding).removeprefix("fails on ").rsplit(":", 1)[0]
    return [what, percent(finding["accuracy"]), percent(finding["elsewhere"]),
            f"{percent(low)} to {percent(high)}", p_value(finding["p"]),
            f"{finding['n']:,}"]  # fmt: skip


def _details(finding: Mapping[str, Any]) -> Group:
    """Examples, the smallest story, and the recipe that makes more of it."""
    told = [*([finding["shrunk"]] if finding.get("shrunk") else []), *finding.get("examples", ())]
    blocks: list[Any] = [Group("stories", [_story(each, finding) for each in told])] if told else []
    if finding.get("recipe"):
        blocks.append(Code("A recipe that makes more of it", str(finding["recipe"])))
    return Group("details", blocks, _sentence(finding))


def _story(example: Mapping[str, Any], finding: Mapping[str, Any]) -> Story:
    support = example.get("support") or ()
    answer = example["answer"]
    return Story(
        "Smallest" if example is finding.get("shrunk") else "Example",
        [(text, number in support) for number, text in enumerate(example["story"], 1)],
        str(example["question"]),
        answer if isinstance(answer, str) else ", ".join(answer),
        " ".join(str(example["reply"]).split())[:300],
        [str(example.get("id", ""))],
    )
