"""Individuals and their kinds; bAbI tasks 15 (deduction) and 16 (induction).

    1 Wolves are afraid of cats.
    2 Winona is a wolf.
    3 Emily is a sheep.

    What is Winona afraid of?  cat: sentences 1, 2.

What a kind is afraid of, each of its members is afraid of, and so is each kind below it. That is
deduction. Induction is not entailed and has a convention, marked in every record: somebody of whom
no colour is told has the colour of the peers of the same kind, if these agree.
"""

from __future__ import annotations

from fabula.worlds.base import Query
from fabula.worlds.kinds import release
from fabula.worlds.kinds.language import language
from fabula.worlds.kinds.reading import read
from fabula.worlds.kinds.recipe import KindsRecipe
from fabula.worlds.kinds.tale import KindsTale
from fabula.worlds.small import small_world


def choices(recipe: KindsRecipe, query: Query) -> list[str]:
    """All answers that this kind of question can have in the recipe."""
    return list(recipe.animals if query[0] == "afraid" else recipe.colours)


KINDS = small_world(
    __name__,
    KindsRecipe,
    tale=KindsTale,
    language=language,
    read=read,
    choices=choices,
    citations=release.citations,
    about=__doc__ or "",
)
