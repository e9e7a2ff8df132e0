"""Several processes started by one command: one result, or one readable error."""

from __future__ import annotations

import os
import re
import shlex
import signal
import time
from pathlib import Path

import pytest

from fabula.cli import main
from fabula.errors import FabulaError
from fabula.training.launch import LOOPBACK, together
from fabula.training.models import MODELS
from fabula.training.source import Source

GUIDE = Path(__file__).parents[2] / "docs" / "pages" / "train.md"


def rank() -> tuple[str, str, str]:
    return os.environ["RANK"], os.environ["WORLD_SIZE"], os.environ["MASTER_ADDR"]


def one_fails() -> None:
    if os.environ["RANK"] == "1":
        raise FabulaError("this is what is wrong")
    time.sleep(600)  # as one that waits for the others does


def one_breaks() -> None:
    if os.environ["RANK"] == "1":
        raise RuntimeError("first line\nsecond line")
    time.sleep(600)


def one_is_killed() -> None:
    if os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)


def test_the_leader_speaks_for_all_and_nobody_else_can_join() -> None:
    assert together(2, rank) == ("0", "2", LOOPBACK)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (one_fails, "^this is what is wrong$"),
        (one_breaks, "^process 1: first line$"),
        (one_is_killed, "process 1 of 2 was killed"),
    ],
)
def test_an_error_of_one_is_the_error_of_all(job: object, said: str) -> None:
    assert callable(job)
    with pytest.raises(FabulaError, match=said):
        together(2, job)


def test_what_a_newcomer_gets_wrong_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run")]
    for words, said in (
        (["dyna/mix-t2", "--processes", "2"], "no split 'train'. Known: test. It is a test set;"),
        (["babi/qa1", "--start", "nowhere"], "--fine-tune-from nowhere: no run here"),
        (["babi/qa1", "--processes", "2", "--workers", "2"], "cannot be combined"),
    ):
        assert main(["train", "memn2n", *words, *out]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert len(told.splitlines()) == 1


def test_the_training_commands_of_the_guide_can_be_run() -> None:
    """Every recipe has what is asked of it, and --start names a run that an earlier line makes."""
    made: set[str] = set()
    lines = re.findall(r"^fabula train .*$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert lines
    for line in lines:
        words = shlex.split(line, comments=True)
        model, data, options = words[2], words[3], words[4:]
        given = dict(zip(options[::2], options[1::2], strict=True))
        assert model in MODELS, line
        Source(data).check("train")
        Source(data).check("test")
        assert given.get("--start", next(iter(made), None)) in {*made, None}, line
        made.add(given["--out"])
