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

from collections.abc import Sequence

from fabula.recipe import Recipe
from fabula.seeds import Draw
from fabula.worlds.base import Brief, Claim, Query, Tale, World
from fabula.worlds.kinds import release
from fabula.worlds.kinds.language import language
from fabula.worlds.kinds.reading import read
from fabula.worlds.kinds.recipe import KindsRecipe
from fabula.worlds.kinds.tale import KindsTale


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
    """A new story."""
    assert isinstance(recipe, KindsRecipe)
    return KindsTale(recipe, unfold, tell)


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return language(code).ask(query)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    return language(code).parse_question(question)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that this kind of question can have in the recipe."""
    assert isinstance(recipe, KindsRecipe)
    return list(recipe.animals if query[0] == "afraid" else recipe.colours)


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """The logic program's objections to each claim."""
    from fabula.worlds.kinds import oracle

    return oracle.prove([facts[0] for facts in read(code, sentences).facts()], claims)


KINDS = World(
    KindsRecipe, begin, read, ask, parse_question, choices, prove, __doc__ or "", release.citations
)
