"""Where training data come from: a recipe by name or file, or a generated folder."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from fabula._version import __version__
from fabula.errors import FabulaError
from fabula.files import whole
from fabula.generate import generate
from fabula.instance import Instance
from fabula.seeds import fingerprint
from fabula.training.data import Example, examples_of


@dataclass(frozen=True)
class Source:
    """Some examples of a recipe or of a folder of JSONL files."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the recipe."""
    size: int | None = None
    seed: int | None = None
    split: str | None = None
    """Another split than the one that would be taken: 'iid' for a test, say."""

    def instances(self, split: str) -> Iterator[Instance]:
        """The instances of this split."""
        split = self.split or split
        folder = Path(self.name)
        if not folder.is_dir():
            return generate(self.name, split, self.seed, self.size, **self.changes)
        files = sorted(folder.glob(f"{split}-*.jsonl"))
        if not files:
            raise FabulaError(
                f"{self.name}: no files '{split}-*.jsonl' here; "
                "generate the data with --format jsonl."
            )
        return islice(_read(files), self.size)

    def examples(self, split: str, store: Path | None = None) -> list[Example]:
        """The examples of this split; kept in the folder `store`, if one is given."""
        if store is None or Path(self.name).is_dir():
            return examples_of(self.instances(split))
        path = store / f"{digest([asdict(self), split, __version__])}.examples"
        if path.is_file():
            found: list[Example] = pickle.loads(path.read_bytes())
            return found
        store.mkdir(parents=True, exist_ok=True)
        made = examples_of(self.instances(split))
        with whole(path) as partial:
            partial.write_bytes(pickle.dumps(made))
        return made


def instances(sources: Sequence[Source], split: str) -> Iterator[Instance]:
    """The instances of several sources, one after another."""
    return chain.from_iterable(source.instances(split) for source in sources)


def digest(value: Any) -> str:
    """A short name for something that JSON can say."""
    return f"{fingerprint(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()):016x}"


def _read(files: list[Path]) -> Iterator[Instance]:
    for path in files:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield Instance.from_json(line, f"{path}:{number}")
