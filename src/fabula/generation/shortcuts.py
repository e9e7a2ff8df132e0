"""Guesses that need no understanding: which possible answer does the story mention, and where?

Recipes set quotas on how often these are wrong (`decoys`), and baselines.py measures how often they
are right. Glossary:

    choice  a possible answer to the question, other than the names in the question
    last    the choice that the story mentions last
    beside  the choice mentioned last in a fact about the first name in the question, e.g. about
            Mary in 'Where is Mary?' and 'What did Mary give to John?'
    first   the choice mentioned first in such a fact
    most    the choice mentioned most often in such facts

For 'Is Mary in the park?' the guess is 'yes' if the park is the place mentioned last (first, most
often). Pronouns count as the names they refer to: they are resolved in the facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Score(NamedTuple):
    """The score of a baseline."""

    name: str
    right: int
    total: int

    @property
    def accuracy(self) -> float:
        """The fraction of correct answers."""
        return self.right / self.total if self.total else 0.0


Answer = tuple[str, ...]
Fact = tuple[str, ...]
Query = tuple[str, ...]
Told = Sequence[Sequence[Fact]]
"""The facts of each sentence."""

GUESSES = ("last", "beside", "first")
"""The guesses that quotas can be set on."""
LOCATING = ("move", "at", "not-at", "either", "went")
"""Facts that locate a person: the person, then one or two places."""


def last_mention(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice that the story mentions last."""
    return _guess([found[-1] for found in _mentions(told, query, choices)][-1:], query)


def last_mention_beside(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice mentioned last beside the first name in the question."""
    return _guess([found[-1] for found in _mentions(told, query, choices, query[1])][-1:], query)


def first_mention_beside(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice mentioned first beside the first name in the question."""
    return _guess([found[0] for found in _mentions(told, query, choices, query[1])][:1], query)


def most_mentions_beside(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice mentioned most often beside the first name in the question; the first such on
    ties.
    """
    found = [word for words in _mentions(told, query, choices, query[1]) for word in words]
    return _guess([word for word, _ in Counter(found).most_common(1)], query)


def misled(
    guess: str, told: Told, query: Query, choices: Sequence[str] | None, answer: Answer
) -> bool:
    """Whether a guess is wrong; beside a name, for every choice in the fact."""
    if query[0] == "yes-no" or guess == "last":
        return _GUESSED[guess](told, query, choices or ()) != answer
    mentions = list(_mentions(told, query, choices or (), query[1]))
    if not mentions or len(answer) != 1:
        return True
    return answer[0] not in mentions[0 if guess == "first" else -1]


_GUESSED = {
    "last": last_mention,
    "beside": last_mention_beside,
    "first": first_mention_beside,
}


def _guess(words: Sequence[str], query: Query) -> Answer | None:
    if not words:
        return None
    if query[0] == "yes-no":
        return ("yes",) if words[0] == query[-1] else ("no",)
    return (words[0],)


def _mentions(
    told: Told, query: Query, choices: Sequence[str], name: str | None = None
) -> Iterator[list[str]]:
    """The choices in each fact that mentions any; of all facts, or of those about a name."""
    closed = set(choices).difference(query[1:])
    located = query[0] == "yes-no" and len(query) == 3  # a person and a place
    for facts in told:
        for fact in facts:
            if name is not None and name not in fact:
                continue
            if query[0] != "yes-no":
                found = [word for word in fact[1:] if word in closed]
            elif located:
                places = 2 if fact[0] == "either" else 1
                found = list(fact[2 : 2 + places]) if fact[0] in LOCATING else []
            else:
                found = [word for word in fact[1:] if word != query[1]]
            if found:
                yield found
