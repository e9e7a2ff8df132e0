"""Makes a shard: pieces are made in this process or in others, and written in order.

The bytes of a shard are a function of the job and the shard; it does not matter which process made
its pieces or wrote it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from fabula.datasets.engines.plan import Plan, Shard
from fabula.datasets.engines.store import Made, Store
from fabula.datasets.engines.tally import Tally
from fabula.datasets.formats import format_named
from fabula.datasets.formats.base import Format
from fabula.generation.author import Author
from fabula.generation.composition import ledger_for
from fabula.recipe.model import Recipe

Tick = Callable[[int], None]
"""Called with the number of instances just made, or a negative number if some must be made
again.
"""


class Piece(NamedTuple):
    """A part of a shard, ready to be written."""

    size: int
    """Number of instances in it."""
    content: Any
    tally: Tally


class Job:
    """Makes any piece of a data set."""

    def __init__(self, recipe: Recipe, seed: int, form: str) -> None:
        self.format: Format = format_named(form)
        self.recipe = recipe
        self.seed = seed
        self._authors: dict[str, Author] = {}

    @classmethod
    def of(cls, plan: Plan) -> Job:
        """The job of a plan."""
        return cls(plan.recipe, plan.seed, plan.form)

    def piece(self, split: str, start: int, stop: int) -> Piece:
        """Instances start … stop-1 as a piece of a file."""
        author = self._authors.get(split)
        if author is None:
            author = self._authors[split] = Author(
                self.recipe, split, self.seed, only_best=self.format.only_best
            )
        tally = Tally(ledger=ledger_for(self.recipe, split), only_best=self.format.only_best)
        gc.disable()  # a piece makes little garbage, and collecting it costs a tenth of the time
        try:
            text = self.format.text and tally.ledger is None
            passages = tally.counting(author.passages(start, stop, text))
            return Piece(stop - start, self.format.piece(author, passages), tally)
        finally:
            gc.enable()

    def pieces(self, shard: Shard) -> Iterator[Piece]:
        """The pieces of a shard, made in this process."""
        for start, stop in shard.pieces():
            yield self.piece(shard.split, start, stop)


def steps(
    store: Store, style: Format, shard: Shard, pieces: Iterable[Piece]
) -> Iterator[int | Made]:
    """Write a shard, piece by piece: yields the count of each, and finally the result."""
    with store.create(shard.file) as raw:
        file = _Measured(raw)
        sink = style.sink(file)  # type: ignore[arg-type]  # it has all that a sink needs
        tally = Tally()
        try:
            for piece in pieces:
                sink.add(piece.content)
                tally.merge(piece.tally)
                yield piece.size
            sink.close()
        finally:
            file.closed = True
        count, digest = shard.stop - shard.start, file.digest.hexdigest()
        ledger = tally.ledger.to_dict() if tally.ledger else None
        made = Made(shard.file, count, file.size, digest, tally.to_dict(), ledger)
        store.note(made)  # before the rename: a shard with a name always has a note
    yield made


def write_shard(
    store: Store, style: Format, shard: Shard, pieces: Iterable[Piece], tick: Tick
) -> Made:
    """Write a shard; it gets its name when it is complete."""
    for step in steps(store, style, shard, pieces):
        if isinstance(step, Made):
            return step
        tick(step)
    raise AssertionError("steps() must end with a Made")


class _Measured:
    """A file that counts and hashes what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.closed = False
        """Further writes are discarded: an abandoned sink may still try."""
        self.size = 0
        self.digest = sha256()

    def write(self, content: bytes) -> int:
        length = len(content)
        if self.closed:
            return length
        self._file.write(content)
        self.size += length
        self.digest.update(content)
        return length

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        if not self.closed:
            self._file.flush()

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """Left to the code that opened the file."""
