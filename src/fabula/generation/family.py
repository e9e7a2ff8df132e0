"""Which instances belong together: a question, its contrast variants, and its unanswerable twin.

A *base* is a question as generated without contrasts. Bases and their variants are numbered in one
sequence: first the questions of a story, then the variants of its first question, then those of the
second, and so on. Every base has as many flips and holds as the recipe says; the number of a base
decides whether it has an unanswerable twin, so the fraction is exact.

Promise: the position of a base is computed from its number; nothing has to be generated for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import lcm

from fabula.generation.passage import Member, Passage
from fabula.language.tongue import Tongue
from fabula.recipe.model import Recipe

FINEST = 100  # the fraction of unanswerable questions is a multiple of 1 / FINEST

Tell = Callable[[Passage, Tongue | None], Passage]
"""Renders a passage in the language of the recipe, with a tongue that has begun."""


class Family:
    """The numbering of bases and variants in one split."""

    def __init__(self, recipe: Recipe) -> None:
        contrast = recipe.contrast
        self._per = 1 + contrast.flip + contrast.hold
        share = Fraction(recipe.unknown).limit_denominator(FINEST)
        self._twins = share * self._per / (1 - share)
        """Unanswerable twins per base: the recipe gives the fraction of all instances."""

    def __bool__(self) -> bool:
        """Whether any base has a variant."""
        return self._per > 1 or self._twins > 0

    def block(self, bases: int) -> int:
        """The number of instances that belong together, given the number of bases."""
        return self.before(lcm(bases, self._twins.denominator))

    def before(self, base: int) -> int:
        """The number of instances before a base and its variants."""
        return base * self._per + int(base * self._twins)

    def twinned(self, base: int) -> bool:
        """Whether a base has an unanswerable twin."""
        return int((base + 1) * self._twins) > int(base * self._twins)

    def base_at(self, index: int) -> int:
        """The base that an instance belongs to, if no story had more than one question."""
        base = int(index / (self._per + self._twins))
        while self.before(base) > index:
            base -= 1
        while self.before(base + 1) <= index:
            base += 1
        return base

    def numbered(
        self, passages: Iterable[Passage], start: int, stop: int, tell: Tell
    ) -> Iterator[Passage]:
        """The passages of bases with their variants, as instances start … stop-1."""
        for passage in passages:
            first = self.before(passage.first)
            if first >= stop:
                return
            low = max(0, start - first)
            high = min(len(passage.asked), stop - first)
            if low < high:
                yield passage._replace(
                    first=first + low, asked=passage.asked[low:high], member=Member("base", 0)
                )
            at = first + len(passage.asked)
            for base, asked in enumerate(passage.asked, first):
                for variant in asked.variants:
                    if start <= at < stop:
                        member = Member(variant.kind, base, variant, asked, passage.sentences)
                        number = f"{passage.number}-{at - first}"
                        yield tell(
                            Passage(number, at, variant.tale, [variant.asked], member=member),
                            passage.tongue,
                        )
                    at += 1
