"""What is installed: everything that a command needs without a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]


def test_the_wheel_has_all_that_commands_read(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as packed:
        names = set(packed.namelist())
    package = ROOT / "src" / "fabula"
    wanted = {
        f"fabula/{path.relative_to(package)}"
        for path in package.rglob("*")
        if path.suffix in (".py", ".toml", ".lp", ".csv", ".css", ".js", ".html", ".txt", ".typed")
    }
    wanted |= {
        f"fabula/training/experiments/files/{path.name}"
        for path in (ROOT / "experiments").glob("*.toml")
    }
    assert len(wanted) > 300
    assert wanted <= names
