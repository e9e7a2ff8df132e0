"""Differences between two data sets: how they were generated, their records, their statistics.

Promises:
1. Records are compared by id, field by field, by a columnar engine: size does not matter. Files
   without ids (bAbI text) are compared by story and question instead.
2. Nothing is reported as identical that was not compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.analysis.leak import leak
from fabula.analysis.leak.items import files_of, ours
from fabula.analysis.stats import Summary, summarise
from fabula.analysis.tables import COLUMNS, blaming, engine, rows_of
from fabula.core.files import parse_json
from fabula.datasets.engines.store import MANIFEST
from fabula.errors import ParseError

if TYPE_CHECKING:
    import duckdb

MADE = ("recipe", "recipe_digest", "version", "seed", "format", "shard_size")
FIELDS = tuple(name for name in COLUMNS if name not in ("id", "provenance"))
NOTICED = 0.005  # smaller changes of a fraction are not reported


@dataclass
class Difference:
    """The differences of a second data set from a first."""

    made: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Keys of manifest and recipe: before and after."""
    by: str = "id"
    """How records were matched: by id, or by story and question if there are no ids."""
    same: int = 0
    changed: int = 0
    """Number of records in both with different content."""
    fields: dict[str, int] = field(default_factory=dict)
    """Field to the number of records in which it changed."""
    example: str = ""
    """Id of the first changed record."""
    gone: int = 0
    added: int = 0
    figures: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Statistics of the whole: before and after."""

    @property
    def none(self) -> bool:
        """Whether the records do not differ."""
        return not (self.changed or self.gone or self.added)

    def to_dict(self) -> dict[str, Any]:
        """The difference as JSON data."""
        return {**asdict(self), "identical_records": self.none}


def diff(before: Path, after: Path) -> Difference:
    """The differences between two data sets, each a file or a folder."""
    found = Difference(made=_made(before, after))
    files = [list(files_of(path)) for path in (before, after)]
    if all(ours(file) for side in files for file in side):
        with engine() as tables:
            for name, side in zip(("a", "b"), files, strict=True):
                _load(tables, name, side)
            _compare(tables, found)
    else:
        found.by = "story and question"
        there, back = (leak(*pair).measures["text"] for pair in ((before, after), (after, before)))
        found.same, found.added = there.seen, there.test - there.seen
        found.gone = back.test - back.seen
    found.figures = _figures(summarise([before]), summarise([after]))
    return found


def _made(before: Path, after: Path) -> dict[str, tuple[Any, Any]]:
    one, two = (_manifest(path) for path in (before, after))
    if not one or not two:
        return {}
    found = {key: (one.get(key), two.get(key)) for key in MADE if one.get(key) != two.get(key)}
    first, second = (dict(_flat(manifest.get("content", {}))) for manifest in (one, two))
    for key in sorted({*first, *second}):
        if first.get(key) != second.get(key) and key != "id":
            found[f"recipe: {key}"] = (first.get(key), second.get(key))
    return found


def _manifest(path: Path) -> dict[str, Any]:
    file = (path if path.is_dir() else path.parent) / MANIFEST
    try:
        found = parse_json(file.read_bytes(), str(file))
    except (OSError, ParseError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("content", {}), dict) else {}


def _flat(content: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested tables as dotted keys."""
    found = []
    for key, value in content.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, value))
    return found


def _load(tables: duckdb.DuckDBPyConnection, name: str, files: list[Path]) -> None:
    """A table with the hash of every field of every record."""
    columns = ", ".join(f'"{each}" UBIGINT' for each in FIELDS)
    tables.execute(f"CREATE TABLE {name} (id VARCHAR, {columns})")
    hashes = ", ".join(f'hash("{each}")' for each in FIELDS)
    for file in files:
        with blaming(file):
            tables.execute(f"INSERT INTO {name} SELECT id, {hashes} FROM {rows_of(file)}")


def _compare(tables: duckdb.DuckDBPyConnection, found: Difference) -> None:
    other = {each: f'(a."{each}" IS DISTINCT FROM b."{each}")' for each in FIELDS}
    anything = " OR ".join(other.values())
    counts = ", ".join(f"count(*) FILTER ({test})" for test in other.values())
    (row,) = tables.execute(
        f"SELECT count(*), count(*) FILTER ({anything}), "
        f"arg_min(id, a.rowid) FILTER ({anything}), {counts} FROM a JOIN b USING (id)"
    ).fetchall()
    both, found.changed, example, *each = row
    found.same = both - found.changed
    found.example = example or ""
    found.fields = {name: count for name, count in zip(FIELDS, each, strict=True) if count}
    for attribute, one, two in (("gone", "a", "b"), ("added", "b", "a")):
        (row,) = tables.execute(
            f"SELECT count(*) FROM {one} WHERE id NOT IN (SELECT id FROM {two})"
        ).fetchall()
        setattr(found, attribute, row[0])


def _figures(before: Summary, after: Summary) -> dict[str, tuple[Any, Any]]:
    one, two = before.to_dict(), after.to_dict()
    plain = ("instances", "mean_sentences", "mean_words", "mean_support_size", "defects")
    found = {key: (one[key], two[key]) for key in plain if one[key] != two[key]}
    for counts in ("kinds", "answers", "support_sizes", "compositions"):
        for key in {**one[counts], **two[counts]}:
            shares = [round(side[counts].get(key, 0) / side["instances"], 4) for side in (one, two)]
            if abs(shares[0] - shares[1]) >= NOTICED:
                found[f"{counts}: {key}"] = (shares[0], shares[1])
    return found
