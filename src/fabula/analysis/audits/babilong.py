"""Audits BABILong's files: bAbI questions whose sentences are spread over long prose.

Promises:
1. The sentences of the story are found in the prose by reading: a sentence counts if the world of
   the question understands it as a whole. The answer is what follows from them in their order.
2. A label that does not follow is reported with what the text says instead. If the text says
   nothing, the evidence is missing, cut or out of order.
3. Prose that names somebody or something that the answer depends on is reported: a reader cannot
   know that it is meant as filler.
4. A file without the columns `input`, `question` and `target`, or in which no sentence of any story
   is found, is an error.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.analysis.audits.findings import Change, Finding, Kind, Result, Severity
from fabula.core.files import lines_of, parse_json
from fabula.core.soundness import shown
from fabula.core.supports import numbers_of
from fabula.errors import FabulaError, MissingExtraError, ParseError
from fabula.language.catalogue import codes, native
from fabula.world import WORLDS
from fabula.world.base import World, same_answer

WRONG = Kind("label-does-not-follow", Severity.ERROR, "The sentences of the story say something else than the label.")  # fmt: skip  # noqa: E501
MISSING = Kind("evidence-missing", Severity.ERROR, "The label does not follow from any sentences in the text.")  # fmt: skip  # noqa: E501
NAMED = Kind("haystack-names-evidence", Severity.WARNING, "The prose names somebody or something that the answer depends on.")  # fmt: skip  # noqa: E501
TWICE = Kind("evidence-repeated", Severity.NOTE, "A sentence that the answer follows from stands in the text more than once.")  # fmt: skip  # noqa: E501
COLUMNS = ("input", "question", "target")
ENDINGS = (".jsonl", ".json", ".csv", ".parquet")
LONGEST = 30  # maximum number of words in a sentence of a story
SHOWN = 40  # sentences of the story that a finding shows


class Row(NamedTuple):
    """One question with its long text."""

    place: str
    text: str
    question: str
    target: str


# --- reading ----------------------------------------------------------------------------------


def data_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files at the paths; a folder stands for the data files in it."""
    for path in paths:
        if not path.exists():
            raise FabulaError(f"{path}: no such file or folder.")
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.suffix in ENDINGS)
        if not files:
            raise FabulaError(f"{path}: no {', '.join(ENDINGS)} file in this folder.")
        yield from files


def _raw(path: Path) -> list[tuple[str, Any]]:
    """Place and content of every row of a file."""
    if path.suffix == ".jsonl":
        lines = ((f"{path}, line {number}", line) for number, line in lines_of(path))
        return [(place, parse_json(line, place)) for place, line in lines]
    if path.suffix == ".json":
        data = parse_json(path.read_bytes(), str(path))
        rows = data.items() if isinstance(data, dict) else enumerate(data)
        return [(f"{path}, row {key}", value) for key, value in rows]
    if path.suffix == ".csv":
        csv.field_size_limit(2**31 - 1)
        table = csv.DictReader(StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        return [(f"{path}, line {table.line_num}", row) for row in table]
    if path.suffix == ".parquet":
        try:
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError(
                "Parquet needs pyarrow: pip install 'fabula[parquet]'"
            ) from None
        found = parquet.read_table(path).to_pylist()
        return [(f"{path}, row {number}", row) for number, row in enumerate(found)]
    raise FabulaError(f"{path}: expected a file that ends in {', '.join(ENDINGS)}.")


def read(path: Path) -> list[Row]:
    """The rows of a file; FabulaError if it is not one of BABILong's."""
    rows = []
    for place, value in _raw(path):
        if not isinstance(value, Mapping):
            raise FabulaError(f"{place}: expected a table with the keys {', '.join(COLUMNS)}.")
        missing = [name for name in COLUMNS if not isinstance(value.get(name), str)]
        if missing:
            raise FabulaError(f"{place}: no text under {', '.join(missing)}. Is this BABILong?")
        rows.append(Row(place, *(value[name] for name in COLUMNS)))
    if not rows:
        raise FabulaError(f"{path}: no rows in this file.")
    return rows


def corrected(path: Path, changes: Sequence[Change]) -> str:
    """The rows of a file as JSON Lines or CSV, with entailed targets and without undecided rows."""
    by_place = {change.place: change for change in changes}
    kept = []
    for place, value in _raw(path):
        change = by_place.get(place)
        if change is None:
            kept.append(value)
        elif change.action == "label":
            kept.append({**value, "target": change.after})
    if path.suffix != ".csv":
        return "".join(orjson.dumps(value).decode() + "\n" for value in kept)
    out = StringIO()
    lines = csv.DictWriter(out, list(_raw(path)[0][1]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(kept)
    return out.getvalue()


# --- judging ----------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A question that a world understands."""

    world: World
    code: str
    query: tuple[str, ...]


def understood(question: str) -> Asked:
    """The world and query of a question; ParseError if no world can parse it."""
    for name, world in WORLDS.items():
        for code in codes(name):
            if native(code, name) != code:
                continue
            try:
                return Asked(world, code, world.parse_question(code, question.strip()))
            except ParseError:
                continue
    raise ParseError(f"no world understands the question {shown(question)}")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; of one that begins after a heading, also the part below it."""
    for part in re.split(r"(?<=[.!?])[\"'”’)\]]*\s+", text):
        lines = part.strip().split("\n")
        yield " ".join(line.strip() for line in lines)
        if len(lines) > 1:
            yield lines[-1].strip()


def audit_rows(
    path: Path,
    rows: Sequence[Row],
    keep: int = 20,
    progress: Callable[[int], None] = lambda n: None,
) -> Result:
    """The audit of a file."""
    result = Result(str(path), keep=keep)
    result.figures = {"story_sentences": 0, "other_sentences": 0}
    for row in rows:
        _audit_row(row, result)
        progress(1)
    if not result.figures["story_sentences"]:
        raise FabulaError(f"{path}: no sentence of a story is found in any text. Is this BABILong?")
    return result


def _audit_row(row: Row, result: Result) -> None:
    result.items += 1
    try:
        asked = understood(row.question)
    except ParseError as error:
        result.add(Finding(MISSING, row.place, f"{error}.", (), row.question, row.target))
        result.changes.append(Change(row.place, "removed", row.target, "", str(error)))
        return
    reading, told, prose = asked.world.read(asked.code, []), [], []
    for sentence in sentences(row.text):
        if sentence.count(" ") < LONGEST and sentence.endswith("."):
            try:
                reading.hear(sentence)
            except ParseError:
                pass
            else:
                told.append(sentence)
                continue
        prose.append(sentence)
    result.figures["story_sentences"] += len(told)
    result.figures["other_sentences"] += len(prose)
    found = reading.find(asked.query)
    label = tuple(word.strip() for word in row.target.split(","))
    story = tuple(told[-SHOWN:])
    if found is None:
        reason = f"'{row.target}' does not follow from the {len(told)} sentences found."
        result.add(Finding(MISSING, row.place, reason, story, row.question, row.target))
        result.changes.append(Change(row.place, "removed", row.target, "", "nothing is entailed"))
        return
    if not same_answer(asked.query, found.answer, label):
        said = ",".join(found.answer)
        reason = f"The text says '{said}', the label '{row.target}'."
        result.add(Finding(WRONG, row.place, reason, story, row.question, row.target, said))
        result.changes.append(Change(row.place, "label", row.target, said, "what the text entails"))
        return
    result.sound += 1
    support = [told[number - 1] for number in numbers_of(found.masks[0])] if found.masks else []
    twice = [sentence for sentence in support if told.count(sentence) > 1]
    if twice:
        reason = f"{shown(twice[0])} stands in the text {told.count(twice[0])} times."
        result.add(Finding(TWICE, row.place, reason, story, row.question, row.target))
    named = _named(support, row.question, prose)
    if named:
        name, sentence = named
        reason = f"The prose names '{name}' too: {shown(sentence)}."
        result.add(Finding(NAMED, row.place, reason, tuple(support), row.question, row.target))


def _named(support: Sequence[str], question: str, prose: Sequence[str]) -> tuple[str, str] | None:
    """A name in the evidence that the prose has too, with such a sentence."""
    words = re.findall(r"(?<![.?!] )(?<!^)\b[A-Z][a-z]+\b|^[A-Z][a-z]+\b", " ".join(support))
    names = {word for word in words if word not in ("The", "He", "She", "They", "Where", "Is")}
    if not names:
        return None
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    for sentence in prose:
        found = pattern.search(sentence)
        if found:
            return found[1], sentence
    return None
