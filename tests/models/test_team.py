"""Several processes that train one model together come to what one would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from fabula.generation.author import generate
from fabula.training.data import Tensors, Vocabulary, examples_of
from fabula.training.loop import loss_of, shape_of
from fabula.training.models import model_named
from fabula.training.plan import TrainingPlan
from fabula.training.runs import train
from fabula.training.source import Source
from fabula.training.stored import load_model
from fabula.training.team import Team

torch.set_num_threads(1)

# nothing random in it; the last batch of an epoch has one example, and one process none
PLAN = TrainingPlan(
    "memn2n",
    (Source("babi/qa1", size=90),),
    sizes={"linear_start": 0, "noise": 0.0},
    regime={"epochs": 4, "batch": 16},
)
TESTS = {"babi/qa1": Source("babi/qa1", size=40)}


def stop_after_two(row: dict[str, Any]) -> None:
    if row["epoch"] == 2:
        raise KeyboardInterrupt


def test_two_processes_go_on_from_one_and_end_as_one(tmp_path: Path) -> None:
    alone = train(PLAN, tmp_path / "alone", tests=TESTS)
    with pytest.raises(KeyboardInterrupt):
        train(PLAN, tmp_path / "team", report=stop_after_two, tests=TESTS)
    said = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            "-m", "fabula", "train", "memn2n", "babi/qa1", "--out", str(tmp_path / "team"),
            "--size", "90", "--test-size", "40", "--with", "linear_start=0", "--with", "noise=0.0",
            "--with", "epochs=4", "--with", "batch=16",
        ],
        check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert said.stdout.count("Run in") == 1  # one of them speaks
    assert [line.split()[1] for line in said.stderr.splitlines() if "epoch" in line] == ["3", "4"]
    metrics = (tmp_path / "team" / "restart-0" / "metrics.jsonl").read_text().splitlines()
    assert len(metrics) == 4
    (one, _, _), (two, _, _) = (load_model(tmp_path / name) for name in ("alone", "team"))
    for name, weight in one.state_dict().items():
        assert torch.allclose(weight.float(), two.state_dict()[name].float(), atol=1e-5), name
    together = train(PLAN, tmp_path / "team", tests=TESTS)
    assert together["tests"] == alone["tests"]


def test_the_shares_of_a_team_are_the_batch() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=7))
    batch = Tensors(examples, Vocabulary.of(examples)).batch(torch.arange(7))
    shares = [Team(rank, 3).share(batch) for rank in range(3)]
    assert sum(weight for _, weight in shares) == pytest.approx(1)
    assert sorted(e.asked for part, _ in shares for e in part.examples) == sorted(
        e.asked for e in examples
    )
    small, _ = Team(0, 4).share(batch)
    part, weight = Team(3, 4).share(small)  # two examples for four: the last only keeps step
    assert (len(part), weight) == (1, 0.0)


@pytest.mark.parametrize(("name", "flags"), [("ngram", {}), ("memnn", {"ngrams": True})])
def test_what_a_model_lists_is_the_same_in_all_processes(name: str, flags: dict[str, Any]) -> None:
    examples = examples_of(generate("babi/qa3", "train", size=20))
    data, kind = Tensors(examples, Vocabulary.of(examples)), model_named(name)
    batch = data.batch(torch.arange(20))
    lists = []
    for rank in range(2):
        torch.manual_seed(1)
        model = kind(kind.Sizes(**flags), shape_of(data.vocabulary, data))
        model.meet(batch)
        model(Team(rank, 2).share(batch)[0])
        lists.append(dict(model.named_buffers()))
    assert int(lists[0]["grams.known"]) > 1
    for key, value in lists[0].items():
        assert torch.equal(value, lists[1][key]), key


@pytest.mark.parametrize(
    ("name", "recipe", "flags"),
    [
        ("memnn", "babi/qa7", {}),
        ("memnn", "babi/qa8", {"adaptive": True}),  # answers and supports of different lengths
        ("bidaf", "babi/qa5", {"dropout": 0.0}),
        ("entnet", "babi/qa5", {}),
        ("ut", "babi/qa7", {"halting": True, "dropout": 0.0}),
        ("ssvm", "babi/qa7", {}),
    ],
)
def test_the_losses_of_the_shares_are_that_of_the_batch(
    name: str, recipe: str, flags: dict[str, Any]
) -> None:
    examples = examples_of(generate(recipe, "train", size=30))
    known = Vocabulary.of(examples[:1])  # other answers are not
    data, kind = Tensors(examples, known), model_named(name)
    torch.manual_seed(1)
    model = kind(kind.Sizes(**flags), shape_of(data.vocabulary, data)).train()
    batch = data.batch(torch.arange(30))
    assert 0 < int((batch.answer < 0).sum()) < 30
    model.meet(batch)
    shares = [Team(rank, 2).share(batch) for rank in range(2)]
    with torch.no_grad():
        parts = [float(loss_of(model(part), part)) * weight for part, weight in shares]
        whole = float(loss_of(model(batch), batch))
    assert sum(parts) == pytest.approx(whole, rel=1e-5)
