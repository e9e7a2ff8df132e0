"""Running a recipe into a folder: whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from fabula.datasets import engines as engine
from fabula.datasets.stored import records_of
from fabula.errors import OutputError, QuotaError
from fabula.recipe.loading import load


def test_files_and_manifest(tmp_path: Path) -> None:
    out = tmp_path / "data"
    manifest = engine.write(load("babi/qa2"), out, {"train": 12, "test": 3}, seed=4)
    assert sorted(p.name for p in out.iterdir()) == [
        "README.md",
        "manifest.json",
        "test-00000-of-00001.jsonl",
        "train-00000-of-00001.jsonl",
    ]
    assert orjson.loads((out / "manifest.json").read_bytes()) == orjson.loads(
        orjson.dumps(manifest)
    )
    assert len(list(records_of(out / "train-00000-of-00001.jsonl"))) == 12
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


def test_size_cuts_within_a_story(tmp_path: Path) -> None:
    engine.write(load("babi/qa1"), tmp_path / "a", {"train": 7}, "babi")
    text = (tmp_path / "a" / "train.txt").read_text()
    assert text.count("?") == 7
    assert text.splitlines()[-1].count("\t") == 2


def test_existing_folder_is_not_touched_without_force(tmp_path: Path) -> None:
    recipe = load("babi/qa1")
    engine.write(recipe, tmp_path / "a", {"train": 5})
    with pytest.raises(OutputError, match="not empty"):
        engine.write(recipe, tmp_path / "a", {"train": 6})
    engine.write(recipe, tmp_path / "a", {"train": 6}, force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    precious = tmp_path / "home"
    precious.mkdir()
    (precious / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="no manifest"):
        engine.write(recipe, precious, {"train": 5}, force=True)
    assert (precious / "thesis.txt").read_text() == "mine"


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(OutputError, match="is a file"):
        engine.write(load("babi/qa1"), tmp_path / "a", {"train": 5})
    with pytest.raises(OutputError, match="cannot be created"):
        engine.write(load("babi/qa1"), tmp_path / "a" / "b", {"train": 5})


def test_failure_leaves_nothing(tmp_path: Path) -> None:
    recipe = load("babi/qa1", {"keep.support_size": 9, "max_extensions": 3, "max_tries": 2})
    with pytest.raises(QuotaError):
        engine.write(recipe, tmp_path / "new" / "folder" / "a", {"train": 5})
    assert list(tmp_path.iterdir()) == []


def test_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engine.Job, "piece", full)
    with pytest.raises(OutputError, match="No space left"):
        engine.write(load("babi/qa1"), tmp_path / "a", {"train": 5})
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from fabula.datasets.engines import write; "
        "from fabula.recipe.loading import load;"
        f"write(load('babi/qa3'), Path({str(tmp_path / 'a')!r}), {{'train': 10**7}}, workers=2)"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=60)
    assert run.returncode != 0
    assert list(tmp_path.iterdir()) == []
