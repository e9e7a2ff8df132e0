"""Rewrites whole data sets, in memory or into a folder: the implementation of `fabula.rewrite`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from fabula.analysis.inputs import Source
from fabula.analysis.rewrites import Dropped, operation
from fabula.analysis.verify import from_text
from fabula.core.instance import Instance
from fabula.datasets.dataset import Dataset
from fabula.datasets.stored import ENDINGS, data_files, records_of, split_of
from fabula.datasets.writing import write_records
from fabula.errors import FabulaError

EXAMPLES = 5
"""Number of failed instances that are kept with the reason."""


@dataclass
class Rewritten:
    """The result of rewriting a data set."""

    operation: str
    data: Dataset | None = None
    """The rewritten instances; None if they were written to a folder."""
    read: int = 0
    written: int = 0
    dropped: int = 0
    """Number of instances whose answers would not stay proven."""
    examples: list[Dropped] = field(default_factory=list)
    """The first of them, each with the reason."""
    manifest: dict[str, Any] = field(default_factory=dict)


def rewrite(
    source: Source,
    name: str,
    out: str | Path | None = None,
    format: str = "jsonl",
    force: bool = False,
    **options: Any,
) -> Rewritten:
    """Rewrite every instance of a data set so that its answer stays proven.

    Args:
        source: a file or folder (records or bAbI text), a `Dataset`, or instances.
        name: the operation: 'flip', 'hold', 'twin', 'exhaustive', 'bare', 'gathered', 'padded',
            'renamed', 'trimmed' or 'cloze' (see `fabula rewrite --help`).
        out: a folder to write to; by default the result is kept in memory, as a `Dataset`.
        format: the format of the folder.
        force: replace an existing data set.
        options: options of the operation: length, filler, tokens, sorts, kinds, seed, tokenizer.

    >>> import fabula
    >>> found = fabula.rewrite(fabula.Dataset("babi/qa1", size=10), "bare")
    >>> found.written + found.dropped, len(found.data[0].story)
    (10, 1)
    """
    make = operation(name, **options)
    found = Rewritten(name)
    counts: Counter[str] = Counter()

    def made(instances: Iterator[Instance]) -> Iterator[Instance]:
        for instance in instances:
            counts["read"] += 1
            for each in make(instance):
                if isinstance(each, Instance):
                    counts["written"] += 1
                    yield each
                else:
                    counts["dropped"] += 1
                    if len(found.examples) < EXAMPLES:
                        found.examples.append(each)

    def about() -> dict[str, Any]:
        """The manifest's entry about the operation; an error if nothing was written."""
        found.read, found.written, found.dropped = (
            counts[key] for key in ("read", "written", "dropped")
        )
        if not found.written:
            first = found.examples[0] if found.examples else None
            reason = f" The first: {first.id}: {first.reason}." if first else ""
            raise FabulaError(f"{_name(source)}: nothing can be rewritten as '{name}'.{reason}")
        return {"rewrite": name, "of": _name(source), **counts}

    splits = {split: made(instances) for split, instances in _splits(source).items()}
    if out is None:
        found.data = Dataset(list(chain.from_iterable(splits.values())))
        found.manifest = about()
    else:
        found.manifest = write_records(splits, Path(out), format, force, about)
    return found


def _splits(source: Source) -> dict[str, Iterator[Instance]]:
    """The instances of each split."""
    if not isinstance(source, str | Path):
        data = source if isinstance(source, Dataset) else Dataset(source)
        return {data.split: iter(data)}
    files: dict[str, list[Path]] = {}
    for file in data_files(Path(source), *ENDINGS, ".txt"):
        files.setdefault(split_of(file.name), []).append(file)
    return {split: chain.from_iterable(map(_records, found)) for split, found in files.items()}


def _records(file: Path) -> Iterator[Instance]:
    return from_text(file) if file.suffix == ".txt" else records_of(file)


def _name(source: Source) -> str:
    return str(source) if isinstance(source, str | Path) else "the data set"
