"""Counting data sets, and the pictures made of it."""

from __future__ import annotations

import io
import re
import tracemalloc
from collections import Counter
from pathlib import Path
from xml.dom import minidom

import pytest
from rich.console import Console

from fabula.analysis import charts, stats
from fabula.datasets.engines import write
from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.recipe.loading import load


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "mix"
    write(load("actors/mix"), out, {"train": 60, "test": 20})
    return out


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "qa2"
    write(load("babi/qa2"), out, {"train": 30}, form="babi")
    return out


def test_counts_are_those_of_the_instances(data: Path) -> None:
    summary = stats.summarise([data])
    made = [*generate("actors/mix", "train", size=60), *generate("actors/mix", "test", size=20)]
    assert summary.instances == len(made) == 80
    assert summary.splits == {"train": 60, "test": 20}
    assert summary.recipes == {"actors/mix": 80}
    assert summary.kinds["yes-no"] == sum(i.query[0] == "yes-no" for i in made)
    assert summary.answers["nothing"] == sum(i.answer == ("nothing",) for i in made)
    assert summary.supports[1] == sum(len(i.supports) == 1 for i in made)
    assert summary.recency.total() == summary.support_sizes.total() == 80
    assert summary.recency[0] == sum(i.features["recency"] == 0 for i in made)
    assert summary.bytes == sum(path.stat().st_size for path in data.glob("*.jsonl"))
    for counts in (summary.answers, summary.compositions, summary.sentences):
        assert counts.total() == 80


def test_text_offers_less(text: Path) -> None:
    summary = stats.summarise([text / "train.txt"])
    made = list(generate("babi/qa2", "train", size=30))
    assert summary.instances == 30
    assert summary.kinds == {"Where is": 30}
    assert summary.support_sizes == {2: 30}
    assert not summary.supports
    assert not summary.compositions
    assert summary.sentences == Counter(len(i.story) for i in made)
    assert summary.recency == Counter(i.features["recency"] for i in made)


def test_files_and_folders_add_up(data: Path, text: Path) -> None:
    assert stats.summarise([data, text]).instances == 110
    assert stats.summarise(sorted(data.glob("*.jsonl"))).instances == 80


def test_bars_lose_nothing(data: Path) -> None:
    summary = stats.summarise([data])
    for most in (2, 3, 7, 100):
        for chart in charts.charts(summary, most, most):
            assert sum(bar.value for bar in chart.bars) == 80, chart.title
            assert len(chart.bars) <= most


def test_terminal_is_narrow_and_may_lack_unicode(data: Path) -> None:
    for encoding in ("utf-8", "ascii"):
        file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
        console = Console(file=file, width=80)
        charts.show(stats.summarise([data]), console)
        file.seek(0)
        lines = file.read().splitlines()
        assert "Question kinds" in lines
        assert max(map(len, lines)) <= 80
        assert any(("█" if encoding == "utf-8" else "#") in line for line in lines)


@pytest.mark.parametrize(
    ("part", "expected"), [(0.0, ""), (1.0, "█" * 8), (0.5, "████"), (1 / 64, "▏"), (1e-9, "▏")]
)
def test_bar(part: float, expected: str) -> None:
    assert charts.bar_of(part, 8) == expected


def test_picture_is_whole_and_nothing_overlaps(data: Path) -> None:
    summary = stats.summarise([data])
    summary.answers['<b>"&\x00' + "VERY LONG ANSWER " * 20] += 30
    picture = charts.svg(summary)
    root = minidom.parseString(picture).documentElement
    assert root is not None
    width, height = (float(root.getAttribute(name)) for name in ("width", "height"))
    boxes = []
    for node in root.getElementsByTagName("text"):
        assert node.firstChild is not None
        words = str(node.firstChild.nodeValue)
        size = float(node.getAttribute("font-size"))
        wide = size * 0.5 * len(words)
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[node.getAttribute("text-anchor")]
        left = float(node.getAttribute("x")) - shift * wide
        base = float(node.getAttribute("y"))
        assert left >= 0, words
        assert left + wide <= width, words
        assert base <= height, words
        boxes.append((left, left + wide, base - 0.7 * size, base, words))
    for i, (a0, a1, b0, b1, one) in enumerate(boxes):
        for c0, c1, d0, d1, other in boxes[i + 1 :]:
            assert a1 <= c0 or c1 <= a0 or b1 <= d0 or d1 <= b0, (one, other)
    assert not re.search(r"href|@import|url\(", picture)
    assert charts.svg(summary) == picture


def test_parquet_is_counted_as_jsonl(data: Path, tmp_path: Path) -> None:
    write(load("actors/mix"), tmp_path / "p", {"train": 60, "test": 20}, "parquet", shard_size=25)
    one, two = (stats.summarise([path]).to_dict() for path in (data, tmp_path / "p"))
    for key in ("files", "bytes"):
        del one[key], two[key]
    assert one == two


def test_memory_stays_flat(data: Path, tmp_path: Path) -> None:
    lines = (data / "train-00000-of-00001.jsonl").read_bytes()
    peaks = []
    for times in (2, 20):
        path = tmp_path / f"{times}.jsonl"
        with path.open("wb") as file:
            for _ in range(times):
                file.write(lines)
        stats.summarise([path])  # caches are filled before measuring
        tracemalloc.start()
        assert stats.summarise([path]).instances == 60 * times
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5 + 100_000


def test_too_many_different_things_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "MOST_KEYS", 3)
    counts: Counter[str] = Counter()
    for word in "abcdefab":
        stats._add(counts, word)
    assert counts == {"a": 2, "b": 2, "c": 1, stats.OTHERS: 3}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.jsonl", b"", "no question"),
        ("bad.jsonl", b"{", "line 1: not valid JSON"),
        ("odd.jsonl", b"\xff\xfe", "line 1: not valid JSON"),
        ("few.jsonl", b'{"id": "x"}', "line 1: fields are missing"),
        ("bad.txt", b"one two\n", "line 1: expected a line number"),
        ("odd.txt", b"1 \xff\n", "not UTF-8"),
        ("story.txt", b"1 Mary went to the kitchen.\n", "no question"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FabulaError, match=message) as caught:
        stats.summarise([path])
    assert name in str(caught.value)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="no such file"):
        stats.summarise([tmp_path / "nothing"])
    with pytest.raises(FabulaError, match=r"no \.jsonl, .* or \.txt file"):
        stats.summarise([tmp_path])
