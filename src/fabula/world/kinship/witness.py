"""Complete worlds that fit a story about kin: a family.

A world has four tables: `gender` of everybody, `parents` of those whose parents are in the family,
`spouse`, and `siblings`. People without a name in the story are called '#5'. `worlds` finds them
with the logic program; `answer_in` checks one against every sentence and answers a question from
it, by definitions of the words that are used nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fabula.world.base import Fact, Query, Witness
from fabula.world.kinship.claims import BASIC, GENDERS, WORDS

OPEN_KINDS = ("kin", "kin-by-marriage")
Step = Callable[[str], Iterable[str]]


def worlds(facts: Sequence[Sequence[Fact]], query: Query) -> list[Witness] | None:
    """Two worlds that fit and answer a query differently; None if none were found."""
    from fabula.world.kinship.oracle import Oracle

    told = {fact[0] for unit in facts for fact in unit if len(fact) == 3}
    words = [word for word in WORDS if word in BASIC or word in told]
    oracle = Oracle(facts, query, words, query[0] == "kin-by-marriage")
    found: list[Witness] = []
    for whole in oracle.worlds():
        answer = answer_in(facts, query, whole)
        if answer is not None and all(answer != each.answer for each in found):
            found.append(Witness(whole, answer))
            if len(found) == 2:
                return found
    return None


def answer_in(
    facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """The answer in a world; None if some sentence is not true in it, or no word fits."""
    gender, parents, spouse = whole["gender"], whole["parents"], whole["spouse"]
    children: dict[str, list[str]] = {}
    for child, both in parents.items():
        for parent in both:
            children.setdefault(parent, []).append(child)
    if not _sound(gender, parents, spouse):
        return None

    def up(one: str) -> Iterable[str]:
        return list(parents.get(one, ()))

    def down(one: str) -> Iterable[str]:
        return children.get(one, ())

    def wed(one: str) -> Iterable[str]:
        return [spouse[one]] if one in spouse else []

    def side(one: str) -> Iterable[str]:
        sibs = {other for parent in up(one) for other in down(parent)}
        sibs.update(whole.get("siblings", {}).get(one, ()))
        return sorted(sibs - {one})

    ways: dict[str, list[tuple[Step, ...]]] = {
        "child": [(down,)],
        "parent": [(up,)],
        "spouse": [(wed,)],
        "sibling": [(side,)],
        "grandchild": [(down, down)],
        "grandparent": [(up, up)],
        "child_in_law": [(down, wed)],
        "parent_in_law": [(wed, up)],
        "nibling": [(side, down)],
        "pibling": [(up, side)],
        "sibling_in_law": [(wed, side), (side, wed)],
        "cousin": [(up, side, down)],
        "great_grandchild": [(down, down, down)],
        "great_grandparent": [(up, up, up)],
    }
    if query[0] == "kin-by-marriage":
        ways["nibling"].append((wed, side, down))
        ways["pibling"].append((up, side, wed))

    def holds(first: str, word: str, second: str) -> bool:
        relation, wanted, _ = WORDS[word]
        if wanted != "any" and gender.get(second) != wanted:
            return False
        for way in ways[relation]:
            reached = {first}
            for step in way:
                reached = {other for one in reached for other in step(one)}
            if second in reached:
                return True
        return False

    told = {fact[0] for unit in facts for fact in unit if len(fact) == 3}
    for unit in facts:
        for fact in unit:
            if fact[0] in GENDERS:
                if gender.get(fact[1]) != fact[0]:
                    return None
            elif not holds(fact[1], fact[0], fact[2]):
                return None
    words = [word for word in WORDS if word in BASIC or word in told]
    named = [word for word in words if holds(query[1], word, query[2])]
    return (named[0],) if len(named) == 1 else None


def _sound(
    gender: Mapping[str, str], parents: Mapping[str, Sequence[str]], spouse: Mapping[str, str]
) -> bool:
    """Whether marriages are mutual and between a man and a woman, parents are married, and nobody
    descends from themselves.
    """
    for one, other in spouse.items():
        if spouse.get(other) != one or gender.get(one) == gender.get(other):
            return False
    for both in parents.values():
        if len(both) == 2 and spouse.get(both[0]) != both[1]:
            return False
    for person in parents:
        above, seen = list(parents[person]), set[str]()
        while above:
            one = above.pop()
            if one == person:
                return False
            if one not in seen:
                seen.add(one)
                above += parents.get(one, ())
    return True
