"""Models at the edges: what a review found, one test each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from fabula.errors import FabulaError
from fabula.training.data import PLACEHOLDERS, Example, Graph, Tensors, Vocabulary
from fabula.training.loop import Trainer, loss_of, shape_of, unwatched
from fabula.training.model import Model, Output
from fabula.training.models import MODELS, PRETRAINED, model_named
from fabula.training.models.layers import Words, told
from fabula.training.models.memnn import _Bag
from fabula.training.models.stm import STM

torch.set_num_threads(1)


def example(story: Sequence[str], question: str, answer: str, number: int = 0) -> Example:
    return Example(
        story=tuple(tuple(sentence.split()) for sentence in story),
        question=tuple(question.split()),
        answer=(answer,),
        support=(0,) if story else (),
        graph=Graph(("mary", "john"), ((0, "next", 1),), (0, 1)),
        group=str(number),
        features={},
        told=tuple(story),
        asked=question,
    )


MANY = [f"mary went to w{n}" for n in range(60)]


def made(name: str, examples: Sequence[Example], **sizes: object) -> tuple[Model, Tensors]:
    kind = model_named(name)
    data = Tensors(examples, Vocabulary.of(examples), None, kind.regime.cloze)
    torch.manual_seed(1)
    return kind(kind.Sizes(**sizes), shape_of(data.vocabulary, data)), data


@pytest.mark.parametrize("name", [name for name in MODELS if name not in PRETRAINED])
@pytest.mark.parametrize(
    "examples",
    [
        [example([], "where is mary", "hall", n) for n in range(4)],
        [example(["mary is here"], "", "hall", n) for n in range(4)],
        [example([], "", "hall", n) for n in range(4)],
        [example([], "where is mary", "hall"), example(["mary is here"], "where", "yard", 1)],
    ],
    ids=["no stories", "no questions", "nothing", "a story among others"],
)
def test_nothing_told_or_asked(name: str, examples: list[Example]) -> None:
    model, data = made(name, examples)
    model.begin_epoch(10_000)
    run = Trainer(model, replace(model.regime, epochs=1, patience=0), data, data, seed=1)
    row = run._epoch(unwatched)
    assert row["loss"] == row["loss"], "not a number"
    assert all(torch.isfinite(p).all() for p in model.parameters())


def test_memn2n_remembers_the_latest_sentences() -> None:
    examples = [example(MANY, "where is mary", "hall"), example(MANY[:2], "where", "yard", 1)]
    model, data = made("memn2n", examples, memory=3, linear_start=0)
    model.eval()
    batch = data.batch(torch.tensor([0, 1]))
    last = Tensors([example(MANY[-3:], "where is mary", "hall")], data.vocabulary)
    alone = model(last.batch(torch.tensor([0]))).logits[0]
    assert torch.allclose(model(batch).logits[0], alone, atol=1e-6)


def test_ages_do_not_depend_on_padding() -> None:
    model, _ = made("memn2n", [example(MANY, "where is mary", "hall")], noise=0.1)
    model.train()
    sentences = torch.full((4000,), 5)
    mean = [
        float(model._ages(sentences, told(sentences, depth))[:, 4].float().mean())  # type: ignore[operator]
        for depth in (5, 50)
    ]
    assert mean[0] == pytest.approx(mean[1], abs=0.05)


def test_a_linear_start_comes_before_the_schedule() -> None:
    examples = [example(MANY[:2], "where is mary", "hall", n) for n in range(4)]
    model, data = made("memn2n", examples, linear_start=3)
    regime = replace(model.regime, epochs=7, halve_every=2, lr=0.01)
    rows: list[dict[str, object]] = []
    Trainer(model, regime, data, data, seed=1).run(rows.append)
    assert [row["lr"] for row in rows] == pytest.approx([0.005] * 5 + [0.0025] * 2)
    model.continued = True
    again: list[dict[str, object]] = []
    Trainer(model, regime, data, data, seed=1).run(again.append)
    assert [row["lr"] for row in again][:4] == pytest.approx([0.005] * 2 + [0.0025] * 2)
    assert not bool(model.linear)


def test_an_item_keeps_its_places_in_the_keys_of_stm() -> None:
    model, _ = made("stm", [example(MANY, "where is mary", "hall")])
    assert isinstance(model, STM)
    item = torch.randn(1, 32)
    seen = model.norm(model.attend(item.unsqueeze(2) * item.unsqueeze(1)))
    query, match, _ = seen.chunk(3, 2)
    keys = (query * match).tanh()[0]  # [e, N]
    spread = keys.std(0) / keys.abs().mean(0)
    assert spread.mean() > 0.3  # with each row normalised by itself it is below 0.01


def test_gat_trains_on_all_rows_of_nodes() -> None:
    examples = [example(MANY[:2], "where is mary", "hall", n) for n in range(4)]
    model, _ = made("gat", examples)
    rows = {int(row) for _ in range(50) for row in model.train()._drawn(4, 2).flatten()}  # type: ignore[operator]
    assert len(rows) > 40
    assert model.eval()._drawn(4, 2).tolist() == [[0, 1]] * 4  # type: ignore[operator]
    with pytest.raises(FabulaError, match="a graph has 65 entities"):
        model._drawn(1, 65)  # type: ignore[operator]


def test_rn_reads_more_than_twenty_sentences() -> None:
    model, data = made("rn", [example(MANY, "where is mary", "hall")], sentences=50)
    assert torch.isfinite(model.train()(data.batch(torch.tensor([0]))).logits).all()


def test_words_in_bins() -> None:
    kind = model_named("memnn")
    bag = _Bag(kind.Sizes(bins=5, size=2), rows=10)
    with torch.no_grad():
        bag.by_place.zero_()
        for bin_ in range(5):
            bag.by_place[bin_] = torch.eye(2) * (bin_ + 1)
        bag.table.weight.fill_(1.0)
        bag.table.weight[0] = 0
    # ceil(i 5 / 3) for i = 1, 2, 3
    assert float(bag(torch.tensor([[3, 4, 5, 0]]))[0, 0].detach()) == pytest.approx(2 + 4 + 5)


def test_mac_is_the_same_twice_when_it_is_tested() -> None:
    examples = [example(MANY[:2], "where is mary", "hall", n) for n in range(4)]
    model, data = made("mac", examples, random_start=True)
    batch = data.batch(torch.arange(4))
    assert torch.equal(model.eval()(batch).logits, model(batch).logits)


def test_each_restart_has_other_placeholders() -> None:
    tables = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        table = Words(40, 4, placeholders="redrawn").train()
        table.redraw()
        tables.append(table.weight[2 : 2 + PLACEHOLDERS].detach().clone())
    assert not torch.equal(*tables)


def test_unknown_answers_do_not_spoil_the_loss() -> None:
    model, data = made("lstm", [example(MANY[:2], "where is mary", "hall", n) for n in range(4)])
    batch = replace(data.batch(torch.arange(4)), answer=torch.full((4,), -1))
    loss = loss_of(Output(model(batch).logits), batch)
    assert float(loss.detach()) == 0.0
    loss.backward()  # type: ignore[no-untyped-call]


def test_each_gradient_is_cut_by_itself() -> None:
    examples = [example(MANY[:2], "where is mary", "ab"[n % 2], n) for n in range(4)]
    model, data = made("memn2n", examples)
    run = Trainer(model, replace(model.regime, clip=1e-3), data, data, seed=1)
    run._step(data.batch(torch.arange(4)), rate=0.0)
    norms = [float(p.grad.norm()) for p in model.parameters() if p.grad is not None]
    assert sum(norm > 0.99e-3 for norm in norms) > 1
    assert all(norm < 1.01e-3 for norm in norms)


def test_placeholders_do_not_shrink() -> None:
    examples = [example(MANY[:2], "where is mary", "ab"[n % 2], n) for n in range(4)]
    model, data = made("bilstm", examples)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    regime = replace(model.regime, weight_decay=0.5, lr=0.1)
    Trainer(model, regime, data, data, seed=1)._step(data.batch(torch.arange(4)), rate=0.1)
    rows = slice(2, 2 + PLACEHOLDERS)
    assert torch.equal(model.state_dict()["words.weight"][rows], before["words.weight"][rows])
    assert not torch.equal(model.state_dict()["decide.0.weight"], before["decide.0.weight"])


def test_pointing_at_what_is_no_answer_costs() -> None:
    """The span reader's loss is that of the word pointed at, not of the best among the answers."""
    examples = [example(["mary went to the hall"], "where is mary", "hall", n) for n in range(4)]
    model, data = made("bidaf", examples, dropout=0.0)
    batch = data.batch(torch.arange(4))
    with torch.no_grad():
        output = model.eval()(batch)
    assert data.vocabulary.answers == ("hall",)  # among the answers it would be certain
    chance = output.logits.exp()[:, 0]
    assert bool((chance < 0.9).all())
    assert float(loss_of(output, batch)) == pytest.approx(-float(chance.log().mean()), rel=1e-5)
