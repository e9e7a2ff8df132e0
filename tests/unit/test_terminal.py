"""What people see on a terminal of 80 columns: progress from the start, whole words, whole bars."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.terminal import on_terminal

from fabula.analysis.charts import Bar, _longest, charts
from fabula.analysis.stats import OTHERS, summarise
from fabula.cli import main
from fabula.cli.stages import shortened, stages
from fabula.play.console import folded


def test_eval_shows_what_it_is_at_from_the_start(tmp_path: Path) -> None:
    model = tmp_path / ("a-model-with-a-name-that-is-far-too-long-for-a-terminal" * 2)
    train = ["train", "ngram", "babi/qa1", "--out", str(model), "--size", "60", "--test-size", "5"]
    assert main([*train, "--with", "epochs=1"]) == 0
    run = tmp_path / "run"
    shown = on_terminal(["eval", str(model), "babi/qa1", "--size", "400", "--out", str(run)])
    stages_seen = [
        next(n for n, line in enumerate(shown) if start in line)
        for start in ("questions of babi/qa1", "loading", "training data", " right ")
    ]
    assert stages_seen == sorted(stages_seen)
    assert stages_seen[0] == 0
    bars = [line for line in shown if "━" in line]
    assert bars
    assert max(map(len, bars)) <= 80
    asking = [line for line in bars if "/400" in line and "questions of" not in line]
    assert asking
    assert all(line.count("━") + line.count("╸") + line.count("╺") >= 12 for line in asking)
    assert all("-for-a-terminal" in line for line in asking)


def test_names_are_cut_in_their_middle() -> None:
    assert shortened("babi/qa1", 20) == "babi/qa1"
    assert shortened("loading /very/long/path/to/model", 20) == "loadin…path/to/model"
    assert len(shortened("x" * 99, 26)) == 26


def test_without_a_terminal_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with stages() as stage, stage("a stage", 3) as tick:
        assert list(tick.each("abc")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_play_breaks_lines_between_words() -> None:
    shown = on_terminal(["play", "home"], 60, "look\nquit\n")
    assert [line for line in shown if len(line) > 60] == []
    unbroken = on_terminal(["play", "home"], 400, "look\nquit\n")
    assert any(len(line) > 60 for line in unbroken)
    assert [w for line in shown for w in line.split()] == [
        w for line in unbroken for w in line.split()
    ]


def test_a_numbered_sentence_goes_on_below_its_first_word() -> None:
    line = "  12 Mary went to the garden and John went to the kitchen."
    assert folded(line, 30).split("\n") == [
        "  12 Mary went to the garden",
        "     and John went to the",
        "     kitchen.",
    ]
    assert folded("short", 30) == "short"


def test_the_bar_of_all_others_is_not_cut_off(tmp_path: Path) -> None:
    bars = [Bar("nothing", 35), Bar(OTHERS, 75)]
    assert _longest(bars) == 75
    data = tmp_path / "data"
    assert main(["generate", "actors/mix", "--out", str(data), "--size", "test=300"]) == 0
    shown = on_terminal(["stats", str(data)])
    rows = {line.split()[0]: line.count("█") for line in shown if line.startswith(("(", "nothing"))}
    chart = next(
        each for each in charts(summarise(data.glob("*.jsonl"))) if each.title == "Answers"
    )
    counts = {bar.label: bar.value for bar in chart.bars}
    assert counts[OTHERS] > counts["nothing"]
    assert rows["nothing"] == pytest.approx(24 * counts["nothing"] / counts[OTHERS], abs=1)
