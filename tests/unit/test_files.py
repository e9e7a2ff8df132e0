"""Files are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabula.core.files import alone, write_json, write_whole, writing
from fabula.errors import OutputError


def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    write_json(path, {"epoch": 1})
    before = path.read_bytes()

    def torn(partial: Path, content: bytes) -> int:
        with partial.open("wb") as file:
            file.write(content[:3])
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", torn)
    with pytest.raises(OutputError, match=r"run.json: cannot be written: No space .* Make room"):
        write_whole(path, "something else")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def add(path: Path) -> None:
    with alone(path) as file, writing(path):
        file.write(b"a line")
        file.flush()


def test_a_full_disk_is_told_once() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("run the tests on Linux, which has /dev/full")
    with pytest.raises(OutputError, match="/dev/full: cannot be written: No space"):
        add(full)
