"""The probe finds planted weaknesses, names no noise, and asks nothing twice."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.probe import WEAKNESSES, Stock, trial
from scipy.stats import fisher_exact

import fabula
from fabula.cli import main
from fabula.errors import FabulaError, UsageError
from fabula.evaluation.model import Reply, Usage
from fabula.evaluation.probe.budget import Budget
from fabula.evaluation.probe.conditions import Cell, Condition, Row, Space
from fabula.evaluation.probe.content import probe_content
from fabula.evaluation.probe.evidence import evidence, fisher
from fabula.evaluation.probe.pool import Item, Pool
from fabula.evaluation.probe.search import Search
from fabula.evaluation.probe.wording import described

RECIPE = "babi/qa2"


def forgetful(instance: fabula.Instance) -> str:
    """Wrong if the support ended three or more sentences ago, and now and then anyway."""
    wrong = random.Random(instance.id).random() < (
        0.8 if instance.features["recency"] >= 3 else 0.1
    )
    return "no idea" if wrong else instance.answer[0]


class Counted:
    """A student that counts what it is asked, and can break down."""

    def __init__(self, student: Callable[[Any], str], breaks_at: int = 10**9) -> None:
        self.student, self.breaks_at = student, breaks_at
        self.asked: Counter[str] = Counter()

    def __call__(self, instance: fabula.Instance) -> str:
        if sum(self.asked.values()) >= self.breaks_at:
            raise ConnectionError("gone")
        self.asked[instance.id] += 1
        return self.student(instance)


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> fabula.Probe:
    out = tmp_path_factory.mktemp("probe") / "run"
    return fabula.probe(forgetful, RECIPE, out, budget=300, shrink=False)


def test_a_planted_weakness_is_found_and_described(probed: fabula.Probe) -> None:
    found = probed.findings[0]
    assert list(found.cell) == ["recency"]
    assert found.cell["recency"][0] in (2, 3, 4)
    assert found.accuracy < 0.5 < found.elsewhere
    assert found.interval[0] <= found.accuracy <= found.interval[1]
    assert found.p < 0.05
    assert found.n >= 20
    assert "fails on questions when" in found.sentence
    assert len(found.examples) == 3
    assert all(example["reply"] == "no idea" for example in found.examples)


def test_the_recipe_of_a_finding_makes_more_of_it(probed: fabula.Probe) -> None:
    found = probed.findings[0]
    assert probed.folder is not None
    recipe = fabula.load(probed.folder / found.file)
    made = list(fabula.generate(recipe, "test", size=10))
    assert all(one.features["recency"] >= found.cell["recency"][0] for one in made)


def test_a_probe_leaves_a_run_and_its_content(probed: fabula.Probe, tmp_path: Path) -> None:
    assert probed.folder is not None
    content = probe_content(probed.folder)
    assert content is not None
    assert len(content["rows"]) == len(probed.findings)
    assert all(len(row) == len(content["columns"]) for row in content["rows"])
    assert probe_content(tmp_path) is None
    written = fabula.report(probed.folder, tmp_path / "page.html", pictures=False)
    assert written.files[0].is_file()


def test_a_probe_that_breaks_down_resumes_and_asks_nothing_twice(
    probed: fabula.Probe, tmp_path: Path
) -> None:
    broken = Counted(forgetful, breaks_at=120)
    with pytest.raises(FabulaError, match="ConnectionError: gone"):
        fabula.probe(broken, RECIPE, tmp_path / "run", budget=300, shrink=False)
    again = Counted(forgetful)
    found = fabula.probe(again, RECIPE, tmp_path / "run", budget=300, shrink=False)
    both = broken.asked + again.asked
    assert max(both.values()) == 1
    assert sum(both.values()) == found.asked <= 300
    for one, other in zip(found.findings, probed.findings, strict=True):  # as if uninterrupted
        assert (one.cell, one.sentence, one.n) == (other.cell, other.sentence, other.n)


def test_a_small_budget_names_nothing_and_a_larger_one_continues(tmp_path: Path) -> None:
    student = Counted(forgetful)
    small = fabula.probe(student, RECIPE, tmp_path / "run", budget=40, shrink=False)
    assert not small.findings
    assert not small.concluded
    assert "too small to conclude" in small.message
    more = fabula.probe(student, RECIPE, tmp_path / "run", budget=250, shrink=False)
    assert more.findings
    assert max(student.asked.values()) == 1


def test_a_setting_that_is_varied_can_be_the_weakness() -> None:
    def english(instance: fabula.Instance) -> str:
        known = (
            instance.provenance["language"] == "en" and random.Random(instance.id).random() < 0.9
        )
        return instance.answer[0] if known else "?"

    found = fabula.probe(
        english, "babi/qa1", budget=150, vary={"language": ["en", "hi"]}, shrink=False
    )
    assert found.findings[0].changes == {"language": "hi"}
    assert found.findings[0].cell == {}


def test_tokens_are_a_budget_if_the_model_counts_them() -> None:
    def counting(instance: fabula.Instance) -> Any:
        return Reply(forgetful(instance), usage=Usage(90, 10))

    found = fabula.probe(counting, RECIPE, budget="20000tokens", shrink=False)
    assert 150 <= found.asked <= 200
    with pytest.raises(UsageError, match="does not report tokens"):
        fabula.probe(forgetful, RECIPE, budget="20000tokens", shrink=False)


@pytest.mark.parametrize("said", ["", "0", "-3", "many", "5 apples", "$", "1.5"])
def test_a_budget_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(UsageError, match="--budget"):
        Budget.of(said)


def test_a_data_set_cannot_be_probed(tmp_path: Path) -> None:
    fabula.write("babi/qa1", tmp_path / "data", sizes=5)
    with pytest.raises(UsageError, match="give a recipe"):
        fabula.probe(forgetful, str(tmp_path / "data"))


def test_a_recipe_without_anything_to_contrast_is_refused() -> None:
    pool = Pool(fabula.load("babi/qa1"), "test", None)
    item = next(pool._variants[0].plain)
    alike = [item._replace(row=Row({"asks": frozenset(["where"])}, {}))] * 300

    class Same(Stock):
        def grow(self, count: int) -> list[Item]:
            self.items += alike[:count]
            return alike[:count]

    with pytest.raises(FabulaError, match="nothing to search"):
        Search(Same(pool, ()), lambda chosen: [], lambda: 100)


def test_the_command_prints_findings_as_json(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("student.py").write_text(
        "def answer(instance):\n"
        "    return 'no idea' if instance.features['recency'] >= 3 else instance.answer[0]\n"
    )
    call = ["probe", "py:student.py:answer", RECIPE, "--budget", "160", "--out", "run",
            "--no-shrink"]  # fmt: skip
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"cell", "accuracy", "elsewhere", "interval", "p", "n"} <= found[0].keys()
    assert main(call) == 0
    assert "1 fails on questions when" in capsys.readouterr().out
    assert main(["probe", "py:student.py:answer", RECIPE, "--out", "x", "--vary", "length"]) == 2
    assert "--vary length: write KEY=V1,V2" in capsys.readouterr().err


# --- the parts ----------------------------------------------------------------------------------


def test_the_exact_test_is_that_of_scipy() -> None:
    draw = random.Random(1)
    for _ in range(200):
        count, other = draw.randint(1, 40), draw.randint(1, 60)
        right, rest = draw.randint(0, count), draw.randint(0, other)
        table = [[right, count - right], [rest, other - rest]]
        assert fisher(right, count, rest, other) == pytest.approx(
            fisher_exact(table, alternative="less").pvalue, abs=1e-9
        )


def test_evidence_prefers_the_cell_that_fails() -> None:
    members = np.zeros((80, 2), dtype=bool)
    members[:20, 0] = members[10:30, 1] = True
    right = np.ones(80, dtype=bool)
    right[:18] = False
    found = evidence(members, right, np.array([0.5, 0.5]))
    chances, none = found.chances()
    assert chances[0] > 0.99 > 0.01 > none
    calm = evidence(members, np.arange(80) % 5 > 0, np.array([0.5, 0.5]))
    assert calm.chances()[1] > 0.5


def test_conditions_alike_are_kept_once_in_the_simplest_form() -> None:
    rows = [
        Row({"asks": frozenset(["who" if n % 3 else "where"])}, {"hops": 2 if n % 3 else 1})
        for n in range(90)
    ]
    assert [str(cell) for cell in Space(rows).cells] == ["asks who", "asks where"]


def test_cells_are_written_as_keys_of_recipes() -> None:
    cell = Cell((Condition("hops", low=2), Condition("hops", high=4), Condition("asks", "kin")))
    assert cell.keys == {"hops": [2, 4], "asks": ["kin"]}
    assert described(cell.keys) == "kin questions when the proof has 2 to 4 hops"


@pytest.mark.parametrize(
    ("recipe", "cell"),
    [
        ("babi/qa2", {"sentences": [20, 1_000_000]}),
        ("stepgame/noise", {"noise": ["supporting", "irrelevant"], "hops": [2, 3]}),
    ],
)
def test_recipes_can_ask_for_length_and_noise(recipe: str, cell: dict[str, Any]) -> None:
    changes = {"cells": [cell], **({"quotas": []} if "noise" in cell else {})}
    for one in fabula.generate(fabula.load(recipe, changes), "test", size=12):
        assert set(cell.get("noise", ())) <= set(one.roles)
        assert one.features["sentences"] >= cell.get("sentences", [0])[0]


# --- the benchmark, reduced ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def stock() -> tuple[Pool, list[Item]]:
    pool = Pool(fabula.load("actors/mix"), "test", None)
    return pool, list(pool.grow(2_500))


def test_weaknesses_of_many_kinds_are_found(stock: tuple[Pool, list[Item]]) -> None:
    names = ("kind", "event", "rare telling", "old support", "kind and event", "kind and size")
    trials = [
        trial(*stock, [Cell(WEAKNESSES[name])], 0.4, 500, number)
        for number, name in enumerate(names)
    ]
    assert sum(each.when() <= 500 for each in trials) >= 5
    assert all(each.outcome.asked <= 500 for each in trials)
    assert not any(max(near) < 0.1 for each in trials for near in each.near)


def test_a_student_without_a_weakness_gets_no_finding(stock: tuple[Pool, list[Item]]) -> None:
    findings = [trial(*stock, [], 0.0, 300, 70 + n).outcome.findings for n in range(5)]
    assert not any(findings)
