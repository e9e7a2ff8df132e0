"""Sentences as clauses, the search over triples, and what it learns."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import torch

from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.training.data import Batch, Example, Tensors, Vocabulary, examples_of
from fabula.training.loop import Trainer, evaluate, shape_of
from fabula.training.models.clauses import Argument, clauses
from fabula.training.models.ssvm import FACTS, StructuredSVM

torch.set_num_threads(1)


def names(story: list[str], question: str = "Where is Mary?") -> list[list[str]]:
    return [[one.name for one in clause.arguments] for clause in clauses(story, question)]


def test_verb_and_arguments() -> None:
    give, asked = clauses(["Fred handed the milk to Bill."], "Who did Fred give the milk to?")
    assert give.verb == "handed"
    assert give.arguments == (Argument(0, "fred"), Argument(1, "milk"), Argument(2, "bill"))
    assert give.words == ("fred", "handed", "milk", "to", "bill")
    assert asked.verb == "who did _ give _ to"
    assert asked.arguments == (Argument(0, "fred"), Argument(1, "milk"))


def test_names_and_what_only_begins_a_sentence() -> None:
    told = ["Yesterday Fred went to the park.", "Wolves are afraid of cats.", "Cats are grey."]
    assert names(told, "What is fred afraid of?") == [
        ["fred", "park"],
        ["wolves", "cats"],
        ["cats"],
        ["fred"],
    ]


def test_a_pronoun_is_the_latest_subject_that_agrees() -> None:
    told = [
        "Mary and John went to the park.",
        "Sandra went to the office.",
        "Then they moved to the garden.",
        "After that she took the milk.",
    ]
    found = clauses(told, "Where is Mary?")
    subjects = [[one.name for one in clause.arguments if one.role == 0] for clause in found[:4]]
    assert subjects == [["mary", "john"], ["sandra"], ["mary", "john"], ["sandra"]]
    assert found[2].verb == "moved to"
    assert "they" not in found[2].words


def test_a_pronoun_for_nobody_stays() -> None:
    assert names(["Then she moved to the garden."])[0] == ["she", "garden"]


def some(recipe: str, size: int) -> Tensors:
    examples = examples_of(generate(recipe, "train", size=size, dialect="release"))
    return Tensors(examples, Vocabulary.of(examples))


def random_model(data: Tensors, **sizes: int) -> StructuredSVM:
    model = StructuredSVM(StructuredSVM.Sizes(**sizes), shape_of(data.vocabulary, data))
    torch.manual_seed(1)
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
        weight.data[0] = 0
    return model


def content(example: Example, sentence: int) -> set[str]:
    return set(example.story[sentence]) - {"the", "a"}


def sensible(example: Example, triple: tuple[int, ...]) -> bool:
    """Different sentences, and each shares a word with the question or another."""
    chosen = [sentence for sentence in triple if sentence >= 0]
    if len(set(chosen)) < len(chosen) or list(triple[: len(chosen)]) != chosen:
        return False
    return all(
        content(example, one) & (set(example.question) - {"the"})
        or any(content(example, one) & content(example, two) for two in chosen if two != one)
        for one in chosen
    )


@torch.no_grad()
def fits(model: StructuredSVM, batch: Batch) -> dict[tuple[int, ...], float]:
    """How well each sensible triple of sentences fits the question of a batch of one."""
    question, facts, _ = model._read(batch)
    found = {}
    for rows in product(range(facts.place.shape[1]), repeat=FACTS):
        triple = tuple(facts.place[0, list(rows)].tolist())
        if sensible(batch.examples[0], triple):
            found[triple] = model._fit(question, facts.at(torch.tensor([rows]))).item()
    return found


def test_the_search_finds_the_best_of_all_triples() -> None:
    data = some("babi/qa16", 3)  # nine sentences, so all can be candidates
    model = random_model(data).eval()
    for row in range(3):
        batch = data.batch(torch.tensor([row]))
        fit = fits(model, batch)
        support = model(batch).support
        assert support is not None
        assert support[0, FACTS:].eq(-1).all()
        assert fit[tuple(support[0, :FACTS].tolist())] == pytest.approx(max(fit.values()), abs=1e-3)
        assert len(fit) > 100


def test_the_loss_is_the_worst_violation() -> None:
    data = some("babi/qa16", 1)
    model = random_model(data)
    batch = data.batch(torch.tensor([0]))
    fit, right = fits(model, batch), data.examples[0].support
    margins = [
        value - fit[right] + sum(one != two for one, two in zip(triple, right, strict=True))
        for triple, value in fit.items()
    ]
    output = model(batch)
    answers = (output.logits[0] - output.logits[0, batch.answer[0]] + 1).detach()
    answers[batch.answer[0]] = 0
    assert output.loss is not None
    wanted = max(margins) + answers.max().item()
    assert output.loss.item() == pytest.approx(wanted, rel=1e-4)


def test_only_so_many_candidates_and_the_supports_in_training() -> None:
    data = some("babi/qa3", 40)
    model = random_model(data, candidates=4)
    deep = int(data.sentences.argmax())
    batch = data.batch(torch.tensor([deep]))
    support = data.examples[deep].support
    _, facts, gold = model._read(batch)
    assert facts.place[0, gold[0]].tolist() == list(support[:FACTS])
    model.eval()
    assert model._read(batch)[1].place.shape == (1, 5)  # with the empty fact


def test_reads_what_is_kept_of_a_story() -> None:
    data = some("babi/qa2", 16)
    row = int(data.sentences.argmax())
    one = data.examples[row]
    short = replace(one, story=one.story[-5:], told=one.told[-5:])
    model = random_model(data).eval()
    kept = Tensors([one], data.vocabulary, max_sentences=5).batch(torch.tensor([0]))
    cut = Tensors([short], data.vocabulary).batch(torch.tensor([0]))
    assert len(one.story) > 5
    assert torch.equal(model(kept).logits, model(cut).logits)


def test_words_alone_will_do() -> None:
    data = some("babi/qa1", 8)
    bare = [replace(one, told=(), asked="") for one in data.examples]
    model = random_model(data).eval()
    output = model(Tensors(bare, data.vocabulary).batch(torch.arange(8)))
    assert torch.isfinite(output.logits).all()


def test_nothing_told() -> None:
    data = some("babi/qa1", 2)
    silent = [replace(one, story=(), told=(), support=()) for one in data.examples]
    batch: Batch = Tensors(silent, data.vocabulary).batch(torch.arange(2))
    output = random_model(data).eval()(batch)
    assert output.support is not None
    assert output.support.eq(-1).all()


@pytest.mark.parametrize("recipe", ["babi/qa6", "babi/qa13"])  # yes or no; they
def test_learns_facts_and_answers(recipe: str) -> None:
    data = some(recipe, 600)
    train = Tensors(data.examples[:500], Vocabulary.of(data.examples[:500]))
    test = Tensors(data.examples[500:], train.vocabulary)
    few = Tensors(data.examples[:8], train.vocabulary)
    model = StructuredSVM(StructuredSVM.Sizes(), shape_of(train.vocabulary, train, test))
    Trainer(model, replace(StructuredSVM.regime, epochs=6), train, few, seed=1).run()
    judged = evaluate(model, test, torch.device("cpu"))
    assert judged.accuracy > 0.9
    assert judged.support is not None
    assert (judged.support == test.support).all(1).float().mean() > 0.9


def test_sizes_that_cannot_work() -> None:
    with pytest.raises(FabulaError, match="candidates"):
        StructuredSVM.check(StructuredSVM.Sizes(candidates=0))
