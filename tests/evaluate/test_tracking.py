"""Tracking: what a run logs can be read again from where trackio keeps it, on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.echo import Echo

import fabula
from fabula.errors import MissingExtraError
from fabula.evaluation.run import evaluate
from fabula.evaluation.tracking import check_tracking, log_run

LOG = """
import sys
from pathlib import Path
from fabula.evaluation.run import read_manifest
from fabula.evaluation.tracking import log_run, tracked
run = Path(sys.argv[1])
log_run("stories", run, read_manifest(run))
with tracked("stories", "training", {"epochs": 2}) as log:
    for epoch in (1, 2):
        log({"epoch": epoch, "accuracy": epoch / 4})
with tracked(None, "training", {}) as log:
    log({"epoch": 3})
"""
READ = """
import json
from trackio.sqlite_storage import SQLiteStorage as kept
print(json.dumps({
    name: {
        "config": kept.get_run_config("stories", name),
        "history": kept.get_logs("stories", name),
        "artifacts": kept.get_run_artifacts("stories", name, None),
    }
    for name in kept.get_runs("stories")
}, default=str))
"""


def told(code: str, folder: Path, *arguments: str) -> str:
    """What a program prints that keeps its figures in a folder."""
    environment = {**os.environ, "TRACKIO_DIR": str(folder), "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=300,
    )  # fmt: skip
    return ran.stdout


def test_figures_can_be_read_again(tmp_path: Path) -> None:
    pytest.importorskip("trackio", reason="run `make evaluations`, or pip install 'fabula[track]'")
    run = tmp_path / "echo"
    manifest = evaluate(Echo(wrong=4), list(fabula.generate("babi/qa1", "test", 7, 20)), run)
    kept = tmp_path / "kept"
    assert told(LOG, kept, str(run)) == ""  # stdout is for JSON
    found: dict[str, Any] = json.loads(told(READ, kept))
    assert sorted(found) == ["echo", "training"]
    (line,) = found["echo"]["history"]
    assert (line["accuracy"], line["outcome/wrong"], line["questions"]) == (0.75, 0.25, 20)
    assert found["echo"]["config"]["digest"] == manifest["digest"]
    assert "echo" in str(found["echo"]["artifacts"])
    assert (run / "replies.jsonl").read_bytes() in [
        file.read_bytes() for file in kept.rglob("*") if file.is_file()
    ]
    assert [line["accuracy"] for line in found["training"]["history"]] == [0.25, 0.5]


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trackio", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'fabula\[track\]'"):
        check_tracking("a-project")
    manifest = evaluate(Echo(), list(fabula.generate("babi/qa1", "test", 7, 2)), tmp_path)
    with pytest.raises(MissingExtraError, match="trackio is not installed"):
        log_run("stories", tmp_path, manifest)
