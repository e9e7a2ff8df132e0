"""Things that are bigger or smaller than others; bAbI task 18.

    1 The crate is bigger than the basket.
    2 The tin fits inside the basket.
    3 The crate fits inside the wardrobe.

    Does the crate fit in the tin?  no: sentences 1, 2.

'Bigger than' and 'fits inside' are the two directions of one strict order. What is bigger than
something bigger is bigger; nothing else follows. How things are usually sized does not matter.
"""

from __future__ import annotations

from fabula.worlds.base import Query
from fabula.worlds.sizes import release
from fabula.worlds.sizes.language import language
from fabula.worlds.sizes.reading import read
from fabula.worlds.sizes.recipe import SizesRecipe
from fabula.worlds.sizes.tale import SizesTale
from fabula.worlds.small import small_world


def choices(recipe: SizesRecipe, query: Query) -> list[str]:
    """All answers that this kind of question can have."""
    return ["yes", "no"]


SIZES = small_world(
    __name__,
    SizesRecipe,
    tale=SizesTale,
    language=language,
    read=read,
    choices=choices,
    citations=release.citations,
    about=__doc__ or "",
)
