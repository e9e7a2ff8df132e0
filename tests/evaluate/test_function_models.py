"""Python functions as models: every way to call one, and everything that can go wrong."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.cli.root import main
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.evaluation.run import read_run

DATA = list(fabula.generate("babi/qa1", "test", 5, 12))
RIGHT = {fabula.prompt(each): each.answer[0] for each in DATA}


def of_prompt(prompt: str) -> str:
    return RIGHT[prompt]


def of_prompts(prompts: list[str]) -> list[str]:
    return [RIGHT[prompt] for prompt in prompts]


def of_instance(instance: Instance) -> str:
    return instance.answer[0]


def of_instances(instances: list[Instance]) -> list[str]:
    return [instance.answer[0] for instance in instances]


@pytest.mark.parametrize("function", [of_prompt, of_prompts, of_instance, of_instances])
def test_prompts_or_instances_batched_or_not(function: Any) -> None:
    for data in (DATA, fabula.Dataset(DATA)):
        found = fabula.evaluate(function, data, concurrency=5)
        assert (found.accuracy, found.asked) == (1, 12)


def test_by_file_and_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def answer(prompts):\n    return ['garden' for _ in prompts]\n")
    run = tmp_path / "run"
    assert main(["eval", f"py:{file}:answer", "babi/qa1", "--size", "10", "--out", str(run)]) == 0
    assert "mine.py:answer on babi/qa1" in capsys.readouterr().out


def slow(instance: Instance) -> str:
    if instance.id.endswith(":7"):
        time.sleep(20)
    return instance.answer[0]


def raises(instance: Instance) -> str:
    if instance.id.endswith(":7"):
        raise TimeoutError("server busy")
    return instance.answer[0]


def nothing(instance: Instance) -> Any:
    return None if instance.id.endswith(":7") else instance.answer[0]


def number(instance: Instance) -> Any:
    return 3 if instance.id.endswith(":7") else instance.answer[0]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (slow, r"slow did not return within 0.3 seconds; make it faster or raise the timeout"),
        (raises, r"raises raised TimeoutError: server busy"),
        (nothing, r"nothing returned None; return the reply as a str"),
        (number, r"number returned int 3; return the reply as a str"),
    ],
)
def test_a_model_that_fails_is_named_and_nothing_is_lost(
    function: Any, said: str, tmp_path: Path
) -> None:
    with pytest.raises(FabulaError, match=rf"{said}.*instance babi/qa1:test:7.* kept"):
        fabula.evaluate(function, DATA, tmp_path / "run", timeout=0.3)
    assert [each["id"] for each in read_run(tmp_path / "run")] == [each.id for each in DATA[:7]]


def test_in_time_is_in_time(tmp_path: Path) -> None:
    assert fabula.evaluate(of_instance, DATA, timeout=30).accuracy == 1
    with pytest.raises(FabulaError, match="--timeout 0: expected a number of seconds above 0"):
        fabula.evaluate(of_instance, DATA, timeout=0)
    command = ["eval", "py:x.py:y", "babi/qa1", "--out", str(tmp_path / "run"), "--timeout", "-1"]
    assert main(command) == 2
