"""A run that is cut off leaves nothing that looks whole; again, it makes what is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.datasets import engines as engine
from fabula.datasets.engines import processes
from fabula.datasets.engines.local import LocalStore
from fabula.datasets.engines.places import store_at
from fabula.datasets.engines.plan import Plan, Shard
from fabula.datasets.engines.shard import Job, Piece
from fabula.datasets.engines.store import Made
from fabula.errors import OutputError
from fabula.recipe.loading import load

RUN = """
import sys
from fabula.datasets.engines import write
from fabula.recipe.loading import load
if __name__ == "__main__":
    out, engine, workers, form = sys.argv[1:]
    write(load("babi/qa1"), out, {"train": 16_000}, form, 5, int(workers), engine=engine,
          shard_size=400)
"""
SIZES = {"train": 16_000}


def start(tmp_path: Path, out: Path, kind: str, workers: int, form: str) -> subprocess.Popen[bytes]:
    script = tmp_path / "run.py"
    script.write_text(RUN)
    command = [sys.executable, str(script), str(out), kind, str(workers), form]
    return subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)


def finished_shards(tmp_path: Path) -> list[Path]:
    return [p for p in tmp_path.glob(".data.partial-*/**/train-*") if ".progress" not in p.parts]


def wait_for_shards(tmp_path: Path, run: subprocess.Popen[bytes], least: int) -> None:
    deadline = time.monotonic() + 120
    while len(finished_shards(tmp_path)) < least:
        assert run.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """The same data sets, made without trouble."""
    found = {}
    for form in ("babi", "parquet"):
        out = tmp_path_factory.mktemp(form) / "data"
        engine.write(load("babi/qa1"), out, SIZES, form, 5, engine="inline", shard_size=400)
        found[form] = content(out)
    return found


@pytest.mark.parametrize(
    ("kind", "workers", "form"),
    [("inline", 1, "parquet"), ("processes", 2, "babi")],
)
def test_killed_and_started_again(
    kind: str,
    workers: int,
    form: str,
    tmp_path: Path,
    whole: dict[str, dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "data"
    for least in (2, 6):  # killed twice, each time further on
        run = start(tmp_path, out, kind, workers, form)
        wait_for_shards(tmp_path, run, least)
        run.send_signal(signal.SIGKILL)  # this one process; its workers must end by themselves
        run.wait(timeout=60)
        assert not out.exists()
    before = {p.name: p.stat().st_mtime_ns for p in finished_shards(tmp_path)}
    made: list[str] = []
    real = Job.pieces

    def noted(job: Job, shard: Shard) -> Iterator[Piece]:
        made.append(shard.file)
        return real(job, shard)

    monkeypatch.setattr(Job, "pieces", noted)
    engine.write(load("babi/qa1"), out, SIZES, form, 5, engine="inline", shard_size=400)
    assert content(out) == whole[form]
    assert not {Path(file).name for file in made} & set(before), "what was there is made again"
    assert len(made) + len(before) == 40
    assert [p.name for p in tmp_path.iterdir() if p.name != "run.py"] == ["data"]


def test_workers_end_with_the_one_who_started_them(tmp_path: Path) -> None:
    run = start(tmp_path, tmp_path / "data", "processes", 2, "babi")
    wait_for_shards(tmp_path, run, 1)
    children = [
        int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and _parent(p) == run.pid
    ]
    assert children
    run.send_signal(signal.SIGKILL)
    run.wait(timeout=60)
    deadline = time.monotonic() + 60
    while any(_alive(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_lost_worker_is_replaced(tmp_path: Path, whole: dict[str, dict[str, bytes]]) -> None:
    run = start(tmp_path, tmp_path / "data", "processes", 2, "babi")
    wait_for_shards(tmp_path, run, 2)
    victims = [
        int(p.name)
        for p in Path("/proc").iterdir()
        if p.name.isdecimal() and _parent(p) == run.pid and b"spawn_main" in _command(p)
    ]
    os.kill(victims[0], signal.SIGKILL)
    assert run.wait(timeout=170) == 0
    assert content(tmp_path / "data") == whole["babi"]


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def test_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, sizes = load("babi/qa1"), {"train": 50}
    real = Job.piece
    calls: list[int] = []

    def filling(job: Job, split: str, first: int, stop: int) -> Any:
        calls.append(first)
        if first == 20:
            raise OSError(28, "No space left on device")
        return real(job, split, first, stop)

    monkeypatch.setattr(Job, "piece", filling)
    with pytest.raises(OutputError, match=r"No space left on device\. 2 of 5 files are finished"):
        engine.write(recipe, tmp_path / "data", sizes, shard_size=10)
    assert not (tmp_path / "data").exists()
    assert not list(tmp_path.rglob("*.tmp-*"))
    monkeypatch.setattr(Job, "piece", real)
    engine.write(recipe, tmp_path / "data", sizes, shard_size=10)
    engine.write(recipe, tmp_path / "other", sizes, shard_size=10)
    assert content(tmp_path / "data") == content(tmp_path / "other")


def test_another_plan_does_not_use_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Job.piece

    def stopping(job: Job, split: str, first: int, stop: int) -> Any:
        if first == 20:
            raise KeyboardInterrupt
        return real(job, split, first, stop)

    monkeypatch.setattr(Job, "piece", stopping)
    with pytest.raises(KeyboardInterrupt) as stop:
        engine.write(load("babi/qa1"), tmp_path / "data", {"train": 50}, shard_size=10)
    assert stop.value.__notes__ == [
        "2 of 5 files are finished and kept: the same command resumes from there."
    ]
    monkeypatch.setattr(Job, "piece", real)
    engine.write(load("babi/qa1"), tmp_path / "data", {"train": 50}, seed=1, shard_size=10)
    engine.write(load("babi/qa1"), tmp_path / "other", {"train": 50}, seed=1, shard_size=10)
    assert content(tmp_path / "data") == content(tmp_path / "other")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "other"]


def test_a_damaged_shard_is_made_again(tmp_path: Path) -> None:
    plan = Plan(load("babi/qa1"), 0, {"train": 20}, "jsonl", 10)
    store = store_at(tmp_path / "data", plan.digest)
    store.begin(force=False)
    for made in processes.inline(plan, plan.shards, store, lambda count: None):
        assert store.made(made.file) == made
    shard = tmp_path / f".data.partial-{plan.digest}" / plan.shards[0].file
    shard.write_bytes(shard.read_bytes()[:-5])
    assert store.made(plan.shards[0].file) is None
    assert isinstance(store.made(plan.shards[1].file), Made)
    store.leave()


def test_one_run_at_a_time(tmp_path: Path) -> None:
    plan = Plan(load("babi/qa1"), 0, {"train": 20}, "jsonl", 10)
    first, second = (store_at(tmp_path / "data", plan.digest) for _ in range(2))
    first.begin(force=False)
    with pytest.raises(OutputError, match="another run is writing there"):
        second.begin(force=False)
    first.leave()
    second.begin(force=False)
    second.leave()
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_whole_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = load("babi/qa1")
    made = engine.write(recipe, tmp_path / "data", {"train": 20})
    monkeypatch.setattr(Job, "piece", None)
    assert engine.write(recipe, tmp_path / "data", {"train": 20}) == made
    file = tmp_path / "data" / "train-00000-of-00001.jsonl"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(OutputError, match="not empty"):
        engine.write(recipe, tmp_path / "data", {"train": 20})


def test_interrupted_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(store: LocalStore) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalStore, "_take_lock", stopping)
    with pytest.raises(KeyboardInterrupt):
        engine.write(load("babi/qa1"), tmp_path / "new" / "data", {"train": 5})
    assert list(tmp_path.iterdir()) == []


def test_another_run_is_not_disturbed(tmp_path: Path) -> None:
    recipe, out = load("babi/qa1"), tmp_path / "data"
    plan = Plan(recipe, 0, {"train": 20}, "jsonl", 10)
    store = store_at(out, plan.digest)
    store.begin(force=False)
    made = list(processes.inline(plan, plan.shards[:1], store, lambda count: None))
    with pytest.raises(OutputError, match="another run is writing there"):
        engine.write(recipe, out, {"train": 20}, shard_size=10)
    assert store.made(plan.shards[0].file) == made[0]
    assert store.leave() == 1
    engine.write(recipe, out, {"train": 20}, shard_size=10)
