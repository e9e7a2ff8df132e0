"""A report on disk: the page, and beside it all numbers (JSON, CSV) and figures (PNG, SVG).

Promise: the page stands on its own, with everything that draws it inside; a file is there whole or
not at all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson

from fabula._version import __version__
from fabula.errors import FabulaError, MissingExtraError
from fabula.files import make_folder, write_whole
from fabula.report.cases import Run, read_runs
from fabula.report.content import Content, content_of
from fabula.report.figures import Figure
from fabula.report.page import page
from fabula.report.theme import LIGHT, config

WIDTH = 680  # pixels of a figure as a picture
SHARES = ("count", "right", "accuracy", "low", "high")


def build(
    folders: Sequence[Path], out: Path, title: str | None = None, pictures: bool = True
) -> list[Path]:
    """Write the report of some runs; the files written, the page first."""
    converter = _converter()
    if out.is_dir() or out.suffix.lower() not in (".html", ".htm"):
        better = out.with_suffix(".html") if out.suffix else out / "report.html"
        raise FabulaError(f"{out}: name the page, e.g. --out {better}")
    with ThreadPoolExecutor(1) as pool:  # takes seconds, and does not hold the interpreter
        library = pool.submit(converter.javascript_bundle, "window.vegaEmbed = vegaEmbed;")
        runs = read_runs(folders)
        content = content_of(runs)
        text = page(
            title or _title(runs),
            _lead(runs),
            content.head,
            content.sections,
            content.figures,
            content.failures,
            f"Fabula {__version__}. Intervals are 95 % (Wilson; differences by stories).",
            library.result(),
        )
    beside = out.with_suffix("")
    make_folder(beside)  # for numbers and pictures
    written = [
        _write(out, text.encode()),
        _write(beside / "numbers.json", _json(content.numbers)),
        _write(beside / "numbers.csv", _csv(content)),
    ]
    if pictures:
        for figure in content.figures:
            svg, png = _pictures(converter, figure)
            written.append(_write(beside / f"{figure.name}.svg", svg.encode()))
            written.append(_write(beside / f"{figure.name}.png", png))
    return written


def _converter() -> Any:
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        raise MissingExtraError(
            "reports are drawn by vl-convert. Install it: pip install 'fabula[report]'"
        ) from None
    return vl_convert


def _title(runs: Sequence[Run]) -> str:
    names = [run.name for run in runs]
    data = {str(run.manifest["data"]) for run in runs}
    shown = " and ".join(names) if len(names) <= 2 else f"{len(names)} runs"
    return f"{shown} on {data.pop()}" if len(data) == 1 else shown


def _lead(runs: Sequence[Run]) -> str:
    asked = sum(len(run.cases) for run in runs)
    return f"{asked:,} scored replies: where they are wrong, and which differences can be believed."


def _pictures(converter: Any, figure: Figure) -> tuple[str, bytes]:
    container = figure.spec["width"] == "container"
    spec = {
        **figure.spec,
        "width": WIDTH if container else figure.spec["width"],
        "title": figure.title,
        "config": {**config(LIGHT), "background": "white", "padding": 16},
    }
    svg: str = converter.vegalite_to_svg(spec)
    png: bytes = converter.svg_to_png(svg, scale=2)
    return svg, png


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)


def _csv(content: Content) -> bytes:
    """Every share of the report in one long table."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["section", "run", "group", *SHARES])
    for section, rows in content.shares():
        for row in rows:
            group = "; ".join(
                f"{key}={value}"
                for key, value in row.items()
                if key not in (*SHARES, "run", "order", "examples") and value is not None
            )
            writer.writerow([section, row["run"], group, *(row[name] for name in SHARES)])
    return file.getvalue().encode()


def _write(path: Path, content: bytes) -> Path:
    write_whole(path, content)
    return path
