"""Whether a question has an answer cannot be guessed from length, words or kind of question.

Half of the questions are left open here, so a guess without information is right half of the time.
Every baseline learns on one half of the data, whole pairs at a time, and is tested on the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from math import log, sqrt

import pytest

import fabula
from fabula.core.instance import Instance

Features = Callable[[Instance], Iterable[str]]


def _length(one: Instance) -> list[str]:
    return [f"{len(one.story)} sentences"]


def _letters(one: Instance) -> list[str]:
    return [f"{sum(map(len, one.story)) // 10} letters"]


def _kind(one: Instance) -> list[str]:
    return [one.query[0]]


def _words(one: Instance) -> set[str]:
    return set(re.findall(r"[\w'-]+", " ".join([*one.story, one.question]).lower()))


def _counted(one: Instance) -> list[str]:
    words = Counter(re.findall(r"[\w'-]+", " ".join(one.story).lower()))
    return [f"{word} {min(count, 4)}" for word, count in words.items()]


def _named(one: Instance) -> list[str]:
    """Whether the story names what the question is about."""
    told = " ".join(one.story).lower()
    return [str(name.lower() in told) for name in one.query[1:]]


BASELINES: tuple[Features, ...] = (_length, _letters, _kind, _words, _counted, _named)


def accuracy(data: list[Instance], features: Features) -> float:
    """Accuracy of naive Bayes on some features, learnt on half of the pairs."""
    pairs: dict[str, list[Instance]] = {}
    for one in data:
        pairs.setdefault(one.pair, []).append(one)
    groups = [group for group in pairs.values() if len(group) == 2]
    half = len(groups) // 2
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for group in groups[:half]:
        for one in group:
            seen[one.answerable].update(features(one))
    right, total = 0.0, 0
    for group in groups[half:]:
        for one in group:
            score = sum(
                log((seen[True][each] + 1) / (half + 2)) - log((seen[False][each] + 1) / (half + 2))
                for each in features(one)
            )
            right += (score > 0) == one.answerable if score else 0.5
            total += 1
    return right / total


@pytest.mark.parametrize(
    ("recipe", "size"),
    [("babi/qa1", 80), ("babi/qa15", 200), ("babi/qa18", 200), ("clutrr/rob-clean", 40)],
)  # fmt: skip
def test_trivial_baselines_do_not_know_what_is_open(recipe: str, size: int) -> None:
    data = list(fabula.generate(recipe, "train", 3, size, unknown=0.5))
    chance = 0.5 + 3 * sqrt(0.5 / size)  # three standard errors
    found = {each.__name__: accuracy(data, each) for each in BASELINES}
    assert max(found.values()) < chance, found


def test_a_baseline_finds_it_where_it_shows() -> None:
    """The test can fail: with the length given away, the baselines are right."""
    data = list(fabula.generate("babi/qa18", "train", 3, 100, unknown=0.5))
    longer = [
        fabula.Instance.made({**one.fields(), "story": (*one.story, "So it is.")})
        if one.answerable
        else one
        for one in data
    ]
    assert accuracy(longer, _words) > 0.7
