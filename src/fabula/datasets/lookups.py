"""Look-up baselines that see a part of a chain of relations instead of following it.

They measure how much of a benchmark of chains (kinship) can be solved without reasoning: from the
first and the last relation, and from all relations without their order. Genders are ignored: the
relation determines the word, since the text states the gender of the person in question.

Promises:
1. A look-up is learned per split and number of hops, from the other nine tenths of the records, so
   it never knows the label of the record it answers.
2. Relations are those of the recorded chain, whatever their wording and the order of the story.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from fabula.core.instance import Instance
from fabula.core.seeds import fingerprint
from fabula.generation.shortcuts import Score
from fabula.world.kinship.reading import BLOOD

FOLDS = 10

Chain = tuple[str, ...]

LOOKUPS: dict[str, Callable[[Chain], Hashable]] = {
    "ends of the chain": lambda chain: (chain[0], chain[-1]),
    "bag of relations": lambda chain: tuple(sorted(chain)),
}


class Found(NamedTuple):
    """The scores of the look-ups on the records of one split with the same number of hops."""

    split: str
    hops: int
    scores: list[Score]


class _Seen(NamedTuple):
    """A record as a look-up sees it."""

    chain: Chain
    answer: str
    """The relation."""
    fold: int


def chain_of(record: Instance) -> Chain | None:
    """The relations of a recorded chain in order, or None if it has none."""
    words = [edge[1] for edge in record.features.get("edges", ()) if edge[3] == "support"]
    if not words or any(word not in BLOOD.relation_of for word in words):
        return None
    return tuple(BLOOD.relation_of[word][0] for word in words)


def lookups(records: Iterable[Instance]) -> list[Found]:
    """The scores of the look-ups, by split and number of hops; empty for records without chains."""
    groups: defaultdict[tuple[str, int], list[_Seen]] = defaultdict(list)
    for record in records:
        chain = chain_of(record)
        if chain is not None:
            answer, fold = record.answer[0], fingerprint("fold:" + record.id) % FOLDS
            relation = BLOOD.relation_of.get(answer, (answer, ""))[0]
            split = str(record.provenance.get("split", ""))
            groups[split, len(chain)].append(_Seen(chain, relation, fold))
    order = list(dict.fromkeys(split for split, _ in groups))
    return [
        Found(split, hops, [_score(name, key, group) for name, key in LOOKUPS.items()])
        for (split, hops), group in sorted(
            groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    ]


def _score(name: str, key: Callable[[Chain], Hashable], group: Sequence[_Seen]) -> Score:
    """The score of a look-up by a key, each answer looked up in the other folds."""
    total: defaultdict[Hashable, Counter[str]] = defaultdict(Counter)
    own: defaultdict[tuple[Hashable, int], Counter[str]] = defaultdict(Counter)
    for seen in group:
        for known in (key(seen.chain), None):  # for unseen keys, the most frequent answer
            total[known][seen.answer] += 1
            own[known, seen.fold][seen.answer] += 1

    @cache
    def best(known: Hashable, fold: int) -> str | None:
        others = total[known] - own[known, fold]
        return min(others, key=lambda word: (-others[word], word)) if others else None

    right = sum(
        (best(key(seen.chain), seen.fold) or best(None, seen.fold)) == seen.answer for seen in group
    )
    return Score(name, right, len(group))
