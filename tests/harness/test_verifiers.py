"""verifiers, as installed: tasks are proven by its own command, and right replies are rewarded."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="run `make harnesses`, or pip install 'fabula[verifiers]'")

import verifiers.v1 as vf
from tests.harness.oracle_server import serve

import fabula
from fabula.integrations.verifiers import FabulaTask, FabulaTaskset, FabulaTasksetConfig
from fabula.prompting.prompt import prompt, reply

SIZE = 6


def tasks(**config: Any) -> list[FabulaTask]:
    found = vf.load_taskset(FabulaTasksetConfig(id="fabula-taskset", **config))
    assert isinstance(found, FabulaTaskset)
    return list(found)


def command(name: str, *arguments: str, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [str(Path(sys.executable).with_name(name)), *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_tasks_are_the_instances_of_the_recipe() -> None:
    made = list(fabula.generate("babi/qa2", "train", 7, SIZE))
    found = tasks(recipe="babi/qa2", seed=7, size=SIZE)
    assert [one.data.prompt for one in found] == [prompt(one) for one in made]
    assert [one.data.idx for one in found] == list(range(SIZE))
    assert len({one.key for one in found}) == SIZE


@pytest.mark.parametrize("recipe", ["babi/qa2", "babi/qa15", "babi/qa18", "clutrr/gen-23"])
def test_validate_proves_the_ground_truth(recipe: str) -> None:
    for task in tasks(recipe=recipe, seed=7, size=3):
        assert asyncio.run(task.validate(None))


def test_validate_finds_a_wrong_answer_and_a_wrong_support() -> None:
    (task,) = tasks(recipe="babi/qa2", seed=7, size=1)
    record = task.data.record
    other = next(word for word in record["choices"] if word not in record["answer"])
    spare = [n for n in range(1, len(record["story"]) + 1) if n not in record["support"]][:1]
    for change in (
        {"answer": [other]},
        {"supports": [sorted(record["support"] + spare)]},
        {"supports": [record["support"][:1]], "support": record["support"][:1]},
    ):
        assert not asyncio.run(task.with_data(record={**record, **change}).validate(None))


def test_its_own_command_validates(tmp_path: Path) -> None:
    """`vf-validate`: gold (our proof) and noop (no reply is no reward), for every task."""
    command(
        "vf-validate", "fabula-taskset", "--taskset.recipe", "babi/qa2", "--taskset.seed", "7",
        "-n", str(SIZE), "--runtime.type", "subprocess", "--rich", "false", "-o", str(tmp_path),
        cwd=tmp_path,
    )  # fmt: skip
    (file,) = tmp_path.rglob("results.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["reason"] for row in rows] == ["valid"] * SIZE


def test_right_replies_are_rewarded(tmp_path: Path) -> None:
    """`vf-eval` with a model behind an endpoint that knows all answers but the last."""
    made = list(fabula.generate("babi/qa2", "train", 7, SIZE))
    told = {prompt(one): reply(one) for one in made[:-1]}
    told[prompt(made[-1])] = "I do not know."
    with serve(told) as url:
        command(
            "vf-eval", "fabula-taskset", "--env.taskset.recipe", "babi/qa2",
            "--env.taskset.seed", "7", "--env.taskset.size", str(SIZE), "-n", str(SIZE),
            "-m", "oracle", "--client.base-url", url, "--client.api-key-var", "ORACLE_KEY",
            "--env.agent.runtime.type", "subprocess", "--no-push", "-o", str(tmp_path),
            cwd=tmp_path, ORACLE_KEY="none",
        )  # fmt: skip
    (file,) = tmp_path.rglob("traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text().splitlines()]
    assert [one["errors"] + one["traces"][0]["errors"] for one in episodes] == [[]] * SIZE
    found = {one["task"]["data"]["id"]: one["traces"][0] for one in episodes}
    rewards = [found[one.id]["rewards"]["correct"]["score"] for one in made]
    assert rewards == [1.0] * (SIZE - 1) + [0.0]
    assert [found[one.id]["metrics"]["refusal"] for one in made] == [0.0] * (SIZE - 1) + [1.0]
