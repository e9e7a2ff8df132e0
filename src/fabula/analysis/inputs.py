"""Data sets as files for the columnar engine: data on disk as they are, data in memory as a
temporary file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fabula.core.instance import Instance
from fabula.datasets.dataset import Dataset
from fabula.errors import UsageError

Source = str | Path | Dataset | Iterable[Instance]
"""A file or folder, a data set, or instances."""


@contextmanager
def on_disk(source: Source) -> Iterator[Path]:
    """The path of a data set; one in memory is written to a temporary file."""
    if isinstance(source, str | Path):
        yield Path(source)
        return
    data = source if isinstance(source, Dataset) else Dataset(source)
    if data.endless:
        raise UsageError("this data set is endless: take a part of it, e.g. data.take(1000).")
    with tempfile.TemporaryDirectory(prefix="fabula-") as folder:
        file = Path(folder) / "data.jsonl"
        with file.open("wb") as target:
            target.writelines(each.to_json() + b"\n" for each in data)
        yield file
