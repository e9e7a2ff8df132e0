"""Things at places on a grid; bAbI tasks 4, 17 and 19, and StepGame.

    1 Otto is one row higher than Vera and one column further to the left.
    2 Hugo can be found to the left of Nina.
    3 You find Vera to the left of Hugo.

    What is the relation of the agent Nina to the agent Otto?  lower-right: sentences 1, 2, 3.

A sentence tells how one thing lies to another; it always means exactly one step on the grid, in one
of eight directions ('to the left' keeps the row, 'above' keeps the column). So a chain of sentences
between two things tells exactly how they lie to each other, and nothing less does. One world with
several vocabularies: compass words for rooms (4, 19), sides for figures (17), and a phrase bank of
some three hundred expressions (StepGame). A way between rooms (19) takes told neighbours only.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.recipe import Recipe
from fabula.relations.amounts import bounds
from fabula.seeds import Draw
from fabula.worlds.base import Brief, Claim, Fact, Query, Tale, World
from fabula.worlds.space import release
from fabula.worlds.space.grid import FACING, INVERSE, LABELS
from fabula.worlds.space.language import language
from fabula.worlds.space.reading import read
from fabula.worlds.space.recipe import SpaceRecipe
from fabula.worlds.space.tale import SpaceTale


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
    """A new story that fits the kind of instance wanted."""
    assert isinstance(recipe, SpaceRecipe)
    return SpaceTale(recipe, unfold, tell, brief.cell)


def canonical(fact: Fact) -> Fact:
    """Of a relation and its inverse the one whose first name comes first."""
    if fact[0] == "not":
        _, pattern, one, other = fact
        return fact if one <= other else ("not", FACING[pattern], other, one)
    relation, one, other, *steps = fact
    return fact if one <= other else (INVERSE[relation], other, one, *steps)


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return language(code).ask(query)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    return language(code).parse_question(question)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that this kind of question can have in the recipe."""
    assert isinstance(recipe, SpaceRecipe)
    if query[0] == "relation":
        return list(LABELS)
    if query[0] == "yes-no":
        return ["yes", "no"]
    if query[0] == "how-far":
        return [str(number) for number in range(bounds(recipe.hops)[1] * recipe.longest + 1)]
    return None if query[0] in ("path", "which") else list(recipe.pool)


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """The logic program's objections to each claim."""
    from fabula.worlds.space import oracle

    return oracle.prove(read(code, sentences).facts(), claims)


SPACE = World(
    SpaceRecipe,
    begin,
    read,
    ask,
    parse_question,
    choices,
    prove,
    __doc__ or "",
    release.citations,
    canonical,
)
