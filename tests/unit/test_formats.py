"""Every format writes whole files with the right number of items; what can be is read back."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

import fabula
from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.cli.generate import FORMAT_NAMES
from fabula.datasets.engines import write
from fabula.datasets.formats import FORMATS, format_named, rl
from fabula.datasets.stored import data_files, records_of
from fabula.errors import FabulaError, ParseError
from fabula.generation.author import Author
from fabula.prompting.prompt import conventions
from fabula.recipe.loading import load
from fabula.scoring import score

RECIPES = {
    "stepgame": "stepgame/noise",
    "stepgame-json": "stepgame/noise",
    "clutrr": "clutrr/gen-23",
    "clutrr-hub": "clutrr/gen-23",
}


def only_file(folder: Path) -> Path:
    (file,) = [
        p for p in folder.rglob("*") if p.is_file() and p.name not in ("manifest.json", "README.md")
    ]
    return file


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "interchange"])  # of pairs
def test_format(form: str, tmp_path: Path) -> None:
    recipe = load(RECIPES.get(form, "babi/qa2"))
    write(recipe, tmp_path / "one", {"train": 15}, form)
    write(recipe, tmp_path / "two", {"train": 15}, form, shard_size=5)
    file = only_file(tmp_path / "one")
    ending = format_named(form).ending
    assert len(list((tmp_path / "two").rglob(f"train-0000?-of-00003.{ending}"))) == 3
    if ending in ("jsonl.gz", "parquet"):
        assert len(list(records_of(file))) == 15
        return
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        assert len([orjson.loads(line) for line in text.splitlines()]) == 15
    elif file.suffix == ".json":
        data = orjson.loads(text)
        if form == "stepgame-json":
            assert list(data) == [str(n) for n in range(15)]
    elif file.suffix == ".csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == 15
        assert [row[""] for row in rows] == [str(n) for n in range(15)]
        assert len(rows[0]) == (15 if form == "clutrr-hub" else 18)
    else:
        assert text.count("?") == 15


def test_the_command_line_names_all_formats() -> None:
    assert FORMATS.own == FORMAT_NAMES


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_nothing_is_lost(variant: Variant, tmp_path: Path) -> None:
    """What is read back is what was made, and the quick way gives the bytes of the records."""
    recipe, split = load(variant.recipe, variant.changes), sample_split(variant)
    author = Author(recipe, split)
    made = list(author.instances(0, 12))
    for form in ("jsonl", "jsonl.gz", "parquet"):
        write(recipe, tmp_path / form, {split: 12}, form)
        (file,) = data_files(tmp_path / form)
        assert [record.to_json() for record in records_of(file)] == [r.to_json() for r in made]
    (file,) = data_files(tmp_path / "jsonl")
    assert file.read_bytes() == b"".join(record.to_json() + b"\n" for record in made)


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_right_replies_are_scored_right(variant: Variant) -> None:
    """What models are trained on is what the scorer takes for right."""
    author = Author(load(variant.recipe, variant.changes), sample_split(variant))
    records = list(author.instances(0, 6))
    passages = list(author.passages(0, 6))
    for form in ("chat", "chat-cot", "chat-few-shot"):
        lines = format_named(form).piece(author, passages).splitlines()
        assert len(lines) == len(records)
        for record, line in zip(records, lines, strict=True):
            asked, answered = orjson.loads(line)["messages"]
            assert (asked["role"], answered["role"]) == ("user", "assistant")
            assert asked["content"].count(record.question) >= 1
            assert score(record, answered["content"]).correct, answered["content"]
    rows = format_named("rl").piece(author, passages).splitlines()
    assert len(rows) == len(records)
    for row in map(orjson.loads, rows):
        truth = row["reward_model"]["ground_truth"]
        given = (row["data_source"], f"Answer: {truth}", truth, row["extra_info"])
        assert rl.compute_score(*given) == 1.0
        assert rl.compute_score(given[0], "I do not know.", *given[2:]) == 0.0


def test_reward_needs_the_record() -> None:
    with pytest.raises(ParseError, match=r"extra_info\.record"):
        rl.compute_score("fabula/babi/qa1", "garden", "garden", {})


def test_records_that_no_recipe_made_are_rows_too() -> None:
    made = fabula.instance("babi/qa1", "test", 3)
    row = rl.fields(replace(made, provenance={"world": "actors"}))
    assert row["data_source"] == "fabula/records"
    assert row["extra_info"]["split"] is None


def test_few_shot_examples_are_not_in_the_data_set() -> None:
    author = Author(load("babi/qa2"), "test", 7)
    (line,) = format_named("chat-few-shot").piece(author, author.passages(0, 1)).splitlines()
    asked = orjson.loads(line)["messages"][0]["content"]
    assert asked.count("Answer: ") == 3
    other = format_named("chat-few-shot").piece(author, author.passages(9, 10)).splitlines()[0]
    first = orjson.loads(other)["messages"][0]["content"]
    assert asked.split("\n\n")[:-2] == first.split("\n\n")[:-2], "the same for the whole data set"


def test_chain_of_thought_names_the_support_only() -> None:
    author = Author(load("babi/qa2"), "test", 7)
    (record,) = author.instances(0, 1)
    line = format_named("chat-cot").piece(author, author.passages(0, 1))
    told = orjson.loads(line)["messages"][1]["content"]
    for number, sentence in enumerate(record.story, 1):
        assert (f"{number}. {sentence}" in told) == (number in record.support)


def test_t5() -> None:
    author = Author(load("babi/qa8"), "test", 7)
    record = next(author.instances(0, 1))
    pair = orjson.loads(format_named("t5").piece(author, author.passages(0, 1)))
    assert pair["targets"] == ", ".join(record.answer)
    context = " ".join([*conventions(record), *record.story])
    assert pair["inputs"] == f"question: {record.question} context: {context}"
    assert pair["inputs"].count("People carry, and things hold, only what the story says.") == 1


def test_parquet_that_is_none(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "x.parquet"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ParseError, match="not a Parquet file"):
        next(records_of(file))
    pq.write_table(pa.table({"id": ["a"]}), file)
    with pytest.raises(ParseError, match="columns are missing: story"):
        next(records_of(file))


def test_unknown_format() -> None:
    with pytest.raises(FabulaError, match="Did you mean 'jsonl'"):
        format_named("json1")


def test_a_format_of_another_world_says_so(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="CLUTRR's format is for records of the kinship world"):
        write(load("babi/qa1"), tmp_path / "x", {"train": 5}, "clutrr")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["clutrr", "clutrr-hub", "stepgame-json"])
def test_records_that_a_format_cannot_hold_are_named(form: str, tmp_path: Path) -> None:
    made = fabula.instance("babi/qa1", "test", 3)
    odd = replace(made, provenance={"world": "actors"})
    with pytest.raises(FabulaError, match=f"babi/qa1:test:3: the format '{form}' cannot hold"):
        fabula.write(fabula.Dataset([odd]), tmp_path / "out", format=form)
    assert not (tmp_path / "out").exists()
