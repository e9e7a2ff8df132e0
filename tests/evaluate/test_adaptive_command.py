"""`fabula eval --adaptive` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.cli import main


def test_the_command_runs_and_stops_at_the_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "right.py"
    model.write_text("def answer(instance):\n    return instance.answer[0]\n")
    out = str(tmp_path / "run")
    asked = ["eval", f"py:{model}:answer", "babi/qa1", "--adaptive", "--se", "0.1", "--out", out]
    assert main(asked) == 0
    assert "right.py:answer on babi/qa1: " in capsys.readouterr().out
