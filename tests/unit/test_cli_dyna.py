"""The commands that remake data sets, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.analysis.verify import verify
from fabula.cli import main
from fabula.datasets.stored import records_of

STORY = "1 Mary went to the park.\n2 John went to the hall.\n3 Where is John? \thall\t2\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "mix"
    assert main(["generate", "dyna/mix-t12", "--out", str(out), "--size", "24"]) == 0
    return out


def test_rewrite_writes_a_data_set_that_is_proven(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "long"
    words = ["rewrite", "padded", str(data), "--out", str(out), "--length", "40", "--filler"]
    assert main(words) == 0
    verdict = verify(out)
    assert verdict.proven == verdict.instances == 24
    assert all(len(each.story) == 40 for file in out.glob("*.jsonl") for each in records_of(file))
    told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert (told["rewrite"], told["read"], told["written"]) == ("padded", 24, 24)


def test_rewrite_says_what_it_dropped(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["rewrite", "gathered", str(data), "--out", str(tmp_path / "g"), "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["written"] + told["dropped"] == told["read"] == 24
    assert all(example["reason"] for example in told["examples"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["padded"], "needs 'length'"),
        (["bear"], "Did you mean 'bare'?"),
        (["bare", "--tokens", "4"], "has no option 'tokens'"),
        (["trimmed", "--tokens", "3"], "nothing can be rewritten as 'trimmed'"),
    ],
)
def test_rewrite_refuses(
    words: list[str], said: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["rewrite", words[0], str(data), "--out", str(out), *words[1:]]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []  # nothing half-written


def test_rewrite_replaces_nothing(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "bare", str(data), "--out", str(data)]) == 2
    assert "is not empty; choose another folder" in capsys.readouterr().err


def test_inject_adds_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "qa1_train.txt").write_text(STORY, encoding="utf-8")
    assert main(["inject", str(source), "--out", str(out)]) == 0
    text = (out / "qa1_train.txt").read_text(encoding="utf-8")
    assert text == STORY + "4 Where is Mary? \tpark\t1\n"
    assert "2 questions" in capsys.readouterr().out
    assert main(["inject", str(source), "--out", str(tmp_path / "x"), "--kinds", "wher"]) == 2
    assert "unknown 'wher'" in capsys.readouterr().err


def test_concat_joins_published_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for task in (2, 11):
        for split in ("train", "test"):
            text = STORY.replace("Mary", f"Mary{task}")
            (source / f"qa{task}_x_{split}.txt").write_text(text + "\n", encoding="utf-8")
    words = ["concat", "dyna/concat-t2", "--from", str(source), "--out"]
    assert main([*words, str(out)]) == 0
    joined = (out / "train.txt").read_text(encoding="utf-8")
    assert joined == STORY.replace("Mary", "Mary2") + STORY.replace("Mary", "Mary11")
    assert sorted(path.name for path in out.iterdir()) == ["iid.txt", "manifest.json", "train.txt"]
    capsys.readouterr()
    words[1] = "dyna/mix-t2"
    assert main([*words, str(tmp_path / "x")]) == 2
    assert "does not join bAbI tasks" in capsys.readouterr().err


def test_published_text_is_rewritten_too(tmp_path: Path) -> None:
    source, out = tmp_path / "qa1_train.txt", tmp_path / "out"
    source.write_text(STORY, encoding="utf-8")
    assert main(["rewrite", "bare", str(source), "--out", str(out)]) == 0
    (each,) = records_of(out / "qa1_train-00000-of-00001.jsonl")
    assert (each.story, each.answer) == (("John went to the hall.",), ("hall",))


def test_inject_leaves_out_what_has_no_people_and_things(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "en"
    source.mkdir()
    (source / "qa1_train.txt").write_text(STORY)
    kinds = source / "qa15_train.txt"
    kinds.write_text("1 Mice are afraid of cats.\n2 Emily is a mouse.\n"
                     "3 What is emily afraid of?\tcat\t1 2\n")  # fmt: skip
    assert main(["inject", str(source), "--out", str(tmp_path / "out")]) == 0
    assert "skipped" in capsys.readouterr().out
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["manifest.json", "qa1_train.txt"]
    assert main(["inject", str(kinds), "--out", str(tmp_path / "none")]) == 2
    assert not (tmp_path / "none").exists()
