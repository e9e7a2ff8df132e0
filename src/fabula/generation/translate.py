"""Renders a passage in the language of the recipe, preceded by its conventions.

A world tells, reads and proves in its own language, and records show a translation of that. So the
same seed and index have the same facts in every language (see language/tongue.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.instance import UNKNOWN, Asked
from fabula.errors import RecipeError
from fabula.generation.passage import Assignment, Passage
from fabula.language.catalogue import tongue_for
from fabula.language.conventions import sentences
from fabula.language.tongue import Tongue
from fabula.world.base import ORDERED, World

OPEN = (UNKNOWN,)
"""The answer to a question that the story leaves open, the same in every language."""


class Translator:
    """Translates the passages of one assignment."""

    def __init__(self, assignment: Assignment, world: World) -> None:
        recipe = assignment.recipe
        self._recipe = recipe
        self._place = f"recipe {assignment.whole.id}, language"
        self._world = world
        self._tongue = tongue_for(
            recipe.world,
            recipe.language,
            recipe.cipher,
            assignment.seed,
            getattr(recipe, "pronouns", None),
        )
        self._stated = assignment.stated
        self.native = self._tongue is None
        """Whether the world's own language is that of the recipe."""
        self.preface: list[str] = self._conventions() if recipe.conventions == "story" else []
        """The conventions that every story states, in the world's own language."""

    def told(self, passage: Passage, begun: Tongue | None = None) -> Passage:
        """The passage in the language of the recipe, with the conventions it has to state.

        If a tongue has begun, in its words.
        """
        if self.preface:
            passage = passage._replace(preface=self.preface)
        if self._tongue is None:  # the world's own language
            return passage
        try:
            return self._in(begun or self._tongue.begin(), passage)
        except RecipeError as error:
            raise RecipeError(f"{self._place}: {error}") from None

    def _in(self, tongue: Tongue, passage: Passage) -> Passage:
        """The passage in a language other than the world's own."""
        preface = tongue.tell(passage.preface)
        told = tongue.tell(passage.tale.sentences)
        published = getattr(self._recipe, "labels", "") == "release"  # lists have its order then
        asked = [
            question._replace(
                question=tongue.ask(question.question),
                answer=question.answer
                if question.answer == OPEN
                else tongue.say(
                    question.answer,
                    question.query,
                    listed=not published and question.query[0] not in ORDERED,
                ),
            )
            for question in passage.asked
        ]
        if tongue.letters is not None:  # names only the choices have, the same for every question
            for question in passage.asked:
                tongue.say(self._world.choices(self._recipe, question.query) or ())
            tongue.tell(self._conventions())
            heard = tongue.hear(told)
            if heard != list(passage.tale.sentences):
                asked = [
                    said._replace(conventions=self._relied(heard, meant))
                    for said, meant in zip(asked, passage.asked, strict=True)
                ]
        return passage._replace(asked=asked, tongue=tongue, told=told, preface=preface)

    def _relied(self, heard: Sequence[str], asked: Asked) -> tuple[str, ...]:
        """The conventions that an answer relies on in the story as it is shown.

        Symbols say less than words: 'fits inside' becomes 'smaller', for example.
        """
        if not asked.masks:
            return ()
        reading = self._world.read(self._recipe.native, heard[: asked.position])
        return self._world.relies(reading, asked.query, asked.answer, asked.masks)

    def _conventions(self) -> list[str]:
        """The sentences that state the conventions, in the world's own language."""
        return sentences(self._recipe.native, self._recipe.world, self._stated)
