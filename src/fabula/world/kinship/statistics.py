"""How rich the phrase bank is: counted and measured, for `fabula stats --paraphrases`.

A paraphrase of a clause is a unit without its names: a scene or two with one way to mention each
person in them. Settings (leads and asides) come on top and do not make a different paraphrase;
their words count for vocabulary and overlap, since stories contain them. Overlap is the Jaccard
index of the words of two paraphrases of one clause (without the names), and of their bigrams (not
across a name), averaged over all pairs of a sample and over all clauses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

from fabula.core.seeds import Draw, stream
from fabula.world.kinship.algebra import FEMALE, MALE, Vocabulary, vocabulary
from fabula.world.kinship.phrases import Person, Phrases, phrases
from fabula.world.kinship.telling import tell

NAMES = ("Ann", "Bob", "Cid", "Dee")  # stand-ins, taken out again
WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")


class Overlap(NamedTuple):
    """The similarity of the paraphrases of one clause."""

    unigrams: float
    bigrams: float


class Statistics(NamedTuple):
    """The measurements of a phrase bank."""

    scenes: int
    """Scenes as written, choices not expanded."""
    variants: int
    """Scenes with their choices expanded."""
    settings: int
    """Leads and asides with their choices expanded."""
    words: int
    """Different words of the bank."""
    frames: int
    """Scenes with one way to mention the people in them: paraphrases of single facts."""
    clauses: dict[int, int]
    """Clauses of one, two and three facts, with everyone's gender."""
    fewest: dict[int, int]
    """Different paraphrases, without settings, that a sample found for the poorest clause."""
    unigrams: float
    bigrams: float
    """Mean overlap within a clause."""


def statistics(code: str = "en", sample: int = 40, clauses: int = 200) -> Statistics:
    """Measure a phrase bank: `sample` paraphrases each for up to `clauses` clauses per length."""
    tongue, words = phrases(code), vocabulary()
    draw = stream("paraphrase statistics", 0, code, sample, "tell")
    counts: dict[int, int] = {}
    fewest: dict[int, int] = {}
    overlaps = []
    for k in (1, 2, 3):
        known = gendered(words, k)
        counts[k] = len(known)
        step = max(1, len(known) // clauses)
        for clause in known[::step]:
            units = told(tongue, clause, sample, draw)
            distinct = len({_bare(tongue, unit) for unit in units})
            fewest[k] = min(fewest.get(k, distinct), distinct)
            overlaps.append(overlap(units))
    scenes = [group for groups in tongue.bank.values() for group in groups]
    return Statistics(
        scenes=len(scenes),
        variants=sum(map(len, scenes)),
        settings=sum(1 for _ in tongue.settings()),
        words=len({word for text in tongue.texts() for word in WORD.findall(text.lower())}),
        frames=frames(tongue),
        clauses=counts,
        fewest=fewest,
        unigrams=sum(o.unigrams for o in overlaps) / len(overlaps),
        bigrams=sum(o.bigrams for o in overlaps) / len(overlaps),
    )


def gendered(words: Vocabulary, k: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every clause of k facts with the genders of its k + 1 people, opposite for married ones."""
    found = []
    for relations in words.clauses(k):
        for genders in product((MALE, FEMALE), repeat=k + 1):
            if all(
                relation != "spouse" or genders[n] != genders[n + 1]
                for n, relation in enumerate(relations)
            ):
                found.append((relations, genders))
    return found


def told(
    tongue: Phrases,
    clause: tuple[tuple[str, ...], tuple[str, ...]],
    count: int,
    draw: Draw,
) -> list[str]:
    """`count` units that state a clause."""
    relations, genders = clause
    people = [Person(name, gender) for name, gender in zip(NAMES, genders, strict=False)]
    pool = tongue.pools["any"]
    return [tell(tongue, people, relations, draw, pool) for _ in range(count)]


def frames(tongue: Phrases) -> int:
    """The number of ways to state one fact, settings not counted."""
    ways, forms = 0, tongue.mentions.choose()
    for group in tongue.bank["pair"]:
        for scene in group:
            # a child and a parent of the other gender; either of the two may come first
            found = {*forms.fitting(True, "child", MALE, FEMALE, scene.rooms[1], (False, False))}
            if scene.second:
                found |= {
                    *forms.fitting(False, "child", MALE, FEMALE, scene.rooms[0], (False, False))
                }
            ways += 2 * len(found)
    return ways


def _bare(tongue: Phrases, unit: str) -> str:
    """A unit without its settings."""
    return " ".join(tongue.without_settings(unit))


def overlap(units: Sequence[str]) -> Overlap:
    """The mean overlap of all pairs of these units."""
    ones = [_words(unit) for unit in units]
    twos = [_pairs(unit) for unit in units]
    return Overlap(_mean(ones), _mean(twos))


def _mean(sets: Sequence[frozenset[object]]) -> float:
    values = [len(a & b) / len(a | b) for a, b in combinations(sets, 2) if a | b]
    return sum(values) / len(values) if values else 0.0


def _runs(unit: str) -> list[list[str]]:
    """The words of a unit, in runs between names."""
    names = "|".join(NAMES)
    return [WORD.findall(run.lower()) for run in re.split(rf"\b(?:{names})(?:'s)?\b", unit)]


def _words(unit: str) -> frozenset[object]:
    return frozenset(word for run in _runs(unit) for word in run)


def _pairs(unit: str) -> frozenset[object]:
    return frozenset(pair for run in _runs(unit) for pair in pairwise(run))
