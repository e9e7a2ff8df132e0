"""Complete worlds that fit a story about people and things: where everybody and everything was.

A world is a table. `places` has for each person and thing the places in order, each with the number
of the sentence after which they are there, 0 for the beginning; `past` has for each person the
places in the parts of the past, 0 for the last part and -1 for the one before it. 'elsewhere' is a
place that the story does not name.

`worlds` finds them with the logic program. `answer_in` checks one against every sentence and
answers a question from it, by rules written for this purpose only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.language import Lore
from fabula.world.actors.claims import Sentence
from fabula.world.base import Fact, Query, Witness

STAYS = ("move", "at", "not-at", "either")
HANDLED = ("grab", "drop", "give", "put", "lay", "take")
ELSEWHERE = "elsewhere"
OPEN_KINDS = ("where-person", "where-object", "where-was-object", "where-was-person")


def worlds(facts: Sequence[Sequence[Fact]], query: Query, lore: Lore) -> list[Witness] | None:
    """Two worlds that fit and answer a query differently; None if there are none."""
    from fabula.world.actors.oracle import Oracle

    oracle = Oracle([Sentence(tuple(told), False) for told in facts], [query], lore)
    found = oracle.worlds(query)
    return [Witness(whole, (answer,)) for answer, whole in found] if len(found) == 2 else None


def answer_in(
    facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any], lore: Lore
) -> tuple[str, ...] | None:
    """The answer to a query in a world; None if some sentence is not true in it."""
    ways: Mapping[str, Sequence[Sequence[Any]]] = whole["places"]
    past: Mapping[str, Mapping[str, str]] = whole.get("past", {})
    part = {word: str(-index) for index, word in enumerate(reversed(lore.times))}
    holder: dict[str, str] = {}  # of a thing: a person or another thing

    def at(name: str, time: int) -> str | None:
        here = None
        for since, place in ways.get(name, ()):
            if since <= time:
                here = place
        return here

    def bearer(thing: str) -> str:
        while thing in holder:
            thing = holder[thing]
        return thing

    for time, told in enumerate(facts, 1):
        movers = {fact[1] for fact in told if fact[0] in STAYS}
        carried = {thing: bearer(thing) for thing in holder if bearer(thing) in movers}
        for name in ways:
            if at(name, time) is None:
                return None
            if at(name, time) != at(name, time - 1) and name not in movers | carried.keys():
                return None
        if any(at(thing, time) != at(person, time) for thing, person in carried.items()):
            return None
        for fact in told:
            if not _true(fact, lambda name: at(name, time), past, part):  # noqa: B023
                return None
            _handle(fact, holder)
    for person, parts in past.items():
        if parts.get("0") != at(person, 0):
            return None
    return _answer(query, facts, at, past, part)


def _true(fact: Fact, at: Any, past: Any, part: Mapping[str, str]) -> bool:
    """Whether a fact holds right after its sentence."""
    kind, who = fact[0], fact[1]
    if kind in ("move", "at"):
        return bool(at(who) == fact[2])
    if kind == "not-at":
        return at(who) not in (None, fact[2])
    if kind == "either":
        return at(who) in fact[2:]
    if kind == "went":
        return bool(past.get(who, {}).get(part[fact[3]]) == fact[2])
    if kind in HANDLED:
        near = [who, fact[2], *(fact[3:] if kind != "grab" else ())]
        return at(who) is not None and len({at(name) for name in near}) == 1
    return True


def _handle(fact: Fact, holder: dict[str, str]) -> None:
    """Record who or what has a thing after a fact."""
    kind = fact[0]
    if kind in ("grab", "take"):
        holder[fact[2]] = fact[1]
    elif kind == "drop":
        holder.pop(fact[2], None)
    elif kind in ("give", "put", "lay"):
        holder[fact[2]] = fact[3]


def _answer(
    query: Query, facts: Sequence[Sequence[Fact]], at: Any, past: Any, part: Mapping[str, str]
) -> tuple[str, ...] | None:
    last = len(facts)
    if query[0] in ("where-person", "where-object"):
        place = at(query[1], last)
        return None if place in (None, ELSEWHERE) else (place,)
    name, goal = query[1], query[2]
    for time in range(last, 0, -1):
        if at(name, time) == goal != at(name, time - 1):
            return _named(at(name, time - 1))
    told = {
        int(part[fact[3]])
        for each in facts
        for fact in each
        if fact[0] == "went" and fact[1:3] == (name, goal)
    }
    for index in sorted(told, reverse=True):
        before = past[name].get(str(index - 1))
        if before != goal:
            return _named(before)
    return None


def _named(place: str | None) -> tuple[str, ...] | None:
    return None if place in (None, ELSEWHERE) else (str(place),)
