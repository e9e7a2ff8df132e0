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
from fabula.world.actors import conventions, exhaust, release
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import ActorsReading, read
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.steer import steer
from fabula.world.actors.tale import ActorsTale
from fabula.world.base import Account, Brief, Citation, Query, World


class Actors(World):
    """People who move, take, drop, give and put things."""

    name = "actors"
    recipe = ActorsRecipe
    surveys = True

    def read(self, code: str, sentences: Sequence[str]) -> ActorsReading:
        """What the reader makes of sentences."""
        return read(code, sentences)

    def begin(self, recipe: ActorsRecipe, unfold: Draw, tell: Draw, brief: Brief) -> ActorsTale:
        """A new story."""
        tale = ActorsTale(recipe, unfold, tell)
        steer(tale, brief, unfold)
        return tale

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return language(code, "actors").ask(query)

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        return language(code, "actors").parse_question(question)

    def choices(self, recipe: ActorsRecipe, query: Query) -> list[str] | None:
        """All answers that this kind of question can have in the recipe."""
        return KINDS[query[0]].choices(recipe.cast, language(recipe.native, "actors"))

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own reading."""
        from fabula.world.actors.account import Account as Own

        return Own(code, sentences)

    def citations(self, reading: ActorsReading, query: Query) -> list[Citation]:
        """What the bAbI release gives as answer and supports."""
        lore = reading.language.lore
        found = release.cite(reading.knowledge.facts, reading.pronouns, query, lore)
        return [found] if found else []

    def survey(self, reading: ActorsReading, kinds: Sequence[str]) -> list[Query]:
        """All questions of some kinds that can be asked."""
        return exhaust.survey(reading, kinds)

    def entities(self, facts: Any) -> dict[str, list[str]]:
        """The names in facts, by sort."""
        return exhaust.entities(facts)

    def conventions(self, recipe: ActorsRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return conventions.in_force(recipe)

    def relies(
        self, reading: ActorsReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on."""
        return conventions.relies(reading, query, answer, masks)


ACTORS = Actors()
