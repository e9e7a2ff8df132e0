"""Files are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.files import whole, write_json


def tear(path: Path) -> None:
    with whole(path) as partial:
        partial.write_text("half")
        raise ValueError("torn")


def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_json(path, {"epoch": 1})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="torn"):
        tear(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
