"""Writes a Dataset to a folder: a recipe by the engines, anything else record by record.

Promises:
1. A whole split of a recipe, or its beginning, is written by the engines: in shards, on several
   workers, resumable. Views and lists are written here, in one file.
2. What is written here has the same manifest shape, so every command reads and checks it alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import orjson

from fabula._version import __version__
from fabula.core.files import whole_folder
from fabula.core.instance import FIELDS, Instance, story_name
from fabula.datasets.dataset import Dataset, Generated
from fabula.datasets.engines import write as write_recipe
from fabula.datasets.engines.local import check_free
from fabula.datasets.formats import babi, format_named
from fabula.datasets.formats.parquet import batch
from fabula.datasets.manifest import MANIFEST, manifest
from fabula.errors import FabulaError, OutputError, UsageError

PORTION = 1_000  # records in a piece


def write(
    data: Dataset,
    out: str | Path,
    format: str = "jsonl",
    workers: int | None = 1,
    force: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Write a data set to a folder or URL and return its manifest.

    Args:
        data: the data set; one without an end has to be cut first (`take`, a slice).
        out: the folder, or a URL such as s3://bucket/folder.
        format: a name from `fabula.formats()`.
        workers: processes; the bytes do not depend on it.
        force: replace a data set that is already there.
        options: `engine`, `address`, `shard_size`, `progress` (see `datasets/engines/run.py`).

    >>> import fabula, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> fabula.write(fabula.Dataset("babi/qa1", size=3), f"{folder}/qa1")["instances"]
    3
    """
    if data.endless:
        raise UsageError("this data set is endless: write a part of it, e.g. data.take(1000).")
    made, size = data._source, data._prefix()
    if isinstance(made, Generated) and size is not None:
        return write_recipe(
            made.recipe, out, {made.split: size}, format, made.seed, workers, force, **options
        )
    if options:
        raise UsageError(f"{next(iter(options))}: only whole splits of recipes have this option.")
    return write_records({_split_of(data): data}, Path(out), format, force)


def write_records(
    splits: dict[str, Iterable[Instance]],
    out: Path,
    format: str = "jsonl",
    force: bool = False,
    **about: Any,
) -> dict[str, Any]:
    """Write instances to a folder, a file for each split; `about` goes into the manifest."""
    style = format_named(format)
    check_free(out, str(out), force)
    files: list[tuple[str, dict[str, Any]]] = []
    with whole_folder(out) as folder:
        for split, instances in splits.items():
            name = style.file("records", split, 0, 1)
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            count = 0
            with path.open("wb") as file, closing(style.sink(file)) as sink:
                for size, piece in _pieces(instances, format):
                    sink.add(piece)
                    count += size
            content = path.read_bytes()
            digest = sha256(content).hexdigest()
            listed = {"file": name, "instances": count, "bytes": len(content), "sha256": digest}
            files.append((split, listed))
        told = manifest(files, version=__version__, format=format, **about)
        (folder / MANIFEST).write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return told


def _split_of(data: Dataset) -> str:
    first = next(iter(data), None)
    return str(first.provenance.get("split", "data")) if first else "data"


def _pieces(instances: Iterable[Instance], format: str) -> Iterator[tuple[int, Any]]:
    """The instances in pieces, as the format has them, with how many each holds."""
    style = format_named(format)
    left = iter(instances)
    if format == "parquet":
        while portion := list(islice(left, PORTION)):
            yield len(portion), batch([{n: getattr(one, n) for n in FIELDS} for one in portion])
        return
    for _, group in groupby(left, lambda one: story_name(one.provenance, one.id)):
        records = list(group)
        try:
            piece = style.render(records) if style.render is not None else _babi(records)
        except FabulaError:
            raise
        except (IndexError, KeyError, TypeError, ValueError) as error:  # a field it needs
            raise OutputError(
                f"{records[0].id}: the format '{format}' cannot hold this record ({error!r}). "
                "Write it as jsonl, or generate it with this format."
            ) from None
        yield len(records), piece


def _babi(records: list[Instance]) -> bytes:
    """Questions about one story as bAbI text."""
    asked = [
        babi.Question(len(one.story), one.question, ",".join(one.answer), one.support, False)
        for one in sorted(records, key=lambda one: len(one.story))
    ]
    longest = max(records, key=lambda one: len(one.story))
    return babi.text(longest.story, asked).encode()
