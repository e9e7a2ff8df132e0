"""Installed beside Fabula, the world works in every command, and no file of Fabula knows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fabula
from fabula.cli import main
from fabula.core.registry import WORLDS

GOLDEN = Path(__file__).parent / "timetable.jsonl"
INDICES = (0, 1, 7, 19, 42)


def test_it_comes_by_entry_point() -> None:
    assert "clocks" in WORLDS.plugins, "pip install -e examples/clocks"
    assert fabula.worlds()["clocks"].name == "clocks"
    assert "clocks/timetable" in fabula.recipes()


def test_no_file_of_fabula_knows_it() -> None:
    root = Path(fabula.__file__).parent
    for path in root.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        assert "import fabula_clocks" not in code, path
        assert "from fabula_clocks" not in code, path
    assert not [path for path in root.rglob("*clocks*") if "__pycache__" not in path.parts]


def test_without_the_package_there_is_no_such_world() -> None:
    """In an interpreter that does not see it, Fabula works and says that the recipe is unknown."""
    script = (
        "from importlib import metadata; found = metadata.entry_points;"
        "metadata.entry_points = lambda **k: [p for p in found(**k) if p.name != 'clocks'];"
        "from fabula.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "show", "clocks/timetable"],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "no recipe 'clocks/timetable'" in done.stderr


def test_every_command_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> str:
        assert main(list(arguments)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    out, bare = str(tmp_path / "data"), str(tmp_path / "bare")
    assert "clocks/timetable" in said("list")
    assert "question" in said("show", "clocks/timetable", "--split", "test", "--index", "3")
    said("generate", "clocks/timetable", "--out", out, "--size", "train=20,test=10")
    assert "30 of 30 proven" in said("verify", out)
    assert "30 of 30 proven" in said("verify", out, "--logic")
    assert "arrives-before" in said("stats", out)
    train, test = (str(next(Path(out).glob(f"{split}*.jsonl"))) for split in ("train", "test"))
    assert json.loads(said("leak", train, test, "--json"))
    said("rewrite", "bare", test, "--out", bare)
    assert "10 of 10 proven" in said("verify", bare)
    made = fabula.Dataset("clocks/timetable", split="test", size=5)
    assert "one of" in fabula.prompt(made[0])
    assert all(fabula.score(one, f"Answer: {one.answer[0]}").correct for one in made)


def test_parallel_and_serial_generation_agree(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        command = ["generate", "clocks/timetable", "--out", str(tmp_path / workers)]
        assert main([*command, "--size", "test=40", "--workers", workers]) == 0
    one, two = (sorted((tmp_path / name).glob("*.jsonl")) for name in ("1", "2"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_golden(request: pytest.FixtureRequest) -> None:
    """Five instances, byte for byte but for the version of Fabula."""
    lines = []
    for index in INDICES:
        record = json.loads(fabula.instance("clocks/timetable", "test", index).to_json())
        record["provenance"]["version"] = "*"
        lines.append(json.dumps(record, separators=(",", ":")) + "\n")
    if request.config.getoption("--refresh-golden", default=False):
        GOLDEN.write_text("".join(lines))
    assert GOLDEN.read_text() == "".join(lines), "run pytest with --refresh-golden if this is meant"
