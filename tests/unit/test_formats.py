"""Every format writes its files whole, with the right number of items."""

from __future__ import annotations

import csv
from pathlib import Path

import orjson
import pytest

from fabula.engine import write
from fabula.errors import FabulaError
from fabula.formats import FORMATS, format_named
from fabula.recipe import load

RECIPES = {"stepgame": "stepgame/noise", "clutrr": "clutrr/gen-23", "clutrr-hub": "clutrr/gen-23"}


@pytest.mark.parametrize("form", FORMATS)
def test_format(form: str, tmp_path: Path) -> None:
    recipe = load(RECIPES.get(form, "babi/qa2"))
    write(recipe, tmp_path / "one", {"train": 15}, form)
    write(recipe, tmp_path / "two", {"train": 15}, form, workers=2)
    (file,) = [p for p in (tmp_path / "one").iterdir() if p.name != "manifest.json"]
    text = file.read_text(encoding="utf-8")
    assert text == (tmp_path / "two" / file.name).read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        assert len([orjson.loads(line) for line in text.splitlines()]) == 15
    elif file.suffix == ".csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert len(rows) == 15
        assert [row[""] for row in rows] == [str(n) for n in range(15)]
        assert len(rows[0]) == (15 if form == "clutrr-hub" else 18)
    else:
        assert text.count("?") == 15


def test_unknown_format() -> None:
    with pytest.raises(FabulaError, match="Did you mean 'jsonl'"):
        format_named("json1")


def test_a_format_of_another_world_says_so(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="CLUTRR's format is for records of the kinship world"):
        write(load("babi/qa1"), tmp_path / "x", {"train": 5}, "clutrr")
    assert list(tmp_path.iterdir()) == []
