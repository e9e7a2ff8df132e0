"""The benchmark runs, and its table says what was measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import bench, calibration

ROOT = Path(bench.__file__).parent.parent


def run(tmp_path: Path, only: str) -> tuple[str, list[dict[str, float]]]:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-P", bench.__file__, "--quick", "--only", only, "--json", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, float]] = json.loads(file.read_text())["rows"]
    return done.stdout, rows


def test_generators_are_compared_with_the_published_ones(tmp_path: Path) -> None:
    text, rows = run(tmp_path, "babi/qa18")
    assert [row["published"] for row in rows] == [219, 219]
    for row in rows:
        assert row["ratio"] == pytest.approx(row["figure"] / 219)
        assert row["figure"] > 20
        assert 10 < row["peak"] < 1_000
        assert f"{row['figure']:,.0f}" in text


@pytest.mark.parametrize(
    ("only", "count"), [("a sentence of", 3), ("fabula --help", 1), ("clingo", 1)]
)
def test_other_tables(only: str, count: int, tmp_path: Path) -> None:
    _, rows = run(tmp_path, only)
    assert len(rows) == count
    assert all(row["figure"] > 0 for row in rows)


def test_every_recipe_of_the_table_exists() -> None:
    rows = [*bench.generators(), *bench.scale(full=True)]
    assert len({row.title for row in rows}) == len(rows)
    assert sum(row.title.startswith("babi/") for row in rows) == 40


def test_figures_are_per_loop() -> None:
    """Work that takes as long as the loop is done about once per loop."""

    def work() -> int:
        calibration.loop()
        return 1

    assert 0.5 < calibration.per_loop([work] * 3) < 2
