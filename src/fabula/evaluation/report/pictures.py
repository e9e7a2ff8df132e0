"""Figures as pictures, drawn in a child process, so that a failure affects nothing else.

The converter runs a JavaScript engine, which ends its whole process if memory runs out. So it never
runs in ours. A child draws figure after figure; if it dies, its current figure is missing, and
another child continues with the next. Characters that XML does not allow would kill it too, so they
are replaced first.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson

from fabula.core.files import write_whole
from fabula.errors import MissingExtraError
from fabula.evaluation.report.figures import Figure
from fabula.evaluation.report.theme import LIGHT, config

WIDTH = 680  # pixels of a figure as a picture
PATIENCE = 120  # seconds for a child to start, and for each picture
FRUITLESS = 3  # children in a row without a picture, before giving up
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LIBRARY = "library.js"
JOBS, PROBLEMS = "jobs.json", "problems.json"


class Pictures(NamedTuple):
    """The pictures that were drawn, and those that were not."""

    drawn: dict[str, tuple[bytes, bytes]]
    """SVG and PNG, by the name of the figure."""
    missing: dict[str, str]
    """Why a figure has no picture."""


def check_converter() -> None:
    """Raise MissingExtraError unless the converter is installed."""
    if find_spec("vl_convert") is None:
        raise MissingExtraError(
            "reports are drawn by vl-convert. Install it: pip install 'fabula[report]'"
        )


def library() -> tuple[str, str]:
    """The JavaScript that draws on the page, or why it is missing."""
    with TemporaryDirectory(prefix="fabula-") as place:
        folder = Path(place)
        why = _child(folder, [{"name": LIBRARY}])
        made = folder / LIBRARY
        return (made.read_text(encoding="utf-8"), "") if made.is_file() else ("", why)


def draw(figures: Sequence[Figure]) -> Pictures:
    """The figures as SVG and PNG."""
    jobs = [{"name": figure.name, "spec": _spec(figure)} for figure in figures]
    found = Pictures({}, {})
    with TemporaryDirectory(prefix="fabula-") as place:
        folder = Path(place)
        fruitless = 0
        while jobs:
            why = _child(folder, jobs)
            before = len(found.drawn)
            found.missing.update(_problems(folder))
            for name in [str(job["name"]) for job in jobs]:
                png, svg = folder / f"{name}.png", folder / f"{name}.svg"
                if png.is_file():  # written last
                    found.drawn[name] = svg.read_bytes(), png.read_bytes()
            jobs = [job for job in jobs if job["name"] not in (*found.drawn, *found.missing)]
            fruitless = 0 if len(found.drawn) > before else fruitless + 1
            if jobs:  # the child died on the first of these
                lost = jobs if fruitless == FRUITLESS else jobs[:1]
                found.missing.update({str(job["name"]): why for job in lost})
                jobs = jobs[len(lost) :]
    return found


def _spec(figure: Figure) -> dict[str, Any]:
    spec = {
        **figure.spec,
        "title": figure.title,
        "config": {**config(LIGHT), "background": "white", "padding": 16},
    }
    drawable: dict[str, Any] = _in_xml(spec)
    return {**drawable, "width": WIDTH} if spec.get("width") == "container" else drawable


def _in_xml(value: Any) -> Any:
    """The value with a placeholder for every character that SVG does not allow."""
    if isinstance(value, str):
        return NOT_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_in_xml(key): _in_xml(each) for key, each in value.items()}
    return [_in_xml(each) for each in value] if isinstance(value, list | tuple) else value


def _child(folder: Path, jobs: Sequence[dict[str, Any]]) -> str:
    """Let a child do its jobs in a folder; returns why it failed, if it did."""
    write_whole(folder / JOBS, orjson.dumps(jobs))
    code = "import sys; from fabula.evaluation.report.pictures import work; work(sys.argv[1])"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=PATIENCE * (1 + len(jobs)),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    except OSError as error:
        return f"no process could be started ({error})"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if "memory" in " ".join(said).lower():
        return "out of memory"
    if done.returncode < 0:
        return f"the converter was ended by signal {-done.returncode}"
    return (said[-1] if said else f"the converter ended with code {done.returncode}")[:200]


def _problems(folder: Path) -> dict[str, str]:
    path = folder / PROBLEMS
    found: dict[str, str] = orjson.loads(path.read_bytes()) if path.is_file() else {}
    return found


def work(place: str) -> None:
    """The entry point of the child process."""
    import vl_convert

    folder = Path(place)
    problems = _problems(folder)
    for job in orjson.loads((folder / JOBS).read_bytes()):
        name = job["name"]
        if name == LIBRARY:
            bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
            write_whole(folder / LIBRARY, bundle.encode())
            continue
        try:
            svg = vl_convert.vegalite_to_svg(job["spec"])
            png = vl_convert.svg_to_png(svg, scale=2)
        except ValueError as error:  # a figure it cannot draw: the next one may work
            problems[name] = " ".join(str(error).split())[:200]
            write_whole(folder / PROBLEMS, orjson.dumps(problems))
            continue
        write_whole(folder / f"{name}.svg", svg.encode())
        write_whole(folder / f"{name}.png", png)
