"""Where instance i is: in which passage of which block and, in a collection, of which part.

Promise: finding instance i generates only passages of its own block, never those before it.

- If every story has a fixed number of questions q, a block is one passage: passage p holds
  instances p*q … p*q+q-1.
- If a story has as many questions as can be asked, passages fill blocks of 100 instances, and the
  last one of a block is cut short. If questions are asked throughout the story, which gives more
  per story, blocks have 1,000.
- A collection deals its instances out to its parts in units that are a multiple of every part's
  block, so no story is split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import lcm
from typing import NamedTuple

from fabula.generation.passage import Passage
from fabula.recipe.collection import Part
from fabula.recipe.model import Recipe
from fabula.recipe.quotas import Rota, deal

BLOCK = 100
LONG_BLOCK = 1_000

Make = Callable[[str, int, int], Passage]
"""Makes a passage, given its number, the index of its first instance, and the turn of its cell."""


class Blocks:
    """Finds the instances of one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        questions = recipe.questions
        self.size = BLOCK
        """Number of instances in a block."""
        self._fixed = False
        """Whether a block is one passage."""
        if questions == "throughout":
            self.size = LONG_BLOCK
        elif questions != "all" and not recipe.also_ask:
            self.size = questions
            self._fixed = True

    def passages(self, start: int, stop: int, make: Make) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these."""
        for block in range(start // self.size, -(-stop // self.size)):
            for passage in self._block(block, stop, make):
                low = max(0, start - passage.first)
                high = min(len(passage.asked), stop - passage.first)
                if low == 0 and high == len(passage.asked):
                    yield passage
                elif low < high:
                    yield passage._replace(first=passage.first + low, asked=passage.asked[low:high])

    def _block(self, block: int, stop: int, make: Make) -> Iterator[Passage]:
        """The passages of a block up to instance stop-1."""
        begin = first = block * self.size
        end = begin + self.size
        if self._fixed:
            yield make(str(block), first, first)
            return
        turn = 0  # one cell per story: the number of its questions is not known in advance
        while first < end and first < stop:
            passage = make(f"{block}.{turn}", first, begin + turn)
            if first + len(passage.asked) > end:
                passage = passage._replace(asked=passage.asked[: end - first])
            yield passage
            first, turn = first + len(passage.asked), turn + 1


class Span(NamedTuple):
    """Consecutive instances of a collection that belong to one part."""

    part: str
    start: int
    """Indices within the part."""
    stop: int
    shift: int
    """Offset from an index in the part to the index in the collection."""


def rota_of(parts: Sequence[Part], blocks: Mapping[str, int]) -> Rota:
    """The rota of a collection, given the block size of every part."""
    return Rota([part.name for part in deal(parts)], lcm(*blocks.values()))


def spans(rota: Rota, start: int, stop: int) -> Iterator[Span]:
    """Instances start … stop-1 of a collection, by part."""
    while start < stop:
        end = min(stop, start - start % rota.unit + rota.unit)
        name, index = rota.locate(start)
        shift = start - index
        yield Span(name, index, end - shift, shift)
        start = end
