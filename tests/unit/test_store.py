"""Output anywhere that fsspec reaches, and the names of shards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from fabula.datasets import engines as engine
from fabula.datasets.engines.shard import Job
from fabula.errors import OutputError
from fabula.recipe.loading import load


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    """An empty memory:// for one test."""
    files = MemoryFileSystem()
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield files
    MemoryFileSystem.store.clear()


@pytest.mark.filterwarnings("error")
def test_a_table_that_is_given_up_says_nothing(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer of a table tries to end it when it is taken away; by then there is no file."""

    def stopping(job: Job, shard: Any) -> Iterator[Any]:
        yield job.piece("train", 0, 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(Job, "pieces", stopping)
    for out in ("memory://b/data", "memory://b/more"):
        with pytest.raises(KeyboardInterrupt):
            engine.write(load("babi/qa1"), out, {"train": 10}, "parquet")
    gc.collect()
    assert memory.find("/b") == []


@pytest.mark.parametrize(("form", "workers"), [("jsonl", 1), ("parquet", 1), ("jsonl", 2)])
def test_memory_as_disk(form: str, workers: int, tmp_path: Path, memory: MemoryFileSystem) -> None:
    recipe, sizes = load("babi/qa1"), {"train": 2_500, "test": 10}
    here = engine.write(recipe, tmp_path / "data", sizes, form, shard_size=1_000)
    there = engine.write(recipe, "memory://b/data", sizes, form, workers=workers, shard_size=1_000)
    assert here == there
    on_disk = {
        str(p.relative_to(tmp_path / "data")): p.read_bytes()
        for p in (tmp_path / "data").rglob("*")
        if p.is_file()
    }
    kept = {name.removeprefix("/b/data/"): memory.cat(name) for name in memory.find("/b/data")}
    assert kept == on_disk


def test_memory_goes_on_where_it_stopped(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, sizes = load("babi/qa1"), {"train": 50}
    real = Job.piece
    made: list[int] = []

    def stopping(job: Job, split: str, start: int, stop: int) -> Any:
        if start == 30 and start not in made:
            made.append(start)
            raise KeyboardInterrupt
        made.append(start)
        return real(job, split, start, stop)

    monkeypatch.setattr(Job, "piece", stopping)
    with pytest.raises(KeyboardInterrupt):
        engine.write(recipe, "memory://b/data", sizes, shard_size=10)
    assert not memory.exists("/b/data/manifest.json")
    assert not [name for name in memory.find("/b/data") if ".tmp-" in name]
    manifest = engine.write(recipe, "memory://b/data", sizes, shard_size=10)
    assert made == [0, 10, 20, 30, 30, 40]
    assert orjson.loads(memory.cat("/b/data/manifest.json")) == manifest
    assert not [name for name in memory.find("/b/data") if ".progress" in name]


def test_memory_is_not_overwritten(memory: MemoryFileSystem) -> None:
    recipe = load("babi/qa1")
    engine.write(recipe, "memory://b/data", {"train": 5})
    with pytest.raises(OutputError, match="not empty"):
        engine.write(recipe, "memory://b/data", {"train": 6})
    engine.write(recipe, "memory://b/data", {"train": 6}, force=True)
    memory.pipe("/home/thesis.txt", b"mine")
    with pytest.raises(OutputError, match="no manifest"):
        engine.write(recipe, "memory://home", {"train": 5}, force=True)
    assert memory.cat("/home/thesis.txt") == b"mine"


def test_unknown_places() -> None:
    recipe = load("babi/qa1")
    with pytest.raises(OutputError, match="Protocol not known"):
        engine.write(recipe, "nowhere://x", {"train": 5})


def test_names_of_shards(tmp_path: Path) -> None:
    recipe = load("babi/qa1")
    engine.write(recipe, tmp_path / "one", {"train": 12}, "babi")
    engine.write(recipe, tmp_path / "more", {"train": 12}, "babi", shard_size=5)
    assert (tmp_path / "one" / "train.txt").is_file()
    shards = sorted((tmp_path / "more").glob("*.txt"))
    assert [p.name for p in shards] == [f"train-0000{n}-of-00003.txt" for n in range(3)]
    together = b"".join(p.read_bytes() for p in shards)
    assert together == (tmp_path / "one" / "train.txt").read_bytes()


def test_shards_end_where_stories_end(tmp_path: Path) -> None:
    manifest = engine.write(load("babi/qa1"), tmp_path / "a", {"train": 23}, shard_size=7)
    assert [f["instances"] for f in manifest["splits"]["train"]["files"]] == [5, 5, 5, 5, 3]


def test_too_many_files(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="raise --shard-size"):
        engine.write(load("stepgame/clean"), tmp_path / "a", {"train": 10**9}, shard_size=1)
    assert list(tmp_path.iterdir()) == []


def test_manifest(tmp_path: Path) -> None:
    from hashlib import sha256

    manifest = engine.write(load("babi/qa2"), tmp_path / "a", {"train": 12, "test": 4}, seed=3)
    for part in manifest["splits"].values():
        for made in part["files"]:
            data = (tmp_path / "a" / made["file"]).read_bytes()
            assert made["sha256"] == sha256(data).hexdigest()
            assert made["bytes"] == len(data)
    assert manifest["instances"] == 16
    assert manifest["canary"].startswith("fabula-canary-")
    assert sum(manifest["figures"]["train"]["answers"].values()) == 12
    other = engine.write(load("babi/qa2"), tmp_path / "b", {"train": 12, "test": 4}, seed=4)
    assert other["canary"] != manifest["canary"]
