"""Complete worlds that fit a story about kinds: what everybody is, and what every kind fears.

A world has four tables: `kind` and `colour` of everybody, `above` and `fear` of every kind.
`worlds` finds them with the logic program; `answer_in` checks one against every sentence and
answers a question from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.world.base import Fact, Query, Witness

OPEN_KINDS = ("afraid", "colour")
TABLES = {"member": "kind", "subkind": "above", "fear": "fear", "colour": "colour"}


def worlds(facts: Sequence[Sequence[Fact]], query: Query) -> list[Witness] | None:
    """Two worlds that fit and answer a query differently; None if there are none."""
    from fabula.world.kinds.oracle import worlds as found

    made: list[Witness] = []
    for whole in found([told[0] for told in facts if told], query):
        answer = answer_in(facts, query, whole)
        if answer is not None and all(answer != each.answer for each in made):
            made.append(Witness(whole, answer))
            if len(made) == 2:
                return made
    return None


def answer_in(
    facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """The answer to a query in a world; None if some sentence is not true in it."""
    told = [fact for each in facts for fact in each]
    for kind, one, other in told:
        if whole[TABLES[kind]].get(one) != other:
            return None
    name = next((n for n in whole["kind"] if n.lower() == query[1].lower()), query[1])
    if query[0] == "afraid":
        kind, seen = whole["kind"].get(name), set[str]()
        while kind is not None and kind not in seen:
            if kind in whole["fear"]:
                return (whole["fear"][kind],)
            seen.add(kind)
            kind = whole["above"].get(kind)
        return None
    # an individual without a stated colour has that of the others of the same kind
    given = {fact[1] for fact in told if fact[0] == "colour"}
    for one, colour in whole["colour"].items():
        peers = [p for p, k in whole["kind"].items() if k == whole["kind"].get(one) and p != one]
        if one not in given and any(whole["colour"].get(peer, colour) != colour for peer in peers):
            return None
    colour = whole["colour"].get(name)
    return None if colour is None else (colour,)
