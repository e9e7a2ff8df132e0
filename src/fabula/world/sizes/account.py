"""The verifier's own reading of stories about sizes, and what follows from them.

A set of sentences entails that one thing is bigger than another if stated comparisons lead from the
one to the other. It entails nothing if comparisons form a cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from fabula.language.patterns import Patterns, language_data, matching, nothing_fits, silent
from fabula.world.base import Fact, Query
from fabula.world.small import SmallAccount

ANYTHING = matching(r"[\w'-]+(?: [\w'-]+)*")
ROLES = {"bigger": ANYTHING, "smaller": ANYTHING}
ORDER = {"bigger": ("bigger", "smaller"), "fits": ("smaller", "bigger")}
"""The order in which queries name the two things."""


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str) -> None:
        data = language_data(code, "sizes")
        self._code, self._silent = code, silent(code, "sizes")
        self._sentences, self._questions = Patterns(), Patterns()
        for table, patterns in (("sentences", self._sentences), ("questions", self._questions)):
            for kind, texts in data[table].items():
                for text in texts:
                    patterns.add(text, kind, ROLES)

    def fact(self, sentence: str) -> Fact:
        """The fact of a sentence; empty if it states none."""
        found = self._sentences.best(sentence)
        if found is None:
            if self._silent(sentence):
                return ()
            raise nothing_fits(self._code, sentence)
        return ("bigger", found.slots["bigger"], found.slots["smaller"])  # whatever its wording

    def question(self, text: str) -> Query:
        """The query behind a question."""
        found = self._questions.best(text.strip())
        if found is None:
            raise nothing_fits(self._code, text, "question")
        return (found.meaning, *(found.slots[role] for role in ORDER[found.meaning]))


class Account(SmallAccount):
    """The verifier's view of a story."""

    def __init__(self, code: str, sentences: Sequence[str]) -> None:
        super().__init__(grammar(code), sentences)

    def conclude(self, query: Query, told: Collection[int]) -> str | None:
        """The conclusion of these sentences for a query."""
        return conclude(self._facts, query, told)

    def wanted(self, answer: tuple[str, ...]) -> str:
        """The value that `conclude` must return for an answer."""
        return "".join(answer)


def conclude(facts: Sequence[Fact], query: Query, told: Collection[int]) -> str | None:
    """The answer of these sentences to a query; None if none follows."""
    first, second = query[1:] if query[0] == "bigger" else query[:0:-1]
    things = {name for fact in facts if fact for name in fact[1:]}
    if not {first, second} <= things or first == second:
        return None
    below: dict[str, set[str]] = {}
    for number in told:
        fact = facts[number - 1]
        if fact:
            below.setdefault(fact[1], set()).add(fact[2])
    if _circular(below):
        return None
    if second in _under(below, first):
        return "yes"
    return "no" if first in _under(below, second) else None


def _under(below: dict[str, set[str]], top: str) -> set[str]:
    """Everything stated to be smaller than something, directly or not."""
    found, todo = set[str](), [top]
    for thing in todo:  # grows during iteration
        for other in below.get(thing, ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def _circular(below: dict[str, set[str]]) -> bool:
    """Whether the comparisons form a cycle: repeatedly removes things that nothing is bigger than;
    with a cycle, some remain.
    """
    above = dict.fromkeys([*below, *(thing for under in below.values() for thing in under)], 0)
    for under in below.values():
        for thing in under:
            above[thing] += 1
    todo = [thing for thing, count in above.items() if not count]
    for thing in todo:  # grows during iteration
        for other in below.get(thing, ()):
            above[other] -= 1
            if not above[other]:
                todo.append(other)
    return len(todo) < len(above)


@cache
def grammar(code: str) -> Grammar:
    """The patterns of a language."""
    return Grammar(code)
