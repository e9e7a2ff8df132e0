"""What the instances of a recipe are like, as counts, and whether two samples of them differ.

A sample has one question from each story, because questions about one story depend on each other.
Samples are compared trait by trait with a chi-square test of homogeneity, summed over the splits of
a recipe. Values that are too rare for the test are merged: numbers with their neighbours, words
with the other rare words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from scipy.stats import chi2

from fabula.core.instance import Instance
from fabula.generation.author import Author, Passage, author

NUMBERS: dict[str, Callable[[Instance], int]] = {
    "sentences": lambda i: len(i.story),
    "words": lambda i: sum(sentence.count(" ") + 1 for sentence in i.story),
    "support": lambda i: len(i.support),
    "supports": lambda i: len(i.supports),
    "hops": lambda i: int(i.features.get("hops", 0)),
}
WORDS: dict[str, Callable[[Instance], str]] = {
    "kind": lambda i: i.query[0],
    "answer": lambda i: " ".join(i.answer),
    "composition": lambda i: "+".join(i.composition),
}
TRAITS = (*NUMBERS, *WORDS)

KEPT = 40
"""Words of a trait that a snapshot counts one by one; if there are more, it has buckets."""
BUCKET = "#"
MOST = 1_000_000
"""Instances of a split that are looked at, at most."""
EXPECTED = 5.0
"""Least count expected in each cell of the chi-square test."""

Counts = dict[str, int]
Sample = dict[str, Counts]
"""For each trait, how many stories have which value."""


def sample(recipe: str, changes: Mapping[str, str], split: str, stories: int) -> Sample:
    """The first stories of a split, with one question each, first to last in turn."""
    found: dict[str, Counter[str]] = {trait: Counter() for trait in TRAITS}
    for one in islice(_one_per_story(recipe, changes, split), stories):
        for trait, number in NUMBERS.items():
            found[trait][str(number(one))] += 1
        for trait, word in WORDS.items():
            found[trait][word(one)] += 1
    return {trait: dict(counts) for trait, counts in found.items()}


def _one_per_story(recipe: str, changes: Mapping[str, str], split: str) -> Iterator[Instance]:
    writer = author(recipe, split, 0, changes)
    for turn, passage in enumerate(_passages(writer)):
        at = turn % len(passage.asked)
        one = passage._replace(first=passage.first + at, asked=passage.asked[at : at + 1])
        yield writer.records(one)[0]


def _passages(writer: Author) -> Iterator[Passage]:
    if not writer.parts:
        yield from writer.passages(0, MOST)
    for start in range(0, MOST, writer.block):  # consecutive stories might leave parts out
        yield next(writer.passages(start, MOST))


def kept(counts: Counts, trait: str) -> Counts:
    """The counts as a snapshot has them: numbers in order, words by frequency."""
    if trait in NUMBERS:
        return dict(sorted(counts.items(), key=lambda item: int(item[0])))
    if len(counts) > KEPT:
        counts = _in_buckets(counts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _in_buckets(counts: Counts) -> Counts:
    """Many words, counted by their hash: to count the frequent ones alone would bias the test."""
    found: Counter[str] = Counter()
    for word, count in counts.items():
        found[f"{BUCKET}{crc32(word.encode()) % KEPT}"] += count
    return dict(found)


class Difference(NamedTuple):
    """The chi-square statistic of two samples, and its degrees of freedom."""

    statistic: float
    freedom: int

    @property
    def probability(self) -> float:
        """How often two samples of one distribution differ at least so much."""
        return float(chi2.sf(self.statistic, self.freedom)) if self.freedom else 1.0


def difference(old: Counts, new: Counts, trait: str) -> Difference:
    """How much two samples differ in a trait."""
    cells = _cells(old, new, trait)
    sizes = [sum(column) for column in zip(*cells, strict=True)]
    total = sum(sizes)
    statistic = 0.0
    for cell in cells:
        for size, count in zip(sizes, cell, strict=True):
            expected = sum(cell) * size / total
            statistic += (count - expected) ** 2 / expected
    return Difference(statistic, len(cells) - 1)


def _cells(old: Counts, new: Counts, trait: str) -> list[tuple[int, int]]:
    """The two counts of each value, merged until every cell can be expected to be filled."""
    if any(value.startswith(BUCKET) for value in old):
        new = _in_buckets(new)
    pairs = {value: (old.get(value, 0), new.get(value, 0)) for value in {**old, **new}}
    if trait in NUMBERS:
        order = sorted(pairs, key=int)
    else:
        order = sorted(pairs, key=lambda value: (-sum(pairs[value]), value))
    total = sum(old.values()) + sum(new.values())
    enough = EXPECTED * total / min(sum(old.values()), sum(new.values()))
    cells: list[tuple[int, int]] = []
    here = (0, 0)
    for value in order:
        here = (here[0] + pairs[value][0], here[1] + pairs[value][1])
        if sum(here) >= enough:
            cells.append(here)
            here = (0, 0)
    if sum(here) and cells:
        last = cells.pop()
        here = (last[0] + here[0], last[1] + here[1])
    return [*cells, here] if sum(here) else cells
