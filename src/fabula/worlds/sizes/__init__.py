"""Things that are bigger or smaller than others; bAbI task 18.

    1 The crate is bigger than the basket.
    2 The tin fits inside the basket.
    3 The crate fits inside the wardrobe.

    Does the crate fit in the tin?  no: sentences 1, 2.

'Bigger than' and 'fits inside' are the two directions of one strict order. What is bigger than
something bigger is bigger; nothing else follows. How things are usually sized does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.recipe import Recipe
from fabula.seeds import Draw
from fabula.worlds.base import Brief, Claim, Query, Tale, World
from fabula.worlds.sizes import release
from fabula.worlds.sizes.language import language
from fabula.worlds.sizes.reading import read
from fabula.worlds.sizes.recipe import SizesRecipe
from fabula.worlds.sizes.tale import SizesTale


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
    """A new story."""
    assert isinstance(recipe, SizesRecipe)
    return SizesTale(recipe, unfold, tell)


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return language(code).ask(query)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    return language(code).parse_question(question)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that this kind of question can have."""
    return ["yes", "no"]


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """The logic program's objections to each claim."""
    from fabula.worlds.sizes import oracle

    return oracle.prove([facts[0] for facts in read(code, sentences).facts()], claims)


SIZES = World(
    SizesRecipe, begin, read, ask, parse_question, choices, prove, __doc__ or "", release.citations
)
