"""The dataset card: the hub reads its head, `datasets` loads the folder, and it tells the truth."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import orjson
import pytest

from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.datasets.card import CARD, card
from fabula.datasets.engines import write
from fabula.datasets.engines.plan import Plan
from fabula.datasets.engines.tally import COUNTS
from fabula.datasets.stored import records_of
from fabula.recipe.loading import build, load


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched, and nothing tells that it was not."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_DATASETS_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")


@pytest.mark.filterwarnings("ignore")  # the library's own
@pytest.mark.parametrize(("form", "shard_size"), [("parquet", 1000), ("parquet", 20), ("chat", 50)])
def test_load_dataset(form: str, shard_size: int, tmp_path: Path) -> None:
    import datasets

    out = tmp_path / "data"
    sizes = {"train": 60, "test": 15}
    write(load("actors/mix"), out, sizes, form, shard_size=shard_size)
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == sizes
    if form == "parquet":
        assert loaded["train"].features["supports"].feature.feature.dtype == "int32"
        assert loaded["train"].features["features"].dtype == "string"
        records = [r for f in sorted(out.glob("*/train-*")) for r in records_of(f)]
        for record, row in zip(records, loaded["train"], strict=True):
            assert row["id"] == record.id
            assert row["story"] == list(record.story)
            assert row["supports"] == [list(support) for support in record.supports]
            assert orjson.loads(row["features"]) == record.features
        assert loaded["train"][0]["provenance"].startswith("{")


@pytest.mark.filterwarnings("ignore")
def test_the_hub_reads_the_head(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    write(load("babi/qa6"), tmp_path / "data", {"train": 40, "test": 10}, "parquet")
    data: Any = DatasetCard((tmp_path / "data" / CARD).read_text(encoding="utf-8")).data
    head = data.to_dict()
    assert head["license"] == "apache-2.0"
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"][0]["config_name"] == "babi-qa6"
    assert head["dataset_info"][0]["splits"][1]["num_examples"] == 10


@pytest.mark.parametrize(
    ("code", "known"),
    [("en", "en"), ("hi", "hi"), ("hi-Deva", "hi"), ("shuffled", "und"), ("symbolic", "und")],
)
def test_the_head_names_the_language(code: str, known: str, tmp_path: Path) -> None:
    import yaml

    write(load("babi/qa1", {"language": code}), tmp_path / "data", {"train": 10}, "parquet")
    text = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["language"] == [known]
    assert head["configs"][0]["data_files"] == [
        {"split": "train", "path": ["babi-qa1/train-00000-of-00001.parquet"]}
    ]
    assert head["dataset_info"][0]["features"][6] == {
        "name": "supports", "list": {"list": "int32"},
    }  # fmt: skip


def test_its_figures_are_those_of_the_data(tmp_path: Path) -> None:
    out = tmp_path / "data"
    write(load("babi/qa6"), out, {"train": 40, "test": 10})
    text = (out / CARD).read_text(encoding="utf-8")
    records = list(records_of(out / "train-00000-of-00001.jsonl"))
    for answer in ("yes", "no"):
        count = sum(record.answer == (answer,) for record in records)
        assert re.search(rf"^\| {answer} \| {count} \|", text, re.M)
    mean = sum(len(record.story) for record in records) / 40
    assert f"| train | 40 | 1 | {mean:.1f} |" in text
    assert f"  question  {records[0].question}" in text


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_its_recipe_makes_it_again(variant: Variant, tmp_path: Path) -> None:
    recipe, split = load(variant.recipe, variant.changes), sample_split(variant)
    write(recipe, tmp_path / "data", {split: 2})
    text = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    told = re.search(r"^```toml\n(.*?)^```", text, re.M | re.S)
    assert told is not None
    assert build(tomllib.loads(told[1])).digest == recipe.digest


def test_its_command_makes_it_again(tmp_path: Path) -> None:
    from fabula.cli import main

    out, again = tmp_path / "data", tmp_path / "again"
    write(load("actors/mix", {"length": 7}), out, {"test": 6}, "babi", seed=4)
    text = (out / CARD).read_text(encoding="utf-8")
    told = re.search(r"^```toml\n(.*?)^```", text, re.M | re.S)
    command = re.search(r"^```sh\n(.*?)\n```", text, re.M | re.S)
    assert told is not None
    assert command is not None
    (tmp_path / "recipe.toml").write_text(told[1], encoding="utf-8")
    words = [
        {"FOLDER": str(again), "recipe.toml": str(tmp_path / "recipe.toml")}.get(word, word)
        for word in command[1].split()[1:]
    ]
    assert main(words) == 0
    for file in out.iterdir():
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_odd_words_do_not_break_it() -> None:
    import yaml

    odd = "mine/a #1 'no'"
    recipe = load("babi/qa1", {"id": odd, "title": 'A: "quoted" | #1', "about": "---\n| x |"})
    plan = Plan(recipe, 0, {"train": 5}, "jsonl")
    figures: dict[str, dict[str, int]] = {name: {} for name in COUNTS}
    manifest = {
        "instances": 5, "splits": {"no": {"instances": 5, "bytes": 1, "files": []}},
        "figures": {"no": figures}, "recipe_digest": "x", "canary": "y",
    }  # fmt: skip
    text = card(plan, manifest)
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["pretty_name"] == f"Fabula {recipe.id}"
    assert head["configs"][0]["data_files"][0]["split"] == "no"
