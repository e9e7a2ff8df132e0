"""Timetables in words: said, and parsed back."""

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
ROLES = ("trip", "other", "time", "minutes")
TOKENS = {"time": r"\d{1,2}:\d\d", "minutes": r"\d+"}


class Words:
    """One language for timetables."""

    def __init__(self, code: str) -> None:
        data = language_file(code, "clocks")
        self._sentences = Wording(data["sentences"], ROLES, TOKENS)
        self._questions = Wording(data["questions"], ROLES)

    def say(self, fact: Fact, draw: Draw) -> str:
        """A fact in words."""
        return self._sentences.say(fact[0], _fillers(fact), draw)

    def parse(self, sentence: str) -> Fact:
        """The fact of a sentence."""
        return self._sentences.parse(sentence)

    def ask(self, query: Query) -> str:
        """A question in words."""
        return self._questions.say(query[0], (*query[1:], ""), lambda: 0.0)

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""
        return self._questions.parse(question)


def _fillers(fact: Fact) -> tuple[str, str, str, str]:
    """The arguments of a fact in the order of the roles."""
    kind, trip, *rest = fact
    if kind == "leaves":
        return (trip, "", rest[0], "")
    return (trip, rest[0] if len(rest) > 1 else "", "", rest[-1])


def clock(minutes: int) -> str:
    """Minutes after midnight as a time of day: 580 is '9:40'."""
    return f"{minutes // 60}:{minutes % 60:02}"


def minutes_of(time: str) -> int:
    """A time of day in minutes after midnight."""
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


@cache
def words(code: str) -> Words:
    """The language of this code."""
    return Words(code)
