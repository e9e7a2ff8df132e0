"""The findings of an audit: defects by kind and severity, with evidence and corrections.

Every audit of published data yields one `Result` per file, so that tables, JSON, exit codes,
corrected editions and the page for browsing work the same for all of them.

Promises:
1. Every defect is counted; examples are kept up to a limit per kind.
2. A corrected edition lists every change: what was replaced or removed, where, and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

__all__ = ["Change", "Finding", "Kind", "Result", "Severity", "exit_code"]


class Severity(IntEnum):
    """How bad a defect is."""

    NOTE = 0
    """Worth knowing; scores do not depend on it."""
    WARNING = 1
    """Training or analysis is affected, but no label is wrong."""
    ERROR = 2
    """The label is wrong, or does not follow from the text."""


class Kind(NamedTuple):
    """A kind of defect."""

    name: str
    """Short name in tables and JSON, e.g. 'label-in-no-family'."""
    severity: Severity
    about: str
    """One sentence that a paper can cite."""


class Finding(NamedTuple):
    """One defect of one item."""

    kind: Kind
    place: str
    """Where: file and line, or row id."""
    reason: str
    """The problem, in one sentence."""
    story: tuple[str, ...] = ()
    question: str = ""
    label: str = ""
    corrected: str = ""
    """The right answer if one is entailed, otherwise empty."""
    facts: tuple[str, ...] = ()
    """The facts that the judgement rests on."""
    drawing: str = ""
    """A counterexample, drawn as text."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON data, without empty fields."""
        row = {"kind": self.kind.name, "severity": self.kind.severity.name.lower()}
        rest = {name: value for name, value in self._asdict().items() if name != "kind" and value}
        return {**row, **rest}


class Change(NamedTuple):
    """One item that the corrected edition has changed or removed."""

    place: str
    action: str
    """'label', 'support' or 'removed'."""
    before: str
    after: str
    reason: str


@dataclass
class Result:
    """The audit of one file."""

    file: str
    items: int = 0
    """Questions judged."""
    sound: int = 0
    """Questions without a defect of severity ERROR."""
    counts: Counter[str] = field(default_factory=Counter)
    """Number of items with each kind of defect."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    """Examples, at most `keep` of each kind."""
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes on what was not judged, and why."""
    figures: dict[str, int] = field(default_factory=dict)
    """Further counts that this audit reports, in order."""
    keep: int = 20

    def add(self, finding: Finding) -> None:
        """Count a defect, and keep it as an example if there is room."""
        kind = finding.kind
        self.kinds[kind.name] = kind
        self.counts[kind.name] += 1
        if self.counts[kind.name] <= self.keep:
            self.findings.append(finding)

    @property
    def severity(self) -> Severity | None:
        """The worst that was found; None if nothing was."""
        return max((kind.severity for kind in self.kinds.values()), default=None)

    def examples(self, limit: int) -> list[Finding]:
        """The first findings, up to `limit` of each kind."""
        seen: Counter[str] = Counter()
        found = []
        for finding in self.findings:
            seen[finding.kind.name] += 1
            if seen[finding.kind.name] <= limit:
                found.append(finding)
        return found

    def to_dict(self, limit: int = 20) -> dict[str, Any]:
        """The result as JSON data, with up to `limit` examples of each kind of defect."""
        return {
            "file": self.file,
            "items": self.items,
            "sound": self.sound,
            **self.figures,
            "defects": {
                name: {
                    "count": count,
                    "share": round(count / self.items, 6) if self.items else 0.0,
                    "severity": self.kinds[name].severity.name.lower(),
                    "about": self.kinds[name].about,
                }
                for name, count in self.counts.most_common()
            },
            "findings": [finding.to_dict() for finding in self.examples(limit)],
            "notes": list(self.notes),
        }


def exit_code(results: Mapping[str, Result] | list[Result]) -> int:
    """0 if no label is wrong or unproven, otherwise 1."""
    found = results.values() if isinstance(results, Mapping) else results
    return int(any(each.severity is Severity.ERROR for each in found))
