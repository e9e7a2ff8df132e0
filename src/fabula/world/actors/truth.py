"""The simulator's own answer to every question, compared with each answer of the reader.

It comes from the state of the world and from the simulator's records of what happened. Nothing here
uses the reader or the text. Only 'Is P in the L?' also depends on the telling: the world always
says yes or no, and 'maybe' is right as long as the sentences leave the place open (see
disclosure.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fabula.language import Language
from fabula.world.actors.disclosure import Disclosure
from fabula.world.actors.events import Stage
from fabula.world.base import Query

Answer = tuple[str, ...]

Disclosed = Callable[[], Disclosure]

NO_ANSWER: Final[Answer] = ()
"""The answer to an invalid question: it equals no answer of the reader."""


def truth(stage: Stage, language: Language, query: Query, disclosed: Disclosed) -> Answer:
    """The answer that the world gives to a question about people, places and things.

    `disclosed` gives what was told so far; only 'Is P in the L?' looks at it.
    """
    kind, name = query[0], query[1]
    if kind == "where-person":
        return (stage.place[name],)
    if kind == "where-object":
        return (stage.spot[name],)
    if kind == "where-was-object":
        way = stage.trail[name]
        at = max((i for i, place in enumerate(way) if place == query[2]), default=0)
        return (way[at - 1],) if at else NO_ANSWER
    if kind == "where-was-person":
        came = (old for who, old, new in reversed(stage.moves) if (who, new) == (name, query[2]))
        before = next(came, None)
        return (before,) if before else NO_ANSWER
    if kind == "yes-no":
        return (language.answers[_verdict(stage, name, query[2], disclosed())],)
    if kind in ("list", "count", "what-in", "what-on"):
        held = tuple(sorted(o for o, who in stage.holder.items() if who == name))
        if kind == "count":
            return (language.number(len(held)),)
        return held or (language.answers["nothing"],)
    return _given(stage, query)


def _verdict(stage: Stage, person: str, place: str, disclosed: Disclosure) -> str:
    """Whether a person is at a place: 'maybe' if the sentences do not settle it."""
    if disclosed.of(person).verdict(place) == "maybe":
        return "maybe"
    return "yes" if stage.place[person] == place else "no"


def _given(stage: Stage, query: Query) -> Answer:
    """The answer given by the latest give that fits the question."""
    kind, *named = query
    for giver, thing, receiver in reversed(stage.gives):
        if kind == "who-gave" and named == [thing]:
            return (giver,)
        if kind == "who-received" and named == [thing]:
            return (receiver,)
        if kind == "who-gave-to" and named == [thing, receiver]:
            return (giver,)
        if kind == "who-given-to" and named == [giver, thing]:
            return (receiver,)
        if kind == "what-given" and named == [giver, receiver]:
            return (thing,)
    return NO_ANSWER
