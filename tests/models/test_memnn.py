"""Answers word by word, N-grams with rows of their own, and what is fetched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.training.data import Example, Tensors, Vocabulary, examples_of
from fabula.training.loop import Trainer, evaluate, shape_of
from fabula.training.model import NO_ANSWER, Shape
from fabula.training.models.layers import Grams
from fabula.training.models.memnn import MemNN, _margin, _order, _tournament
from fabula.training.models.ngram import NGram
from fabula.training.models.spelling import Spelling
from fabula.training.plan import settings

torch.set_num_threads(1)

# milk, football; 'milk,football' is an answer, 'football,milk' is none
PARTS = ((1,), (1, 0), (0,))
STOP = 2


def spelled(*best: tuple[tuple[int, ...], int]) -> tuple[torch.Tensor, int]:
    """Scores and answer, if at these beginnings these words are best; elsewhere STOP is."""
    spelling = Spelling(Shape(30, 3, 0, 5, 5, answer_parts=PARTS))
    beginnings = [(), (0,), (1,), (1, 0)]
    scores = torch.zeros(1, len(beginnings), 3)
    scores[0, :, STOP] = 1
    for beginning, word in best:
        scores[0, beginnings.index(beginning), word] = 2
    wins, answer = spelling.answers(scores)
    return wins[0], int(answer)


def test_spells_words_until_stop() -> None:
    assert spelled(((), 1))[1] == 0
    assert spelled(((), 1), ((1,), 0))[1] == 1
    wins, answer = spelled(((), 0))
    assert answer == 2
    assert (wins > 0).tolist() == [False, False, True]


def test_an_unknown_list_is_no_answer() -> None:
    wins, answer = spelled(((), 0), ((0,), 1))
    assert answer == NO_ANSWER
    assert (wins <= 0).all()
    assert spelled()[1] == NO_ANSWER  # STOP at once


def lists() -> list[Example]:
    """Who took what, in the order told."""
    made = []
    for person in ("mary", "john"):
        for things in (("milk",), ("football",), ("milk", "football"), ("football", "milk")):
            story = tuple((person, "took", "the", thing) for thing in things)
            question = ("what", "has", person)
            made.append(Example(story, question, things, tuple(range(len(things))), None, "", {}))
    return made


def test_learns_lists_and_an_unseen_list_is_wrong() -> None:
    known = [e for e in lists() if e.answer != ("football", "milk")]
    vocabulary = Vocabulary.of(known)
    train, everything = Tensors(known, vocabulary), Tensors(lists(), vocabulary)
    torch.manual_seed(1)
    model = MemNN(MemNN.Sizes(adaptive=True), shape_of(vocabulary, train))
    regime = replace(MemNN.regime, epochs=150, lr=0.01, halve_every=0)
    Trainer(model, regime, train, train, seed=1).run()
    judged = evaluate(model, everything, torch.device("cpu"))
    assert judged.right.tolist() == [e in known for e in lists()]


@pytest.mark.parametrize(
    "flags",
    [{"adaptive": True, "ngrams": True, "nonlinear": True}, {"adaptive": True, "bins": 5}],
)
def test_variants_find_the_supports(flags: dict[str, Any]) -> None:
    examples = examples_of(generate("babi/qa4", "train", size=500, dialect="release"))
    train = Tensors(examples[:400], Vocabulary.of(examples[:400]))
    test = Tensors(examples[400:], train.vocabulary)
    torch.manual_seed(1)
    model = MemNN(MemNN.Sizes(**flags), shape_of(train.vocabulary, train, test))
    Trainer(model, replace(MemNN.regime, epochs=12), train, train, seed=1).run()
    judged = evaluate(model, test, torch.device("cpu"))
    assert judged.accuracy > 0.8
    assert judged.support is not None
    assert (judged.support == test.support).all(1).float().mean() > 0.8


def test_fetches_no_more_than_any_example_needs() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=32))
    data = Tensors(examples, Vocabulary.of(examples))
    model = MemNN(MemNN.Sizes(), shape_of(data.vocabulary, data))
    batch = data.batch(torch.arange(32))
    model.train()
    model(batch)
    model.eval()
    support = model(batch).support
    assert support is not None
    assert ((support >= 0).sum(1) == 1).all()


def test_ngrams_and_bins_cannot_be_combined() -> None:
    with pytest.raises(FabulaError, match="choose one"):
        settings(MemNN, {"ngrams": True, "bins": 5}, {})


def test_grams_of_training_have_rows_of_their_own() -> None:
    grams = Grams(8, longest=2)
    rows = grams(torch.tensor([[5, 6, 5, 0]]))
    assert rows[0, 3] == 0  # padding
    assert rows[0, 0] == rows[0, 2] != rows[0, 1]
    assert len(set(rows.flatten().tolist())) == 5  # 5, 6, 5 6, 6 5, padding
    grams.eval()
    six = int(rows[0, 1])
    assert grams(torch.tensor([[6, 6, 7]])).tolist() == [[six, six, 0, 0, 0]]
    grams.train()
    assert int(grams(torch.arange(30, 60).unsqueeze(0)).max()) == 7  # the rest found no row left


def test_ngram_adds_up_the_weights_of_its_grams() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=16))
    data = Tensors(examples, Vocabulary.of(examples))
    model = NGram(NGram.Sizes(), shape_of(data.vocabulary, data))
    batch = data.batch(torch.arange(16))
    model.train()
    model(batch)
    torch.nn.init.normal_(model.weights.weight)
    with torch.no_grad():
        model.weights.weight[0] = 0
    model.eval()
    for row, told in enumerate(examples):
        related = [s for s in told.story if set(s) & set(told.question)]
        number = data.vocabulary.word
        read = [[number(word) for word in sentence] for sentence in related]
        read.append([number(word) + data.vocabulary.size for word in told.question])
        wanted = torch.zeros(len(data.vocabulary.answers))
        for sentence in read:
            for length in (1, 2, 3):
                for start in range(len(sentence) - length + 1):
                    found = model.grams(torch.tensor([sentence[start : start + length]]))
                    wanted += model.weights.weight[int(found[0, -1])]
        assert torch.allclose(model(batch).logits[row], wanted, atol=1e-4)


# --- which sentence is fetched --------------------------------------------------------------------

NOT_THERE = float("-inf")


@pytest.mark.parametrize(
    ("scores", "later", "winner"),
    [
        ([1.0, 1.1, 1.0, NOT_THERE], 0.5, 2),  # the latest of those alike
        ([1.0, 2.0, 1.0, NOT_THERE], 0.5, 1),  # unless an earlier one fits better by more
        ([1.0, 1.1, 1.0, NOT_THERE], -0.5, 0),  # or what is asked is the earliest
        ([1.0, 1.0, 1.0, 1.2], 0.5, 3),  # STOP is told at no time
        ([1.0, NOT_THERE, NOT_THERE, 0.9], 0.5, 0),
        ([NOT_THERE, NOT_THERE, NOT_THERE, NOT_THERE], 0.5, 3),  # nothing is left to fetch
        ([0.0, 0.6, 1.2, NOT_THERE], -1.0, 2),  # each against the best so far, not the one before
    ],
)
def test_sentences_compete_in_the_order_they_are_told(
    scores: list[float], later: float, winner: int
) -> None:
    assert int(_tournament(torch.tensor([scores]), torch.tensor([later]))) == winner


def test_order_speaks_for_the_later_of_two_and_never_about_stop() -> None:
    assert _order(torch.tensor([1, 3]), 3).tolist() == [[1, 0, -1, 0], [0, 0, 0, 0]]


def test_what_training_wants_by_its_margin_is_what_is_fetched() -> None:
    scores, later = torch.tensor([[1.0, 1.3, 1.0, 0.2]]), torch.tensor([0.5])
    for gold in range(4):
        order = _order(torch.tensor([gold]), 3) * later.unsqueeze(1)
        loss = _margin(scores, torch.tensor([gold]), torch.tensor([True]), 0.1, order)
        assert (float(loss) == 0) == (gold == int(_tournament(scores, later)) == 2)
