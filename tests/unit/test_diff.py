"""What changed between two data sets, and what one gets without understanding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.analysis.diff import diff
from fabula.cli import main
from fabula.datasets.engines import write
from fabula.errors import FabulaError
from fabula.recipe.loading import load


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some data sets of one recipe."""
    out = tmp_path_factory.mktemp("sets")
    recipe = load("babi/qa2")
    write(recipe, out / "jsonl", {"train": 40, "test": 10})
    write(recipe, out / "parquet", {"train": 40, "test": 10}, "parquet", shard_size=15)
    write(recipe, out / "larger", {"train": 50, "test": 5})
    write(load("babi/qa2", {"length": 6}), out / "other", {"train": 40, "test": 10})
    write(recipe, out / "babi", {"train": 40, "test": 10}, "babi")
    write(recipe, out / "babi-larger", {"train": 50, "test": 5}, "babi")
    return out


def test_the_format_does_not_matter(sets: Path) -> None:
    found = diff(sets / "jsonl", sets / "parquet")
    assert found.none
    assert (found.same, found.by) == (50, "id")
    assert found.made == {"format": ("jsonl", "parquet"), "shard_size": (100_000, 15)}
    assert found.figures == {}


def test_more_and_less(sets: Path) -> None:
    found = diff(sets / "jsonl", sets / "larger")
    assert (found.same, found.changed, found.gone, found.added) == (45, 0, 5, 10)
    assert not found.none
    assert found.figures["instances"] == (50, 55)


def test_another_recipe(sets: Path) -> None:
    found = diff(sets / "jsonl", sets / "other")
    assert found.made["recipe: length"] == ([2, 12], 6)
    assert found.same + found.changed == 50
    assert found.fields["story"] == max(found.fields[name] for name in ("story", "facts"))
    assert found.example.startswith("babi/qa2:")
    assert "mean_sentences" in found.figures


def test_one_field_of_one_record(sets: Path, tmp_path: Path) -> None:
    file = sets / "jsonl" / "train-00000-of-00001.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    record = json.loads(lines[3])
    record["answer"] = ["nowhere"]
    lines[3] = json.dumps(record).encode() + b"\n"
    (tmp_path / "new.jsonl").write_bytes(b"".join(lines))
    found = diff(file, tmp_path / "new.jsonl")
    # the other fields are JSON with other blanks: their content counts, not their bytes
    assert (found.same, found.changed, found.example) == (39, 1, "babi/qa2:train:3")
    assert found.fields == {"answer": 1}


def test_text_is_compared_by_what_it_says(sets: Path) -> None:
    found = diff(sets / "babi", sets / "babi-larger")
    assert found.by == "story and question"
    assert (found.same, found.gone, found.added) == (45, 5, 10)
    assert diff(sets / "babi", sets / "babi").none


def test_commands(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(sets / "jsonl"), str(sets / "parquet")]) == 0
    assert "identical records" in capsys.readouterr().out
    assert main(["diff", str(sets / "jsonl"), str(sets / "larger"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["added"] == 10
    assert main(["baselines", str(sets / "parquet"), "--kinds", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["instances"] == 50
    assert set(told["kinds"]) == {"where-object"}
    assert 0 < told["baselines"]["majority"] < 0.5
    assert main(["stats", str(sets / "jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["baselines"] == told["baselines"]
    assert main(["baselines", str(sets / "babi")]) == 0
    assert "majority" in capsys.readouterr().out


def test_what_is_not_there_is_named(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="no such file"):
        diff(sets / "jsonl", tmp_path / "none")
