"""Data sets as tables for a columnar engine: the basis of stats, leak and diff.

Promises:
1. Files are streamed, and data that do not fit in memory are spilled to disk.
2. Errors name the file and the line, as the readers of single records do.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from fabula.datasets.stored import opened, records_of
from fabula.errors import ParseError

if TYPE_CHECKING:
    import duckdb

MEMORY = "512MB"

COLUMNS = {
    "id": "VARCHAR",
    "story": "VARCHAR[]",
    "question": "VARCHAR",
    "answer": "VARCHAR[]",
    "choices": "VARCHAR[]",
    "support": "INTEGER[]",
    "supports": "INTEGER[][]",
    "facts": "JSON",
    "query": "VARCHAR[]",
    "composition": "VARCHAR[]",
    "roles": "VARCHAR[]",
    "signature": "VARCHAR",
    "features": "JSON",
    "provenance": "JSON",
}
"""The fields of a record as columns. Only those needed are read."""


@contextmanager
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A columnar engine with its own temporary folder on disk."""
    import duckdb

    folder = tempfile.mkdtemp(prefix="fabula-")
    connection = duckdb.connect(
        ":memory:", config={"memory_limit": MEMORY, "temp_directory": folder}
    )
    try:
        yield connection
    finally:
        connection.close()
        shutil.rmtree(folder, ignore_errors=True)


NEEDED = tuple(name for name in COLUMNS if name not in ("choices", "facts", "roles"))


def rows_of(file: Path, needed: Sequence[str] = NEEDED) -> str:
    """SQL for the records of a file; a missing field that is needed is an error."""
    place = _quoted(file)
    if file.suffix == ".parquet":
        names = ", ".join(f"{name}::{kind} AS {name}" for name, kind in COLUMNS.items())
        source = f"(SELECT {names} FROM read_parquet({place}))"
    else:
        kinds = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
        packed = "gzip" if file.suffix == ".gz" else "none"
        source = (
            f"read_json({place}, format='newline_delimited', compression='{packed}', "
            f"columns={{{kinds}}})"
        )
    lacking = " OR ".join(f"{name} IS NULL" for name in needed)
    return (
        f"(SELECT * FROM {source} "
        f"WHERE CASE WHEN {lacking} THEN error('a field is missing') ELSE true END)"
    )


def _quoted(file: Path) -> str:
    """A path quoted for SQL, with wildcards and a leading '~' escaped."""
    text = "".join(f"[{c}]" if c in "*?[" else c for c in str(file.absolute()))
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def blaming(file: Path) -> Iterator[None]:
    """Turn the engine's errors about a file into ours, with the place."""
    import duckdb

    try:
        if file.suffix != ".parquet" and _cut_off(file):
            raise duckdb.Error("the last line is incomplete")  # the engine would skip it
        yield
    except duckdb.Error as error:
        for _ in records_of(file):  # reports which record is wrong, and how
            pass
        told = str(error).splitlines()[0]
        raise ParseError(f"{file}: a field has the wrong type: {told}.") from None


def _cut_off(file: Path) -> bool:
    """Whether a JSONL file ends in the middle of a record."""
    with opened(file) as content:
        if file.suffix != ".gz":
            end = content.seek(0, os.SEEK_END)
            content.seek(max(0, end - 1))
            if content.read(1) in (b"", b"\n"):
                return False
            content.seek(0)
        last = next(iter(deque(content, maxlen=1)), b"\n")
    if last.endswith(b"\n"):
        return False
    try:
        orjson.loads(last)
    except orjson.JSONDecodeError:
        return True
    return False
