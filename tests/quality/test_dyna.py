"""Do the compositional benchmarks resist what is trivial, and are their rare cells varied?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

import fabula
from fabula.analysis.baselines import scores, scores_by_kind
from fabula.core.instance import Instance
from fabula.generation.composition import composition_of
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load, recipe_ids

SPLITS = [
    (name, split)
    for name in recipe_ids()
    if name.startswith("dyna/")
    for split in load(name).splits
    if split != "valid"
]


@pytest.fixture(scope="module")
def mixed() -> list[Instance]:
    return list(fabula.generate("dyna/mix-t12", "test", size=1_680))


def test_mix_leaves_every_trivial_baseline_below_25_percent(mixed: list[Instance]) -> None:
    found = {score.name: score.accuracy for score in scores(mixed)}
    assert max(found.values()) < 0.25, found
    assert found["last mention beside the name asked"] > 0.05  # it guesses at all


# Accuracy that no mention baseline may exceed, by kind of question. Where a person is, is told by
# the last place beside their name whenever the support is a told move: a third of the questions of
# T7, a quarter of T12, half of T2. Yes-no has three answers, what-given three objects.
BOUNDS = {"where-person": 0.45, "yes-no": 0.5, "what-given": 0.35}
OTHER_KINDS = 0.3
T2 = {"where-person": 0.55}
WEAKER = 0.6
"""For the first mention, and the most mentions: half of the gives mislead these too."""


@pytest.mark.parametrize("name", ["dyna/mix-t2", "dyna/mix-t7", "dyna/mix-t12"])
def test_no_kind_of_question_is_solved_by_the_last_mention(name: str) -> None:
    instances = list(fabula.generate(name, "test", seed=3, size=1_680))
    bounds = BOUNDS | (T2 if name == "dyna/mix-t2" else {})
    overall = {s.name: s.accuracy for s in scores(instances) if "mention" in s.name}
    assert max(overall.values()) < (0.3 if name == "dyna/mix-t2" else 0.2), overall
    for kind, found in scores_by_kind(instances).items():
        for score in found:
            if score.name.startswith("last mention"):
                assert score.accuracy < bounds.get(kind, OTHER_KINDS), (kind, score)
            elif "mention" in score.name:
                assert score.accuracy < WEAKER, (kind, score)


def test_published_mixes_mislead_nobody_on_purpose() -> None:
    for name in ("dyna/mix-t2", "dyna/mix-t7", "dyna/mix-t12"):
        recipe = load(name, {"dialect": "published"})
        assert not recipe.decoys
        assert not any(cell.misleads for cell in recipe.quota_cells)


@pytest.mark.parametrize(("name", "split"), SPLITS, ids=str)
def test_no_split_is_solved_by_a_majority(
    name: str, split: str, record_property: Callable[[str, object], None]
) -> None:
    """The figures of every baseline are recorded; a majority never does."""
    instances = list(fabula.generate(name, split, size=150))
    found = {score.name: score.accuracy for score in scores(instances)}
    record_property("baselines", found)
    assert found["majority"] < 0.45, found
    assert found["random"] < 0.55, found


def test_rare_cells_are_filled_and_varied(mixed: list[Instance]) -> None:
    signatures: dict[tuple[str, int], set[str]] = defaultdict(set)
    counts: Counter[tuple[str, int]] = Counter()
    for each in mixed:
        key = (each.query[0], min(each.features["support_size"], 6))
        signatures[key].add(each.signature)
        counts[key] += 1
    rare = {
        ("where-was-object", 6): 30,
        ("where-was-object", 5): 30,
        ("where-person", 4): 15,
        ("where-object", 4): 15,
        ("yes-no", 4): 15,
        ("list", 6): 15,
        ("count", 6): 10,
    }
    for key, least in rare.items():
        assert counts[key] >= 30, key
        assert len(signatures[key]) >= least, key


def test_kinds_and_bins_of_mix_are_even(mixed: list[Instance]) -> None:
    kinds = Counter(each.query[0] for each in mixed)
    giving = sum(count for kind, count in kinds.items() if kind.startswith(("who-", "what-")))
    whole = [kinds[kind] for kind in ("where-person", "yes-no", "list", "count")] + [giving]
    assert max(whole) - min(whole) <= 2
    answers = Counter(each.answer[0] for each in mixed if each.query[0] == "yes-no")
    assert max(answers.values()) - min(answers.values()) <= 4


def test_the_deciding_fact_may_be_old(mixed: list[Instance]) -> None:
    """Published bAbI never looks back more than five statements."""
    old = [each for each in mixed if each.features["recency"] > 5]
    assert len(old) > len(mixed) / 4


@pytest.mark.parametrize("name", ["dyna/diverse-t7", "dyna/diverse-t12"])
def test_held_out_combinations_are_in_the_test_and_not_in_training(name: str) -> None:
    recipe = load(name)
    assert isinstance(recipe, Collection)
    assert recipe.compositional is not None

    def held(instances: list[Instance]) -> int:
        assert recipe.compositional is not None
        return sum(
            any(h.matches(each.query[0], each.composition) for h in recipe.compositional.held_out)
            for each in instances
        )

    train = list(fabula.generate(name, "train", size=1_000))
    test = list(fabula.generate(name, "test", size=400))
    assert held(train) == 0
    assert held(test) > 100
    seen = set(map(composition_of, train))
    unseen = [each for each in test if composition_of(each) not in seen]
    assert len(test) / 4 < len(unseen) < len(test)
