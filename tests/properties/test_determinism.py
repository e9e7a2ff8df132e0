"""Instance i is a pure function of (recipe, seed, split, i), for every recipe in every dialect."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import combinations, islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.core.instance import Instance
from fabula.datasets import engines as engine
from fabula.datasets.engines import plan
from fabula.generation.author import Author, instance
from fabula.recipe.loading import load, recipe_ids
from fabula.world import WORLDS

every_variant = pytest.mark.parametrize("variant", variants(), ids=str)


def author(variant: Variant, split: str = "", seed: int = 0) -> Author:
    """A new one each time, so that nothing is remembered."""
    recipe = load(variant.recipe, variant.changes)
    return Author(recipe, split or sample_split(variant), seed)


@every_variant
@settings(max_examples=8, deadline=None, derandomize=True)
@given(index=st.integers(0, 3_000), before=st.integers(0, 8), after=st.integers(1, 3))
@example(index=0, before=0, after=1)
def test_alone_as_in_a_batch(variant: Variant, index: int, before: int, after: int) -> None:
    start = max(0, index - before)
    batch = list(author(variant).instances(start, index + after))
    assert len(batch) == index + after - start
    alone = instance(variant.recipe, sample_split(variant), index, seed=0, **variant.changes)
    assert alone.to_json() == batch[index - start].to_json()
    assert alone.id == f"{variant.recipe}:{sample_split(variant)}:{index}"


@pytest.mark.parametrize("name", ["actors/containers", "babi/qa6", "clutrr/gen-23"])
def test_recipe_in_use_is_sent_without_what_was_derived_from_it(name: str) -> None:
    recipe = load(name)
    next(Author(recipe, next(iter(recipe.splits)), 3).instances(0, 1))
    sent = pickle.loads(pickle.dumps(recipe))
    assert sent == recipe
    assert vars(recipe).keys() > vars(sent).keys() == type(recipe).model_fields.keys()


@pytest.mark.parametrize("name", recipe_ids())
def test_two_workers_as_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "CHUNK", 10)  # so that a short run has work for two
    recipe = load(name)
    split = next(iter(recipe.splits))
    form = "babi" if name.startswith("babi/") else "jsonl"
    size = 4 * max(10, Author(recipe, split).block) + 5
    one, two = (
        engine.write(recipe, tmp_path / str(workers), {split: size}, form, 3, workers)
        for workers in (1, 2)
    )
    assert one == two


SAME = """
import hashlib
from fabula.analysis.gallery import variants, sample_split
from fabula.generation.author import instance
for v in reversed(variants()):
    made = [instance(v.recipe, sample_split(v), i, **v.changes).to_json() for i in (11, 3)]
    print(v, hashlib.sha256(b"".join(made)).hexdigest())
"""


def test_same_index_same_bytes_in_another_process() -> None:
    """Whatever the hash seed of the process is, and whatever was made before."""
    outputs = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SAME],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        )
        outputs.add(done.stdout)
    (output,) = outputs
    assert len(output.splitlines()) == len(variants())


def stories(variant: Variant, seed: int, count: int) -> list[tuple[str, ...]]:
    """The first stories of a seed, each as far as its last question."""
    passages = islice(author(variant, seed=seed).passages(0, 1_000_000), count)
    return [tuple(p.tale.sentences[: p.asked[-1].position]) for p in passages]


@every_variant
def test_neighbouring_seeds_share_no_story(variant: Variant) -> None:
    """Where stories are so short that they may come twice by chance, few."""
    count = 40
    first, second = (stories(variant, seed, count) for seed in (7, 8))
    short = min(len(story) for story in first) < 4
    assert len(set(first) & set(second)) <= (count // 5 if short else 0)


def content(made: Instance, key: str) -> object:
    """What two splits must not have in common."""
    if key == "story":
        return made.story
    if key == "signature":
        return made.signature
    support = made.supports[0]
    if key == "proof":
        return frozenset(made.story[number - 1] for number in support), made.query
    canonical = WORLDS[made.provenance["world"]].canonical
    facts = frozenset(canonical(fact) for number in support for fact in made.facts[number - 1])
    return facts, made.query[0], frozenset(made.query[1:])


def promising() -> list[Variant]:
    """Those that promise something about their splits."""
    return [v for v in variants() if load(v.recipe, v.changes).split_key != "none"]


@pytest.mark.parametrize("variant", promising(), ids=str)
def test_splits_share_no_content(variant: Variant) -> None:
    """Not even if they are made with different seeds."""
    recipe = load(variant.recipe, variant.changes)
    found = {
        split: {
            content(made, recipe.split_key)
            for made in author(variant, split, seed).instances(0, 30)
        }
        for seed, split in enumerate(recipe.splits)
    }
    for first, second in combinations(found, 2):
        assert not found[first] & found[second], f"{first} and {second}"
