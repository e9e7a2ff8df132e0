"""Writes a report: the page, and next to it all numbers (JSON, CSV) and figures (PNG, SVG).

Promises:
1. The page is self-contained; files are written completely or not at all.
2. Pictures that cannot be drawn are listed, on the page too; everything else is there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula._version import __version__
from fabula.core.files import make_folder, write_whole
from fabula.errors import FabulaError
from fabula.evaluation.report.cases import Run, read_runs
from fabula.evaluation.report.content import Content, content_of
from fabula.evaluation.report.page import Notes, Section, page
from fabula.evaluation.report.pictures import Pictures, check_converter, draw, library

SHARES = ("count", "right", "accuracy", "low", "high")
BESIDE = ("stories", "baseline", "baseline_accuracy")
"""Further columns of a row, if known."""


class Written(NamedTuple):
    """The files of a report, the page first, and what is missing."""

    files: list[Path]
    missing: list[str]


def build(
    folders: Sequence[Path], out: Path, title: str | None = None, pictures: bool = True
) -> Written:
    """Write the report of some runs."""
    check_converter()
    if out.is_dir() or out.suffix.lower() not in (".html", ".htm"):
        better = out.with_suffix(".html") if out.suffix else out / "report.html"
        raise FabulaError(f"{out}: give the file name of the page, e.g. --out {better}")
    with ThreadPoolExecutor(1) as pool:  # takes seconds, in its own process
        coming = pool.submit(library)
        runs = read_runs(folders)
        content = content_of(runs)
        code, why = coming.result()
    drawn = draw(content.figures) if pictures else Pictures({}, {})
    missing = _missing(drawn, why)
    text = page(
        title or _title(runs),
        _lead(runs),
        content.cards,
        _with_notes(content.sections, missing),
        content.figures,
        content.questions,
        f"Fabula {__version__}. Intervals are 95%, by stories.",
        code,
        content.takeaways,
    )
    beside = out.with_suffix("")
    make_folder(beside)  # for numbers and pictures
    numbers = {**content.numbers, "missing_pictures": drawn.missing}
    written = [
        _write(out, text.encode()),
        _write(beside / "numbers.json", _json(numbers)),
        _write(beside / "numbers.csv", _csv(content)),
    ]
    for name, (svg, png) in drawn.drawn.items():
        written.append(_write(beside / f"{name}.svg", svg))
        written.append(_write(beside / f"{name}.png", png))
    return Written(written, missing)


def _missing(pictures: Pictures, why: str) -> list[str]:
    """The figures that could not be drawn, one line each."""
    reasons: dict[str, list[str]] = {}
    for name, reason in pictures.missing.items():
        reasons.setdefault(reason, []).append(name)
    lines = [f"Pictures not drawn: {', '.join(names)} ({why})." for why, names in reasons.items()]
    if why:
        lines.append(
            f"Figures on the page are missing: the drawing library could not be loaded ({why})."
        )
    return lines


def _with_notes(sections: Sequence[Section], lines: Sequence[str]) -> list[Section]:
    if not lines:
        return list(sections)
    return [*sections, Section("pictures", "Missing pictures", "Figures that could not be drawn.",
                               [Notes(lines)])]  # fmt: skip


def _title(runs: Sequence[Run]) -> str:
    names = [run.name for run in runs]
    data = {str(run.manifest["data"]) for run in runs}
    shown = " and ".join(names) if len(names) <= 2 else f"{len(names)} runs"
    return f"{shown} on {data.pop()}" if len(data) == 1 else shown


def _lead(runs: Sequence[Run]) -> str:
    asked = sum(len(run.cases) for run in runs)
    return f"{asked:,} scored replies: where they are wrong, and which differences are significant."


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)


def _csv(content: Content) -> bytes:
    """Every accuracy of the report in one long table."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["section", "run", "group", *SHARES, *BESIDE])
    for section, rows in content.shares():
        for row in rows:
            group = "; ".join(
                f"{key}={value}"
                for key, value in row.items()
                if key not in (*SHARES, *BESIDE, "run", "order", "examples") and value is not None
            )
            shares = [row[name] for name in SHARES]
            writer.writerow([section, row["run"], group, *shares, *map(row.get, BESIDE)])
    return file.getvalue().encode()


def _write(path: Path, content: bytes) -> Path:
    write_whole(path, content)
    return path
