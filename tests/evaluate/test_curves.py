"""Analyses over several scores: concurrence, learning curves, doses, what was seen in training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.echo import Echo

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluation.concurrence import concurrence, published
from fabula.evaluation.curves import Point, doses, examples_needed, inoculation
from fabula.evaluation.report import build
from fabula.evaluation.run import evaluate
from fabula.evaluation.seen import Seen, keep_seen, seen_by, seen_in
from fabula.integrations import instances


def test_concurrence_as_the_paper_reports_it() -> None:
    found = {each.second: each for each in concurrence(published())}
    assert round(found["mix(T2)"].pearson.value, 2) == 0.48
    assert round(found["mix(T2)"].kendall.value, 2) == 0.51
    assert round(found["mix(T7)"].pearson.value, 2) == 0.92
    assert round(found["mix(T7)"].kendall.value, 2) == 0.78
    for each in found.values():
        assert each.pearson.low < each.pearson.value < each.pearson.high
        assert each.kendall.low < each.kendall.value < each.kendall.high


def test_concurrence_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("model,a,b\none,1,2\ntwo,2,\nthree,3,5\nfour,50%,x\n")
    assert main(["concurrence", str(table)]) == 2
    assert "scores.csv, line 5: 'x' is not a number" in capsys.readouterr().err
    table.write_text("model,a,b\none,1,2\ntwo,2,\nthree,3,5\n")
    assert main(["concurrence", str(table), "--against", "c"]) == 2
    assert "no column 'c'" in capsys.readouterr().err
    assert main(["concurrence", str(table)]) == 0
    said = capsys.readouterr().out
    assert "1.00" in said
    assert "needs at least 3 models" in said
    table.write_text("model;a;b\none;1;2\ntwo;2;3\nthree;3;5\n")
    assert main(["concurrence", str(table)]) == 0
    assert "needs" not in capsys.readouterr().out
    table.write_text("model,a,a\none,1,2\n")
    assert main(["concurrence", str(table)]) == 2
    assert "two columns have the name 'a'" in capsys.readouterr().err


def test_examples_needed_lie_on_the_line_between_two_points() -> None:
    points = [Point(100, 50, 100), Point(1000, 90, 100), Point(10_000, 100, 100)]
    assert examples_needed(points) == pytest.approx(1000 * 10**0.5)
    assert examples_needed(reversed(points)) == pytest.approx(1000 * 10**0.5)
    assert examples_needed(points, 0.5) == 100
    assert examples_needed(points[:2]) is None
    assert examples_needed([]) is None


def test_doses_are_nested_and_disjoint_from_the_test() -> None:
    train = list(fabula.generate("babi/qa2", "train", 7, 40))
    test = list(fabula.generate("babi/qa2", "test", 7, 40))
    found = doses(train, [5, 20, 10], test)
    assert {size: len(given) for size, given in found.items()} == {5: 5, 10: 10, 20: 20}
    assert found[20][:10] == found[10]
    assert found[10][:5] == found[5]
    assert found[20] != train[:20]
    assert doses(train, [20], test) == {20: found[20]}
    with pytest.raises(FabulaError, match="is also in the test"):
        doses([*train, test[3]], [5], test)
    with pytest.raises(FabulaError, match="a dose of 50 is too large: there are only 40"):
        doses(train, [50], test)


def test_doses_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["doses", "babi/qa2", "--seed", "7", "--out", str(tmp_path)]
    assert main([*command, "--sizes", "5,20"]) == 0
    small, large = (list(instances(str(tmp_path / f"dose-{size}"), "train")) for size in (5, 20))
    assert (small, len(large)) == (large[:5], 20)
    assert main([*command, "--sizes", "many"]) == 2
    assert "--sizes many: expected whole numbers" in capsys.readouterr().err
    assert main([*command, "--sizes", "5", "--test", str(tmp_path / "dose-5")]) == 2
    assert "is also in the test" in capsys.readouterr().err


def test_three_ends_of_an_inoculation() -> None:
    def curve(*right: int) -> list[Point]:
        return [Point(dose, each, 100) for dose, each in zip((0, 10, 100), right, strict=True)]

    assert inoculation(curve(90, 90, 90), curve(40, 70, 88)).outcome == "cured"
    assert inoculation(curve(90, 90, 90), curve(40, 41, 45)).outcome == "immune"
    assert inoculation(curve(90, 80, 60), curve(40, 60, 60)).outcome == "harmed"
    with pytest.raises(FabulaError, match="same doses"):
        inoculation(curve(90, 90, 90), curve(40, 70, 88)[:2])


def test_what_was_seen_is_kept(tmp_path: Path) -> None:
    seen = seen_in(fabula.generate("stepgame/noise", "train", 7, 50), "stepgame/noise")
    assert seen.examples == 50
    assert sum(seen.compositions.values()) == 50
    assert (seen.steps, seen.noise) == ((1, 2, 3, 4, 5), "none")  # noise comes in the test only
    tested = seen_in(fabula.generate("stepgame/noise", "test", 7, 20), "stepgame/noise")
    assert "irrelevant" in tested.noise
    keep_seen(tmp_path, seen)
    assert seen_by(tmp_path) == seen
    assert seen_by(tmp_path / "nowhere") is None
    with pytest.raises(FabulaError, match="no training examples"):
        seen_in([], "nothing")


# --- curves over runs ---------------------------------------------------------------------------


class Learner(Echo):
    """A model of which there are several, better and worse ones."""

    def about(self) -> dict[str, Any]:
        return {"kind": "test", "model": "Learner"}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Learners after 10, 100 and 1,000 examples; and after 100 with doses of another task."""
    folder = tmp_path_factory.mktemp("trials")
    tests = {name: list(fabula.generate(f"babi/{name}", "test", 7, 100)) for name in ("qa1", "qa2")}
    lessons = list(fabula.generate("babi/qa1", "train", 7, 1000))
    others = list(fabula.generate("babi/qa2", "train", 7, 50))

    def trial(run: str, test: str, wrong: int, seen: Seen) -> None:
        evaluate(Learner(wrong=wrong), tests[test], folder / run, source=test)
        keep_seen(folder / run, seen)

    for size, wrong in ((10, 2), (100, 10), (1000, 100)):
        trial(f"size-{size}", "qa1", wrong, seen_in(lessons[:size], "qa1"))
    for dose, wrong in ((0, 2), (5, 4), (50, 50)):
        source = "qa1, qa2" if dose else "qa1"
        seen = seen_in([*lessons[:100], *others[:dose]], source)
        trial(f"dose-{dose}-old", "qa1", 50, seen)
        trial(f"dose-{dose}-new", "qa2", wrong, seen)
    return folder


def test_runs_make_a_learning_curve(trials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(run) for run in sorted(trials.glob("size-*"))]
    assert main(["curves", *runs, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    (curve,) = said["learning"]
    found = [(point["examples"], point["accuracy"]) for point in curve["points"]]
    assert found == [(10, 0.5), (100, 0.9), (1000, 0.99)]
    assert curve["needed"] == pytest.approx(100 * 10 ** (5 / 9))
    assert said["doses"] == []
    assert main(["curves", *runs, "--goal", "1"]) == 0
    assert "100% is not reached" in capsys.readouterr().out


def test_runs_show_what_doses_did(trials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(run) for run in sorted(trials.glob("dose-*"))]
    assert main(["curves", *runs, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["learning"] == []
    assert [[point["examples"] for point in curve["points"]] for curve in said["doses"]] == [
        [0, 5, 50],
        [0, 5, 50],
    ]
    (cure,) = said["inoculations"]
    assert (cure["old"], cure["new"], cure["outcome"]) == ("qa1", "qa2", "cured")
    assert cure["gap_before"] == pytest.approx(0.48)
    assert main(["curves", *runs]) == 0
    assert "Learner: cured." in capsys.readouterr().out


def test_curves_are_in_the_report(trials: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    build(sorted(trials.iterdir()), page, pictures=False)
    found = json.loads((tmp_path / "report" / "numbers.json").read_text())
    # two of the runs had 100 examples: 90 and 98 right
    assert found["examples_needed"] == {"Learner": pytest.approx(100 * 10**0.2)}
    assert [row["outcome"] for row in found["inoculations"]] == ["cured"]
    assert '<section id="inoculation"' in page.read_text()
    assert {row["value"] for row in found["seen"]} == {"seen", "unseen"}


def test_one_run_is_no_curve(trials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curves", str(trials / "size-10")]) == 2
    assert "no curve: give at least two runs of the same model" in capsys.readouterr().err
