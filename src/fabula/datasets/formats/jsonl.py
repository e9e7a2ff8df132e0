"""JSONL: one JSON record a line, with all fields. The format that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from fabula.core.files import lines_of
from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.generation.author import Author, Passage


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([record.to_json() + b"\n" for record in records])


def _quick(author: Author, passage: Passage) -> bytes:
    dumps, newline = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    return b"".join([dumps(fields, option=newline) for fields in author.fields(passage)])


def read(path: Path) -> Iterator[Instance]:
    """The records of a file."""
    for number, line in lines_of(path):
        yield Instance.from_json(line, f"{path}, line {number}")


FORMAT = Format(
    "jsonl",
    "one JSON record a line, with all fields",
    _lines,
    quick=_quick,
    numbered=True,
    loader="json",
    read=read,
)
