"""The one reader of data sets: a folder, a file or a URL, in any format that keeps whole records.

Promises:
1. All records that `generate` writes can be read: JSONL, gzipped JSONL, Parquet; one file or
   shards; with or without a manifest; on disk or anywhere that fsspec reaches. A format of another
   package is read by its own `read`.
2. Records can be read in order without holding them in memory, and any one without reading those
   before it.
3. Every message names the file and the line or row.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import tempfile
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import file_digest
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol
from weakref import finalize

from fabula.core.files import is_file, lines_in
from fabula.core.instance import FIELDS, Instance
from fabula.datasets.formats import FORMATS
from fabula.errors import FabulaError, MissingFileError, ParseError, hint

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")


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
        # '::' and '~' have no special meaning in a path
        if isinstance(place, Path) or "://" not in text:
            from fsspec.implementations.local import LocalFileSystem

            return cls(text, LocalFileSystem(), Path(os.path.abspath(text)).as_posix())
        try:
            fs, path = fsspec.core.url_to_fs(text)
        except (ImportError, ValueError) as error:
            raise FabulaError(f"{text}: {str(error).rstrip('.')}.") from None
        return cls(text, fs, path)

    def inside(self, path: str) -> str:
        """The path of one of its files relative to this place; empty for the place itself."""
        return path.removeprefix(self.path).lstrip("/")

    def name(self, path: str) -> str:
        """The name of one of its files in messages."""
        inside = self.inside(path)
        return f"{self.text.rstrip('/')}/{inside}" if inside else self.text

    def files(self, *endings: str) -> list[str]:
        """The data files here: itself, or those of a folder and its subfolders.

        A folder holds one format: the first of these extensions that occurs, or else that of a
        plug-in.
        """
        if self.fs.isfile(self.path):
            return [self.path]
        if not self.fs.isdir(self.path):
            raise MissingFileError(f"{self.text}: no such file or folder.")
        found = [
            path
            for path in sorted(self.fs.find(self.path, maxdepth=2))
            if not any(part.startswith(".") for part in self.inside(path).split("/"))
            and not path.endswith("/manifest.json")
        ]
        for ending in chain(endings, _endings_of_plugins()):
            fitting = [path for path in found if path.endswith(ending)]
            for depth in (0, 1):
                if at := [path for path in fitting if self.inside(path).count("/") == depth]:
                    return at
        *known, last = endings
        raise MissingFileError(
            f"{self.text}: no data set here (no {', '.join(known)}{' or ' * bool(known)}{last} "
            "file in this folder). Make one: fabula generate RECIPE --out DIR"
        )


def splits_of(place: str | Path) -> dict[str, list[str]]:
    """The files of each split of a data set, in order."""
    found: dict[str, list[str]] = {}
    for path in Place.at(place).files(*ENDINGS):
        found.setdefault(split_of(path), []).append(path)
    return found


def data_files(path: Path, *endings: str) -> list[Path]:
    """The data files on disk at a path; in a folder, those with the first extension that occurs.

    Without extensions, files of records.
    """
    if path.is_file():
        return [path]
    where = Place.at(path)
    return [path / where.inside(file) for file in where.files(*(endings or ENDINGS))]


def is_data(source: str | Path) -> bool:
    """Whether a name refers to stored data, and not to a recipe."""
    text = str(source)
    if "://" in text or text.endswith(ENDINGS) or Path(text).is_dir():
        return True
    if text.endswith(".toml") or not is_file(Path(text)):
        return False
    return text.endswith(tuple(_endings_of_plugins()))


def stem_of(path: str | Path) -> str:
    """The name of a file without folder and extension."""
    name = str(path).replace(os.sep, "/").rpartition("/")[2]
    ending = max((e for e in ENDINGS if name.endswith(e)), key=len, default="")
    return name.removesuffix(ending) if ending else name.partition(".")[0]


def split_of(path: str | Path) -> str:
    """The split that a file belongs to: its name without the shard number."""
    return _SHARD.sub("", stem_of(path))


def digests(place: str | Path) -> list[list[str]]:
    """The name and SHA-256 of every data file."""
    where, found = Place.at(place), []
    for path in where.files(*ENDINGS):
        with where.fs.open(path, "rb") as file:
            found.append(
                [
                    where.inside(path) or path.rpartition("/")[2],
                    file_digest(file, "sha256").hexdigest(),
                ]
            )
    return found


# --- one file -----------------------------------------------------------------------------------


class _Shard(Protocol):
    """The records of one file."""

    @property
    def size(self) -> int: ...
    def get(self, index: int) -> Instance: ...
    def scan(self, start: int, stop: int | None = None) -> Iterator[Instance]: ...


def _shard(where: Place, path: str) -> _Shard:
    if path.endswith(".parquet"):
        return _Parquet(where, path)
    if not path.endswith(ENDINGS):
        for ending, read in _plugin_readers():
            if path.endswith(ending):
                return _Foreign(path, read)
    return _Jsonl(where, path)


def records_of(file: Path) -> Iterator[Instance]:
    """The records of one file on disk, in order."""
    where = Place.at(file)
    return _shard(where, where.path).scan(0)


def count_of(file: Path) -> int:
    """The number of records in a file on disk."""
    where = Place.at(file)
    return _shard(where, where.path).size


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """A file on disk, unpacked if it is gzipped."""
    where = Place.at(file)
    with _Jsonl(where, where.path).open() as content:
        yield content


Read = Callable[[Path], Iterable[Instance]]


def _plugin_readers() -> Iterator[tuple[str, Read]]:
    """Readers of formats of other packages, with their file extensions."""
    for name in FORMATS.plugins:
        with suppress(FabulaError):  # a broken plug-in must not affect other data
            style = FORMATS[name]
            if style.read is not None:
                yield f".{style.ending}", style.read


def _endings_of_plugins() -> Iterator[str]:
    return (ending for ending, _ in _plugin_readers())


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
    def _shards(self) -> list[_Shard]:
        where = Place.at(self.place)
        return [_shard(where, path) for path in self.files]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(shard.size for shard in self._shards)]

    @property
    def size(self) -> int:
        """The number of records."""
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
    """A file with one record per line."""

    def __init__(self, where: Place, path: str) -> None:
        self._where, self._path = where, path
        self._name = where.name(path)
        self._file: BinaryIO | None = None

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The lines, unpacked if they are gzipped."""
        try:
            with self._where.fs.open(self._path, "rb") as raw:
                if not self._path.endswith(".gz"):
                    yield raw
                    return
                with gzip.open(raw) as file:
                    yield file  # type: ignore[misc]  # a binary file in all but its type
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ParseError(
                f"{self._name}: damaged gzip file: {str(error).rstrip('.')}. Generate or copy it "
                "again."
            ) from None
        except FileNotFoundError:
            raise MissingFileError(f"{self._name}: no such file.") from None
        except OSError as error:
            raise FabulaError(f"{self._name}: cannot be read: {error.strerror or error}.") from None

    @cached_property
    def _lines(self) -> tuple[array[int], array[int]]:
        """Offset and number of every non-blank line."""
        offsets, numbers, at = array("Q"), array("Q"), 0
        with self.open() as file:
            for number, line in lines_in(file, self._name):
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
        with self.open() as packed:
            shutil.copyfileobj(packed, plain)
        return plain

    def scan(self, start: int, stop: int | None = None) -> Iterator[Instance]:
        count = 0
        with self.open() as file:
            if start:
                offsets, numbers = self._lines
                file.seek(offsets[start], io.SEEK_SET)
                first = numbers[start]
            else:
                first = 1
            for number, line in lines_in(file, self._name, first):
                if stop is not None and count >= stop - start:
                    return
                if not line.isspace():
                    yield Instance.from_json(line, f"{self._name}, line {number}")
                    count += 1


class _Parquet:
    """A table with one record per row."""

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
                from fabula.datasets.formats.parquet import OPTIONAL

                there = set(self._table.schema_arrow.names)
                columns = [*FIELDS, *(name for name in OPTIONAL if name in there)]
                self._held = number, self._table.read_row_group(number, columns=columns)
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


class _Foreign:
    """A file in the format of another package, which reads it from the beginning."""

    def __init__(self, path: str, read: Read) -> None:
        self._path, self._read = Path(path), read

    @cached_property
    def size(self) -> int:
        return sum(1 for _ in self._read(self._path))

    def get(self, index: int) -> Instance:
        return next(self.scan(index))

    def scan(self, start: int, stop: int | None = None) -> Iterator[Instance]:
        return islice(iter(self._read(self._path)), start, stop)
