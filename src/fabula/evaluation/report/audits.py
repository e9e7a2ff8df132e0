"""The findings of an audit as a page for browsing: counts per defect, then every example."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fabula._version import __version__
from fabula.analysis.audits.findings import Finding, Result, Severity
from fabula.evaluation.report.page import Card, Drawing, Group, Notes, Section, Table, page, percent

ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def audit_page(results: Sequence[Result], title: str) -> str:
    """One page for the results of an audit; it needs no network."""
    cards = [
        Card(
            Path(result.file).name,
            percent(result.sound / result.items if result.items else None),
            [f"sound: {result.sound:,} of {result.items:,}", *result.notes],
        )
        for result in results
    ]
    sections = [Section("summary", "Defects", "How often each kind of defect occurs.", [_table(results)])]  # fmt: skip  # noqa: E501
    kinds = {name: kind for result in results for name, kind in result.kinds.items()}
    for severity in ORDER:
        for name, kind in sorted(kinds.items()):
            if kind.severity is not severity:
                continue
            shown = [
                _example(result, finding)
                for result in results
                for finding in result.findings
                if finding.kind.name == name
            ]
            count = sum(result.counts[name] for result in results)
            lead = f"{kind.about} {count:,} found, {len(shown):,} shown."
            heading = name.replace("-", " ").capitalize()
            sections.append(Section(name, heading, lead, shown))
    lead = "Published data audited by Fabula: every label compared with what follows from the text."
    return page(title, lead, cards, sections, [], [], f"Fabula {__version__}", "")


def _table(results: Sequence[Result]) -> Table:
    rows = [
        (
            Path(result.file).name,
            name,
            result.kinds[name].severity.name.lower(),
            f"{count:,}",
            percent(count / result.items if result.items else None),
        )
        for result in results
        for name, count in result.counts.most_common()
    ]
    head = ("file", "defect", "severity", "count", "share")
    return Table("Defects", head, rows or [("–", "none", "–", "0", "–")])


def _example(result: Result, finding: Finding) -> Group:
    lines = [f"{number} {text}" for number, text in enumerate(finding.story, 1)]
    asked = f"{finding.question}  {finding.label}".strip()
    facts = [f"{fact}." for fact in finding.facts]
    blocks = [
        Drawing("\n".join([*lines, asked] if asked else lines)),
        Notes([finding.reason, *([f"Right: {finding.corrected}"] if finding.corrected else [])]),
    ]
    if facts:
        blocks.append(Drawing("\n".join(facts)))
    if finding.drawing:
        blocks.append(Drawing(finding.drawing))
    return Group("details", blocks, f"{Path(result.file).name}, {finding.place}: {finding.reason}")
