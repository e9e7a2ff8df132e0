"""People who move about, take, drop and give things; bAbI tasks 1-3 and 5-13, and Dyna-bAbI.

    1 Mary moved to the park.
    2 Mary took the apple.
    3 Following that she dropped the apple.
    4 Mary went to the school.
    5 John grabbed the apple.

    Where is John?  park: sentences 1, 2, 3, 5 (3 says 'she', so 2 belongs to it).

The text is all there is to know. A person's *stay* lasts from one told movement of theirs to the
next; what they have comes along; taking, dropping and giving put people and things in one place.
A sentence may disclose only a part of a move: where somebody no longer is, or two places one of
which is right. Places are open: that Mary is not in the kitchen proves no other place.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.language import language
from fabula.recipe import Recipe
from fabula.seeds import Draw
from fabula.worlds.actors import release
from fabula.worlds.actors.questions import KINDS
from fabula.worlds.actors.recipe import ActorsRecipe
from fabula.worlds.actors.tale import ActorsReading, ActorsTale, read
from fabula.worlds.base import Brief, Citation, Claim, Query, World


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> ActorsTale:
    """A new story."""
    assert isinstance(recipe, ActorsRecipe)
    return ActorsTale(recipe, unfold, tell)


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return language(code, "actors").ask(query)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    return language(code, "actors").parse_question(question)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that this kind of question can have in the recipe."""
    assert isinstance(recipe, ActorsRecipe)
    return KINDS[query[0]].choices(recipe.cast, language(recipe.language, "actors"))


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """The logic program's objections to each claim."""
    from fabula.worlds.actors import oracle

    reading = read(code, sentences)
    story = [
        oracle.Sentence(facts, bool(statement.pronoun))
        for facts, statement in zip(reading.facts(), reading.statements, strict=True)
    ]
    return oracle.prove(story, [oracle.Claim(*claim) for claim in claims])


def citations(reading: ActorsReading, query: Query) -> list[Citation]:
    """What the bAbI release gives as answer and supports."""
    found = release.cite(reading.knowledge.facts, reading.pronouns, query)
    return [found] if found else []


ACTORS = World(
    ActorsRecipe, begin, read, ask, parse_question, choices, prove, __doc__ or "", citations
)
