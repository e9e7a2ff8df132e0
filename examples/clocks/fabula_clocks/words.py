"""Timetables in words: facts and queries rendered as text and parsed back.

A fact is (kind, trip, amount) or (kind, trip, other trip, amount), e.g. ('leaves', 'bus', '9:40').
"""

from __future__ import annotations

from functools import cache

from fabula.core.seeds import Draw
from fabula.language import language_file
from fabula.world.base import Fact, Query
from fabula.world.relations import Wording

KINDS = (
    "leave", "arrive", "how-long", "set-off", "minutes-after", "arrives-before", "leaves-first",
)  # fmt: skip
STEP = 5  # minutes; all times are multiples


class Words:
    """One language for timetables."""

    def __init__(self, code: str) -> None:
        data, roles = language_file(code, "clocks"), ("trip", "other", "amount")
        self._sentences = Wording(data["sentences"], roles, {"amount": r"\d+(?::\d\d)?"})
        self._questions = Wording(data["questions"], roles)

    def say(self, fact: Fact, draw: Draw) -> str:
        """A sentence that states a fact."""
        return self._sentences.say(fact[0], (fact[1], fact[-2], fact[-1]), draw)

    def parse(self, sentence: str) -> Fact:
        """The fact that a sentence states."""
        return self._sentences.parse(sentence)

    def ask(self, query: Query) -> str:
        """A query as a question."""
        return self._questions.say(query[0], (query[1], query[-1]), lambda: 0.0)

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""
        return self._questions.parse(question)


words = cache(Words)


def clock(minutes: int) -> str:
    """Minutes after midnight as a time of day: 580 is '9:40'."""
    return f"{minutes // 60}:{minutes % 60:02}"


def minutes_of(amount: str) -> int:
    """A time of day or a duration in minutes: '9:40' is 580, '35' is 35."""
    hours, _, minutes = amount.rpartition(":")
    return int(hours or 0) * 60 + int(minutes)
