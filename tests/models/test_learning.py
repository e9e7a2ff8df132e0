"""Every registered model learns a small real task, on stories it has not seen, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
import torch

from fabula.generation.author import generate
from fabula.training.data import Tensors, Vocabulary, examples_of, hold_out
from fabula.training.loop import Trainer, evaluate, shape_of
from fabula.training.models import MODELS, PRETRAINED, model_named
from fabula.training.plan import divided, settings

torch.set_num_threads(1)


class Lesson(NamedTuple):
    """What is learned, how, and how well at least."""

    recipe: str
    changes: Mapping[str, Any]
    size: int
    settings: Mapping[str, Any]
    accuracy: float


def where(size: int, accuracy: float, sentences: int = 2, **settings: Any) -> Lesson:
    """Where one of two people is; a guess between the places told of is right half the time."""
    changes = {"dialect": "release", "questions": 1, "length": sentences}
    return Lesson("babi/qa1", changes, size, settings, accuracy)


def told(size: int, accuracy: float, **settings: Any) -> Lesson:
    """Where the one person is that was told of, for models that need more to tell two apart."""
    return where(size, accuracy, sentences=1, **settings)


def side(size: int, accuracy: float, **settings: Any) -> Lesson:
    """On which of nine sides of another letter a letter is, told in one sentence."""
    return Lesson("stepgame/clean", {"hops": 1}, size, settings, accuracy)


LESSONS = {
    "ngram": where(300, 0.85, epochs=10),
    "ssvm": where(400, 0.9, epochs=6),
    "lstm": told(300, 0.95, epochs=15, lr=5e-3),
    "memnn": where(300, 0.95, epochs=10),
    "memn2n": where(600, 0.95, epochs=25, linear_start=5),
    "entnet": where(2000, 0.95, epochs=10, lr=0.01, batch=32),
    "tpr-rnn": where(600, 0.85, epochs=20),
    "tp-mann": where(600, 0.75, epochs=10, batch=32),
    "ut": told(300, 0.95, epochs=25, schedule="constant", warm_steps=0, batch=32),
    "rn": told(300, 0.95, epochs=20, batch=32),
    "rrn": told(300, 0.9, epochs=40, lr=1e-3, batch=32),
    "bilstm": side(1000, 0.6, epochs=5, lr=5e-3, batch=32, layers=1),
    "bilstm-attention": side(1000, 0.6, epochs=5, lr=5e-3, batch=32, layers=1),
    "mac": side(1000, 0.6, epochs=6, lr=3e-3, layers=1, steps=2),
    "stm": told(300, 0.95, epochs=12, lr=3e-3, warm_steps=0, batch=32),
    "bidaf": told(300, 0.95, epochs=5, lr=3e-3),
    "gat": Lesson(
        "clutrr/gen-23", {"tasks": [{"k": 2}]}, 600,
        {"epochs": 30, "lr": 3e-3, "batch": 32, "dropout": 0.0}, 0.95,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MODELS if name not in PRETRAINED])
def test_learns(name: str) -> None:
    assert learned(name, LESSONS[name]) >= LESSONS[name].accuracy


def learned(name: str, lesson: Lesson) -> float:
    """The share of right answers about unseen stories after a lesson."""
    kind = model_named(name)
    sizes, regime = settings(kind, *divided(lesson.settings))
    made = generate(lesson.recipe, "train", size=lesson.size, **lesson.changes)
    met, held = hold_out(examples_of(made), 0.2)
    vocabulary = Vocabulary.of(met)
    train, valid = (
        Tensors(part, vocabulary, regime.max_sentences, regime.cloze) for part in (met, held)
    )
    torch.manual_seed(1)
    model = kind(sizes, shape_of(vocabulary, train, valid))
    Trainer(model, regime, train, valid, seed=1).run()
    return evaluate(model, valid, torch.device("cpu")).accuracy
