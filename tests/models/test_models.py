"""Every registered model, on real data: what any model must do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fabula.generation.author import generate
from fabula.training.data import Batch, Tensors, Vocabulary, examples_of
from fabula.training.loop import Trainer, evaluate, loss_of, shape_of
from fabula.training.model import Model
from fabula.training.models import MODELS, PRETRAINED, model_named
from fabula.training.models.layers import Sequences

torch.set_num_threads(1)
# those of transformers have tests of their own, where that library is
NAMES = [name for name in MODELS if name not in PRETRAINED]
FLAGS: list[tuple[str, dict[str, Any]]] = [
    ("ngram", {"only_related": False}),
    ("ngram", {"with_question": False}),
    ("memnn", {"adaptive": True}),
    ("memnn", {"ngrams": True}),
    ("memnn", {"nonlinear": True}),
    ("memnn", {"bins": 5}),
    ("memnn", {"adaptive": True, "ngrams": True, "nonlinear": True}),
    ("memnn", {"adaptive": True, "nonlinear": True, "bins": 5}),
    ("memn2n", {"relu": True}),
    ("memn2n", {"layerwise": True}),
    ("rn", {"people": True}),
    ("gat", {"reverse": True}),
    ("ut", {"shared": False}),
    ("ut", {"halting": True}),
]
every = pytest.mark.parametrize(("name", "flags"), [*((name, {}) for name in NAMES), *FLAGS])


@cache
def tensors(graph: bool, cloze: bool) -> Tensors:
    recipe = "clutrr/gen-23" if graph else "babi/qa2"
    found = examples_of(generate(recipe, "train", size=400))
    examples = [each for each in found if len(each.told) <= 10][:32]
    return Tensors(examples, Vocabulary.of(examples), None, cloze)


def made(name: str, wider: bool = False, **flags: Any) -> tuple[Model, Tensors]:
    """A model and data for it; `wider`: with room for more than the data need."""
    kind = model_named(name)
    sizes = kind.Sizes(**flags)
    of_two = kind.asks_of_two(sizes)
    data = tensors(of_two, of_two and kind.inputs != "graph")
    shape = shape_of(data.vocabulary, data)
    if wider:
        shape = shape._replace(width=shape.width + 1, depth=shape.depth + 2)
    torch.manual_seed(1)
    return kind(sizes, shape), data


def padded(batch: Batch) -> Batch:
    """The same batch with room for two more sentences, words and entities."""
    pad = torch.nn.functional.pad
    return replace(
        batch,
        story=pad(batch.story, (0, 1, 0, 2)),
        question=pad(batch.question, (0, 1)),
        edges=pad(batch.edges, (0, 1, 0, 1)),
        entities=pad(batch.entities, (0, 1, 0, 2)),
    )


@every
def test_shapes_and_padding(name: str, flags: dict[str, Any]) -> None:
    model, data = made(name, wider=True, **flags)
    model.eval()
    batch = data.batch(torch.arange(12))
    output = model(batch)
    assert output.logits.shape == (12, len(data.vocabulary.answers))
    assert torch.isfinite(output.logits).all()
    assert torch.allclose(output.logits, model(padded(batch)).logits, atol=1e-4)


@every
def test_one_example_alone_or_in_a_batch(name: str, flags: dict[str, Any]) -> None:
    model, data = made(name, **flags)
    model.eval()
    together = model(data.batch(torch.arange(8))).logits
    alone = torch.cat([model(data.batch(torch.tensor([row]))).logits for row in range(8)])
    assert torch.allclose(together, alone, atol=1e-4)


@every
def test_gradient_reaches_every_parameter(name: str, flags: dict[str, Any]) -> None:
    model, data = made(name, **flags)
    model.begin_epoch(10_000)
    model.train()
    batch = data.batch(torch.arange(32))
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(2):  # a weight that starts at 0 lets nothing through before the first step
        optimiser.zero_grad()
        loss_of(model(batch), batch).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    for path, parameter in model.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, path
            assert torch.isfinite(parameter.grad).all(), path
            assert parameter.grad.abs().sum() > 0, path


@every
def test_mixed_precision(name: str, flags: dict[str, Any]) -> None:
    model, data = made(name, **flags)
    plain = Trainer(model, replace(model.regime, epochs=1), data, data, seed=1)
    mixed = Trainer(model, plain.regime, data, data, seed=1, mixed=True)
    batch = data.batch(torch.arange(32))
    losses = []
    for run in (plain, mixed):
        torch.manual_seed(2)  # what is dropped
        losses.append(float(run._step(batch, rate=0.0)[0]))
    assert losses[0] == pytest.approx(losses[1], rel=0.1)
    assert losses[0] != losses[1] or name in ("ngram", "ssvm")  # which only add up


PLAIN: dict[str, dict[str, Any]] = {
    "memn2n": {"linear_start": 0, "noise": 0.0},
    "memnn": {"nonlinear": True},  # a match that is linear need not fit everything
    "ut": {"dropout": 0.0},
    "gat": {"dropout": 0.0},
    "mac": {"dropout": 0.0},
    "bidaf": {"dropout": 0.0},
}
# at the rate of their papers these take long
SLOW = dict.fromkeys(("rn", "mac", "bidaf", "stm", "lstm", "bilstm", "bilstm-attention"), 3e-3)
SLOW["rrn"] = 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_overfits(name: str) -> None:
    model, data = made(name, **PLAIN.get(name, {}))
    regime = replace(
        model.regime, epochs=400, batch=8, patience=0, halve_every=0, warm_steps=0, select="valid",
        weight_decay=0.0, enough=1.0, lr=SLOW.get(name, model.regime.lr),
    )  # fmt: skip
    assert len(data) == 32
    Trainer(model, regime, data, data, seed=3).run()
    assert evaluate(model, data, torch.device("cpu")).accuracy == 1.0


RELEASED = {"sequential": True, "clamp": True}


@pytest.mark.parametrize(
    ("name", "flags"), [("tpr-rnn", {}), ("tp-mann", {}), ("tp-mann", RELEASED)]
)
def test_factored_equals_dense(name: str, flags: dict[str, bool]) -> None:
    sizes: dict[str, Any] = {"entity": 7, "role": 5, "hidden": 6, "word": 9, **flags}
    fast, data = made(name, **sizes)
    dense, _ = made(name, **sizes, dense=True)
    batch = data.batch(torch.arange(16))
    logits, gradients = [], []
    for model in (fast, dense):
        model.double()
        found = model(batch).logits
        cross_entropy(found, batch.answer).backward()  # type: ignore[no-untyped-call]
        logits.append(found)
        gradients.append(
            torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
        )
    assert torch.allclose(logits[0], logits[1], atol=1e-9)
    assert torch.allclose(gradients[0], gradients[1], atol=1e-9)


def test_lstms_read_padded_rows_as_packed_ones() -> None:
    torch.manual_seed(1)
    ours, theirs = Sequences(5, 4, 2, both=True), nn.LSTM(5, 4, 2, True, True, bidirectional=True)
    with torch.no_grad():
        for layer in range(2):
            for part, back in ((ours.forth[layer], ""), (ours.back[layer], "_reverse")):
                for name, weight in part.named_parameters():
                    weight.copy_(theirs.get_parameter(name.replace("0", f"{layer}{back}")))
    vectors, lengths = torch.randn(6, 9, 5), torch.tensor([9, 1, 4, 8, 2, 9])
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    assert torch.allclose(ours(vectors, lengths), states, atol=1e-6)


def test_relations_between_sentences_about_people() -> None:
    kind = model_named("rn")
    data = tensors(graph=True, cloze=True)
    model = kind(kind.Sizes(people=True), shape_of(data.vocabulary, data)).eval()
    batch = data.batch(torch.arange(8))
    output = model(batch)
    assert torch.allclose(output.logits, model(padded(batch)).logits, atol=1e-5)
    loss_of(output, batch).backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
    swapped = replace(batch, entities=batch.entities.flip(1))  # who is whose: another question
    assert not torch.allclose(output.logits, model(swapped).logits, atol=1e-5)


def test_memn2n_tied_layer_by_layer() -> None:
    counts = []
    for hops in (1, 3):
        model, data = made("memn2n", layerwise=True, hops=hops, linear_start=0)
        counts.append(sum(p.numel() for p in model.parameters()))
    adjacent, _ = made("memn2n", hops=3)
    assert counts[0] == counts[1] < sum(p.numel() for p in adjacent.parameters())
    batch = data.batch(torch.arange(8))
    loss_of(model.train()(batch), batch).backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
    model.eval()
    assert torch.allclose(model(batch).logits, model(padded(batch)).logits, atol=1e-5)
