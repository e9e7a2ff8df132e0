"""Suites: the whole of a published benchmark under its own names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.cli import main
from fabula.datasets.engines import Job
from fabula.datasets.formats import babi
from fabula.datasets.manifest import altered
from fabula.datasets.suite import write_suite
from fabula.errors import FabulaError, OutputError
from fabula.recipe.loading import load, recipe_ids
from fabula.recipe.suite import suites

SUITE = suites()["babi/all"]
SMALL = SUITE.model_copy(
    update={
        "tasks": {n: slug for n, slug in SUITE.tasks.items() if n in (1, 18)},
        "folders": {n: f for n, f in SUITE.folders.items() if n in ("en", "en-valid", "hn")},
    }
)


def test_it_has_the_names_and_sizes_of_the_release() -> None:
    assert list(SUITE.tasks) == list(range(1, 21))
    assert {SUITE.recipe(number) for number in SUITE.tasks} <= set(recipe_ids())
    assert list(SUITE.folders) == [
        "en", "en-10k", "en-valid", "en-valid-10k", "hn", "hn-10k", "shuffled", "shuffled-10k"
    ]  # fmt: skip
    assert SUITE.folders["en-10k"].sizes == {"train": 10_000, "test": 1_000}
    assert sum(SUITE.folders["en-valid"].sizes.values()) == 2_000


def test_files_hold_what_the_recipe_gives_and_exactly_so_many(tmp_path: Path) -> None:
    manifest = write_suite(SMALL, tmp_path / "all", limits=dict.fromkeys(SMALL.splits, 13), seed=5)
    found = {str(p.relative_to(tmp_path / "all")) for p in (tmp_path / "all").rglob("*.txt")}
    files = [(split, file) for split, part in manifest["splits"].items() for file in part["files"]]
    assert found == {file["file"] for _, file in files}
    assert "en/qa18_size-reasoning_test.txt" in found
    assert "en-valid/qa1_valid.txt" in found
    assert altered(tmp_path / "all") == ()
    for split, file in files:
        name = file["file"]
        content = (tmp_path / "all" / name).read_bytes()
        asked = sum(len(story.questions) for story in babi.read(tmp_path / "all" / name))
        assert asked == file["instances"] == 13
        recipe = load(file["recipe"], {"language": file["language"]})
        assert Job(recipe, 5, "babi").piece(split, 0, 13).content == content


def test_a_tampered_file_of_a_suite_is_noticed(tmp_path: Path) -> None:
    write_suite(SMALL, tmp_path / "all", limits=dict.fromkeys(SMALL.splits, 5))
    victim = tmp_path / "all" / "en" / "qa18_size-reasoning_test.txt"
    victim.write_bytes(victim.read_bytes().replace(b"yes", b"no"))
    assert altered(tmp_path / "all") == (f"{victim}: changed since it was written",)
    victim.unlink()
    assert altered(tmp_path / "all") == (f"{victim}: missing",)


def test_the_same_bytes_on_two_workers_and_changes_for_all(tmp_path: Path) -> None:
    one, two = (
        write_suite(
            SMALL,
            tmp_path / str(n),
            limits=dict.fromkeys(SMALL.splits, 7),
            changes={"dialect": "release"},
            workers=n,
        )
        for n in (1, 2)
    )
    assert one == two
    assert one != write_suite(SMALL, tmp_path / "fixed", limits=dict.fromkeys(SMALL.splits, 7))


def test_what_is_there_is_not_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="--force"):
        write_suite(SMALL, tmp_path, limits=dict.fromkeys(SMALL.splits, 2))
    assert (tmp_path / "mine.txt").exists()
    with pytest.raises(FabulaError, match="dialect"):
        write_suite(
            SMALL,
            tmp_path / "new",
            limits=dict.fromkeys(SMALL.splits, 2),
            changes={"dialect": "relese"},
        )
    assert not (tmp_path / "new").exists()


def test_elsewhere_one_of_its_recipes_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "babi/all"]) == 2
    assert "choose one of them" in capsys.readouterr().err
