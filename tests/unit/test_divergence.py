"""How far splits are apart, and splits that are as far apart as can be."""

from __future__ import annotations

from collections import Counter

import pytest

from fabula.generation.author import Author
from fabula.generation.composition import composition_of
from fabula.generation.divergence import chernoff, divergences, partition
from fabula.recipe.loading import load


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_chernoff_is_0_for_the_same_and_1_for_nothing_in_common(alpha: float) -> None:
    assert chernoff({"a": 1, "b": 3}, {"a": 10, "b": 30}, alpha) == pytest.approx(0)
    assert chernoff({"a": 1}, {"b": 1}, alpha) == 1
    assert 0 < chernoff({"a": 1, "b": 1}, {"a": 1, "b": 9}, alpha) < 1


def test_chernoff_by_hand() -> None:
    # 1 - (sqrt(0.5 * 0.9) + sqrt(0.5 * 0.1)), and with alpha 0.1 the exponents of p are 0.1
    one, other = {"a": 1.0, "b": 1.0}, {"a": 9.0, "b": 1.0}
    assert chernoff(one, other, 0.5) == pytest.approx(1 - (0.45**0.5 + 0.05**0.5))
    expected = 1 - (0.5**0.1 * 0.9**0.9 + 0.5**0.1 * 0.1**0.9)
    assert chernoff(one, other, 0.1) == pytest.approx(expected)


def test_atoms_alike_compounds_apart() -> None:
    train = {"x: A": 5, "y: B": 5}
    test = {"x: B": 5, "y: A": 5}
    assert divergences(train, test) == (0.0, 1.0)


def test_a_partition_keeps_atoms_alike() -> None:
    kinds, events = "xyz", "ABCDEF"
    compounds = {f"{k}: {a} + {b}": 10 for k in kinds for a in events for b in events if a < b}
    first, second = partition(compounds, [0.7, 0.3])
    assert not first & second
    assert first | second == set(compounds)
    assert 0.15 < len(second) / len(compounds) < 0.45
    split = divergences(dict.fromkeys(first, 10), dict.fromkeys(second, 10))
    assert split.compound_divergence == 1
    assert split.atom_divergence < 0.03


def test_the_split_by_compounds_is_the_same_from_any_start() -> None:
    recipe = load("actors/mix", {"split_key": "compound-divergence"})
    train = list(Author(recipe, "train", 3).instances(0, 150))
    test = list(Author(recipe, "test", 3).instances(0, 60))
    again = list(Author(recipe, "test", 3).instances(40, 60))
    assert again == test[40:]
    seen, asked = Counter(map(composition_of, train)), Counter(map(composition_of, test))
    assert not set(seen) & set(asked)
    split = divergences(seen, asked)
    assert split.compound_divergence == 1
    assert split.atom_divergence < 0.2
