"""fabula.Dataset: a sequence that is made when it is asked for."""

from __future__ import annotations

import gzip
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula import Dataset

QA2 = Dataset("babi/qa2", split="test", seed=7, size=30)


def test_it_is_a_sequence_of_the_generated_instances() -> None:
    made = list(fabula.generate("babi/qa2", "test", 7, 30))
    assert len(QA2) == 30
    assert list(QA2) == made
    assert QA2[-1] == QA2[29] == made[29]
    assert list(QA2[3:9:2]) == made[3:9:2]
    assert list(QA2[::-1]) == made[::-1]
    assert list(QA2[5:20][2:4]) == made[7:9]
    assert made[4] in QA2
    assert fabula.instance("babi/qa2", "train", 4) not in QA2
    assert made[4] not in QA2[5:]
    with pytest.raises(IndexError, match="index 30 of a data set of 30 instances"):
        QA2[30]


def test_random_access_costs_one_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset("babi/qa2", split="train", size=None)
    assert data[10**9].id == "babi/qa2:train:1000000000"
    made = []
    author = data._source.author  # type: ignore[attr-defined]
    whole = author.passage

    def counted(*given: Any) -> Any:
        made.append(given)
        return whole(*given)

    monkeypatch.setattr(author, "passage", counted)
    data[123_456]
    assert len(made) == 1


def test_stories_with_all_their_questions_can_be_addressed() -> None:
    data = Dataset("babi/qa1", split="train", size=250, questions="all")
    assert [data[i] for i in (249, 3, 101)] == [list(data)[i] for i in (249, 3, 101)]


def test_equal_by_content(tmp_path: Path) -> None:
    again = Dataset(fabula.load("babi/qa2"), "test", 7, 30)
    assert again == QA2 == Dataset(list(QA2))
    assert Dataset("babi/qa2", split="test", seed=8, size=30) != QA2
    assert QA2[:29] != QA2
    assert Dataset("babi/qa2", size=None) == Dataset("babi/qa2", size=None)
    assert Dataset("babi/qa2", size=None) != QA2


def test_an_endless_data_set_says_so() -> None:
    data = Dataset("babi/qa1", size=None)
    assert data.endless
    assert data[7:].endless
    assert not data[7:9].endless
    assert data[7:][0] == data[7]
    assert "endless" in repr(data)
    for use in (
        lambda: len(data),
        lambda: data[-1],
        lambda: data[:-1],
        data.shuffle,
        data.to_arrow,
    ):
        with pytest.raises(TypeError, match="endless"):
            use()
    with pytest.raises(fabula.FabulaError, match="endless"):
        data.write("nowhere")


def test_views() -> None:
    garden = QA2.filter(lambda one: one.answer == ("garden",))
    assert list(garden) == [one for one in QA2 if one.answer == ("garden",)]
    assert len(garden) == len(list(garden))
    assert garden[-1] == list(garden)[-1]
    assert list(garden.take(2)) == list(garden)[:2]
    drawn = QA2.sample(10, seed=3)
    assert len({one.id for one in drawn}) == 10
    assert list(drawn) == list(QA2.sample(10, seed=3)) != list(QA2.sample(10, seed=4))
    mixed = QA2.shuffle(1)
    assert sorted(one.id for one in mixed) == sorted(one.id for one in QA2)
    assert list(mixed) != list(QA2)
    endless = Dataset("babi/qa1", size=None).filter(lambda one: one.answer == ("garden",))
    assert {one.answer for one in endless.take(3)} == {("garden",)}


def test_a_filter_that_nothing_fulfils_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabula.datasets.dataset.SEARCHED", 50)
    with pytest.raises(fabula.FabulaError, match="none of the last 50 instances"):
        Dataset("babi/qa1", size=None).filter(lambda one: False).take(1)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_written_and_read(form: str, tmp_path: Path) -> None:
    manifest = QA2.write(tmp_path / "whole", format=form)
    assert manifest["instances"] == 30
    whole = fabula.read(tmp_path / "whole")
    assert whole == QA2
    assert whole[17] == QA2[17]
    assert list(whole[28:]) == list(QA2[28:])
    part = QA2.sample(7, 1)
    part.write(tmp_path / "part", format=form)
    assert fabula.read(tmp_path / "part", "test") == part
    assert fabula.read(next((tmp_path / "part").rglob(f"*.{form}"))) == part


def test_gzip_and_urls(tmp_path: Path) -> None:
    QA2.write(tmp_path / "data")
    (plain,) = (tmp_path / "data").glob("*.jsonl")
    with gzip.open(f"{plain}.gz", "wb") as packed, plain.open("rb") as file:
        shutil.copyfileobj(file, packed)
    assert fabula.read(f"{plain}.gz") == QA2
    assert fabula.read(f"{plain}.gz")[21] == QA2[21]
    assert fabula.read(f"file://{tmp_path}/data", "test") == QA2
    QA2.write("memory://a-data-set")
    assert fabula.read("memory://a-data-set") == QA2
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(Path(f"{plain}.gz").read_bytes()[:900])
    with pytest.raises(fabula.ParseError, match=r"cut\.jsonl\.gz"):
        list(fabula.read(cut))


def test_several_shards(tmp_path: Path) -> None:
    QA2.write(tmp_path / "data", shard_size=10)
    data = fabula.read(tmp_path / "data")
    assert data == QA2
    assert [data[i] for i in (0, 9, 10, 29)] == [QA2[i] for i in (0, 9, 10, 29)]
    assert list(data[8:12]) == list(QA2[8:12])


def test_pickled_and_in_a_data_loader() -> None:
    from torch.utils.data import DataLoader

    data = pickle.loads(pickle.dumps(QA2[3:]))
    assert data == QA2[3:]
    loader = DataLoader(QA2.to_torch(), batch_size=8, num_workers=2, collate_fn=list)
    assert [one for batch in loader for one in batch] == list(QA2)
    endless = Dataset("babi/qa1", size=None).to_torch()
    batches = iter(DataLoader(endless, batch_size=4, num_workers=2, collate_fn=list))
    seen = [one.id for _ in range(4) for one in next(batches)]
    assert len(set(seen)) == 16


def test_other_libraries() -> None:
    frame = QA2.to_pandas()
    assert list(frame["id"]) == [one.id for one in QA2]
    hub = QA2.to_hf()
    assert hub[3]["question"] == QA2[3].question
    endless = Dataset("babi/qa1", size=None).to_hf()
    assert next(iter(endless))["id"] == "babi/qa1:train:0"


def test_prompts_and_scores() -> None:
    assert next(iter(QA2.prompts(style="reason"))) == fabula.prompt(QA2[0], "reason")
    right = QA2[5]
    assert QA2.score(5, right.answer[0]).correct
    assert QA2.score(right.id, right.answer[0]).correct
    with pytest.raises(fabula.UsageError, match="no instance 'babi/qa2:test:99'"):
        QA2.score("babi/qa2:test:99", "garden")


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no recipe 'babi/qa99'"):
        Dataset("babi/qa99")
    with pytest.raises(ValueError, match=r"no split 'tset'\. Did you mean 'test'"):
        Dataset("babi/qa1", split="tset")
    with pytest.raises(ValueError, match="not a number of instances"):
        Dataset("babi/qa1", size=-1)
    with pytest.raises(ValueError, match="holds instances, not int"):
        Dataset([1, 2])  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        fabula.read(tmp_path / "nothing.jsonl")
    with pytest.raises(FileNotFoundError, match="no data set here"):
        fabula.read(tmp_path)
    QA2.write(tmp_path / "data")
    with pytest.raises(ValueError, match="'seed' applies to recipes only"):
        Dataset(tmp_path / "data", seed=3)
    with pytest.raises(ValueError, match="there are only 30 instances"):
        Dataset(tmp_path / "data", size=31)
    with pytest.raises(fabula.RecipeError, match="unknown key"):
        Dataset("babi/qa1", lenght=3)


def test_the_public_api_is_listed_and_quick() -> None:
    assert set(dir(fabula)) == set(fabula.__all__)
    for name in fabula.__all__:
        assert getattr(fabula, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'generat'"):
        fabula.generat  # noqa: B018
    assert "babi/qa2" in fabula.recipes()
    assert "babi/all" in fabula.recipes()
    assert fabula.worlds()["kinship"].name == "kinship"
