"""Sentences put in other words, so that a proof belongs to its split."""

from __future__ import annotations

from typing import Any

import pytest

import fabula
from fabula.core.seeds import stream
from fabula.core.supports import mask_of
from fabula.errors import QuotaError
from fabula.recipe.loading import load
from fabula.world import WORLDS
from fabula.world.base import Brief

BABI = [f"babi/qa{n}" for n in (1, 2, 3, *range(5, 15), 20)]


def test_other_words_mean_the_same() -> None:
    recipe = load("actors/mix")
    world = WORLDS["actors"]
    unfold, tell = (stream("reword", 0, "train", 0, stage) for stage in ("unfold", "tell"))
    tale = world.begin(recipe, unfold, tell, Brief("train", 0, recipe.keep))
    assert tale.advance(40)
    before, facts = list(tale.sentences), world.read("en", tale.sentences).facts()
    changed = set()
    for _ in range(10):
        assert tale.reword(mask_of(range(1, 41)))
        assert world.read("en", tale.sentences).facts() == facts
        changed |= {
            n for n, (a, b) in enumerate(zip(before, tale.sentences, strict=True)) if a != b
        }
    assert len(changed) > 20


@pytest.mark.parametrize("name", BABI)
def test_no_proof_is_in_two_splits_and_stories_are_equally_long(name: str) -> None:
    seen: dict[str, set[tuple[str, ...]]] = {}
    length: dict[str, float] = {}
    for split in ("train", "valid", "test"):
        made = list(fabula.generate(name, split, size=600))
        seen[split] = {
            (*sorted(one.story[n - 1] for n in one.support), one.question) for one in made
        }
        length[split] = sum(len(one.story) for one in made) / len(made)
        for one in made[:20]:
            assert list(one.facts) == WORLDS["actors"].read("en", one.story).facts()
    assert not seen["train"] & seen["test"]
    assert not seen["valid"] & (seen["train"] | seen["test"])
    assert max(length.values()) < 1.15 * min(length.values())


@pytest.mark.parametrize(
    ("name", "changes", "splits"),
    [
        ("dyna/inject-t7", {}, ("train", "valid", "iid")),  # questions that are passed along
        ("babi/qa9", {"questions": "all", "length": 8}, ("train", "valid", "test")),
    ],
)
def test_what_one_question_settled_is_not_put_in_other_words_for_another(
    name: str, changes: dict[str, Any], splits: tuple[str, ...]
) -> None:
    proofs = [
        {
            (*sorted(one.story[n - 1] for n in one.support), one.question)
            for one in fabula.generate(name, split, size=1200, **changes)
        }
        for split in splits
    ]
    assert min(map(len, proofs)) > 100
    assert len(set.union(*proofs)) == sum(map(len, proofs))


def shared(share: float) -> list[fabula.Instance]:
    splits = {"train": {"size": 10, "share": 0.9}, "tiny": {"size": 10, "share": share}}
    return list(fabula.generate("babi/qa1", "tiny", size=10, splits=splits))


def test_a_small_split_is_filled_though_few_ways_of_telling_fit_it() -> None:
    assert len(shared(0.01)) == 10


def test_a_split_that_can_have_nothing_is_told_of() -> None:
    with pytest.raises(QuotaError, match=r"split 'tiny'.*larger share"):
        shared(0.000001)
