"""People who move about, take, drop, give and put things: bAbI tasks 1-3, 5-14, 20; Dyna-bAbI.

    1 Mary moved to the park.
    2 Mary took the apple.
    3 Following that she dropped the apple.
    4 Mary went to the school.
    5 John grabbed the apple.

    Where is John?  park: sentences 1, 2, 3, 5 (3 says 'she', so 2 belongs to it).

The text and the stated conventions are all there is to know. A person's *stay* lasts from one told
movement of theirs to the next (`nothing-untold`); what they have comes along; taking, dropping and
giving put people and things in one place. A sentence may disclose only a part of a move: where
somebody no longer is, or two places one of which is right. Places are open: that Mary is not in the
kitchen proves no other place.

    1 This afternoon Julie went to the park.    4 Julie is thirsty.
    2 Julie went to the kitchen.                5 Yesterday Julie went to the office.
    3 This morning Julie went to the school.    6 Julie went back to the kitchen.

    Where was Julie before the park?     school: sentences 1 and 3
    Why did Julie go to the kitchen?     thirsty: sentence 4

What is told with a time lies before the story's *present*, in parts of which everybody spends each
in one place; it is told in any order and at any point. Of a part that no sentence tells of nothing
is known. The present goes on from the last part ('this evening'); only there are things handled.
A *need* is in force until its owner gets what it is for or is of another mood. What a mood makes
people want, and where they go for it, is a convention for each mood (`mood-thirsty`).

    1 Mary went to the hall.                    4 Mary dropped the box.
    2 Mary took the box.                        5 Mary went to the den.
    3 John put the cup in the box.

    Where is the cup?     hall: sentences 1, 3, 4 (by 1, 2, 3 alone Mary would have carried it off)
    What is in the box?   cup: sentence 3

Things are put *in* containers and *on* surfaces and taken *from* them. A holder is a person or a
thing: what is in a box is where the box is and goes where it is carried, until it is taken out; a
box may be in a box. Contents are closed, as holding is: in a box is what the story says
(`nothing-else`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.language import language
from fabula.recipe.model import Recipe
from fabula.world.actors import conventions, release
from fabula.world.actors.exhaust import entities, survey
from fabula.world.actors.questions import KINDS
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.steer import steer
from fabula.world.actors.tale import ActorsReading, ActorsTale, read
from fabula.world.base import Account, Brief, Citation, Claim, Query, World


def begin(recipe: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> ActorsTale:
    """A new story."""
    assert isinstance(recipe, ActorsRecipe)
    tale = ActorsTale(recipe, unfold, tell)
    steer(tale, brief, unfold)
    return tale


def ask(code: str, query: Query) -> str:
    """A query in words."""
    return language(code, "actors").ask(query)


def parse_question(code: str, question: str) -> Query:
    """The query behind a question."""
    return language(code, "actors").parse_question(question)


def choices(recipe: Recipe, query: Query) -> list[str] | None:
    """All answers that this kind of question can have in the recipe."""
    assert isinstance(recipe, ActorsRecipe)
    return KINDS[query[0]].choices(recipe.cast, language(recipe.native, "actors"))


def retold(code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
    """The verifier's own reading."""
    from fabula.world.actors.account import Account as Own

    return Own(code, sentences)


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, by the verifier's own reading and rules."""
    return retold(code, sentences, {}).prove(claims)


def citations(reading: ActorsReading, query: Query) -> list[Citation]:
    """What the bAbI release gives as answer and supports."""
    lore = reading.language.lore
    found = release.cite(reading.knowledge.facts, reading.pronouns, query, lore)
    return [found] if found else []


ACTORS = World(
    ActorsRecipe,
    begin,
    read,
    ask,
    parse_question,
    choices,
    prove,
    __doc__ or "",
    citations,
    survey=survey,
    entities=entities,
    conventions=conventions.in_force,
    relies=conventions.relies,
    account=retold,
)
