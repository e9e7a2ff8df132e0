"""Sentences put in other words, so that a proof belongs to its split."""

from __future__ import annotations

import pytest

import fabula
from fabula.labels import mask_of
from fabula.recipe import load
from fabula.seeds import stream
from fabula.worlds import WORLDS
from fabula.worlds.base import Brief

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
    for split in ("train", "test"):
        made = list(fabula.generate(name, split, size=150))
        seen[split] = {
            (*sorted(one.story[n - 1] for n in one.support), one.question) for one in made
        }
        length[split] = sum(len(one.story) for one in made) / len(made)
        for one in made[:20]:
            assert list(one.facts) == WORLDS["actors"].read("en", one.story).facts()
    assert not seen["train"] & seen["test"]
    assert 0.6 < length["train"] / length["test"] < 1.6
