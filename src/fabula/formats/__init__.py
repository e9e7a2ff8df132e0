"""Formats: how a passage is written and read. One small module each behind one interface.

A format writes a *passage* (a story with its questions), so that formats which keep the questions
of a story together and formats with one record per question are served alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from fabula.errors import FabulaError, hint
from fabula.formats import babi, clutrr_csv, stepgame
from fabula.generate import Author, Passage
from fabula.instance import Instance


class Format(NamedTuple):
    """One way to write a data set."""

    file: str
    """Name of the file of a split, e.g. '{split}.txt'."""
    render: Callable[[Author, Passage], bytes]
    about: str
    header: bytes = b""
    """What the file begins with."""


def _records(author: Author, passage: Passage) -> list[Instance]:
    return [
        author.record(passage, asked, passage.first + turn)
        for turn, asked in enumerate(passage.asked)
    ]


def _jsonl(author: Author, passage: Passage) -> bytes:
    return b"".join([record.to_json() + b"\n" for record in _records(author, passage)])


def _stepgame(author: Author, passage: Passage) -> bytes:
    return "".join(stepgame.jsonl_text(_records(author, passage))).encode()


def _clutrr(author: Author, passage: Passage) -> bytes:
    return clutrr_csv.rows(_records(author, passage), start=passage.first).encode()


def _babi(author: Author, passage: Passage) -> bytes:
    blank = author.recipe.blank_before_tab
    questions = [
        babi.Question(asked.position, asked.question, ",".join(asked.answer), asked.support, blank)
        for asked in passage.asked
    ]
    # what was told after the last question belongs to questions that were cut off
    end = passage.asked[-1].position
    return babi.text(passage.tale.sentences[:end], questions).encode()


def _clutrr_hub(author: Author, passage: Passage) -> bytes:
    records = _records(author, passage)
    return clutrr_csv.rows(records, hub=True, start=passage.first).encode()


FORMATS: dict[str, Format] = {
    "jsonl": Format("{split}-00000-of-00001.jsonl", _jsonl, "one JSON record a line, all fields"),
    "babi": Format("{split}.txt", _babi, "bAbI text, as published loaders read it"),
    "stepgame": Format("{split}.jsonl", _stepgame, "StepGame's JSON lines, as on the hub"),
    "clutrr": Format(
        "{split}.csv", _clutrr, "CLUTRR's table of 17 columns", clutrr_csv.header().encode()
    ),
    "clutrr-hub": Format(
        "{split}.csv",
        _clutrr_hub,
        "the 14 columns of CLUTRR's copy on the hub",
        clutrr_csv.header(hub=True).encode(),
    ),
}


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise FabulaError(f"unknown format '{name}'.{hint(name, FORMATS)}")
    return FORMATS[name]


def read_jsonl(path: Path) -> Iterator[Instance]:
    """The records of a JSONL file."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield Instance.from_json(line, f"{path}, line {number}")


def data_files(path: Path, pattern: str = "*.jsonl") -> list[Path]:
    """The data files a path names: itself, or those in the folder."""
    if path.is_file():
        return [path]
    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    found = sorted(path.glob(pattern))
    if not found:
        raise FabulaError(f"{path}: no {pattern} file in this folder.")
    return found
