"""lm-evaluation-harness, as installed: the task files load, and right replies score one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval", reason="run `make harnesses`, or pip install 'fabula[lm-eval]'")

from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance as Request
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

import fabula
from fabula.integrations.lm_eval import write
from fabula.recipe.loading import recipe_ids

SIZE = 10


class Oracle(LM):
    """Replies with the target of the document; what it was asked is kept."""

    def __init__(self, change: Any = lambda number, reply: reply) -> None:
        super().__init__()
        self.change = change
        self.asked: list[str] = []

    def generate_until(self, requests: list[Request], **_: Any) -> list[str]:
        self.asked += [request.arguments[0] for request in requests]
        return [self.change(n, request.doc["target"]) for n, request in enumerate(requests)]

    def loglikelihood(self, requests: list[Request], **_: Any) -> Any:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Request], **_: Any) -> Any:
        raise NotImplementedError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lm-eval") / "tasks"
    write(out)
    return out


def evaluate(folder: Path, task: str, model: LM, shots: int = 0, **metadata: Any) -> dict[str, Any]:
    manager = TaskManager(
        include_path=str(folder), include_defaults=False, metadata={"size": SIZE, **metadata}
    )
    found = simple_evaluate(model, tasks=[task], task_manager=manager, num_fewshot=shots)
    return {name.removesuffix(",none"): value for name, value in found["results"][task].items()}


def test_every_recipe_is_a_task(folder: Path) -> None:
    found = TaskManager(include_path=str(folder), include_defaults=False)
    names = {f"fabula_{recipe.replace('/', '_').replace('-', '_')}" for recipe in recipe_ids()}
    assert names <= set(found.all_tasks)
    assert {"fabula", "fabula_babi"} <= set(found.all_tags)


@pytest.mark.parametrize("recipe", ["babi/qa2", "babi/qa8", "babi/qa19", "stepgame/noise"])
def test_right_replies_score_one(folder: Path, recipe: str) -> None:
    task = f"fabula_{recipe.replace('/', '_')}"
    found = evaluate(folder, task, Oracle(), seed=7)
    assert found["acc"] == 1
    assert [found[kind] for kind in ("wrong", "unparsed", "refusal", "truncated")] == [0] * 4


def test_seed_size_and_examples_are_as_asked(folder: Path) -> None:
    model = Oracle()
    evaluate(folder, "fabula_babi_qa2", model, shots=2, seed=8)
    (first, *_) = fabula.generate("babi/qa2", "test", 8, 1)
    assert len(model.asked) == SIZE
    assert model.asked[0].count("Story:") == 3
    assert "\n".join(first.story) in model.asked[0].rpartition("Story:")[2]
    assert model.asked[0].endswith("Answer:")


def test_each_outcome_is_counted(folder: Path) -> None:
    odd = {0: "Banana.", 1: "I cannot tell.", 2: "I do not know."}
    found = evaluate(folder, "fabula_babi_qa2", Oracle(odd.get))
    assert (found["acc"], found["unparsed"], found["refusal"]) == (0.7, 0.1, 0.2)


def test_reasoning_and_settings(folder: Path) -> None:
    model = Oracle(lambda n, reply: f"First, let me see.{reply}")
    metadata: dict[str, Any] = {
        "recipe": "actors/mix",
        "style": "reason",
        "settings": {"length": 8},
    }
    found = evaluate(folder, "fabula_recipe", model, **metadata)
    assert found["acc"] == 1
    assert "Think step by step" in model.asked[0]
    assert model.asked[0].partition("\n\nQuestion")[0].rpartition("Story:\n")[2].count("\n") == 7


def test_a_data_set_becomes_a_task_of_its_own(tmp_path: Path) -> None:
    data = tmp_path / "rooms"
    data.mkdir()
    made = list(fabula.generate("babi/qa6", "test", 3, 6))
    (data / "test-00000-of-00001.jsonl").write_bytes(
        b"".join(one.to_json() + b"\n" for one in made)
    )
    assert write(tmp_path / "tasks", [str(data)]) == ["fabula_rooms", "fabula_recipe"]
    moved = (tmp_path / "tasks").rename(tmp_path / "elsewhere")
    model = Oracle()
    assert evaluate(moved, "fabula_rooms", model)["acc"] == 1
    assert len(model.asked) == 6


def test_from_the_command_line(folder: Path, tmp_path: Path) -> None:
    """`lm_eval run --include_path … --metadata …`, with its dummy model, which never knows."""
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("lm_eval")), "run", "--model", "dummy",
            "--include_path", str(folder), "--tasks", "fabula_babi_qa2",
            "--metadata", json.dumps({"seed": 7, "size": SIZE}), "--output_path", str(tmp_path),
        ],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.rglob("results*.json")
    found = json.loads(file.read_text())
    assert found["results"]["fabula_babi_qa2"]["unparsed,none"] == 1
    assert found["n-samples"]["fabula_babi_qa2"]["effective"] == SIZE
