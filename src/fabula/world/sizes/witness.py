"""Complete worlds that fit a story about sizes: a size for everything.

A world is a table from name to size. `worlds` finds them with the logic program; `answer_in` checks
one against every sentence and answers a question from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.world.base import Fact, Query, Witness

OPEN_KINDS = ("bigger", "fits")


def worlds(facts: Sequence[Sequence[Fact]], query: Query) -> list[Witness] | None:
    """Two worlds that fit and answer a query differently; None if there are none."""
    from fabula.world.sizes.oracle import Oracle

    oracle = Oracle([told[0] if told else () for told in facts], [query])
    found = []
    for whole in oracle.worlds(query):
        answer = answer_in(facts, query, whole)
        if answer is not None:
            found.append(Witness(whole, answer))
    return found if len({each.answer for each in found}) == 2 else None


def answer_in(
    facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """The answer to a query in a world; None if some sentence is not true in it."""
    for told in facts:
        for _, bigger, smaller in told:
            if not whole[bigger] > whole[smaller]:
                return None
    one, other = query[1:]
    if one not in whole or other not in whole or whole[one] == whole[other]:
        return None
    above = whole[one] > whole[other]
    return ("yes" if above == (query[0] == "bigger") else "no",)
