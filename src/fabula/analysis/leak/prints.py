"""The hashes of a data set by measure, in a table of the columnar engine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fabula.analysis.leak.items import TAKE, files_of, items_of, ours
from fabula.analysis.tables import blaming, rows_of

if TYPE_CHECKING:
    import duckdb

MEASURES = tuple(TAKE)
BATCH = 5_000

_JOINED = "array_to_string(list_append({}, question), chr(31))"
_SUPPORT = "list_transform(support, lambda n: story[n])"
_PROOF = _JOINED.format(f"list_sort(list_distinct({_SUPPORT}))")
AS_SQL = {
    "text": _JOINED.format("story"),
    "order": _JOINED.format("list_sort(story)"),
    "proof": f"IF(len(support) > 0, {_PROOF}, NULL)",
    "signature": "signature",
    "facts": "NULL::VARCHAR",
    "canonical": "NULL::VARCHAR",
}
"""The measures of items.TAKE over records as columns; facts on a grid cannot be computed this
way.
"""

_HASHED = ", ".join(f'IF("{m}" IS NULL, NULL, hash("{m}"))' for m in MEASURES)

ON_A_GRID = "query[1] = 'relation' AND provenance->>'world' = 'space'"


class Counted(NamedTuple):
    """The number of items that could be measured, and of those that equal an earlier one."""

    items: int
    repeated: int


class Prints:
    """The hashes of one data set, a row for each item, in the order of the files."""

    def __init__(
        self, tables: duckdb.DuckDBPyConnection, name: str, paths: Path | Iterable[Path]
    ) -> None:
        self._tables, self._name = tables, name
        columns = ", ".join(f'"{measure}" UBIGINT' for measure in MEASURES)
        tables.execute(f"CREATE TABLE {name} (place VARCHAR, {columns})")
        for file in files_of(paths):
            if ours(file) and not self._grid(file):
                self._add_table(file)
            else:
                self._add_items(file)
        self.items = int(self._one(f"SELECT count(*) FROM {name}")[0])

    def _one(self, query: str) -> tuple[Any, ...]:
        (row,) = self._tables.execute(query).fetchall()
        return tuple(row)

    def _grid(self, file: Path) -> bool:
        """Whether the file has anything on a grid, where facts are compared too."""
        with blaming(file):
            found = f"SELECT count(*) FROM (FROM {rows_of(file)} WHERE {ON_A_GRID} LIMIT 1)"
            return bool(self._one(found)[0])

    def _add_table(self, file: Path) -> None:
        taken = ", ".join(f'{content} AS "{measure}"' for measure, content in AS_SQL.items())
        rows = f"(SELECT id, {taken} FROM {rows_of(file)})"
        with blaming(file):
            self._tables.execute(f"INSERT INTO {self._name} SELECT id, {_HASHED} FROM {rows}")

    def _add_items(self, file: Path) -> None:
        import pyarrow as pa

        columns = ["place", *MEASURES]
        kinds = pa.schema([(column, pa.string()) for column in columns])
        found = items_of(file)
        while batch := list(islice(found, BATCH)):
            rows = [
                {"place": item.place, **{m: take(item) for m, take in TAKE.items()}}
                for item in batch
            ]
            self._tables.register("batch", pa.Table.from_pylist(rows, kinds))
            self._tables.execute(f"INSERT INTO {self._name} SELECT place, {_HASHED} FROM batch")
            self._tables.unregister("batch")

    def repeats(self, measure: str) -> Counted:
        """How often the data set repeats itself."""
        items, different = self._one(
            f"SELECT coalesce(sum(n), 0)::BIGINT, count(*) FROM (SELECT count(*) AS n "
            f'FROM {self._name} WHERE "{measure}" IS NOT NULL GROUP BY "{measure}")'
        )
        return Counted(items, items - different)

    def first_repeat(self, measure: str) -> str:
        """The place of the first item that equals an earlier one; empty if there is none."""
        found = self._tables.execute(
            f'SELECT place FROM {self._name} AS t JOIN (SELECT "{measure}" AS h, min(rowid) AS '
            f'first FROM {self._name} WHERE "{measure}" IS NOT NULL GROUP BY 1 '
            f'HAVING count(*) > 1) ON t."{measure}" = h AND t.rowid > first '
            "ORDER BY t.rowid LIMIT 1"
        ).fetchall()
        return str(found[0][0]) if found else ""

    def seen_in(self, other: Prints, measure: str) -> tuple[int, str]:
        """The number of items that equal one of another data set, and the place of the first."""
        count, place = self._one(
            f"SELECT count(*), arg_min(place, rowid) FROM {self._name} "
            f'WHERE "{measure}" IN (SELECT "{measure}" FROM {other._name} '
            f'WHERE "{measure}" IS NOT NULL)'
        )
        return int(count), str(place or "")
