"""Trivial baselines: the accuracy that needs no understanding.

A benchmark is only worth as much as these fail on it. Each baseline is a function from the
instances to one guess each. Those that learn from labels learn from the instances they are measured
on, which flatters them.

Promises:
1. A guess uses the text (sentences as symbols, the question) and never an answer, unless the
   baseline says so.
2. Guesses are judged by `same_answer`: no partial credit.
3. No guess (None) is wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from fabula.analysis.verify import records
from fabula.core.instance import Instance
from fabula.core.seeds import pick, stream
from fabula.datasets.lookups import Found, lookups
from fabula.errors import FabulaError, ParseError
from fabula.generation import shortcuts
from fabula.generation.shortcuts import Score
from fabula.world.base import same_answer

Answer = tuple[str, ...]
Guesses = list[Answer | None]


def _commonest(instances: Sequence[Instance], key: Callable[[Instance], Hashable]) -> Guesses:
    """For each instance, the most frequent answer among those with the same key."""
    counts: dict[Hashable, Counter[Answer]] = defaultdict(Counter)
    for each in instances:
        counts[key(each)][each.answer] += 1
    best = {
        name: min(found, key=lambda answer: (-found[answer], answer))
        for name, found in counts.items()
    }
    return [best[key(each)] for each in instances]


def majority(instances: Sequence[Instance]) -> Guesses:
    """The most frequent answer of all; it knows the labels."""
    return _commonest(instances, lambda each: None)


def majority_by_kind(instances: Sequence[Instance]) -> Guesses:
    """The most frequent answer to this kind of question; it knows the labels."""
    return _commonest(instances, lambda each: each.query[0])


def question_only(instances: Sequence[Instance]) -> Guesses:
    """The most frequent answer to the same question in other stories; it knows their labels."""
    counts: dict[str, Counter[Answer]] = defaultdict(Counter)
    for each in instances:
        counts[each.question][each.answer] += 1
    kinds = majority_by_kind(instances)
    guesses: Guesses = []
    for each, fallback in zip(instances, kinds, strict=True):
        others = counts[each.question].copy()
        others[each.answer] -= 1
        answer, number = min(others.items(), key=lambda item: (-item[1], item[0]))
        guesses.append(answer if number else fallback)
    return guesses


def random_choice(instances: Sequence[Instance]) -> Guesses:
    """One of the choices, drawn uniformly; without choices, any answer to this kind of question."""
    known: dict[str, set[Answer]] = defaultdict(set)
    for each in instances:
        known[each.query[0]].add(each.answer)
    pools = {kind: sorted(answers) for kind, answers in known.items()}
    guesses: Guesses = []
    for number, each in enumerate(instances):
        draw = stream("baselines", 0, "", number, "random")
        choices = each.choices
        guesses.append((pick(draw, choices),) if choices else pick(draw, pools[each.query[0]]))
    return guesses


def last_mention(instances: Sequence[Instance]) -> Guesses:
    """The possible answer that the story mentions last."""
    return [shortcuts.last_mention(e.facts, e.query, e.choices or ()) for e in instances]


def last_mention_beside(instances: Sequence[Instance]) -> Guesses:
    """The possible answer mentioned last beside the first name in the question."""
    return [shortcuts.last_mention_beside(e.facts, e.query, e.choices or ()) for e in instances]


def first_mention_beside(instances: Sequence[Instance]) -> Guesses:
    """The possible answer mentioned first beside the first name in the question."""
    return [shortcuts.first_mention_beside(e.facts, e.query, e.choices or ()) for e in instances]


def most_mentions_beside(instances: Sequence[Instance]) -> Guesses:
    """The possible answer mentioned most often beside the first name in the question."""
    return [shortcuts.most_mentions_beside(e.facts, e.query, e.choices or ()) for e in instances]


BASELINES: dict[str, Callable[[Sequence[Instance]], Guesses]] = {
    "majority": majority,
    "majority by kind of question": majority_by_kind,
    "question only": question_only,
    "random": random_choice,
    "last mention": last_mention,
    "last mention beside the name asked": last_mention_beside,
    "first mention beside the name asked": first_mention_beside,
    "most mentions beside the name asked": most_mentions_beside,
}


def scores(instances: Sequence[Instance]) -> list[Score]:
    """The accuracy of every baseline."""
    found = []
    for name, baseline in BASELINES.items():
        pairs = zip(instances, baseline(instances), strict=True)
        right = sum(
            guess is not None and same_answer(each.query, each.answer, guess)
            for each, guess in pairs
        )
        found.append(Score(name, right, len(instances)))
    return found


def scores_by_kind(instances: Iterable[Instance]) -> dict[str, list[Score]]:
    """The accuracy of every baseline, by question kind."""
    kinds: dict[str, list[Instance]] = defaultdict(list)
    for each in instances:
        kinds[each.query[0]].append(each)
    return {kind: scores(group) for kind, group in sorted(kinds.items())}


class Baselines(NamedTuple):
    """The accuracy of trivial baselines on a data set."""

    instances: int
    scores: list[Score]
    kinds: dict[str, list[Score]]
    """The same for each question kind."""
    chains: list[Found]
    """Look-ups on a part of a chain of relations, by split and number of hops (kinship)."""


def baselines(
    source: str | Path | Iterable[Instance],
    sample: int | None = 10_000,
    progress: Callable[[int], None] = lambda count: None,
) -> Baselines:
    """Measure trivial baselines: a model has learned something only if it beats these.

    Args:
        source: a file or folder (records or bAbI text), a `Dataset`, or instances.
        sample: only use this many instances of each file, or of the data set.
        progress: called with the number of instances just read.

    >>> import fabula
    >>> found = fabula.baselines(fabula.Dataset("babi/qa1", split="test", size=100))
    >>> {score.name: score.right for score in found.scores}["last mention beside the name asked"]
    100
    """
    given = (
        records(Path(source), sample)
        if isinstance(source, str | Path)
        else islice(iter(source), sample)
    )
    instances = []
    for each in given:
        instances.append(each)
        progress(1)
    if not instances:
        place = source if isinstance(source, str | Path) else "the data set"
        raise FabulaError(f"{place}: the data set has no questions.")
    return Baselines(
        len(instances), scores(instances), scores_by_kind(instances), lookups(instances)
    )


def sampled_scores(paths: Iterable[Path], sample: int = 2_000) -> list[Score]:
    """The scores on the first questions of each file; empty if no world can parse the text."""
    try:
        found = list(chain.from_iterable(records(path, sample) for path in paths))
    except ParseError:
        return []
    return scores(found)
