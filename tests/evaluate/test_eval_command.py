"""`fabula eval`: a trained model from its folder to a report, and what goes wrong on the way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fabula.cli import main
from fabula.evaluation.run import read_manifest
from fabula.evaluation.seen import seen_by


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "small"
    command = ["train", "lstm", "babi/qa1", "--out", str(folder), "--size", "200", "--test-size"]
    assert main([*command, "60", "--with", "epochs=2"]) == 0
    return folder


def test_a_trained_model_scores_as_its_training_said(trained: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert main(["eval", str(trained), "babi/qa1", "--size", "60", "--out", str(run)]) == 0
    said = json.loads((trained / "run.json").read_text())["tests"]["babi/qa1"]["best"]
    found = read_manifest(run)
    assert found["outcomes"].get("correct", 0) / 60 == pytest.approx(said, abs=1e-6)
    seen = seen_by(run)
    assert seen is not None
    assert (seen.source, seen.examples) == ("babi/qa1", 200)
    assert found["baselines"]["where-person"]["last mention beside the name asked"] == 60


def test_a_model_that_was_trained_anew_is_another(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    shutil.copytree(trained, model)
    command = ["eval", str(model), "babi/qa1", "--size", "4", "--out", str(run)]
    assert main(command) == 0
    train = ["train", "lstm", "babi/qa1", "--out", str(tmp_path / "anew"), "--size", "100"]
    assert main([*train, "--test-size", "10", "--with", "epochs=1", "--seed", "1"]) == 0
    shutil.rmtree(model)
    (tmp_path / "anew").rename(model)
    capsys.readouterr()
    assert main(command) == 2
    assert "contains another run (" in capsys.readouterr().err


def test_training_data_that_are_gone_are_told_and_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model, run = (str(tmp_path / name) for name in ("data", "model", "run"))
    assert main(["generate", "babi/qa1", "--out", data, "--size", "100", "--format", "jsonl"]) == 0
    train = ["train", "ngram", data, "--out", model, "--size", "50", "--test-size", "5"]
    assert main([*train, "--with", "epochs=1"]) == 0
    shutil.rmtree(data)
    capsys.readouterr()
    assert main(["eval", model, "babi/qa1", "--size", "4", "--out", run]) == 0
    assert "The training data of the model cannot be read" in capsys.readouterr().err
    assert read_manifest(Path(run))["asked"] == 4
    assert seen_by(Path(run)) is None


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nothing", "babi/qa1"], "nothing: no such model"),
        (["src", "babi/qa1"], "src: no trained model here"),
        (["openai/x", "babi/qa11x"], "no recipe 'babi/qa11x'. Did you mean"),
        (["openai/x", "babi/qa1", "--form", "leter"], "--form leter: choose one of word"),
        (["openai/x", "babi/qa1", "--style", "rap"], "--style rap: choose one of direct"),
        (["openai/x", "babi/qa1", "--split", "tset"], "no split 'tset'"),
        (["openai/x", "babi/qa1", "--likelihood"], "works with 'hf:' models only"),
    ],
)
def test_mistakes_are_told_in_a_line(
    arguments: list[str], what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert main(["eval", *arguments, "--size", "2", "--out", str(run)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert what in said
    assert not run.exists()
