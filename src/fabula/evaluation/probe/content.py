"""The section of a report about a probe: plain data, without any markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabula.core.files import read_json
from fabula.evaluation.probe.probing import FILE

COLUMNS = ("what fails", "accuracy", "elsewhere", "95% interval", "p", "questions")


def probe_content(folder: Path) -> dict[str, Any] | None:
    """The section of a report about a probe; None if the run has none.

    Keys: `title`; `sentences` to begin with; `columns` and `rows` of the ranked table; `findings`
    with `sentence`, `recipe`, `examples` and `shrunk`; `rejected`, the suspects that were not
    confirmed.
    """
    if not (folder / FILE).is_file():
        return None
    found = read_json(folder / FILE, "model", "findings", "message")
    findings = found["findings"]
    sentences = [str(found["message"])]
    sentences += [f"{found['model']} {each['sentence']}." for each in findings[:3]]
    rows = [
        [
            each["sentence"].removeprefix("fails on ").rsplit(":", 1)[0],
            f"{each['accuracy']:.0%}",
            f"{each['elsewhere']:.0%}",
            f"{each['interval'][0]:.0%} to {each['interval'][1]:.0%}",
            "< 0.001" if each["p"] < 0.001 else f"{each['p']:.3f}",
            str(each["n"]),
        ]
        for each in findings
    ]
    kept = ("sentence", "cell", "changes", "recipe", "file", "examples", "shrunk")
    return {
        "title": "Where it fails",
        "sentences": sentences,
        "columns": list(COLUMNS),
        "rows": rows,
        "findings": [{key: each[key] for key in kept} for each in findings],
        "rejected": found["rejected"],
    }
