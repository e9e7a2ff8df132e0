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

from collections.abc import Sequence

from fabula.core.seeds import Draw
from fabula.world.base import Brief, Citation, Query
from fabula.world.sizes import release
from fabula.world.sizes.language import language
from fabula.world.sizes.reading import SizesReading, read
from fabula.world.sizes.recipe import SizesRecipe
from fabula.world.sizes.tale import SizesTale
from fabula.world.small import SmallWorld


class Sizes(SmallWorld):
    """Things that are bigger or smaller than others."""

    name = "sizes"
    recipe = SizesRecipe
    language = staticmethod(language)

    def begin(self, recipe: SizesRecipe, unfold: Draw, tell: Draw, brief: Brief) -> SizesTale:
        """A new story."""
        return SizesTale(recipe, unfold, tell, brief)

    def read(self, code: str, sentences: Sequence[str]) -> SizesReading:
        """The reader's view of sentences."""
        return read(code, sentences)

    def choices(self, recipe: SizesRecipe, query: Query) -> list[str]:
        """All answers that this kind of question can have."""
        return ["yes", "no"]

    def conventions(self, recipe: SizesRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return ("smaller-fits",) if "fits" in recipe.kinds() else ()

    def relies(
        self, reading: SizesReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """That something fits follows by itself only from what fits in what.

        What fits inside something is smaller with or without a convention: nothing else needs one.
        """
        if query[0] != "fits" or answer != ("yes",):
            return ()
        return () if any(not mask & ~reading.fits for mask in masks) else ("smaller-fits",)

    def citations(self, reading: SizesReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        return release.citations(reading, query)


SIZES = Sizes()
