"""The training harness: what it promises whatever the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from fabula.errors import FabulaError
from fabula.generate import generate
from fabula.models import model_named
from fabula.training.data import (
    PAD,
    PLACEHOLDERS,
    UNKNOWN,
    Tensors,
    Vocabulary,
    examples_of,
    hold_out,
    words,
)
from fabula.training.loop import Trainer, evaluate, shape_of
from fabula.training.runs import Plan, load_model, train

torch.set_num_threads(1)
CPU = torch.device("cpu")


def make(seed: int = 0) -> tuple[Trainer, Tensors]:
    return trainer(None, seed)


def trainer(folder: Path | None, seed: int = 0, epochs: int = 4) -> tuple[Trainer, Tensors]:
    learned, held = hold_out(examples_of(generate("babi/qa1", "train", size=100)), 0.2)
    vocabulary = Vocabulary.of(learned)
    data, valid = Tensors(learned, vocabulary), Tensors(held, vocabulary)
    kind = model_named("memn2n")
    torch.manual_seed(seed)
    model = kind(kind.Sizes(linear_start=2), shape_of(vocabulary, data, valid))
    regime = replace(kind.regime, epochs=epochs)
    return Trainer(model, regime, data, valid, seed, folder), data


def weights(run: Trainer) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in run.model.parameters()])


def test_words_have_no_punctuation_and_placeholders_stay_whole() -> None:
    said = words("Where is @entity-1, Mary's great-aunt?")
    assert said == ("where", "is", "@entity-1", "mary", "'s", "great-aunt")


def test_same_seed_same_weights() -> None:
    (one, _), (two, _), (other, _) = make(), make(), make(1)
    for run in (one, two, other):
        run.run()
    assert torch.equal(weights(one), weights(two))
    assert not torch.equal(weights(one), weights(other))


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole, _ = trainer(None, epochs=6)
    whole.run()
    part, _ = trainer(tmp_path, epochs=3)
    part.run()
    resumed, _ = trainer(tmp_path, epochs=6)
    assert resumed.progress.epoch == 3
    rows: list[dict[str, object]] = []
    resumed.run(rows.append)
    assert len(rows) == 3
    assert torch.equal(weights(whole), weights(resumed))


def test_validation_is_held_out_by_story() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=100))
    learned, held = hold_out(examples, 0.1)
    assert len(held) == 10
    assert not {e.group for e in learned} & {e.group for e in held}
    with pytest.raises(FabulaError, match="single story"):
        hold_out(examples[:5], 0.1)


def test_what_training_never_saw_is_unknown_and_never_right() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=20))
    vocabulary = Vocabulary.of(examples)
    strange = replace(examples[0], story=(("zebras", "rest"),), answer=("moon",))
    tensors = Tensors([strange], vocabulary)
    assert tensors.story[0, 0].tolist()[:2] == [UNKNOWN, UNKNOWN]
    assert tensors.answer.tolist() == [-1]


def test_supports_follow_when_old_sentences_are_dropped() -> None:
    examples = examples_of(generate("babi/qa2", "train", size=40))
    long = next(e for e in examples if len(e.story) > 6 and max(e.support) >= len(e.story) - 4)
    tensors = Tensors([long], Vocabulary.of(examples), max_sentences=4)
    lost = len(long.story) - 4
    kept = [s - lost for s in long.support if s >= lost]
    assert tensors.support[0, : len(kept)].tolist() == kept
    assert tensors.support[0, len(kept) :].eq(-1).all()
    assert tensors.sentences.tolist() == [4]


def test_cloze_hides_every_name_and_draws_placeholders_anew() -> None:
    examples = examples_of(generate("clutrr/gen-23", "train", size=6))
    vocabulary = Vocabulary.of(examples)
    tensors = Tensors(examples, vocabulary, cloze=True)
    draws = torch.Generator().manual_seed(1)
    one, two = (tensors.batch(torch.arange(6), draws).story for _ in range(2))
    assert not torch.equal(one, two)
    for row, example in enumerate(examples):
        assert example.graph is not None
        names = [vocabulary.word(name.lower()) for name in example.graph.entities]
        assert not torch.isin(one[row], torch.tensor(names)).any()
        used = one[row][(one[row] > UNKNOWN) & (one[row] < 2 + PLACEHOLDERS)]
        assert len(set(used.tolist())) == len(example.graph.entities)


def test_every_example_is_in_exactly_one_batch_and_trimmed() -> None:
    examples = examples_of(generate("babi/qa2", "train", size=60))
    tensors = Tensors(examples, Vocabulary.of(examples))
    seen = []
    for rows, batch in tensors.batches(7, torch.Generator().manual_seed(0)):
        seen += rows.tolist()
        assert batch.story.shape[1] == int(batch.sentences.max())
        assert (batch.story[:, :, -1] != PAD).any()
    assert sorted(seen) == list(range(60))


def test_a_run_reports_all_restarts_and_can_be_used(tmp_path: Path) -> None:
    plan = Plan("ngram", ("babi/qa1",), {}, {}, {"epochs": 3}, train_size=100, test_size=50)
    found = train(plan, tmp_path / "run", restarts=2)
    assert [r["restart"] for r in found["restarts"]] == [0, 1]
    assert found["tests"]["babi/qa1"]["runs"] == 2
    assert 0 < found["tests"]["babi/qa1"]["majority"] < 0.5
    assert train(plan, tmp_path / "run", restarts=2) == found  # nothing is done twice
    model, vocabulary, _ = load_model(tmp_path / "run")
    assert model.shape.answers == len(vocabulary.answers)
    with pytest.raises(FabulaError, match="another run"):
        train(replace(plan, seed=1), tmp_path / "run")


def test_unknown_names_are_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="Did you mean 'memn2n'"):
        model_named("memn2m")
    plan = Plan("ngram", ("babi/qa1",), {}, {}, {"epoch": 3})
    with pytest.raises(FabulaError, match="Did you mean 'epochs'"):
        train(plan, tmp_path / "run")


def test_a_model_trained_in_its_linear_phase_is_used_so(tmp_path: Path) -> None:
    plan = Plan("memn2n", ("babi/qa1",), {}, {}, {"epochs": 3}, train_size=100, test_size=50)
    found = train(plan, tmp_path / "run")
    model, vocabulary, regime = load_model(tmp_path / "run")
    examples = examples_of(generate("babi/qa1", "test", size=50))
    judged = evaluate(model, Tensors(examples, vocabulary, regime.max_sentences), CPU)
    assert judged.accuracy == found["tests"]["babi/qa1"]["best"]
