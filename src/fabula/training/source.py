"""Where training data come from: a recipe by name or file, or a generated folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError
from fabula.generate import generate
from fabula.instance import Instance


def instances(
    source: str,
    split: str,
    size: int | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Iterator[Instance]:
    """The instances of a split of a recipe or of a folder of JSONL files."""
    folder = Path(source)
    if not folder.is_dir():
        return generate(source, split, seed, size, **(changes or {}))
    files = sorted(folder.glob(f"{split}-*.jsonl"))
    if not files:
        raise FabulaError(
            f"{source}: no files '{split}-*.jsonl' here; generate the data with --format jsonl."
        )
    return islice(_read(files), size)


def _read(files: list[Path]) -> Iterator[Instance]:
    for path in files:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield Instance.from_json(line, f"{path}:{number}")
