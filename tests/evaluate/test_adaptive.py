"""Adaptive evaluation is unbiased, stops at its error, and saves questions where it can."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.adaptive import run, students

import fabula
from fabula.cli import main
from fabula.core.instance import Instance
from fabula.errors import FabulaError, UsageError
from fabula.evaluation.adaptive.ability import reference
from fabula.evaluation.adaptive.scale import Scale, read_scale, shipped_scale, terms_of
from fabula.recipe.loading import recipe_ids

RECIPE = "dyna/mix-t7"


@pytest.fixture(scope="module")
def scale() -> Scale:
    found = shipped_scale(RECIPE)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def pool() -> list[Instance]:
    return reference(fabula.load(RECIPE), "test", None, 1_000)


def test_every_recipe_has_a_scale() -> None:
    assert not [name for name in recipe_ids(plugins=False) if shipped_scale(name) is None]


def test_simulated_abilities_are_estimated_without_bias_and_with_few_questions(
    scale: Scale, pool: list[Instance]
) -> None:
    abilities = {n: c for n, c in students(scale, pool).items() if n.startswith("ability")}
    gaps, gains = [], []
    for number, chances in enumerate(abilities.values()):
        truth = float(chances.mean())
        for seed in range(3):
            found, asked = run(scale, pool, chances, 0.02, 10 * number + seed + 1)
            gaps.append(found.accuracy - truth)
            gains.append(truth * (1 - truth) / 0.02**2 / asked)
    assert abs(np.mean(gaps)) < 0.012
    assert np.sqrt(np.mean(np.square(gaps))) < 0.025
    assert np.mean(gains) > 2.7


def test_a_model_that_ignores_difficulty_is_estimated_correctly(
    scale: Scale, pool: list[Instance]
) -> None:
    chances = students(scale, pool)["equally good at everything"]
    found = [run(scale, pool, chances, 0.04, seed)[0].accuracy for seed in range(5)]
    assert abs(np.mean(found) - 0.7) < 0.04


def test_ability_grows_with_accuracy_and_back(scale: Scale) -> None:
    for accuracy in (0.2, 0.5, 0.9):
        assert scale.accuracy(scale.ability(accuracy)) == pytest.approx(accuracy, abs=0.001)
    assert scale.ability(0.3) < scale.ability(0.6)


class Student:
    """Knows a share of what there is, less of what takes more hops; counts what it is asked."""

    def __init__(self, breaks_at: int = 10**9) -> None:
        self.asked: Counter[str] = Counter()
        self.breaks_at = breaks_at

    def __call__(self, instance: Instance) -> str:
        if sum(self.asked.values()) >= self.breaks_at:
            raise TimeoutError("too slow")
        self.asked[instance.id] += 1
        chance = 1.1 - 0.25 * instance.features["hops"]
        return instance.answer[0] if random.Random(instance.id).random() < chance else "?"


def test_a_run_stops_at_its_error_and_resumes(tmp_path: Path) -> None:
    whole = fabula.ability(Student(), RECIPE, se=0.05)
    broken = Student(breaks_at=30)
    with pytest.raises(FabulaError, match="too slow"):
        fabula.ability(broken, RECIPE, tmp_path / "run", se=0.05)
    again = Student()
    found = fabula.ability(again, RECIPE, tmp_path / "run", se=0.05)
    assert max((broken.asked + again.asked).values()) == 1
    assert found.error <= 0.05
    assert (found.accuracy, found.asked) == (whole.accuracy, whole.asked)
    assert found.interval.low < 0.6 < found.interval.high
    assert found.ability.low < found.ability.value < found.ability.high


def test_a_limit_on_questions_is_kept_and_reported() -> None:
    found = fabula.ability(Student(), RECIPE, se=0.03, size=40)
    assert found.asked == 40
    assert not found.reached


@pytest.mark.parametrize("se", [0, -1, 0.5, 0.0001])
def test_an_impossible_error_is_refused(se: float) -> None:
    with pytest.raises(UsageError, match="--se"):
        fabula.ability(Student(), RECIPE, se=se)


def test_a_data_set_is_refused(tmp_path: Path) -> None:
    fabula.write("babi/qa1", tmp_path / "data", sizes=5)
    with pytest.raises(UsageError, match="give a recipe"):
        fabula.ability(Student(), str(tmp_path / "data"))


def test_scales_are_made_from_runs(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for number, easy in enumerate((1.0, 2.5)):

        def answer(instance: Instance, easy: float = easy) -> str:
            chance = easy - 0.5 * instance.features["hops"]
            return instance.answer[0] if random.Random(instance.id).random() < chance else "?"

        fabula.evaluate(answer, RECIPE, f"run{number}", size=150)
    assert main(["calibrate", "run0", "run1", "--out", "scale.json"]) == 0
    assert "by 2 models" in capsys.readouterr().out
    scale = read_scale(Path("scale.json"))
    two, three = (
        np.mean([scale.difficulty(one) for one in fabula.generate(RECIPE, "test", size=60)
                 if one.features["hops"] == hops])
        for hops in (1, 3)
    )  # fmt: skip
    assert two < three
    Path("student.py").write_text("def answer(instance):\n    return instance.answer[0]\n")
    call = ["eval", "py:student.py:answer", RECIPE, "--adaptive", "--se", "0.05", "--scale",
            "scale.json", "--out", "run"]  # fmt: skip
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["adaptive"]
    assert found["reached"]
    assert found["accuracy"] > 0.9
    assert main(call) == 0
    assert "a random sample needs" in capsys.readouterr().out


def test_bad_calibrations_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one run"):
        fabula.calibrate(())
    with pytest.raises(FabulaError, match="no scale here"):
        read_scale(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text('{"terms": 3}')
    with pytest.raises(FabulaError, match="not a scale"):
        read_scale(tmp_path / "broken.json")


def test_terms_are_those_of_the_record() -> None:
    one = fabula.instance("babi/qa2", "test", 0)
    found = terms_of(one)
    assert found["asks where-object"] == 1
    assert found["requires MOVE"] == 1
    assert found["hops"] == pytest.approx(np.log1p(2))
