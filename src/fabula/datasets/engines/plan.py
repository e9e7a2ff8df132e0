"""The plan: the files of a data set and what each holds, decided before anything is generated.

Promises:
1. A plan follows from recipe, seed, sizes, format and shard size; never from workers or engine.
2. A shard is a range of instances of one split. It consists of pieces, and both end at the end of a
   block of instances that belong together.
3. Two runs have the same digest if and only if they make the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import orjson

from fabula._version import __version__
from fabula.datasets.formats import format_named
from fabula.errors import OutputError
from fabula.generation.author import Author
from fabula.recipe.model import Recipe

SHARD = 100_000  # default number of instances per file
CHUNK = 1_000  # instances in a piece, the unit of work
CHUNK_SENTENCES = 100_000  # sentences in a piece, so that memory stays flat for long stories
MOST_SHARDS = 99_999


class Shard(NamedTuple):
    """One file of a data set."""

    split: str
    file: str
    """Its name in the folder of the data set."""
    start: int
    """Index of its first instance."""
    stop: int
    """Index after that of its last instance."""
    step: int
    """Number of instances per piece."""

    def pieces(self) -> Iterator[tuple[int, int]]:
        """The ranges of its pieces, in order."""
        for start in range(self.start, self.stop, self.step):
            yield start, min(self.stop, start + self.step)


@dataclass(frozen=True)
class Plan:
    """The data set to be made."""

    recipe: Recipe
    seed: int
    sizes: Mapping[str, int]
    form: str
    shard_size: int = SHARD

    @cached_property
    def shards(self) -> tuple[Shard, ...]:
        """The files of the data set, in order."""
        style = format_named(self.form)
        found = []
        for split, size in self.sizes.items():
            author = Author(self.recipe, split, self.seed)
            whole = _multiple(self.shard_size, author.block)
            step = _multiple(_chunk(author.recipe), author.block)
            count = max(1, -(-size // whole))
            if count > MOST_SHARDS:
                raise OutputError(
                    f"{size:,} instances in shards of {self.shard_size:,}: {count:,} files; "
                    f"raise --shard-size to {-(-size // MOST_SHARDS):,} or more."
                )
            for number in range(count):
                name = style.file(self.recipe.id, split, number, count)
                stop = min(size, (number + 1) * whole)
                found.append(Shard(split, name, number * whole, stop, step))
        return tuple(found)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the bytes depend on."""
        content = {
            "recipe": self.recipe.model_dump(mode="json"),
            "seed": self.seed,
            "sizes": dict(self.sizes),
            "format": self.form,
            "shard_size": self.shard_size,
            "version": __version__,
        }
        return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _multiple(size: int, block: int) -> int:
    """The size rounded down to whole blocks; at least one block."""
    return max(block, size // block * block)


def _chunk(recipe: Recipe) -> int:
    asked = recipe.questions if isinstance(recipe.questions, int) else 1
    longest = recipe.lengths[1] + recipe.question_interval * (asked - 1)
    return max(1, min(CHUNK, CHUNK_SENTENCES // longest))
