"""Writes a Dataset to a folder: a recipe by the engines, anything else record by record.

Promises:
1. A recipe, or the beginning of a split, is written by the engines: in shards, on several workers,
   resumable. Views and lists are written here, in one file.
2. Files written here have the same kind of manifest, so every command reads and checks them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from fabula._version import __version__
from fabula.core.files import whole_folder
from fabula.core.instance import Instance, story_name
from fabula.datasets.dataset import Dataset, Generated
from fabula.datasets.engines import write as write_recipe
from fabula.datasets.engines.local import check_free
from fabula.datasets.formats import babi, format_named
from fabula.datasets.formats.parquet import batch
from fabula.datasets.manifest import file_entry, write_manifest
from fabula.datasets.suite import write_suite
from fabula.errors import FabulaError, OutputError, UsageError
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe
from fabula.recipe.suite import Suite, suite_named

PORTION = 1_000  # records per piece


def write(
    data: Dataset | Recipe | str | Path,
    out: str | Path,
    format: str | None = None,
    workers: int | None = 1,
    force: bool = False,
    *,
    sizes: Mapping[str, int] | int | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Write a data set to a folder or URL and return its manifest.

    Args:
        data: a data set (an endless one has to be cut first: `take`, a slice); or a recipe, by
            name, file or object, all splits of which are written; or a suite ('babi/all').
        out: the folder, or a URL such as s3://bucket/folder.
        format: a name from `fabula.formats()`; by default 'jsonl', or that of the suite.
        workers: number of processes; the bytes do not depend on it.
        force: replace an existing data set.
        sizes: instances of each split of a recipe: a number for all, or by name for some of them.
        seed: the seed of a recipe.
        changes: keys of a recipe to change, e.g. `{"length": 30}`.
        options: `engine`, `address`, `shard_size`, `progress` (see `datasets/engines/run.py`).

    >>> import fabula, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> fabula.write(fabula.Dataset("babi/qa1", size=3), f"{folder}/qa1")["instances"]
    3
    >>> list(fabula.write("babi/qa1", f"{folder}/all", sizes=2)["splits"])
    ['train', 'valid', 'test']
    """
    if isinstance(data, str) and (suite := suite_named(data)) is not None:
        return _write_suite(suite, out, format, workers, force, sizes, seed, changes, options)
    if not isinstance(data, Dataset):
        recipe = data if isinstance(data, Recipe) and not changes else load(data, changes)
        return write_recipe(
            recipe, out, _sizes(sizes, {name: split.size for name, split in recipe.splits.items()}),
            format or "jsonl", seed, workers, force, **options,
        )  # fmt: skip
    for name, value in (("sizes", sizes), ("seed", seed), ("changes", changes)):
        if value is not None:
            raise UsageError(f"{name}: applies to recipes only; this is a data set.")
    if data.endless:
        raise UsageError("this data set is endless: write a part of it, e.g. data.take(1000).")
    made, size = data._source, data._prefix()
    if isinstance(made, Generated) and size is not None:
        return write_recipe(
            made.recipe, out, {made.split: size}, format or "jsonl", made.seed, workers, force,
            **options,
        )  # fmt: skip
    if options:
        raise UsageError(f"{next(iter(options))}: this option is for whole splits of recipes only.")
    return write_records({data.split: data}, Path(out), format or "jsonl", force)


def _sizes(wanted: Mapping[str, int] | int | None, own: Mapping[str, int]) -> Mapping[str, int]:
    if wanted is None:
        return own
    return dict.fromkeys(own, wanted) if isinstance(wanted, int) else wanted


def _write_suite(
    suite: Suite,
    out: str | Path,
    format: str | None,
    workers: int | None,
    force: bool,
    sizes: Mapping[str, int] | int | None,
    seed: int | None,
    changes: Mapping[str, Any] | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Write a suite, which has the published files: options that would change them are rejected."""
    progress = options.pop("progress", lambda count: None)
    fixed = {"format": None if format == suite.format else format, **options}
    given = [f"--{name.replace('_', '-')}" for name, value in fixed.items() if value is not None]
    if given:
        raise UsageError(
            f"{', '.join(given)}: {suite.id} has the files of the release, in the format "
            f"{suite.format}; drop the option, or choose one recipe, e.g. {suite.recipe(1)}."
        )
    if "://" in str(out):
        raise UsageError(
            f"--out {out}: {suite.id} can only be written to a folder on disk; choose one."
        )
    limits = None if sizes is None else _sizes(sizes, dict.fromkeys(suite.splits, 0))
    return write_suite(
        suite, Path(out), limits, seed, dict(changes or {}), workers or 1, force, progress
    )


def write_records(
    splits: Mapping[str, Iterable[Instance]],
    out: Path,
    format: str = "jsonl",
    force: bool = False,
    about: Callable[[], Mapping[str, Any]] = dict,
) -> dict[str, Any]:
    """Write instances to a folder, a file for each split.

    `about` is called when all of them are written, and returns further keys of the manifest; if it
    raises an error, nothing is left behind.
    """
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
            files.append((split, file_entry(folder, name, count)))
        return write_manifest(folder, files, version=__version__, format=format, **about())


def _pieces(instances: Iterable[Instance], format: str) -> Iterator[tuple[int, Any]]:
    """The instances in pieces of the format, with the number in each."""
    style = format_named(format)
    left = iter(instances)
    if format == "parquet":
        while portion := list(islice(left, PORTION)):
            yield len(portion), batch([one.fields() for one in portion])
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
