"""A real Ray on this machine makes the same bytes as this process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fabula.datasets import engines as engine
from fabula.datasets.engines.on_ray import _make_shard
from fabula.errors import FabulaError, MissingExtraError, OutputError, QuotaError
from fabula.recipe.loading import load

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own

SIZES = {"train": 3_000, "test": 700}


@pytest.fixture(scope="module")
def ray() -> Iterator[ModuleType]:
    """Ray, started here, as a user's program may have done."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_same_bytes(ray: ModuleType, form: str, tmp_path: Path) -> None:
    recipe = load("babi/qa1")
    ticks: list[int] = []
    here = engine.write(recipe, tmp_path / "here", SIZES, form, engine="inline", shard_size=500)
    there = engine.write(
        recipe, tmp_path / "ray", SIZES, form, engine="ray", shard_size=500, progress=ticks.append
    )
    assert here == there
    assert content(tmp_path / "here") == content(tmp_path / "ray")
    assert sum(ticks) == 3_700
    assert len(ticks) > 5
    assert ray.is_initialized(), "a Ray that was there before is not stopped"


def test_a_lost_worker_does_not_matter(ray: ModuleType, tmp_path: Path) -> None:
    recipe = load("babi/qa1")
    killed: list[int] = []

    def kill_one(count: int) -> None:
        workers = [
            int(p.name)
            for p in Path("/proc").iterdir()
            if p.name.isdecimal() and b"ray::" + _make_shard.__name__.encode() in _command(p)
        ]
        if not killed and workers:
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    there = engine.write(
        recipe, tmp_path / "ray", SIZES, "babi", engine="ray", shard_size=500, progress=kill_one
    )
    assert killed
    assert there == engine.write(recipe, tmp_path / "here", SIZES, "babi", shard_size=500)
    assert content(tmp_path / "here") == content(tmp_path / "ray")


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def test_errors_come_through(ray: ModuleType, tmp_path: Path) -> None:
    recipe = load("babi/qa1", {"keep.support_size": 9, "max_extensions": 3, "max_tries": 2})
    with pytest.raises(QuotaError, match="was not found in"):
        engine.write(recipe, tmp_path / "a", {"train": 5}, engine="ray")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match="memory is not shared"):
        engine.write(load("babi/qa1"), "memory://x", {"train": 5}, engine="ray")


def test_without_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'fabula\[ray\]'"):
        engine.write(load("babi/qa1"), tmp_path / "a", {"train": 5}, engine="ray")
    assert list(tmp_path.iterdir()) == []


def test_misused(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="Did you mean 'ray'"):
        engine.write(load("babi/qa1"), tmp_path / "a", {"train": 5}, engine="rai")
    with pytest.raises(FabulaError, match="add --engine ray"):
        engine.write(load("babi/qa1"), tmp_path / "a", {"train": 5}, address="auto")
