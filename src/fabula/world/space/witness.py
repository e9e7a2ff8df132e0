"""Complete worlds that fit a story about positions: where everything is.

A world is a table from name to coordinates [across, upright, depth]. `worlds` finds them with the
logic program; `answer_in` checks one against every sentence and answers a question from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.world.base import Claim, Fact, Query, Witness
from fabula.world.space.words import LABELS, OFFSETS, REGIONS, SIDES

OPEN_KINDS = ("relation", "yes-no", "how-far", "what-is", "what-of")


def worlds(facts: Sequence[Sequence[Fact]], query: Query) -> list[Witness] | None:
    """Two worlds that fit and answer a query differently; None if none were found."""
    from fabula.world.space.oracle import Oracle

    oracle = Oracle(facts, [Claim(query, ("",), ())])
    found: list[Witness] = []
    for whole in oracle.placements(query):
        answer = answer_in(facts, query, whole)
        if answer is not None and all(answer != each.answer for each in found):
            found.append(Witness(whole, answer))
            if len(found) == 2:
                return found
    return None


def answer_in(
    facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """The answer to a query in a world; None if some sentence is not true in it."""
    for told in facts:
        for fact in told:
            if not _true(fact, whole):
                return None
    kind = query[0]
    if kind in ("what-is", "what-of"):
        ground, word = (query[2], query[1]) if kind == "what-is" else (query[1], query[2])
        sign = 1 if kind == "what-is" else -1
        spot = [a + sign * b for a, b in zip(whole[ground], OFFSETS[word], strict=True)]
        there = [name for name, place in whole.items() if list(place) == spot]
        return (there[0],) if len(there) == 1 else None
    first, second = query[-2:]
    if first not in whole or second not in whole:
        return None
    gap = [a - b for a, b in zip(whole[first], whole[second], strict=True)]
    if kind == "how-far":
        return (str(max(map(abs, gap))),)
    if kind == "yes-no":
        return ("yes" if _lies(query[1], gap) else "no",)
    named = [w for w in LABELS if _lies(f"directly-{w}" if w in SIDES else w, gap)]
    return (named[0],) if len(named) == 1 else None


def _true(fact: Fact, whole: Mapping[str, Any]) -> bool:
    if fact[0] == "not":
        word, figure, ground = fact[1:]
        return not _lies(word, [a - b for a, b in zip(whole[figure], whole[ground], strict=True)])
    relation, figure, ground, *more = fact
    count = int(more[0]) if more else 1
    offset = [count * step for step in OFFSETS[relation]]
    return [a - b for a, b in zip(whole[figure], whole[ground], strict=True)] == offset


def _lies(word: str, gap: Sequence[int]) -> bool:
    signs = tuple((part > 0) - (part < 0) for part in gap)
    return signs in REGIONS[word]
