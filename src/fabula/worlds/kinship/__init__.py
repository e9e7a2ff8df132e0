"""Families: what is somebody to somebody else? CLUTRR's stories, with sound rules only.

    1 In the week of the regatta, Clara lent Hugo, her brother, thick mittens.
    2 Hugo's wife Ines grows basil in a disused bathtub. Her daughter Vera had tickets for the
      semifinal.

    What is Vera to Clara? Vera is Clara's ...   niece: units 1 and 2

Couples share their children, siblings share both parents, everyone has one spouse at most, nobody
is their own relative, and different names are different people. A word is the answer only if it
holds in every family that fits the text. A unit of a story is one to three sentences that tell one
to three facts; a proof goes along a chain of exactly k facts; noise is told like the rest and
labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.recipe import Recipe
from fabula.seeds import Draw
from fabula.worlds.base import Account, Brief, Claim, Query, World
from fabula.worlds.kinship.phrases import phrases
from fabula.worlds.kinship.reading import BY_MARRIAGE
from fabula.worlds.kinship.recipe import KinshipRecipe
from fabula.worlds.kinship.tale import KinshipTale, idiom, read


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> KinshipTale:
    """A new story; its task, target and clause follow from the index in the split."""
    assert isinstance(recipe, KinshipRecipe)
    return KinshipTale(recipe, unfold, tell, brief)


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return phrases(code).ask(query[1], query[2], query[0] == BY_MARRIAGE)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    first, second, by_marriage = phrases(code.partition("+")[0]).parse_question(question)
    return (BY_MARRIAGE if by_marriage else "kin", first, second)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that the recipe can have."""
    assert isinstance(recipe, KinshipRecipe)
    return list(recipe.targets or recipe.vocabulary.words)


def retold(code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
    """The verifier's own reading, with the templates that the record brings along."""
    from fabula.worlds.kinship.account import Account as Own

    return Own(code, sentences, features.get("templates") or ())


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, by the verifier's own reading and rules."""
    return retold(code, sentences, {}).prove(claims)


KINSHIP = World(
    KinshipRecipe,
    begin,
    read,
    ask,
    parse_question,
    choices,
    prove,
    __doc__ or "",
    idiom=idiom,
    account=retold,
)
