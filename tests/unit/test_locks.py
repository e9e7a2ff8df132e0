"""The lock on a file: the system's own, exclusive between processes and within one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fabula.core.files import locked


def test_only_one_holds_it(tmp_path: Path) -> None:
    held = locked(tmp_path / "lock")
    assert held is not None
    assert locked(tmp_path / "lock") is None
    held.release()
    again = locked(tmp_path / "lock")
    assert again is not None
    again.release()


def test_another_process_sees_it_and_its_end_frees_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from fabula.core.files import locked; "
        "held = locked(Path(sys.argv[1])); print(held is not None, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert locked(tmp_path / "lock") is None
        other.kill()
        other.wait()
    held = locked(tmp_path / "lock")
    assert held is not None
    held.release()
