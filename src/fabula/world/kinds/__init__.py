"""Individuals and their kinds; bAbI tasks 15 (deduction) and 16 (induction).

    1 Wolves are afraid of cats.
    2 Winona is a wolf.
    3 Emily is a sheep.

    What is Winona afraid of?  cat: sentences 1, 2.

Members of a kind, and of every kind below it, fear whatever the kind fears. That is deduction.
Induction is not entailed and relies on a convention (`induction`): an individual whose colour is
not stated has the colour of the others of its kind, if they all have the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.seeds import Draw
from fabula.world.base import Brief, Citation, Query
from fabula.world.kinds import release
from fabula.world.kinds.language import language
from fabula.world.kinds.reading import KindsReading, read
from fabula.world.kinds.recipe import KindsRecipe
from fabula.world.kinds.tale import KindsTale
from fabula.world.small import SmallWorld


class Kinds(SmallWorld):
    """Individuals and their kinds."""

    name = "kinds"
    recipe = KindsRecipe
    language = staticmethod(language)

    def begin(self, recipe: KindsRecipe, unfold: Draw, tell: Draw, brief: Brief) -> KindsTale:
        """A new story."""
        return KindsTale(recipe, unfold, tell, brief)

    def read(self, code: str, sentences: Sequence[str]) -> KindsReading:
        """The reader's view of sentences."""
        return read(code, sentences)

    def choices(self, recipe: KindsRecipe, query: Query) -> list[str]:
        """All answers that this kind of question can have in the recipe."""
        return list(recipe.animals if query[0] == "afraid" else recipe.colours)

    def conventions(self, recipe: KindsRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return ("induction",) if "colour" in recipe.kinds() else ()

    def relies(
        self, reading: KindsReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """A colour that is not stated is known by induction only."""
        return ("induction",) if query[0] == "colour" and masks[0].bit_count() > 1 else ()

    def citations(self, reading: KindsReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        return release.citations(reading, query)


KINDS = Kinds()
