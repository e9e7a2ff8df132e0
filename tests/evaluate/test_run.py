"""Runs: resumed after anything, refused where they do not belong, in every form of answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from tests.evaluate.echo import Echo

import fabula
from fabula.core.files import exclusive
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.evaluation.model import Ask, Reply
from fabula.evaluation.run import REPLIES, evaluate, judge, read_manifest, read_run
from fabula.prompting.prompt import forms, lettered, prompt, reply
from fabula.scoring import Outcome

SIZE = 300
INSTANCES = list(fabula.generate("babi/qa1", "test", 7, 30))


def begin(run: Path, kept: Path, seconds: float) -> subprocess.Popen[bytes]:
    here = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.evaluate.echo", run, kept, str(SIZE), str(seconds)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(here)},
    )


def test_killed_and_resumed_nothing_is_asked_twice(tmp_path: Path) -> None:
    run, kept = tmp_path / "run", tmp_path / "asked"
    child = begin(run, kept, 0.01)
    waited = time.monotonic() + 60
    while not kept.is_file() or kept.read_bytes().count(b"\n") < 40:
        assert time.monotonic() < waited
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    written = len(list(read_run(run)))
    assert 40 <= written < SIZE
    assert begin(run, kept, 0).wait(60) == 0
    asked = Counter(kept.read_text().split())
    assert set(asked.values()) == {1}
    assert len(asked) >= SIZE - 1  # at most the last one before the kill was not noted any more
    said = [line["id"] for line in read_run(run)]
    assert sorted(said) == sorted(f"babi/qa1:test:{index}" for index in range(SIZE))
    found = read_manifest(run)
    assert found["asked"] == SIZE
    assert found["outcomes"] == {"correct": SIZE * 2 // 3, "wrong": SIZE // 3}


def test_a_line_cut_off_is_asked_again(tmp_path: Path) -> None:
    evaluate(Echo(), INSTANCES, tmp_path)
    replies = tmp_path / REPLIES
    whole = replies.read_bytes()
    last = whole.rstrip(b"\n").rpartition(b"\n")[2]
    replies.write_bytes(whole[: -len(last) // 2])
    asked = tmp_path / "asked"
    evaluate(Echo(asked), INSTANCES, tmp_path)
    assert asked.read_text().split() == [INSTANCES[-1].id]
    assert replies.read_bytes() == whole


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    evaluate(Echo(), INSTANCES, tmp_path)
    lines = (tmp_path / REPLIES).read_bytes().splitlines(keepends=True)
    (tmp_path / REPLIES).write_bytes(b"".join([*lines[:3], b"{oops\n", *lines[4:]]))
    with pytest.raises(FabulaError, match=r"replies.jsonl:4: not valid JSON"):
        evaluate(Echo(), INSTANCES, tmp_path)


@pytest.mark.parametrize(
    ("model", "instances", "ask", "what"),
    [
        (Echo(wrong=2), INSTANCES, Ask(), "model was 'echo-0', now 'echo-2'"),
        (Echo(), INSTANCES[:20], Ask(), "instances was 30, now 20"),
        (Echo(), INSTANCES[::-1], Ask(), "digest was"),
        (Echo(), INSTANCES, Ask(style="reason"), "ask.style was 'direct', now 'reason'"),
    ],
)
def test_another_run_in_the_folder_is_refused(
    tmp_path: Path, model: Echo, instances: list[Instance], ask: Ask, what: str
) -> None:
    evaluate(Echo(), INSTANCES, tmp_path)
    before = (tmp_path / REPLIES).read_bytes()
    with pytest.raises(FabulaError, match=f"contains another run .*{what}"):
        evaluate(model, instances, tmp_path, ask)
    assert (tmp_path / REPLIES).read_bytes() == before


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    with exclusive(tmp_path):
        with pytest.raises(FabulaError, match="another process is using this run"):
            evaluate(Echo(), INSTANCES, tmp_path)
        assert not (tmp_path / REPLIES).exists()
    evaluate(Echo(), INSTANCES, tmp_path)


class Moody(Echo):
    """No reply to some questions, the first time."""

    def __init__(self, fails: set[int]) -> None:
        super().__init__()
        self.fails = fails

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        for at, said in super().replies(asked):
            if int(asked[at][0].provenance["index"]) in self.fails:
                yield at, Reply("", error="the line is busy")
            else:
                yield at, said


def test_an_error_is_no_reply_and_is_asked_again(tmp_path: Path) -> None:
    found = evaluate(Moody({3, 5}), INSTANCES, tmp_path)
    assert (found["asked"], found["failed"]) == (28, 2)
    assert found["failures"] == {"the line is busy": 2}
    found = evaluate(Moody(set()), INSTANCES, tmp_path)
    assert (found["asked"], found["failed"]) == (30, 0)


def test_a_model_that_never_replies_is_not_asked_for_ever(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="no reply to 30 questions: the line is busy"):
        evaluate(Moody(set(range(30))), INSTANCES, tmp_path)


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    evaluate(Echo(wrong=3), INSTANCES, tmp_path, report=lambda *counts: told.append(counts))
    assert sum(asked for asked, _ in told) == 30
    assert sum(right for _, right in told) == 20
    again: list[tuple[int, int]] = []
    evaluate(Echo(wrong=3), INSTANCES, tmp_path, report=lambda *counts: again.append(counts))
    assert again == [(30, 20)]


# --- forms of the answer ------------------------------------------------------------------------

RECIPES = ("actors/mix", "babi/qa8", "babi/qa19", "stepgame/clean", "clutrr/gen-23")


@pytest.mark.parametrize("form", forms())
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_right_reply_in_any_form_is_right(recipe: str, form: str) -> None:
    for instance in fabula.generate(recipe, "test", 3, 15):
        assert judge(instance, reply(instance, form), form).correct


def test_an_answer_that_is_not_among_the_choices_has_no_letter() -> None:
    (instance,) = fabula.generate("babi/qa1", "test", 7, 1)
    odd = replace(instance, answer=("moon",))
    assert lettered(odd) is odd
    assert prompt(odd, form="letter") == prompt(odd)
    assert judge(odd, reply(odd, "letter"), "letter").outcome is not Outcome.CORRECT


def test_letters_are_asked_for_and_understood() -> None:
    (instance,) = fabula.generate("babi/qa1", "test", 7, 1)
    assert instance.choices is not None
    asked = prompt(instance, form="letter")
    right = lettered(instance).answer[0]
    assert f"{right}. {instance.answer[0]}" in asked
    assert "letter" in asked
    wrong = next(letter for letter in "ABCDEF" if letter != right)
    given = judge(instance, f"Answer: {wrong}", "letter")
    assert given.outcome is Outcome.WRONG
    assert given.answer == (instance.choices["ABCDEF".index(wrong)],)
    assert judge(instance, f"I think it is {right}.", "letter").correct
    assert judge(instance, f"Answer: {instance.answer[0]}", "letter").correct
    assert judge(instance, "Answer: Z", "letter").outcome is Outcome.UNPARSED


def test_json_is_asked_for_and_truncation_is_counted() -> None:
    (instance,) = fabula.generate("babi/qa1", "test", 7, 1)
    assert "JSON" in prompt(instance, form="json")
    assert judge(instance, orjson.dumps({"answer": instance.answer[0]}).decode(), "json").correct
    assert judge(instance, '{"ans', "json", truncated=True).outcome is Outcome.TRUNCATED


def test_worked_examples_have_the_form_too() -> None:
    first, second = INSTANCES[:2]
    for form in forms():
        assert reply(first, form) in prompt(second, "direct", [first], form)
    with pytest.raises(FabulaError, match=r"unknown form .* Did you mean .letter"):
        prompt(first, form="leter")
