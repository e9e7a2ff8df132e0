"""Every recipe in every dialect has the distributions that it had when the snapshot was taken.

Faster generation may change the bytes of an instance, but not how long stories are, what is asked,
what is answered, and what proves it. A small sample of each split is compared with the snapshot;
where it looks different, a large one decides. The level is divided by the number of comparisons:
a change of bytes alone fails here once in a thousand times.

A recipe that is meant to have other distributions: `pytest tests/quality/test_distributions.py
--refresh-distributions -k RECIPE`, and mark the change **data** in the changelog.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from tests.quality.distributions import TRAITS, Counts, Difference, Sample, difference, kept, sample

from fabula.analysis.gallery import Variant, variants
from fabula.recipe.loading import load

SNAPSHOT = Path(__file__).with_suffix(".json")
FEW, MANY = 60, 600
"""Stories of a split: in the first look, and in the snapshot and where a second look is needed."""
SUSPICIOUS = 0.002
"""Level of the first look at one trait."""
LEVEL = 0.001
"""Level of the whole test: how often it may fail although nothing but the bytes changed."""


def read() -> dict[str, dict[str, Sample]]:
    snapshot: dict[str, dict[str, Sample]] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return snapshot


def write(snapshot: dict[str, dict[str, Sample]]) -> None:
    """One line for each split, so that a difference can be read."""
    recipes = [
        f'"{name}": {{\n'
        + ",\n".join(
            f'  "{split}": {json.dumps(found, ensure_ascii=False, separators=(",", ":"))}'
            for split, found in splits.items()
        )
        + "\n}"
        for name, splits in sorted(snapshot.items())
    ]
    SNAPSHOT.write_text("{\n" + ",\n".join(recipes) + "\n}\n", encoding="utf-8")


def samples(variant: Variant, stories: int) -> dict[str, Sample]:
    splits = load(variant.recipe, variant.changes).splits
    return {split: sample(variant.recipe, variant.changes, split, stories) for split in splits}


def differences(old: dict[str, Sample], new: dict[str, Sample]) -> dict[str, Difference]:
    """How much the samples of all splits differ, by trait."""
    found = {}
    for trait in TRAITS:
        splits = [difference(old[split][trait], new[split][trait], trait) for split in old]
        found[trait] = Difference(
            sum(one.statistic for one in splits), sum(one.freedom for one in splits)
        )
    return found


@pytest.mark.parametrize("variant", variants(plugins=False), ids=str)
def test_distributions_are_those_of_the_snapshot(variant: Variant, redraw: bool) -> None:
    if redraw:
        now = samples(variant, MANY)
        taken = {
            split: {trait: kept(counts, trait) for trait, counts in found.items()}
            for split, found in now.items()
        }
        write({**(read() if SNAPSHOT.exists() else {}), str(variant): taken})
        return
    before = read()
    assert str(variant) in before, "take a snapshot of it: --refresh-distributions"
    old, new = before[str(variant)], samples(variant, FEW)
    assert old.keys() == new.keys(), "its splits changed; take another snapshot"
    if min(one.probability for one in differences(old, new).values()) > SUSPICIOUS:
        return
    new = samples(variant, MANY)
    level = LEVEL / (len(before) * len(TRAITS))
    for trait, found in differences(old, new).items():
        assert found.probability > level, (
            f"{variant}: {trait} is distributed differently (p = {found.probability:.1g}): "
            + "; ".join(f"{split}: {old[split][trait]} became {new[split][trait]}" for split in old)
        )


def test_no_snapshot_is_left_over(redraw: bool) -> None:
    known = {str(variant) for variant in variants(plugins=False)}
    before = read()
    if redraw:
        write({name: splits for name, splits in before.items() if name in known})
        return
    assert not before.keys() - known, "no recipe has these; run with --refresh-distributions"


# --- does the comparison see what it should, and nothing else? --------------------------------


def drawn(random: Random, shares: dict[str, float], size: int) -> Counts:
    counts: Counts = {}
    for value in random.choices([*shares], [*shares.values()], k=size):
        counts[value] = counts.get(value, 0) + 1
    return counts


LENGTHS = {str(length): 1.0 / (1 + abs(length - 12)) for length in range(2, 40)}
ANSWERS = {f"word {number}": 1.0 / (1 + number) for number in range(60)}


@pytest.mark.parametrize(("trait", "shares"), [("sentences", LENGTHS), ("answer", ANSWERS)])
@pytest.mark.parametrize("size", [FEW, MANY])
def test_samples_of_one_distribution_seldom_differ(
    trait: str, shares: dict[str, float], size: int
) -> None:
    """The probabilities are true: about one in twenty is below 1/20."""
    random, low = Random(1), []
    for _ in range(400):
        old = kept(drawn(random, shares, MANY), trait)
        low.append(difference(old, drawn(random, shares, size), trait).probability)
    assert 5 <= sum(one < 0.05 for one in low) <= 40
    assert min(low) > LEVEL / 568


@pytest.mark.parametrize(("trait", "shares"), [("sentences", LENGTHS), ("answer", ANSWERS)])
def test_a_shift_is_found(trait: str, shares: dict[str, float]) -> None:
    """One story in five has a value that is rare otherwise."""
    random = Random(2)
    value = [*shares][20]
    moved = {**shares, value: shares[value] + sum(shares.values()) / 4}
    for _ in range(20):
        old = kept(drawn(random, shares, MANY), trait)
        assert difference(old, drawn(random, moved, MANY), trait).probability < LEVEL / 568


def test_values_that_never_came_before_are_found() -> None:
    old, new = {"2": 590, "3": 10}, {"2": 560, "7": 40}
    assert difference(old, new, "sentences").probability < LEVEL / 568
