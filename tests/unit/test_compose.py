"""What a manifest says about the composition of a benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.datasets.engines import write
from fabula.generation.author import Author
from fabula.generation.composition import composition_of
from fabula.recipe.loading import load

SIZES = {"train": 150, "test": 40}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Instance]]:
    return {
        split: list(fabula.generate("dyna/diverse-t7", split, size=size))
        for split, size in SIZES.items()
    }


@pytest.mark.parametrize("form", ["jsonl", "babi"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_manifest_says_of_every_test_instance_whether_it_was_seen(
    form: str, workers: int, tmp_path: Path, splits: dict[str, list[Instance]]
) -> None:
    out = tmp_path / "out"
    manifest = write(load("dyna/diverse-t7"), out, SIZES, form=form, workers=workers)
    told = manifest["compositional"]
    seen = {composition_of(each) for each in splits["train"]}
    flags = "".join(str(int(composition_of(each) in seen)) for each in splits["test"])
    test = told["test"]["test"]
    assert test["seen"] == flags
    assert test["instances_unseen"] == flags.count("0") > 0
    assert told["training"]["compositions"] == len(seen)
    assert 0 <= test["atom_divergence"] < test["compound_divergence"] <= 1
    signatures: dict[str, set[str]] = {}
    for each in splits["test"]:
        cell = f"{each.query[0]} {each.features['support_size']}"
        signatures.setdefault(cell, set()).add(each.signature)
    expected = {cell: len(found) for cell, found in sorted(signatures.items())}
    assert manifest["signatures"]["test"] == expected
    assert set(told["concepts"]["train"]["coref"]) == {"COREF", "MOVE", "where-person"}


def test_other_recipes_have_no_such_entry(tmp_path: Path) -> None:
    manifest = write(load("babi/qa1"), tmp_path / "out", {"test": 10})
    assert "compositional" not in manifest


def test_a_recipe_of_one_part_can_hold_out_too() -> None:
    held = [{"asks": ["where-person"], "combine": [["GIVE"]]}]
    recipe = load("actors/mix", {"compositional": {"test": ["test"], "held_out": held}})
    for split, gives in (("train", False), ("test", True)):
        made = list(Author(recipe, split).instances(0, 300))
        found = [e for e in made if e.query[0] == "where-person" and "GIVE" in e.composition]
        assert bool(found) == gives
