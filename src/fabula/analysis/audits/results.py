"""Every audit of published data behind one function: results, and corrected editions.

audit_files("clutrr", paths)   one `Result` per file
audit_files(..., fix=folder)   the same, and the corrected edition with its list of changes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from fabula.analysis.audits.edition import write_edition
from fabula.analysis.audits.findings import Finding, Kind, Result, Severity
from fabula.errors import UsageError, hint

Progress = Callable[[int], None]

ANSWER = Kind("answer-does-not-follow", Severity.ERROR, "The answer does not follow from the text.")
UNPROVEN = Kind("support-proves-nothing", Severity.WARNING, "The cited sentences do not prove the answer.")  # fmt: skip  # noqa: E501
UNUSUAL = Kind("support-unusual", Severity.NOTE, "The cited sentences are not those that the release's convention cites.")  # fmt: skip  # noqa: E501
REFUTED = Kind("label-refuted", Severity.ERROR, "The sentences say something else than the label.")
UNDERIVED = Kind("label-not-derived", Severity.ERROR, "The sentences do not say what the label says.")  # fmt: skip  # noqa: E501
CLASH = Kind("contradiction", Severity.WARNING, "The sentences cannot all be true.")
FORMATS = ("babi", "stepgame", "clutrr", "babilong")


def audit_files(
    kind: str,
    paths: Iterable[Path],
    keep: int = 20,
    fix: Path | None = None,
    progress: Progress = lambda count: None,
) -> list[Result]:
    """The audit of published files of a format, with up to `keep` examples of each defect.

    `fix` is a new folder for the corrected edition.
    """
    if kind not in FORMATS:
        raise UsageError(f"kind '{kind}': unknown.{hint(kind, FORMATS)}")
    results, texts = _JUDGES[kind](list(paths), keep, progress)
    if fix is not None:
        write_edition(
            fix, results, {r.file: text() for r, text in zip(results, texts, strict=True)}
        )
    return results


Judged = tuple[list[Result], list[Callable[[], str]]]


def _babi(paths: Sequence[Path], keep: int, progress: Progress) -> Judged:
    from fabula.analysis.audits import babi

    results: list[Result] = []
    texts: list[Callable[[], str]] = []
    for path, found in babi.audit_paths(paths):
        result = Result(str(path), found.questions, found.answers, changes=found.changes, keep=keep)
        for kind, remarks in (
            (ANSWER, found.defects), (UNPROVEN, found.unproven), (UNUSUAL, found.odd_supports),
        ):  # fmt: skip
            for each in remarks:
                place = f"line {each.line}"
                result.add(Finding(kind, place, each.reason, each.story, each.question, each.label))
        result.figures = {
            "answers_follow": found.answers, "supports_prove": found.proofs,
            "supports_minimal": found.minimal, "supports_as_released": found.supports,
        }  # fmt: skip
        results.append(result)
        texts.append(partial(str, found.edition))
        progress(found.questions)
    return results, texts


def _stepgame(paths: Sequence[Path], keep: int, progress: Progress) -> Judged:
    from fabula.analysis.audits import stepgame
    from fabula.datasets.formats.stepgame import corrected

    results: list[Result] = []
    texts: list[Callable[[], str]] = []
    for path in (file for each in paths for file in stepgame.data_files(each)):
        found = stepgame.audit_file(path, keep)
        result = Result(str(path), found.stories, found.agree, changes=found.changes, keep=keep)
        for kind, count, remarks in (
            (REFUTED, found.disagree, found.refuted), (UNDERIVED, found.underived, found.unknown),
            (CLASH, found.contradictory, found.contradictions),
        ):  # fmt: skip
            for each in remarks:
                result.add(
                    Finding(kind, each.place, each.reason, each.story, each.question, each.label)
                )
            if count:
                result.kinds[kind.name], result.counts[kind.name] = kind, count
        result.figures = {
            "labels_follow": found.agree, "sentences": found.sentences,
            "sentences_understood": found.parsed, "need_k_steps": found.deep,
        }  # fmt: skip
        labels = {change.place: change.after for change in found.changes}
        results.append(result)
        texts.append(partial(corrected, path, labels))
        progress(found.stories)
    return results, texts


def _clutrr(paths: Sequence[Path], keep: int, progress: Progress) -> Judged:
    from fabula.analysis.audits import clutrr

    tables = list(clutrr.tables(paths))
    results = clutrr.audit_tables(tables, keep, progress)
    texts: list[Callable[[], str]] = [
        partial(clutrr.corrected, table, result.changes)
        for table, result in zip(tables, results, strict=True)
    ]
    return results, texts


def _babilong(paths: Sequence[Path], keep: int, progress: Progress) -> Judged:
    from fabula.analysis.audits import babilong

    results: list[Result] = []
    texts: list[Callable[[], str]] = []
    for path in babilong.data_files(paths):
        rows = babilong.read(path)
        result = babilong.audit_rows(path, rows, keep, progress)
        results.append(result)
        texts.append(partial(babilong.corrected, path, result.changes))
    return results, texts


_JUDGES: dict[str, Callable[[Sequence[Path], int, Progress], Judged]] = {
    "babi": _babi, "stepgame": _stepgame, "clutrr": _clutrr, "babilong": _babilong,
}  # fmt: skip
