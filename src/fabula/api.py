"""Functions of the public API that belong to no single layer; `fabula` exports them.

Each does what the command of the same name does: commands only parse options, call, and print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from fabula.core.registry import WORLDS
from fabula.datasets.dataset import Dataset
from fabula.datasets.formats import FORMATS
from fabula.errors import UsageError
from fabula.recipe.loading import recipe_ids
from fabula.recipe.suite import suites
from fabula.world.base import World

if TYPE_CHECKING:
    from fabula.analysis.audits.babi import Audit
    from fabula.analysis.audits.findings import Result
    from fabula.analysis.audits.stepgame import StepGameAudit
    from fabula.analysis.diff import Difference
    from fabula.analysis.inputs import Source
    from fabula.analysis.leak import Leak
    from fabula.evaluation.evaluate import Evaluation
    from fabula.evaluation.report.build import Written

__all__ = ["audit", "diff", "formats", "leak", "read", "recipes", "report", "worlds"]


# --- what is available --------------------------------------------------------------------------


def recipes() -> list[str]:
    """The names of all built-in recipes and of those that plug-ins add.

    >>> fabula.recipes()[:2]
    ['actors/containers', 'actors/mix']
    """
    return [*recipe_ids(), *suites()]


def worlds() -> dict[str, World]:
    """The worlds by name, including those of plug-ins.

    >>> list(fabula.worlds())[:5]
    ['actors', 'space', 'sizes', 'kinds', 'kinship']
    """
    return {name: WORLDS[name] for name in WORLDS}


def formats() -> dict[str, str]:
    """The formats that data sets can be written in, each with a one-line description.

    >>> fabula.formats()["jsonl"]
    'one JSON record per line, with all fields'
    """
    return {name: style.about for name, style in FORMATS.working().items()}


# --- data on disk -------------------------------------------------------------------------------


def read(path: str | Path, split: str | None = None) -> Dataset:
    """Read a data set from disk: a folder, a file or a URL of records.

    >>> import tempfile
    >>> folder = f"{tempfile.mkdtemp()}/qa1"
    >>> manifest = fabula.write("babi/qa1", folder, sizes=5)
    >>> fabula.read(folder, split="test")[0].id
    'babi/qa1:test:0'
    """
    return Dataset(path, split)


def leak(train: Source, test: Source) -> Leak:
    """Measure how much of a test set already occurs in a training set.

    Each is a file, a folder, a `Dataset` or instances. The result has one overlap per measure, from
    identical text to identical facts.

    >>> train, test = (fabula.Dataset("babi/qa1", split=s, size=50) for s in ("train", "test"))
    >>> fabula.leak(train, test).measures["text"].seen
    0
    """
    from fabula.analysis.inputs import on_disk
    from fabula.analysis.leak import leak as measure

    with on_disk(train) as known, on_disk(test) as fresh:
        return measure(known, fresh)


def diff(before: Source, after: Source) -> Difference:
    """Compare two data sets: how they were generated, their records, their statistics.

    >>> data = fabula.Dataset("babi/qa1", size=50)
    >>> found = fabula.diff(data[:40], data[10:])
    >>> found.same, found.changed, found.gone, found.added
    (30, 0, 10, 10)
    """
    from fabula.analysis.diff import diff as compare
    from fabula.analysis.inputs import on_disk

    with on_disk(before) as one, on_disk(after) as two:
        return compare(one, two)


@overload
def audit(
    paths: str | Path | Iterable[str | Path],
    kind: Literal["babi"] = ...,
    progress: Callable[[int], None] = ...,
    keep: int = ...,
) -> list[Audit]: ...
@overload
def audit(
    paths: str | Path | Iterable[str | Path],
    kind: Literal["stepgame"],
    progress: Callable[[int], None] = ...,
    keep: int = ...,
) -> list[StepGameAudit]: ...
@overload
def audit(
    paths: str | Path | Iterable[str | Path],
    kind: Literal["clutrr", "babilong"],
    progress: Callable[[int], None] = ...,
    keep: int = ...,
) -> list[Result]: ...
def audit(
    paths: str | Path | Iterable[str | Path],
    kind: str = "babi",
    progress: Callable[[int], None] = lambda count: None,
    keep: int = 20,
) -> list[Audit] | list[StepGameAudit] | list[Result]:
    """Audit published data: does each label follow from the text, and does its support prove it?

    Args:
        paths: files of the release, or folders of them.
        kind: their format: 'babi', 'stepgame', 'clutrr' or 'babilong'.
        progress: called with the number of questions just audited.
        keep: the number of examples to keep per kind of defect and file (bAbI: all are kept).

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "qa1.txt"
    >>> text = file.write_text("1 Mary went to the hall.\\n2 Where is Mary?\\tgarden\\t1\\n")
    >>> (found,) = fabula.audit(file)
    >>> found.questions, found.answers, found.defects[0].line
    (1, 0, 2)
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    files = [Path(path) for path in named]
    if kind == "babi":
        from fabula.analysis.audits.babi import audit as audit_babi

        read = []
        for result in audit_babi(files):
            read.append(result)
            progress(result.questions)
        return read
    if kind == "stepgame":
        from fabula.analysis.audits.stepgame import audit as audit_stepgame

        found = []
        for each in audit_stepgame(files, keep):
            found.append(each)
            progress(each.stories)
        return found
    from fabula.analysis.audits.results import audit_files

    return audit_files(kind, files, keep, progress=progress)


# --- evaluation ---------------------------------------------------------------------------------


def report(
    runs: str | Path | Evaluation | Iterable[str | Path | Evaluation],
    out: str | Path = "report.html",
    title: str | None = None,
    pictures: bool = True,
) -> Written:
    """Write a page that shows where and why models fail, along with its numbers and figures.

    Args:
        runs: run folders of `fabula.evaluate(…, out=…)`, or the results it returned.
        out: the file of the page.
        title: the title of the page.
        pictures: also write each figure as PNG and SVG.

    Returns the files written, the page first, and the figures that could not be drawn.

    >>> run = fabula.evaluate(my_model, "babi/qa2", out="runs/mine")  # doctest: +SKIP
    >>> fabula.report(run, "report.html").files[0]  # doctest: +SKIP
    PosixPath('report.html')
    """
    from fabula.evaluation.evaluate import Evaluation
    from fabula.evaluation.report import build

    given = [runs] if isinstance(runs, str | Path | Evaluation) else list(runs)
    folders = []
    for run in given:
        folder = run.folder if isinstance(run, Evaluation) else Path(run)
        if folder is None:
            raise UsageError(
                "this evaluation was not saved; pass out='FOLDER' to fabula.evaluate to save it."
            )
        folders.append(folder)
    return build(folders, Path(out), title, pictures)
