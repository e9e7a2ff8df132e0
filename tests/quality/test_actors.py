"""Do the benchmarks resist what is trivial, and are they as varied as they should be?"""

from __future__ import annotations

from collections import Counter

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.datasets.formats import babi
from fabula.generation.author import Author
from fabula.language import language
from fabula.recipe.loading import load


def accuracy(instances: list[Instance], guess: dict[str, str]) -> float:
    return sum(guess[i.id] == ",".join(i.answer) for i in instances) / len(instances)


def majority(instances: list[Instance]) -> dict[str, str]:
    """The most frequent answer of each kind of question."""
    counts: dict[str, Counter[str]] = {}
    for i in instances:
        counts.setdefault(i.query[0], Counter())[",".join(i.answer)] += 1
    return {i.id: counts[i.query[0]].most_common(1)[0][0] for i in instances}


def last_place(instances: list[Instance], about: bool) -> dict[str, str]:
    """The place named last, anywhere or by a sentence that names whom the question is about."""
    guess = {}
    for i in instances:
        guess[i.id] = ""
        for facts in i.facts:
            for fact in facts:
                if fact[0] in ("move", "at") and (not about or i.query[1] in fact):
                    guess[i.id] = fact[2]
    return guess


def test_mix_resists_trivial_baselines() -> None:
    instances = list(fabula.generate("actors/mix", "test", seed=2, size=600))
    assert accuracy(instances, majority(instances)) < 0.5
    assert accuracy(instances, last_place(instances, about=False)) < 0.2
    assert accuracy(instances, last_place(instances, about=True)) < 0.35


def test_mix_is_varied() -> None:
    instances = list(fabula.generate("actors/mix", "test", seed=2, size=600))
    assert len({i.story for i in instances}) == 600
    assert len({i.signature for i in instances}) > 120
    assert len({i.composition for i in instances}) > 30
    kinds = Counter(i.query[0] for i in instances)
    assert min(kinds.values()) >= 3
    assert {len(i.support) for i in instances} >= {1, 2, 3, 4}
    yes_no = Counter(i.answer[0] for i in instances if i.query[0] == "yes-no")
    assert min(yes_no[word] for word in ("yes", "no", "maybe")) > 15


def test_fixed_looks_back_further_than_five_sentences() -> None:
    """The release never asks about anything older: a shortcut that `fixed` removes."""
    recency = [i.features["recency"] for i in fabula.generate("babi/qa2", "train", size=500)]
    assert max(recency) > 8
    release = fabula.generate("babi/qa2", "train", size=500, dialect="release")
    assert max(i.features["recency"] for i in release) <= 5


# Shares as measured on the published files (per cent of statements), and mean statements before a
# question; 3,000 generated questions may differ by sampling error only.
SHARES = {
    "babi/qa2": ({"MOVE": 65.0, "GRAB": 19.8, "DROP": 15.2}, 15.5, 0.6),
    "babi/qa5": ({"MOVE": 55.9, "GRAB": 16.9, "GIVE": 15.5, "DROP": 11.7}, 20.1, 1.5),
    "babi/qa6": ({"MOVE": 67.6, "GRAB": 21.0, "DROP": 11.4}, 6.28, 0.1),
    "babi/qa7": ({"MOVE": 59.5, "GRAB": 18.2, "GIVE": 12.9, "DROP": 9.3}, 8.67, 0.4),
    "babi/qa8": ({"MOVE": 66.4, "GRAB": 21.1, "DROP": 12.6}, 8.75, 0.6),
    "babi/qa9": ({"MOVE": 50.0, "AFFIRM": 25.0, "NEGATE": 25.0}, 6.0, 0.001),
    "babi/qa10": ({"MOVE": 50.0, "AFFIRM": 25.0, "INDEF": 25.0}, 6.0, 0.001),
}


@pytest.mark.parametrize("name", SHARES)
def test_release_dialect_has_the_shares_of_the_release(name: str) -> None:
    shares, length, slack = SHARES[name]
    tongue = language("en", "actors")
    author = Author(load(name, {"dialect": "release"}), "train", 3)
    kinds: Counter[str] = Counter()
    before = []
    for passage in author.passages(0, 3000):
        kinds.update(tongue.parse(sentence).kind for sentence in passage.tale.sentences)
        before += [asked.position for asked in passage.asked]
    total = sum(kinds.values())
    for kind, share in shares.items():
        assert abs(100 * kinds[kind] / total - share) < 2.0, (kind, kinds)
    assert set(kinds) == set(shares)
    assert abs(sum(before) / len(before) - length) < slack


def test_release_answers_have_the_published_shares() -> None:
    found = list(fabula.generate("babi/qa10", "train", seed=5, size=3000, dialect="release"))
    answers = Counter(i.answer[0] for i in found)
    for word, share in {"no": 47.5, "yes": 37.7, "maybe": 14.7}.items():
        assert abs(answers[word] / 30 - share) < 3
    counts = Counter(
        i.answer[0] for i in fabula.generate("babi/qa7", seed=5, size=3000, dialect="release")
    )
    for word, share in {"one": 48.7, "none": 47.0, "two": 4.1}.items():
        assert abs(counts[word] / 30 - share) < 3


def test_release_text_has_the_release_layout() -> None:
    from fabula.datasets.engines import Job

    text = (
        Job(load("babi/qa1", {"dialect": "release"}), 0, "babi")
        .piece("train", 0, 50)
        .content.decode()
    )
    stories = list(babi.parse(text.splitlines(keepends=True), "here"))
    assert len(stories) == 10
    assert all(len(s.sentences) == 10 and len(s.questions) == 5 for s in stories)
    assert all(q.blank for s in stories for q in s.questions)
    assert "".join(babi.text(s.sentences, s.questions) for s in stories) == text
