"""Guesses that need no understanding: which possible answer does the story mention last?

Recipes set quotas on how often these are wrong (`decoys`), and baselines.py measures how often they
are right. Glossary:

    choice  a possible answer to the question, other than the names in the question
    last    the choice that the story mentions last
    beside  the choice mentioned last in a fact about the first name in the question, e.g. about
            Mary in 'Where is Mary?' and 'What did Mary give to John?'

'Is Mary in the park?' is guessed 'yes' if the park is the place mentioned last. Pronouns count as
the names they stand for: facts have them resolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Answer = tuple[str, ...]
Fact = tuple[str, ...]
Query = tuple[str, ...]
Told = Sequence[Sequence[Fact]]
"""The facts of each sentence."""

GUESSES = ("last", "beside")
LOCATING = ("move", "at", "not-at", "either", "went")
"""Facts that say where somebody is: a person, then one or two places."""


def last_mention(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice that the story mentions last."""
    return _guess(_mentions(told, query, choices), query, last=True)


def last_mention_beside(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """The choice mentioned last beside the first name in the question."""
    return _guess(_mentions(told, query, choices, query[1]), query, last=True)


def first_mention_beside(told: Told, query: Query, choices: Sequence[str]) -> Answer | None:
    """Of the same fact, the choice that it mentions first: who acts instead of who is acted on."""
    return _guess(_mentions(told, query, choices, query[1]), query, last=False)


def misled(
    guess: str, told: Told, query: Query, choices: Sequence[str] | None, answer: Answer
) -> bool:
    """Whether a guess is wrong; 'beside' must be wrong for every choice that its fact mentions."""
    name = query[1] if guess == "beside" else None
    mentions = _mentions(told, query, choices or (), name)
    if query[0] == "yes-no" or guess == "last":
        return _guess(mentions, query, last=True) != answer
    return len(answer) != 1 or answer[0] not in mentions


def _guess(mentions: Sequence[str], query: Query, last: bool) -> Answer | None:
    if not mentions:
        return None
    word = mentions[-1 if last else 0]
    if query[0] == "yes-no":
        return ("yes",) if word == query[-1] else ("no",)
    return (word,)


def _mentions(
    told: Told, query: Query, choices: Sequence[str], name: str | None = None
) -> Sequence[str]:
    """The choices in the last fact that mentions any, of all facts or of those about a name."""
    closed = set(choices).difference(query[1:])
    located = query[0] == "yes-no" and len(query) == 3  # a person and a place
    for fact in _backwards(told):
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
            return found
    return ()


def _backwards(told: Told) -> Iterator[Fact]:
    for facts in reversed(told):
        yield from reversed(facts)
