"""What a new user ran into, each as a test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from fabula.cli import main
from fabula.core.files import exclusive, read_json
from fabula.training.data import words
from fabula.training.source import Source

SMALL = ["--size", "40", "--test-size", "10", "--with", "epochs=1"]


def trained(out: Path, *arguments: str) -> int:
    return main(["train", *arguments, "--out", str(out), *SMALL])


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_the_seed_of_a_recipe_may_be_set_as_any_other_key(tmp_path: Path) -> None:
    assert trained(tmp_path / "a", "ngram", "babi/qa1", "--set", "seed=4") == 0
    by_key = [e.told for e in Source("babi/qa1", {"seed": 4}, 10).examples("train")]
    assert by_key == [e.told for e in Source("babi/qa1", seed=4, size=10).examples("train")]


def test_words_of_devanagari_stay_whole() -> None:
    assert words("मोहित ने वहाँ गेंद उठाई।") == ("मोहित", "ने", "वहाँ", "गेंद", "उठाई")


def test_going_on_with_answers_that_are_all_unknown_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0
    assert trained(tmp_path / "b", "ngram", "babi/qa6", "--start", str(tmp_path / "a")) == 2
    assert "knows none of the answers of the new data" in told(capsys)


def test_what_a_model_cannot_be_asked_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path / "a", "gat", "clutrr/gen-23") == 0
    run = str(tmp_path / "a")
    assert main(["eval", run, "babi/qa1", "--size", "5", "--out", str(tmp_path / "e")]) == 2
    assert "babi/qa1 has others" in told(capsys)
    assert not (tmp_path / "e").exists()


def test_a_refused_evaluation_changes_nothing_in_the_run_of_another(tmp_path: Path) -> None:
    for name, recipe in (("a", "babi/qa1"), ("b", "babi/qa2")):
        assert trained(tmp_path / name, "ngram", recipe) == 0
    out = ["--size", "5", "--out", str(tmp_path / "e")]
    assert main(["eval", str(tmp_path / "a"), "babi/qa1", *out]) == 0
    (tmp_path / "e/training.json").unlink()
    before = {path: path.read_bytes() for path in (tmp_path / "e").iterdir()}
    assert main(["eval", str(tmp_path / "b"), "babi/qa1", *out]) == 2
    assert {path: path.read_bytes() for path in (tmp_path / "e").iterdir()} == before


@pytest.mark.parametrize("name", ["model.pt", "model.json"])
def test_a_model_whose_file_was_removed_is_trained_again(tmp_path: Path, name: str) -> None:
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0
    file = tmp_path / "a/restart-0" / name
    before = file.read_bytes()
    file.unlink()
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0
    assert len(file.read_bytes()) == len(before)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("restart-0/model.json", b'{"model": "ngram"}'),
        ("restart-0/model.json", b"[]"),
        ("run.json", b"{}1"),
        ("run.json", b'{"plan": 1}'),
        ("plan.json", b"null"),
    ],
)
def test_damaged_files_of_a_run_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes
) -> None:
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0
    (tmp_path / "a" / name).write_bytes(content)
    out = ["--size", "5", "--out", str(tmp_path / "e")]
    assert main(["eval", str(tmp_path / "a"), "babi/qa1", *out]) == 2
    assert f"{name}: damaged" in told(capsys)


def test_a_checkpoint_of_other_sizes_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, width in (("a", "4"), ("b", "5")):
        assert trained(tmp_path / name, "lstm", "babi/qa1", "--with", f"hidden={width}") == 0
    checkpoint = (tmp_path / "b/restart-0/checkpoint.pt").read_bytes()
    (tmp_path / "a/restart-0/checkpoint.pt").write_bytes(checkpoint)
    (tmp_path / "a/restart-0/result.json").unlink()
    assert trained(tmp_path / "a", "lstm", "babi/qa1", "--with", "hidden=4") == 2
    assert "checkpoint.pt: damaged" in told(capsys)


@pytest.mark.parametrize(("line", "problem"), [(b"{}", "no reply"), (b"[1]", "not valid JSON")])
def test_replies_that_are_none_are_told_with_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, problem: str
) -> None:
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0
    command = ["eval", str(tmp_path / "a"), "babi/qa1", "--size", "5", "--out", str(tmp_path / "e")]
    assert main(command) == 0
    with (tmp_path / "e/replies.jsonl").open("ab") as file:
        file.write(line + b"\n")
    capsys.readouterr()
    assert main(command) == 2
    assert f"replies.jsonl:6: {problem}" in told(capsys)


def test_two_processes_are_not_at_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a/restart-0").mkdir(parents=True)
    with exclusive(tmp_path / "a/restart-0"):
        assert trained(tmp_path / "a", "ngram", "babi/qa1") == 2
    assert "another process is using this run" in told(capsys)
    assert trained(tmp_path / "a", "ngram", "babi/qa1") == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--seed", str(10**30)], "must fit into 64 bits"),
        (["--with", f"epochs={10**30}"], "must fit into 64 bits"),
        (["--threads", "100000"], "this machine has"),
        (["--with", "lr"], "e.g. --with lr=0.003"),
    ],
)
def test_what_is_too_large_or_half_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    command = ["train", "memn2n", "babi/qa1", "--size", "20", "--out", str(tmp_path / "a")]
    assert main([*command, *options]) == 2
    assert problem in told(capsys)


def test_a_limit_may_be_unset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trained(tmp_path / "a", "entnet", "babi/qa1", "--with", "max_sentences=none") == 0
    said = orjson.loads((tmp_path / "a/restart-0/model.json").read_bytes())
    assert said["regime"]["max_sentences"] is None
    assert "±" not in capsys.readouterr().out  # of one run


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [
            sys.executable, "-m", "fabula", "train", "memn2n", "babi/qa1", "--out", str(tmp_path),
            "--restarts", "2", "--workers", "2", "--with", "epochs=100000", "--with", "enough=0",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while len(begun := list(tmp_path.rglob("checkpoint.pt"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(begun) == 2
    run.send_signal(signal.SIGKILL)
    run.wait()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.2)
    os.killpg(run.pid, signal.SIGKILL)
    pytest.fail("workers outlived their parent")


def test_json_that_lacks_something_is_damaged(tmp_path: Path) -> None:
    assert read_json(tmp_path / "none.json", "a") == {}
    (tmp_path / "some.json").write_bytes(b'{"a": 1}')
    assert read_json(tmp_path / "some.json", "a") == {"a": 1}
    with pytest.raises(Exception, match=r"some\.json: damaged"):
        read_json(tmp_path / "some.json", "a", "b")
