"""Parquet: a table with a row for each record, in the folders that the `datasets` library loads.

Promises:
1. Every column has a type that is the same for all worlds: sentences, answers and supports are
   typed lists; open-ended fields (facts, features, provenance) are JSON strings.
2. Nothing is lost: `record` restores the record of a row exactly.
3. Memory is bounded by a row group. Groups are cut by content, so the same records give the same
   bytes however they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from fabula.core.instance import EXTRAS, FIELDS, Instance
from fabula.core.soundness import shown
from fabula.datasets.formats.base import Format, Sink
from fabula.errors import ParseError
from fabula.generation.author import Author, Passage

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 10_000
GROUP_BYTES = 32_000_000
AS_JSON = ("facts", "features", "provenance", "extras")
OPTIONAL = ("pair", "variant", "extras")
"""Columns that are null for most records, and missing in files of earlier versions."""

UNREPEATED = ("id", "supports", "support", "pair", *AS_JSON)
"""Columns whose values hardly recur, so that a dictionary of them does not pay."""

TYPES = {
    "id": "string",
    "story": "list<string>",
    "question": "string",
    "answer": "list<string>",
    "choices": "list<string>",
    "support": "list<int32>",
    "supports": "list<list<int32>>",
    "facts": "string",
    "query": "list<string>",
    "composition": "list<string>",
    "roles": "list<string>",
    "features": "string",
    "signature": "string",
    "provenance": "string",
    "pair": "string",
    "variant": "string",
    "extras": "string",
}
"""Column to type, in the order of the record."""


@cache
def schema() -> pa.Schema:
    """The columns and their types."""
    import pyarrow as pa

    known = {
        "string": pa.string(),
        "list<string>": pa.list_(pa.string()),
        "list<int32>": pa.list_(pa.int32()),
        "list<list<int32>>": pa.list_(pa.list_(pa.int32())),
    }
    return pa.schema([(name, known[kind]) for name, kind in TYPES.items()])


def batch(records: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """The fields of records as columns."""
    import pyarrow as pa

    columns = []
    rows = [row(record) for record in records]
    for name, kind in zip(TYPES, schema().types, strict=True):
        values: list[Any] = [record[name] for record in rows]
        if name in AS_JSON:
            values = [None if value is None else orjson.dumps(value) for value in values]
        columns.append(pa.array(values, kind))
    return pa.RecordBatch.from_arrays(columns, schema=schema())


def row(record: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a record: its fields, and those that few records have in one table."""
    extras = {name: record[name] for name in EXTRAS[2:] if name in record}
    return {
        **{name: record[name] for name in FIELDS},
        "pair": record.get("pair"),
        "variant": record.get("variant"),
        "extras": extras or None,
    }


@dataclass(frozen=True)
class _Parquet(Format):
    def piece(self, author: Author, passages: Iterable[Passage]) -> pa.RecordBatch:
        return batch([fields for passage in passages for fields in author.fields(passage)])

    def sink(self, file: BinaryIO) -> Sink:
        return _Table(file)


class _Table:
    """A Parquet file being written: pieces are collected into row groups."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow.parquet as pq

        # no statistics: nobody queries the smallest story; dictionaries only where values recur
        self._writer = pq.ParquetWriter(
            file,
            schema(),
            compression="zstd",
            use_dictionary=[
                f"{name}.list.element" if kind.startswith("list<s") else name
                for name, kind in TYPES.items()
                if name not in UNREPEATED
            ],
            write_statistics=False,
        )
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def add(self, piece: pa.RecordBatch) -> None:
        self._held.append(piece)
        self._rows += piece.num_rows
        self._bytes += piece.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._held:
            table = pa.Table.from_batches(self._held)
            self._writer.write_table(table, row_group_size=table.num_rows)
        self._held, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        self._flush()
        self._writer.close()


def record(row: dict[str, Any], place: str) -> Instance:
    """The record in a row of the table."""
    for name in AS_JSON:
        if name in OPTIONAL and row.get(name) is None:
            continue
        try:
            row[name] = orjson.loads(row[name])
        except (orjson.JSONDecodeError, TypeError):
            raise ParseError(
                f"{place}, field '{name}': expected JSON, found {shown(row[name])}."
            ) from None
    more = row.pop("extras", None)
    if more is not None:
        if not isinstance(more, dict):
            raise ParseError(f"{place}, field 'extras': expected a table, found {shown(more)}.")
        row = {**more, **row}
    return Instance.from_fields(
        {k: v for k, v in row.items() if k in FIELDS or v is not None}, place
    )


def unreadable(path: Path | str, error: Exception) -> ParseError:
    """The error for a damaged file, in one line."""
    said = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    return ParseError(f"{path}: damaged, or not a Parquet file: {said}. Generate or copy it again.")


FORMAT = _Parquet(
    "parquet",
    "a typed table (zstd) that datasets.load_dataset reads",
    numbered=True,
    in_folder=True,
    loader="parquet",
)
