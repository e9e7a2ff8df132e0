"""Files and folders are complete or absent, and one process at a time uses a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabula.core.files import (
    LOCK,
    appending,
    exclusive,
    make_folder,
    put_in_place,
    whole_file,
    whole_folder,
    write_json,
    write_whole,
    writing,
)
from fabula.errors import FabulaError, OutputError


def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    write_json(path, {"epoch": 1})
    before = path.read_bytes()

    def full(number: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"run.json: cannot be written: No space .* Free some"):
        write_whole(path, "something else")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    done: list[str] = []
    real = os.replace

    def named(partial: Path, path: Path) -> None:
        done.append("name")
        real(partial, path)

    monkeypatch.setattr(os, "fsync", lambda number: done.append("fsync"))
    monkeypatch.setattr(os, "replace", named)
    with whole_file(path) as file:
        file.write(b"content")
        assert not path.exists()
    assert done == ["fsync", "name"]
    assert path.read_bytes() == b"content"


def test_files_have_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    write_whole(tmp_path / "whole", b"")
    assert (tmp_path / "whole").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("file/inner", r"Not a directory\. .*file is a file where a folder should be"),
        ("folder", r"Is a directory\. It is a folder; give the name of a file"),
        ("x" * 300, r"File name too long\. Choose a shorter name"),
        ("gone/inner", r"No such file or directory\. Choose another place"),
    ],
)
def test_errors_say_what_to_do(place: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match=f"cannot be written: {said}"):
        write_whole(tmp_path / place, b"content")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"b: cannot be created: .*file is a file where"):
        make_folder(tmp_path / "file" / "a" / "b")
    with pytest.raises(OutputError, match="file: cannot be created"):
        make_folder(tmp_path / "file")
    with (
        pytest.raises(OutputError, match=r"out: cannot be created: .*file is a file where"),
        whole_folder(tmp_path / "file" / "out"),
    ):
        pass


def test_a_full_disk_is_reported_once() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("run the tests on Linux, which has /dev/full")
    with pytest.raises(OutputError, match="/dev/full: cannot be written: No space"):
        add(full)


def add(path: Path) -> None:
    with appending(path) as file, writing(path):
        file.write(b"a line")
        file.flush()


# --- folders ------------------------------------------------------------------------------------


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    with whole_folder(out) as folder:
        (folder / "a").write_text("a")
        assert not out.exists()
    assert [each.name for each in out.iterdir()] == ["a"]
    assert [each.name for each in out.parent.iterdir()] == ["out"]


def test_a_folder_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with whole_folder(out) as folder:
        (folder / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), whole_folder(out) as folder:
        (folder / "a").write_text(str(1 // 0))
    assert (out / "a").read_text() == "old"
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "x" / "y"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == [out]


def test_a_folder_that_cannot_be_put_in_place_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a").write_text("old")
    with pytest.raises(FileNotFoundError):
        put_in_place(tmp_path / "nowhere", out)
    assert (out / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


FOLDERS = """
import sys
from pathlib import Path
from fabula.core.files import whole_folder, write_whole
out = Path(sys.argv[1])
for number in range(10**9):
    with whole_folder(out) as folder:
        for name in range(20):
            (folder / str(name)).write_text(str(number))
    write_whole(out.with_name("file"), str(number) * 10_000)
"""


def test_killed_at_any_moment_nothing_is_there_in_part(tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "file"
    for moment in range(6):
        run = subprocess.Popen([sys.executable, "-c", FOLDERS, str(out)])
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.013 * moment)
        run.send_signal(signal.SIGKILL)
        run.wait(timeout=60)
        if out.exists():  # replaced, it may be absent for a moment
            assert len(list(out.iterdir())) == 20
            assert len({each.read_text() for each in out.iterdir()}) == 1
        text = file.read_text()
        assert text == text[: len(text) // 10_000] * 10_000
        shown = {each.name for each in tmp_path.iterdir() if not each.name.startswith(".")}
        assert shown <= {"out", "file"}


# --- locks --------------------------------------------------------------------------------------


def test_one_at_a_time(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path),
        pytest.raises(FabulaError, match="another process is using this run"),
        exclusive(tmp_path),
    ):
        pass
    with exclusive(tmp_path):
        pass


HOLD = """
import sys, time
from pathlib import Path
from fabula.core.files import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_killed_process_locks_nothing(tmp_path: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    with run.stdout as said:
        assert said.readline() == b"held\n"
        with (
            pytest.raises(FabulaError, match="another process is using this run"),
            exclusive(tmp_path),
        ):
            pass
        run.send_signal(signal.SIGKILL)
        run.wait(timeout=60)
    assert (tmp_path / LOCK).exists()  # left behind
    with exclusive(tmp_path):
        pass


def test_a_lock_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file: cannot be written"), exclusive(tmp_path / "file"):
        pass
