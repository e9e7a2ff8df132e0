"""Sizes in words: rendered, and parsed back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from fabula.core.seeds import Draw, pick
from fabula.language import language_file
from fabula.language.conventions import silent
from fabula.world.base import Query
from fabula.world.relations import Wording

ROLES = ("bigger", "smaller")
NOTHING = ("", "")
"""The content of a sentence that states a convention."""


class SizesLanguage:
    """One language for sizes."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._code: str = data["code"]
        self._sentences = Wording(data["sentences"], ROLES)
        self._questions = Wording(data["questions"], ROLES)

    def say(self, bigger: str, smaller: str, draw: Draw) -> str:
        """A sentence that says that one thing is bigger than another."""
        meaning = pick(draw, list(self._sentences.patterns))
        return self._sentences.say(meaning, (bigger, smaller), draw)

    @property
    def meanings(self) -> tuple[str, ...]:
        """The ways in which it can be said, if each is one sentence; else none."""
        patterns = self._sentences.patterns
        return tuple(patterns) if all(len(texts) == 1 for texts in patterns.values()) else ()

    def say_as(self, meaning: str, pair: tuple[str, str]) -> str:
        """That one thing is bigger than another, in a way of `meanings`."""
        return self._sentences.say(meaning, pair, lambda: 0.0)

    def parse(self, sentence: str) -> tuple[str, str]:
        """The bigger and the smaller thing of a sentence; empty if it states a convention."""
        if sentence in silent(self._code, "sizes"):
            return NOTHING
        _, bigger, smaller = self._sentences.parse(sentence)
        return bigger, smaller

    def fits(self, sentence: str) -> bool:
        """Whether a sentence says it as 'fits inside'."""
        return self.parse(sentence) != NOTHING and self._sentences.parse(sentence)[0] == "fits"

    def ask(self, query: Query) -> str:
        """The question in words."""
        return self._questions.say(query[0], bigger_first(query), lambda: 0.0)

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""
        kind, bigger, smaller = self._questions.parse(question)
        return (kind, bigger, smaller) if kind == "bigger" else (kind, smaller, bigger)


def bigger_first(query: Query) -> tuple[str, str]:
    """The bigger and the smaller thing if the answer is yes: 'fits' names them in reverse order."""
    return (query[1], query[2]) if query[0] == "bigger" else (query[2], query[1])


@cache
def language(code: str) -> SizesLanguage:
    """The language with this code."""
    return SizesLanguage(language_file(code, "sizes"))
