"""People who move around, take, drop, give and put things: bAbI tasks 1-3, 5-14, 20; Dyna-bAbI.

    1 Mary moved to the park.
    2 Mary took the apple.
    3 Following that she dropped the apple.
    4 Mary went to the school.
    5 John grabbed the apple.

    Where is John?  park: sentences 1, 2, 3, 5 (3 says 'she', so it needs 2).

Answers follow from the text and the stated conventions alone. A person's *stay* lasts from one
stated movement to their next (`nothing-untold`); what they carry comes along; taking, dropping and
giving put people and things in one place. A sentence may disclose only part of a move: where
somebody no longer is, or two places one of which is right. The set of places is open: that Mary is
not in the kitchen never proves where she is.

    1 This afternoon Julie went to the park.    4 Julie is thirsty.
    2 Julie went to the kitchen.                5 Yesterday Julie went to the office.
    3 This morning Julie went to the school.    6 Julie went back to the kitchen.

    Where was Julie before the park?     school: sentences 1 and 3
    Why did Julie go to the kitchen?     thirsty: sentence 4

Sentences with a time are about the *past*, before the story's *present*. The past has parts, and
each person spends each part in one place; sentences about it come in any order and at any point. If
no sentence mentions a part, nothing is known about it. The present continues the last part ('this
evening'); things are handled only in the present. A *need* lasts until the person gets what it is
for or is in another mood. What a mood makes people want, and where they go for it, is a convention
per mood (`mood-thirsty`).

    1 Mary went to the hall.                    4 Mary dropped the box.
    2 Mary took the box.                        5 Mary went to the den.
    3 John put the cup in the box.

    Where is the cup?     hall: sentences 1, 3, 4 (by 1, 2, 3 alone Mary would have carried it off)
    What is in the box?   cup: sentence 3

Things are put *in* containers and *on* surfaces and taken *from* them. A holder is a person or a
thing: the contents of a box are where the box is, and go where it is carried, until they are taken
out; a box may be in a box. Contents are closed-world, as holding is: a box holds only what the
story says (`nothing-else`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.language import language
from fabula.world.actors import conventions, exhaust, plainly, release, witness
from fabula.world.actors.plausible import plausible
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import ActorsReading, read
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.state import resumed, state_of
from fabula.world.actors.steer import steer
from fabula.world.actors.tale import ActorsTale
from fabula.world.base import (
    Account,
    Brief,
    Citation,
    Claim,
    Fact,
    Query,
    Witness,
    World,
)

MOVING = ("MOVE", "AFFIRM", "COREF", "CONJ", "COMPOUND")
"""Events and tellings by which people move."""


class Actors(World):
    """People who move, take, drop, give and put things."""

    name = "actors"
    recipe = ActorsRecipe
    ordered = True
    open_kinds = witness.OPEN_KINDS
    surveys = True

    def read(self, code: str, sentences: Sequence[str]) -> ActorsReading:
        """The reading of the sentences."""
        return read(code, sentences)

    def begin(self, recipe: ActorsRecipe, unfold: Draw, tell: Draw, brief: Brief) -> ActorsTale:
        """Begin a story."""
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
        """The verifier's own view of the sentences."""
        from fabula.world.actors.account import Account as Own

        return Own(code, sentences)

    def citations(self, reading: ActorsReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        lore = reading.language.lore
        found = release.cite(reading.knowledge.facts, reading.pronouns, query, lore)
        return [found] if found else []

    def survey(self, reading: ActorsReading, kinds: Sequence[str]) -> list[Query]:
        """All questions of these kinds that can be asked."""
        return exhaust.survey(reading, kinds)

    def entities(self, facts: Any) -> dict[str, list[str]]:
        """The names in facts, by sort."""
        return exhaust.entities(facts)

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A sentence that tells just these facts, in the plainest words."""
        return plainly.plain(code, facts)

    def simpler(self, fact: Fact) -> tuple[Fact, ...]:
        """Moves for what only tells a part of a move."""
        return plainly.simpler(fact)

    def conventions(self, recipe: ActorsRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return conventions.in_force(recipe)

    def relies(
        self, reading: ActorsReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on."""
        return conventions.relies(reading, query, answer, masks)

    def consistent(self, reading: ActorsReading) -> bool:
        """Whether everybody and everything can have been where it is told to be."""
        return reading.knowledge.consistent

    def plausible(self, facts: Sequence[Sequence[Fact]]) -> bool:
        """Whether things are handled only by people who can."""
        return plausible(facts)

    def state(self, reading: ActorsReading) -> dict[str, Any]:
        """Who is where, who has what, and what became of it (see state.py)."""
        return state_of(reading)

    def resume(self, code: str, state: Mapping[str, Any]) -> ActorsReading:
        """A reading that knows just what a state says."""
        return resumed(code, state)

    def opened(self, recipe: ActorsRecipe) -> ActorsRecipe:
        """The recipe with sentences that tell only a part: where somebody is not, or may be."""
        partial = {"NEGATE", "INDEF", "TIME"}  # of a time that is not told, nothing is known
        if partial & {name for name, weight in recipe.tellings.items() if weight}:
            return recipe
        moves = sum(recipe.beats.get(name, 0.0) for name in MOVING) or 1.0
        tellings = {**recipe.tellings, "NEGATE": moves / 3, "INDEF": moves / 3}
        return recipe.model_copy(update={"tellings": tellings})

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: Any,
        claim: Claim,
    ) -> bool:
        """The reader finds every contradiction itself."""
        return True

    def witnesses(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query
    ) -> list[Witness] | None:
        """Two worlds that fit the facts and answer a query differently."""
        return witness.worlds(facts, query, language(code, "actors").lore)

    def fits(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
    ) -> tuple[str, ...] | None:
        """The answer in a complete world; None if some fact does not hold in it."""
        return witness.answer_in(facts, query, whole, language(code, "actors").lore)


ACTORS = Actors()
