"""JSONL: one JSON record per line, with all fields; optionally gzipped. Nothing is lost."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format, Sink
from fabula.generation.author import Author, Passage


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([record.to_json() + b"\n" for record in records])


def _quick(author: Author, passage: Passage) -> bytes:
    dumps, newline = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    return b"".join([dumps(fields, option=newline) for fields in author.fields(passage)])


FORMAT = Format(
    "jsonl",
    "one JSON record per line, with all fields",
    _lines,
    quick=_quick,
    numbered=True,
    loader="json",
)


@dataclass(frozen=True)
class _Gzipped(Format):
    def sink(self, file: BinaryIO) -> Sink:
        return _Packed(file)


class _Packed:
    """A gzipped file without name and time in its header, so that the same records give the same
    bytes.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._packed = gzip.GzipFile("", "wb", 6, file, mtime=0)

    def add(self, piece: bytes) -> None:
        self._packed.write(piece)

    def close(self) -> None:
        self._packed.close()


GZIPPED = _Gzipped(
    "jsonl.gz",
    "gzipped JSONL: a fifth of the size",
    _lines,
    quick=_quick,
    numbered=True,
    loader="json",
)
