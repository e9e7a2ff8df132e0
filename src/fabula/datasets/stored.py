"""The one reader of data sets: a folder, a file or a URL, in any format that keeps whole records.

Promises:
1. Whatever `generate` writes as records is read: JSONL, gzipped JSONL, Parquet; one file or shards;
   with a manifest or without; on disk or wherever fsspec reaches.
2. Records can be read in order without holding them, and any one without reading those before it.
3. Every message names the file and the line or row.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from weakref import finalize

from fabula.core.instance import FIELDS, Instance
from fabula.errors import FabulaError, MissingFileError, ParseError, hint

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
SHARD = re.compile(r"(?P<split>.+?)(?:-\d{5}-of-\d{5})?(?:\.jsonl|\.jsonl\.gz|\.parquet)")


class Place(NamedTuple):
    """A folder or file, local or remote."""

    text: str
    fs: Any
    path: str

    @classmethod
    def at(cls, place: str | Path) -> Place:
        """The place that a path or URL names."""
        import fsspec

        text = str(place)
        try:
            fs, path = fsspec.core.url_to_fs(text)
        except (ImportError, ValueError) as error:
            raise FabulaError(f"{text}: {str(error).rstrip('.')}.") from None
        return cls(text, fs, path)

    def name(self, path: str) -> str:
        """How a file of this place is named in messages."""
        inside = path.removeprefix(self.path).lstrip("/")
        return f"{self.text.rstrip('/')}/{inside}" if inside else self.text


def splits_of(place: str | Path) -> dict[str, list[str]]:
    """The files of each split of a data set, in order."""
    where = Place.at(place)
    if where.fs.isfile(where.path):
        return {split_named(where.path): [where.path]}
    if not where.fs.isdir(where.path):
        raise MissingFileError(f"{where.text}: no such file or folder.")
    found: dict[str, list[str]] = {}
    names = sorted(path for path in where.fs.find(where.path, maxdepth=2) if _is_data(path))
    for ending in ENDINGS:  # a folder holds one format; the one that keeps most comes first
        for path in names:
            if path.endswith(ending):
                found.setdefault(split_named(path), []).append(path)
        if found:
            return found
    raise MissingFileError(
        f"{where.text}: no data set here (no {', '.join(ENDINGS)} file). Generate one with "
        "--format jsonl or --format parquet."
    )


def is_data(source: str | Path) -> bool:
    """Whether a name means data that were written, and not a recipe."""
    text = str(source)
    return "://" in text or text.endswith(ENDINGS) or Path(text).is_dir()


def _is_data(path: str) -> bool:
    name = path.rpartition("/")[2]
    hidden = any(part.startswith(".") for part in path.split("/")[-2:])
    return name.endswith(ENDINGS) and not hidden


def split_named(path: str) -> str:
    """The split that a file holds, by its name."""
    match = SHARD.fullmatch(path.rpartition("/")[2])
    return match["split"] if match else path.rpartition("/")[2].partition(".")[0]


class Stored:
    """The records of one split of a data set."""

    def __init__(self, place: str | Path, split: str | None = None) -> None:
        self.place = str(place)
        splits = splits_of(self.place)
        if split is None:
            split = "train" if "train" in splits else next(iter(splits))
        if split not in splits:
            raise FabulaError(f"{self.place}: no split '{split}'.{hint(split, splits)}")
        self.split = split
        self.files = splits[split]

    def __getstate__(self) -> dict[str, Any]:
        return {"place": self.place, "split": self.split, "files": self.files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"{self.place} ({self.split})"

    @cached_property
    def _shards(self) -> list[_Jsonl | _Parquet]:
        where = Place.at(self.place)
        return [
            _Parquet(where, path) if path.endswith(".parquet") else _Jsonl(where, path)
            for path in self.files
        ]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(shard.size for shard in self._shards)]

    @property
    def size(self) -> int:
        """How many records there are."""
        return self._starts[-1]

    def get(self, index: int) -> Instance:
        """The record at this position."""
        shard = bisect_right(self._starts, index) - 1
        return self._shards[shard].get(index - self._starts[shard])

    def scan(self, start: int = 0, stop: int | None = None) -> Iterator[Instance]:
        """The records from start to stop, in order."""
        if start == 0 and stop is None:  # without counting them first
            for shard in self._shards:
                yield from shard.scan(0)
            return
        stop = self.size if stop is None else stop
        for shard, first in zip(self._shards, self._starts, strict=False):
            low, high = max(start - first, 0), min(stop - first, shard.size)
            if low < high:
                yield from shard.scan(low, high)


class _Jsonl:
    """A file with a record in each line."""

    def __init__(self, where: Place, path: str) -> None:
        self._where, self._path = where, path
        self._name = where.name(path)
        self._file: BinaryIO | None = None

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        try:
            with self._where.fs.open(self._path, "rb") as raw:
                if not self._path.endswith(".gz"):
                    yield raw
                    return
                with gzip.open(raw) as file:
                    yield file  # type: ignore[misc]  # a binary file in all but its type
        except (EOFError, gzip.BadGzipFile) as error:
            raise ParseError(f"{self._name}: damaged gzip file: {error}.") from None
        except FileNotFoundError:
            raise MissingFileError(f"{self._name}: no such file.") from None
        except OSError as error:
            raise FabulaError(f"{self._name}: cannot read: {error.strerror or error}.") from None

    @cached_property
    def _lines(self) -> tuple[array[int], array[int]]:
        """Offset and number of every line that is not blank."""
        offsets, numbers, at = array("Q"), array("Q"), 0
        with self._open() as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    offsets.append(at)
                    numbers.append(number)
                at += len(line)
        return offsets, numbers

    @property
    def size(self) -> int:
        return len(self._lines[0])

    def get(self, index: int) -> Instance:
        offsets, numbers = self._lines
        if self._file is None:
            self._file = self._seekable()
            finalize(self, self._file.close)
        self._file.seek(offsets[index])
        return Instance.from_json(self._file.readline(), f"{self._name}, line {numbers[index]}")

    def _seekable(self) -> BinaryIO:
        """The open file; a gzipped one is unpacked into a temporary file."""
        if not self._path.endswith(".gz"):
            return self._where.fs.open(self._path, "rb")  # type: ignore[no-any-return]
        plain = tempfile.TemporaryFile()  # noqa: SIM115  open as long as this shard is used
        with self._open() as packed:
            shutil.copyfileobj(packed, plain)
        return plain

    def scan(self, start: int, stop: int | None = None) -> Iterator[Instance]:
        count = 0
        with self._open() as file:
            if start:
                offsets, numbers = self._lines
                file.seek(offsets[start], io.SEEK_SET)
                first = numbers[start]
            else:
                first = 1
            for number, line in enumerate(file, first):
                if stop is not None and count >= stop - start:
                    return
                if not line.isspace():
                    yield Instance.from_json(line, f"{self._name}, line {number}")
                    count += 1


class _Parquet:
    """A table with a record in each row."""

    def __init__(self, where: Place, path: str) -> None:
        self._where, self._path = where, path
        self._name = where.name(path)
        self._held: tuple[int, pa.Table] | None = None

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        import pyarrow as pa

        from fabula.datasets.formats.parquet import unreadable

        try:
            yield
        except FileNotFoundError:
            raise MissingFileError(f"{self._name}: no such file.") from None
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, ParseError):
                raise
            raise unreadable(self._name, error) from None

    @cached_property
    def _table(self) -> Any:
        import pyarrow.parquet as pq

        with self._blaming():
            raw = self._where.fs.open(self._path, "rb")
            finalize(self, raw.close)
            file = pq.ParquetFile(raw)
            missing = [name for name in FIELDS if name not in file.schema_arrow.names]
            if missing:
                raise ParseError(f"{self._name}: columns are missing: {', '.join(missing)}.")
            return file

    @cached_property
    def _starts(self) -> list[int]:
        groups = self._table.metadata
        sizes = [groups.row_group(n).num_rows for n in range(groups.num_row_groups)]
        return [0, *accumulate(sizes)]

    @property
    def size(self) -> int:
        return self._starts[-1]

    def _group(self, number: int) -> pa.Table:
        if self._held is None or self._held[0] != number:
            with self._blaming():
                self._held = number, self._table.read_row_group(number, columns=list(FIELDS))
        return self._held[1]

    def get(self, index: int) -> Instance:
        number = bisect_right(self._starts, index) - 1
        rows = self._group(number).slice(index - self._starts[number], 1)
        return next(self._records(rows, index))

    def scan(self, start: int, stop: int | None = None) -> Iterator[Instance]:
        stop = self.size if stop is None else stop
        for number, first in enumerate(self._starts[:-1]):
            low, high = max(start, first), min(stop, self._starts[number + 1])
            for at in range(low, high, 1_000):
                rows = self._group(number).slice(at - first, min(1_000, high - at))
                yield from self._records(rows, at)

    def _records(self, rows: pa.Table, first: int) -> Iterator[Instance]:
        from fabula.datasets.formats.parquet import record

        with self._blaming():
            found = rows.to_pylist()
        for number, row in enumerate(found, first + 1):
            yield record(row, f"{self._name}, row {number}")
