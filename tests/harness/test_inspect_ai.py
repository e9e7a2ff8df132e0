"""Inspect AI, as installed: tasks by entry point, the scorer's five outcomes, the metrics."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="run `make harnesses`, or pip install 'fabula[inspect]'")

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from tests.harness.oracle_server import serve

import fabula
from fabula.errors import FabulaError
from fabula.integrations import task_names
from fabula.integrations.inspect_ai import TASKS, build
from fabula.prompting.prompt import prompt, reply

SIZE = 10


def run(
    tmp_path: Path, replies: Callable[[int], str], task: str = "fabula/qa2", **arguments: object
) -> EvalLog:
    """The log of a task whose i-th sample gets the i-th reply."""
    told = {}
    for index, instance in enumerate(fabula.generate("babi/qa2", "test", 7, SIZE)):
        told[prompt(instance)] = replies(index)

    def answer(messages, tools, choice, config):  # type: ignore[no-untyped-def]
        text = told[messages[-1].text]
        cut_off = text.startswith("<think>") and "</think>" not in text
        output = ModelOutput.from_content(
            "mockllm", text, stop_reason="max_tokens" if cut_off else "stop"
        )
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    (log,) = inspect_eval(
        task,
        model=get_model("mockllm/model", custom_outputs=answer, memoize=False),
        task_args={"seed": 7, "size": SIZE, **arguments},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: found.value for one in log.results.scores for name, found in one.metrics.items()}


INSTANCES = list(fabula.generate("babi/qa2", "test", 7, SIZE))


def test_the_right_replies_score_one(tmp_path: Path) -> None:
    found = metrics(run(tmp_path, lambda i: reply(INSTANCES[i])))
    assert found["accuracy"] == 1
    assert found["stderr"] == 0
    assert found["correct"] == 1
    assert found["kind=where-object"] == 1
    assert found["support_size=2"] == 1


def test_each_outcome_has_its_value_and_reason(tmp_path: Path) -> None:
    wrong = next(word for word in INSTANCES[1].choices or () if word not in INSTANCES[1].answer)
    odd = {
        1: f"Answer: {wrong}",
        2: "Banana.",
        3: "I do not know.",
        4: "<think>Well, first",
        5: "",
    }
    log = run(tmp_path, lambda i: odd.get(i, reply(INSTANCES[i])))
    assert log.samples is not None
    scores = {s.id: next(iter((s.scores or {}).values())) for s in log.samples}
    found = [
        (
            scores[one.id].value,
            scores[one.id].reason,
            (scores[one.id].metadata or {})["outcome"],
        )
        for one in INSTANCES[:6]
    ]
    assert found == [
        ("C", None, "correct"),
        ("I", None, "wrong"),
        ("N", "invalid_response_format", "unparsed"),
        ("N", "refusal", "refusal"),
        ("N", "truncated", "truncated"),
        ("N", "no_response", "unparsed"),
    ]
    shares = metrics(log)
    assert shares["accuracy"] == pytest.approx(0.5)
    assert shares["stderr"] > 0
    assert [shares[kind] for kind in ("wrong", "unparsed", "refusal", "truncated")] == [
        pytest.approx(share) for share in (0.1, 0.2, 0.1, 0.1)
    ]
    assert shares["kind=where-object"] == shares["support_size=2"] == pytest.approx(0.5)


def test_every_recipe_is_a_task_by_its_name() -> None:
    assert set(TASKS) == set(task_names())
    assert task_names()["babi_qa2"] == task_names()["qa2"] == "babi/qa2"


def test_a_data_set_in_a_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "test-00000-of-00001.jsonl").write_bytes(
        b"".join(one.to_json() + b"\n" for one in INSTANCES)
    )
    told = {prompt(one): reply(one) for one in INSTANCES}
    task = build(str(data))
    assert [one.input for one in task.dataset] == list(told)


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(FabulaError, match="Did you mean 'sentences'"):
        build("babi/qa2", size=2, group_by="sentence")
    with pytest.raises(FabulaError, match="Did you mean 'reason'"):
        build("babi/qa2", size=2, style="raeson")


def test_from_the_command_line(tmp_path: Path) -> None:
    """`inspect eval fabula/mix_t12 -T seed=7`, with a model behind an endpoint."""
    made = list(fabula.generate("dyna/mix-t12", "test", 7, SIZE))
    with serve({prompt(one): reply(one) for one in made}) as url:
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("inspect")), "eval", "fabula/mix_t12",
                "-T", "seed=7", "-T", f"size={SIZE}", "-T", "group_by=kind,hops",
                "--model", "openai-api/oracle/knows", "--log-dir", str(tmp_path),
                "--display", "plain",
            ],
            env={**os.environ, "ORACLE_BASE_URL": url, "ORACLE_API_KEY": "none"},
            capture_output=True, text=True, timeout=170, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.glob("*.eval")
    found = metrics(read_eval_log(str(file)))
    assert found["accuracy"] == 1
    grouped = {name: share for name, share in found.items() if name.startswith(("kind=", "hops="))}
    assert set(grouped.values()) == {1}
    assert {f"kind={one.query[0]}" for one in made} | {
        f"hops={one.features['hops']}" for one in made
    } == set(grouped)
