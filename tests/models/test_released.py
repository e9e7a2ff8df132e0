"""Flags that match released code where it departs from its paper; the papers are the default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from fabula.generation.author import generate
from fabula.training.data import PLACEHOLDERS, Batch, Tensors, Vocabulary, examples_of
from fabula.training.loop import Trainer, loss_of, shape_of
from fabula.training.model import Model
from fabula.training.models import model_named
from fabula.training.models.layers import Words

torch.set_num_threads(1)
HELD = slice(2, 2 + PLACEHOLDERS)
FROZEN: dict[str, Any] = {"freeze_readout": True}
PADDED: dict[str, Any] = {"write_padding": True}


def made(name: str, /, recipe: str = "babi/qa1", **flags: Any) -> tuple[Model, Tensors]:
    kind = model_named(name)
    examples = examples_of(generate(recipe, "train", size=24))
    data = Tensors(examples, Vocabulary.of(examples), None, kind.regime.cloze)
    torch.manual_seed(1)
    return kind(kind.Sizes(**flags), shape_of(data.vocabulary, data)), data


def trained(model: Model, data: Tensors, epochs: int = 2, **changes: Any) -> Model:
    regime = replace(model.regime, epochs=epochs, batch=8, select="train", **changes)
    Trainer(model, regime, data, data, seed=1).run()
    return model


def deeper(batch: Batch) -> Batch:
    """The same batch with one more sentence of padding."""
    pad = torch.nn.functional.pad
    return replace(
        batch,
        story=pad(batch.story, (0, 0, 0, 1)),
        entities=pad(batch.entities, (0, 0, 0, 1)),
    )


@pytest.mark.parametrize("name", ["stm", "tp-mann"])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_read_out_can_be_left_as_it_was_drawn(name: str, frozen: bool) -> None:
    model, data = made(name, **FROZEN if frozen else {})
    read_out = model.answer
    assert isinstance(read_out, torch.nn.Linear)
    before = read_out.weight.detach().clone()
    trained(model, data)
    assert torch.equal(before, read_out.weight) == frozen


@pytest.mark.parametrize("name", ["stm", "tp-mann"])
@pytest.mark.parametrize("written", [False, True])
def test_padding_can_be_written(name: str, written: bool) -> None:
    model, data = made(name, **PADDED if written else {})
    trained(model, data, lr=0.01).eval()  # biases start at 0, with which padding is nothing
    batch = data.batch(torch.arange(24))  # as deep as the longest story there is
    same = torch.allclose(model(batch).logits, model(deeper(batch)).logits, atol=1e-5)
    assert same != written


@pytest.mark.parametrize("flag", ["sequential", "clamp"])
def test_rounds_of_tp_mann_can_be_those_of_its_code(flag: str) -> None:
    flags: dict[str, Any] = {flag: True}
    (paper, data), (code, _) = made("tp-mann"), made("tp-mann", **flags)
    code.load_state_dict(trained(paper, data, lr=0.01).state_dict())  # at first all is tiny
    batch = data.batch(torch.arange(8))
    assert not torch.allclose(paper(batch).logits, code(batch).logits, atol=1e-3)


def test_rounds_of_tp_mann_end_with_numbers_of_mean_0_and_deviation_1() -> None:
    for clamp in (False, True):
        model, _ = made("tp-mann", dense=True, clamp=clamp, entity=6, role=4)
        keys = torch.randn(3, 5, 3, 6), torch.randn(3, 5, 3, 4)
        memory = model.dense_memory(*keys, torch.randn(3, 5, 6), torch.randn(3, 5, 6)).flatten(1)  # type: ignore[operator]
        if clamp:
            assert (memory.norm(dim=1) <= 1 + 1e-5).all()
        else:
            assert memory.mean(1).abs().max() < 1e-5
            assert torch.allclose(memory.std(1, correction=0), torch.ones(3), atol=1e-4)


def test_entnet_can_be_that_of_dyna_babi() -> None:
    flags: dict[str, Any] = {"biases": False, "slopes": False, "detached": True}
    (paper, data), (code, _) = made("entnet"), made("entnet", **flags)
    batch = data.batch(torch.arange(24))
    gradients = []
    for model in (paper, made("entnet", detached=True)[0]):
        loss_of(model(batch), batch).backward()  # type: ignore[no-untyped-call]
        assert isinstance(model.keys.grad, Tensor)
        gradients.append(model.keys.grad)
    assert not torch.allclose(gradients[0], gradients[1])
    trained(code, data, optimiser="sgd", clip=0.0, clip_value=40.0)
    for name in ("bias", "gate_bias"):
        assert not getattr(code, name).any()
        assert getattr(trained(paper, data), name).any()
    assert code.get_parameter("act.weight").numel() == 1


def test_clipping_by_value_bounds_every_number_of_the_gradient() -> None:
    model, data = made("entnet")
    regime = replace(model.regime, clip=0.0, clip_value=1e-4, sum_loss=True)
    trainer = Trainer(model, regime, data, data, seed=1)
    loss = loss_of(model(data.batch(torch.arange(24))), data.batch(torch.arange(24)))
    (loss * 1000).backward()  # type: ignore[no-untyped-call]
    trainer._clip()
    largest = max(float(p.grad.abs().max()) for p in model.parameters() if p.grad is not None)
    assert largest == pytest.approx(1e-4)


def rows_of_placeholders(model: Model) -> Tensor:
    words = model.words
    assert isinstance(words, Words)
    return words.weight.detach()[HELD].clone()


def test_placeholders_are_drawn_once_for_all_that_a_batch_looks_up() -> None:
    model, data = made("rn", "clutrr/gen-23", word=8, people=True, placeholders="redrawn")
    table, looked_up = model.get_submodule("sentences.words"), list[Tensor]()
    assert isinstance(table, Words)
    table.register_forward_hook(lambda *_: looked_up.append(table.weight[HELD].detach().clone()))
    model.train()
    batch = data.batch(torch.arange(4))
    model(batch), model(batch)
    assert torch.equal(looked_up[0], looked_up[1])
    assert not torch.equal(looked_up[1], looked_up[2])


@pytest.mark.parametrize("name", ["bilstm", "bilstm-attention", "mac"])
def test_placeholders_are_fixed_or_zeroed_or_drawn_anew(name: str) -> None:
    for kind in ("fixed", "zeroed", "redrawn"):
        flags = {} if kind == "fixed" else {"placeholders": kind}
        model, data = made(name, "clutrr/gen-23", word=8, **flags)
        before = rows_of_placeholders(model)
        after = rows_of_placeholders(trained(model, data))
        assert torch.equal(before, after) == (kind != "redrawn")
        assert bool(after.any()) == (kind != "zeroed")
        model.eval()
        model(data.batch(torch.arange(4)))
        assert torch.equal(after, rows_of_placeholders(model))  # nothing is drawn while answering


def test_mac_can_start_from_chance() -> None:
    (paper, data), (code, _) = (
        made("mac", "clutrr/gen-23", word=8, dropout=0.0, **flags)
        for flags in ({}, {"random_start": True})
    )
    batch = data.batch(torch.arange(8))
    assert torch.equal(paper(batch).logits, paper(batch).logits)
    assert not torch.equal(code(batch).logits, code(batch).logits)
