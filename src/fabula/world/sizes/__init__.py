"""Things that are bigger or smaller than others; bAbI task 18.

    1 The crate is bigger than the basket.
    2 The tin fits inside the basket.
    3 The crate fits inside the wardrobe.

    Does the crate fit in the tin?  no: sentences 1, 2.

'Bigger than' and 'fits inside' are the two directions of one strict order: whatever fits is
smaller, and by convention (`smaller-fits`) whatever is smaller fits. The order is transitive, and
nothing else follows. The usual sizes of things do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.core.split import Splitter
from fabula.world.base import Brief, Citation, Claim, Fact, Query, Witness
from fabula.world.fast import FastPath
from fabula.world.sizes import quick, release, witness
from fabula.world.sizes.language import language
from fabula.world.sizes.reading import SizesReading, read
from fabula.world.sizes.recipe import SizesRecipe
from fabula.world.sizes.tale import SizesTale
from fabula.world.small import SmallWorld


class Sizes(SmallWorld):
    """Things that are bigger or smaller than others."""

    name = "sizes"
    recipe = SizesRecipe
    open_kinds = witness.OPEN_KINDS
    language = staticmethod(language)

    def begin(self, recipe: SizesRecipe, unfold: Draw, tell: Draw, brief: Brief) -> SizesTale:
        """Begin a story."""
        return SizesTale(recipe, unfold, tell, brief)

    def fast_path(
        self, recipe: SizesRecipe, seed: int, split: str, splitter: Splitter
    ) -> FastPath | None:
        """The fast path of plain recipes."""
        return quick.fast_path(recipe, seed, split, splitter)

    def read(self, code: str, sentences: Sequence[str]) -> SizesReading:
        """The reading of the sentences."""
        return read(code, sentences)

    def choices(self, recipe: SizesRecipe, query: Query) -> list[str]:
        """All answers that this kind of question can have."""
        return ["yes", "no"]

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A sentence that tells just this fact, in the plainest words."""
        if len(facts) != 1:
            return None
        _, bigger, smaller = facts[0]
        return language(code).say_as("bigger", (bigger, smaller))

    def conventions(self, recipe: SizesRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return ("smaller-fits",) if "fits" in recipe.kinds() else ()

    def relies(
        self, reading: SizesReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The convention `smaller-fits`, if a 'fits' answer rests on sentences about size.

        Whatever fits inside something is smaller anyway, so no other answer needs a convention.
        """
        if query[0] != "fits" or answer != ("yes",):
            return ()
        return () if any(not mask & ~reading.fits for mask in masks) else ("smaller-fits",)

    def citations(self, reading: SizesReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        return release.citations(reading, query)

    def state(self, reading: SizesReading) -> dict[str, Any]:
        """For each thing all that is known to be smaller."""
        below: dict[str, set[str]] = {}
        for bigger, smaller in reading.told:
            if bigger:
                below.setdefault(bigger, set()).add(smaller)
        changed = True
        while changed:
            changed = False
            for under in below.values():
                more = {other for one in under for other in below.get(one, ())} - under
                if more:
                    under.update(more)
                    changed = True
        return {f"smaller({name})": sorted(under) for name, under in sorted(below.items())}

    def resume(self, code: str, state: Mapping[str, Any]) -> SizesReading:
        """A reading that knows just what a state says."""
        reading = SizesReading(language(code))
        for name, under in state.items():
            for smaller in under:
                reading._take((name[len("smaller(") : -1], smaller))
        return reading

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: Any,
        claim: Claim,
    ) -> bool:
        """The reader finds every contradiction itself."""
        return True

    def witnesses(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query
    ) -> list[Witness] | None:
        """Two worlds that fit the facts and answer a query differently."""
        return witness.worlds(facts, query)

    def fits(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
    ) -> tuple[str, ...] | None:
        """The answer in a complete world; None if some fact does not hold in it."""
        return witness.answer_in(facts, query, whole)


SIZES = Sizes()
