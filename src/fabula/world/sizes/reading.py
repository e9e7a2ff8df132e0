"""The reader of sizes: a strict order, stated in pairs.

Promises:
1. A thing is bigger than another exactly if a chain of stated comparisons leads down from it; the
   minimal supports are these chains. 'Fits inside' says the same the other way round; that what is
   smaller also fits is a convention.
2. What is proven bigger is proven not to be smaller: 'no' rests on that.
3. If a story says that something is bigger than itself, no question has an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.supports import numbers_of
from fabula.world.base import Fact, Finding, Query
from fabula.world.relations import Graph
from fabula.world.sizes.language import NOTHING, SizesLanguage, bigger_first, language

BIGGER, SMALLER = 1, -1


class Order:
    """The algebra of a strict order: bigger composed with bigger is bigger; mixed steps are
    open.
    """

    steps: tuple[int, ...] = (BIGGER, SMALLER)

    def compose(self, first: int, then: int) -> int | None:
        """The relation of A to C, given `first` from A to B and `then` from B to C; None if it is
        open.
        """
        return first if first == then else None

    def invert(self, relation: int) -> int:
        """The relation of B to A."""
        return -relation


ORDER = Order()


class SizesReading:
    """The reader's view of a story about sizes."""

    def __init__(self, tongue: SizesLanguage, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.told: list[tuple[str, str]] = []
        """For each sentence: the bigger thing and the smaller; NOTHING if it states neither."""
        self.fits = 0
        """The sentences that say what fits inside what, as a mask."""
        self.graph: Graph[int] = Graph(ORDER)
        self._age = 0
        self._sound = True
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        self._take(self.language.parse(sentence))
        if self.language.fits(sentence):
            self.fits |= 1 << len(self.told)

    def _take(self, pair: tuple[str, str]) -> None:
        self.told.append(pair)
        if pair != NOTHING:
            self.graph.add(len(self.told), pair[0], BIGGER, pair[1])

    def sound(self) -> bool:
        """Whether nothing is stated to be bigger than itself."""
        if self._age != len(self.told):
            self._age = len(self.told)
            below: dict[str, set[str]] = {}
            above: dict[str, int] = {}
            for bigger, smaller in set(self.told) - {NOTHING}:
                below.setdefault(bigger, set()).add(smaller)
                above.setdefault(bigger, 0)
                above[smaller] = above.get(smaller, 0) + 1
            free = [name for name, count in above.items() if not count]
            for name in free:  # removing things that nothing is bigger than must remove everything
                for other in below.get(name, ()):
                    above[other] -= 1
                    if not above[other]:
                        free.append(other)
            self._sound = len(free) == len(above)
        return self._sound

    def find(self, query: Query) -> Finding | None:
        """The answer to a query with its supports, or None if the story does not settle it."""
        if not self.sound():
            return None
        settled = self.graph.settled(*bigger_first(query))
        if settled is None:
            return None
        answer = "yes" if settled[0] == BIGGER else "no"
        return Finding((answer,), settled[1], answer)

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences alone give the conclusion and none can be dropped."""
        relation = self.graph.alone(mask, *bigger_first(query))
        return relation is not None and ("yes" if relation == BIGGER else "no") == conclusion

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if the story had only these sentences, or None if none follows."""
        part = SizesReading(self.language)
        for number in numbers_of(mask):
            part._take(self.told[number - 1])
        finding = part.find(query)
        return None if finding is None else finding.answer

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(("bigger", *pair),) if pair != NOTHING else () for pair in self.told]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The one concept of this world: all sentences are of the same kind."""
        return ("bigger",) if mask else ()

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""
        names: dict[str, str] = {}

        def short(name: str) -> str:
            return names.setdefault(name, f"T{len(names) + 1}")

        told = [self.told[number - 1] for number in numbers_of(mask)]
        parts = [f"{short(bigger)}>{short(smaller)}" for bigger, smaller in told]
        return f"{' '.join(parts)} ? {query[0]}({','.join(map(short, query[1:]))})"


def read(code: str, sentences: Sequence[str]) -> SizesReading:
    """The reading of a story in a language."""
    return SizesReading(language(code), sentences)
