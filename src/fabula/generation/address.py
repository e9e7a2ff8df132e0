"""Where instance i is: in which passage of which block and, in a collection, of which part.

Promise: instance i is found by making at most the passages of its own block, never those before.

- Where every story has a fixed number of questions q, a block is one passage: passage p holds
  instances p*q … p*q+q-1.
- Where a story has as many questions as can be asked, passages fill blocks of 100 instances, and
  the last one of a block is cut short. Where it is asked throughout, which gives more questions to
  a story, blocks have 1,000.
- A collection deals its instances out to its parts in turns of a unit, a multiple of every part's
  block, so that a story stays whole.
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
    """Addresses the instances of one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        questions = recipe.questions
        self.size = BLOCK
        """How many instances belong together."""
        self._fixed = False
        """Whether a block is one passage."""
        if questions == "throughout":
            self.size = LONG_BLOCK
        elif questions != "all" and not recipe.along:
            self.size = questions
            self._fixed = True

    def passages(self, start: int, stop: int, make: Make) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these."""
        for block in range(start // self.size, -(-stop // self.size)):
            for passage in self._block(block, stop, make):
                low = max(0, start - passage.first)
                high = min(len(passage.asked), stop - passage.first)
                if low < high:
                    yield passage._replace(first=passage.first + low, asked=passage.asked[low:high])

    def _block(self, block: int, stop: int, make: Make) -> Iterator[Passage]:
        """The passages of a block up to instance stop-1."""
        begin = first = block * self.size
        end = begin + self.size
        if self._fixed:
            yield make(str(block), first, first)
            return
        turn = 0  # cells go by the story, since how many questions it has is not known before
        while first < end and first < stop:
            passage = make(f"{block}.{turn}", first, begin + turn)
            yield passage._replace(asked=passage.asked[: end - first])
            first, turn = first + len(passage.asked), turn + 1


class Span(NamedTuple):
    """Instances of a collection that stand in one part."""

    part: str
    start: int
    """Indices in the part."""
    stop: int
    shift: int
    """What has to be added for indices in the collection."""


def rota_of(parts: Sequence[Part], blocks: Mapping[str, int]) -> Rota:
    """The rota of a collection, given the size of every part's block."""
    return Rota([part.name for part in deal(parts)], lcm(*blocks.values()))


def spans(rota: Rota, start: int, stop: int) -> Iterator[Span]:
    """Instances start … stop-1 of a collection, by part."""
    while start < stop:
        end = min(stop, start - start % rota.unit + rota.unit)
        name, index = rota.locate(start)
        shift = start - index
        yield Span(name, index, end - shift, shift)
        start = end
