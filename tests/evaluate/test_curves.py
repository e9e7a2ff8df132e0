"""Analyses over several scores: concurrence, learning curves, doses, what was seen in training."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluate.concurrence import concurrence, published
from fabula.evaluate.curves import Point, doses, examples_needed, inoculation
from fabula.evaluate.training import keep_seen, seen_by, seen_in


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
    assert "1.00" in capsys.readouterr().out


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
    with pytest.raises(FabulaError, match="a dose of 50 was asked for, and there are 40"):
        doses(train, [50], test)


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
