"""StepGame's files: what is written is what published loaders expect, and reads back."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from fabula.core.instance import Instance
from fabula.datasets.formats import babi, stepgame
from fabula.errors import FabulaError, ParseError
from fabula.generation.author import generate, instance


@cache
def records() -> tuple[Instance, ...]:
    return tuple(generate("stepgame/noise", "test", size=40))


def write(path: Path, form: str, **options: bool) -> Path:
    file = path / f"data.{form}"
    file.write_text("".join(stepgame.FORMS[form](records(), **options)), encoding="utf-8")
    return file


def same(sample: stepgame.Sample, record: Instance) -> bool:
    return (sample.story, sample.question, (sample.label,)) == (
        record.story, record.question, record.answer
    )  # fmt: skip


@pytest.mark.parametrize("form", stepgame.FORMS)
def test_what_is_written_reads_back(form: str, tmp_path: Path) -> None:
    samples = list(stepgame.read(write(tmp_path, form)))
    assert len(samples) == len(records())
    assert all(map(same, samples, records()))


def test_json_has_numbered_keys_and_three_fields(tmp_path: Path) -> None:
    data = json.loads(write(tmp_path, "json").read_text())
    assert list(data) == [str(n) for n in range(len(records()))]
    assert all(set(sample) == {"story", "question", "label"} for sample in data.values())


def test_an_empty_json_file_is_an_empty_object() -> None:
    assert "".join(stepgame.json_text([])) == "{}"


def test_jsonl_has_the_fields_of_the_hub(tmp_path: Path) -> None:
    lines = write(tmp_path, "jsonl").read_text().splitlines()
    for line, record in zip(lines, records(), strict=True):
        row = json.loads(line)
        assert list(row) == ["story", "question", "label", "k_hop"]
        assert row["k_hop"] == str(record.features["chain"])


def test_text_cites_what_proves_or_the_published_constant(tmp_path: Path) -> None:
    real = list(babi.read(write(tmp_path, "txt")))
    assert [story.questions[0].support for story in real] == [r.support for r in records()]
    flat = list(babi.read(write(tmp_path, "txt", constant=True)))
    assert {story.questions[0].support for story in flat} == {(1,)}
    line = (tmp_path / "data.txt").read_text().splitlines()[len(records()[0].story)]
    assert line.split("\t")[1:] == [records()[0].answer[0], "1"]


def test_our_own_records_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "ours.jsonl"
    file.write_bytes(b"\n".join(record.to_json() for record in records()))
    samples = list(stepgame.read(file))
    assert all(map(same, samples, records()))
    assert [sample.k for sample in samples] == [r.features["chain"] for r in records()]


def test_files_are_named_by_k_and_k_is_read_from_the_name(tmp_path: Path) -> None:
    seen = 0
    for name, pieces in stepgame.files(records(), "valid", "txt"):
        (tmp_path / name).write_text("".join(pieces))
        for sample in stepgame.read(tmp_path / name):
            assert name == f"qa{sample.k}_valid.txt"
            seen += 1
    assert seen == len(records())
    with pytest.raises(FabulaError, match="Known: json, jsonl, txt"):
        list(stepgame.files(records(), "valid", "xml"))


def test_other_worlds_are_refused() -> None:
    for recipe in ("babi/qa1", "babi/qa17"):
        with pytest.raises(FabulaError, match="relation"):
            stepgame.fields(instance(recipe))


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.json", "[]", "a.json: expected one JSON object"),
        ("a.json", "{", "a.json: not valid JSON"),
        ("a.json", '{"0": 1}', "a.json, sample '0'"),
        ("a.json", '{"7": {"story": ["x"], "question": "q"}}', "sample '7': 'label'"),
        ("a.jsonl", '{"story": "x"}', "a.jsonl, line 1: 'story'"),
        ("a.jsonl", "\n{", "a.jsonl, line 2: not valid JSON"),
        (
            "a.jsonl",
            '{"story": [], "question": "q", "label": "l", "k_hop": "two"}',
            "line 1: 'k_hop'",
        ),
        ("a.txt", "1 A is above B.\n3 x\ty\t1\n", "a.txt, line 2"),
        ("a.txt", "1 A is above B.\n", "a story without a question"),
        ("a.csv", "", "a.csv: StepGame's files end in"),
    ],
)
def test_errors_name_the_place(name: str, content: str, place: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ParseError) as error:
        list(stepgame.read(tmp_path / name))
    assert place in str(error.value)
