"""Families: what is somebody to somebody else? CLUTRR's stories, with sound rules only.

    1 In the week of the regatta, Clara lent Hugo, her brother, thick mittens.
    2 Hugo's wife Ines grows basil in a disused bathtub. Her daughter Vera had tickets for the
      semifinal.

    What is Vera to Clara? Vera is Clara's ...   niece: units 1 and 2

By convention the parents of every child are married to each other (`married-parents`), couples
share all their children and nobody marries twice (`shared-children`), siblings share both parents
(`full-siblings`), and an uncle is a parent's brother, not an aunt's husband (`by-blood`). Nobody is
their own relative, and different names are different people. A word is the answer only if it
holds in every family that fits the text. A unit of a story is one to three sentences that state one
to three facts; a proof follows a chain of exactly k facts; noise is worded like the rest and
labelled.

`telling` in the recipe chooses how facts are told: "scenes" puts each unit into a scene of its own,
"thread" makes all units one small story (a village fair from morning to night, a night on a train
that is snowed in), "plain" uses bare statements, "templates" sentences of the user's own. Except in
the last two, relatives are mentioned in more than forty forms, direct ('her uncle Bob', 'Bob, uncle
of Ann,') and indirect ('Bob, whose niece is Ann,', 'Bob, a brother of one of her parents,').

A *clause* is the chain of relations of a proof, whatever the genders: sibling-spouse-child above.
All clauses that some family can have come nearly equally often (see clauses.py), and `hold_out`
says what training and test do not share: clauses, scenes, forms of mentioning a relative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.world.base import Account, Brief, Query, World
from fabula.world.kinship import conventions
from fabula.world.kinship.phrases import phrases
from fabula.world.kinship.reading import BY_MARRIAGE, KinReading, idiom, read
from fabula.world.kinship.recipe import KinshipRecipe
from fabula.world.kinship.tale import KinshipTale


class Kinship(World):
    """Families."""

    name = "kinship"
    recipe = KinshipRecipe

    def read(self, code: str, sentences: Sequence[str]) -> KinReading:
        """The reader's view of the units of a story."""
        return read(code, sentences)

    def begin(self, recipe: KinshipRecipe, unfold: Draw, tell: Draw, brief: Brief) -> KinshipTale:
        """A new story; its cell says which task and which answer."""
        return KinshipTale(recipe, unfold, tell, brief)

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return phrases(code).ask(query[1], query[2], query[0] == BY_MARRIAGE)

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        first, second, by_marriage = phrases(code.partition("+")[0]).parse_question(question)
        return (BY_MARRIAGE if by_marriage else "kin", first, second)

    def choices(self, recipe: KinshipRecipe, query: Query) -> list[str] | None:
        """All answers that the recipe can have."""
        return list(recipe.targets or recipe.vocabulary.words)

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own reading, with the templates that the record brings along."""
        from fabula.world.kinship.account import Account as Own

        return Own(code, sentences, features.get("templates") or ())

    def hops(self, reading: KinReading, query: Query, mask: int) -> int:
        """The facts on the shortest chain in these sentences; one sentence may tell several."""
        found = [
            len(route.path)
            for route in reading.routes(query)
            if route.relation is not None and not route.used & ~mask
        ]
        return min(found, default=mask.bit_count())

    def idiom(self, code: str, features: Mapping[str, Any]) -> str:
        """The language of a record, with the templates it brings."""
        return idiom(code, features)

    def conventions(self, recipe: KinshipRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return conventions.in_force(recipe)

    def relies(
        self, reading: KinReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on."""
        return conventions.relies(reading, query, answer, masks)


KINSHIP = Kinship()
