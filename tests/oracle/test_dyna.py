"""The logic program proves the compositional benchmarks: a plot makes stories like any others."""

from __future__ import annotations

import pytest

import fabula
from fabula.analysis.verify import objections
from fabula.recipe.loading import load, recipe_ids

DYNA = [name for name in recipe_ids() if name.startswith("dyna/")]


@pytest.mark.parametrize("name", DYNA)
def test_every_split_is_proven(name: str) -> None:
    for split in load(name).splits:
        for each in fabula.generate(name, split, seed=5, size=20):
            assert objections(each) == [], each.id


def test_rare_cells_are_proven() -> None:
    """Supports of four and more, which come by plot."""
    bins = {
        "where-person": [[4, 15]],
        "where-object": [[5, 15]],
        "where-was-object": [[6, 15]],
        "yes-no": [[4, 15]],
        "list": [[5, 15]],
    }
    recipe = load("dyna/mix-t12", {"bins": bins, "balanced_answers": {}, "decoys": {}})
    for each in fabula.generate(recipe, "test", seed=11, size=60):
        assert objections(each) == [], each.id
        assert len(each.support) >= 4
