"""The training harness: what it promises whatever the model."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import torch

from fabula.cli import main
from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.training import course, loop
from fabula.training.data import (
    PAD,
    PLACEHOLDERS,
    UNKNOWN,
    Tensors,
    Vocabulary,
    chained,
    examples_of,
    graph,
    hold_out,
    words,
)
from fabula.training.loop import METRICS, Trainer, evaluate, shape_of
from fabula.training.model import Regime
from fabula.training.models import model_named
from fabula.training.plan import TrainingPlan
from fabula.training.runs import TrainingRun, _written, train
from fabula.training.source import Source
from fabula.training.stored import load_model

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


def test_supports_are_chained_from_the_question() -> None:
    story = ["Jasper is gray.", "Hector is a horse.", "Marco is white.", "Jasper is a horse."]
    told, asked = tuple(map(words, story)), words("What color is Hector?")
    assert chained((0, 1, 3), told, asked) == (1, 3, 0)
    assert chained((2,), told, asked) == (2,)
    equal = tuple(map(words, ["Mary is here.", "Mary is there."]))
    assert chained((0, 1), equal, words("Where is Mary?")) == (1, 0)


def test_the_release_has_its_own_order_of_supports() -> None:
    for dialect in ("release", "fixed"):
        made = list(generate("babi/qa16", "train", size=20, dialect=dialect))
        first = [i.story[e.support[0]] for i, e in zip(made, examples_of(made), strict=True)]
        assert all(i.query[1] in told for i, told in zip(made, first, strict=True))
    listed = [
        tuple(n - 1 for n in i.support)
        for i in generate("babi/qa3", "train", size=20, dialect="release")
    ]
    taken = [
        e.support for e in examples_of(generate("babi/qa3", "train", size=20, dialect="release"))
    ]
    assert taken == listed
    assert any(list(support) != sorted(support) for support in taken)


def test_same_seed_same_weights() -> None:
    (one, _), (two, _), (other, _) = make(), make(), make(1)
    for run in (one, two, other):
        run.run()
    assert torch.equal(weights(one), weights(two))
    assert not torch.equal(weights(one), weights(other))


def test_a_budget_ends_a_run_in_the_middle_of_an_epoch(tmp_path: Path) -> None:
    run, _ = trainer(tmp_path)
    run.budget = 1e-9
    rows: list[dict[str, object]] = []
    run.run(rows.append)
    assert run.steps == 1  # of three
    assert [row["epoch"] for row in rows] == [1]
    assert rows[0]["valid_accuracy"] is not None


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


def test_validation_is_like_training_though_the_rarest_come_last() -> None:
    examples = examples_of(generate("dyna/diverse-t7", "train", size=1500))
    learned, held = hold_out(examples, 0.1)
    for feature in ("question", "support_size"):
        counts = [
            Counter(example.features[feature] for example in part) for part in (learned, held)
        ]
        for value, count in counts[0].items():
            share = count / len(learned)
            assert counts[1][value] / len(held) == pytest.approx(share, abs=0.12), value


def judged(regime: Regime) -> Trainer:
    examples = examples_of(generate("babi/qa1", "train", size=20))
    data = Tensors(examples, Vocabulary.of(examples))
    kind = model_named("lstm")
    return Trainer(kind(kind.Sizes(), shape_of(data.vocabulary, data)), regime, data, data, seed=1)


def test_of_two_epochs_right_as_often_the_surer_is_kept() -> None:
    run = judged(Regime())
    row = {"loss": 0.5, "valid_accuracy": 0.9, "valid_loss": 0.4}
    rows = [row, {**row, "valid_loss": 0.3}, {**row, "valid_loss": 0.35}]
    nan = float("nan")
    for each in (*rows, {**row, "loss": nan, "valid_accuracy": 1.0}, {**row, "valid_loss": nan}):
        run._judge(each, cut_short=False)
    assert (run.progress.epoch, run.progress.best_epoch) == (5, 2)


def test_the_loss_of_an_epoch_that_was_cut_short_is_not_compared() -> None:
    row = {"loss": 0.5, "valid_accuracy": 0.9, "valid_loss": 0.4}
    better = {"loss": 0.1, "valid_accuracy": 1.0, "valid_loss": 0.2}
    for select, best in (("train", 1), ("valid", 2)):
        run = judged(Regime(select=select))  # type: ignore[arg-type]
        run._judge(row, cut_short=True)  # the only one so far is the best all the same
        run._judge(better, cut_short=True)
        assert run.progress.best_epoch == best


def test_of_restarts_right_as_often_the_surest_is_the_best(tmp_path: Path) -> None:
    plan = TrainingPlan("ngram", (Source("babi/qa1", size=60),), regime={"epochs": 1})
    results = train(plan, tmp_path, restarts=3)["restarts"]
    for loss, result in zip((0.3, 0.1, 0.2), results, strict=True):
        result |= {"selected_by": 1.0, "valid_loss": loss}
    assert _written(plan, results)["best"] == 1
    results[2]["selected_by"] = 2.0
    assert _written(plan, results)["best"] == 2


def test_figures_of_an_epoch_that_is_to_come_again_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / METRICS).write_text('{"epoch": 1}\n')  # killed before its checkpoint
    examples = examples_of(generate("babi/qa1", "train", size=20))
    data = Tensors(examples, Vocabulary.of(examples))
    kind = model_named("ngram")
    model = kind(kind.Sizes(), shape_of(data.vocabulary, data))
    Trainer(model, Regime(epochs=2), data, data, seed=1, folder=tmp_path).run()
    rows = [orjson.loads(row) for row in (tmp_path / METRICS).read_bytes().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2]


def test_stories_of_the_parts_of_a_recipe_are_told_apart() -> None:
    examples = examples_of(generate("dyna/concat-t7", "train", size=140))
    stories: dict[str, tuple[str, ...]] = {}
    for each in examples:
        longest = max(stories.get(each.group, ()), each.told, key=len)
        assert longest[: len(each.told)] == each.told  # questions of one story only
        stories[each.group] = longest
    assert len(stories) == 28


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
    plan = TrainingPlan("ngram", (Source("babi/qa1", size=100),), regime={"epochs": 3})
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
    plan = TrainingPlan("ngram", (Source("babi/qa1"),), regime={"epoch": 3})
    with pytest.raises(FabulaError, match="Did you mean 'epochs'"):
        train(plan, tmp_path / "run")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"lr": "fast"}, "setting 'lr': input should be a valid number"),
        ({"epochs": 2.5}, "setting 'epochs': input should be a valid integer"),
        ({"batch": 0}, "setting 'batch': it must be a number of at least 1"),
        ({"select": "dev"}, "'valid', 'train' or 'test'"),
        ({"mixture": "hop", "epochs": 1}, "no feature 'hop'. Did you mean 'hops'"),
    ],
)
def test_settings_of_a_wrong_kind_are_refused(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    plan = TrainingPlan("memn2n", (Source("babi/qa1", size=20),), regime=changes)
    with pytest.raises(FabulaError, match=told):
        train(plan, tmp_path / "run")
    mended = replace(plan, regime={"epochs": 1})
    train(mended, tmp_path / "run")  # nothing stands in the way


def test_what_cannot_be_had_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    tries = [
        (["memn2n", "babi/qa1", "--out", str(tmp_path / "file")], "choose another folder"),
        (["memn2n", "babi/qa1", "--out", str(tmp_path / "a"), "--device", "tpu"], "choose cpu"),
        (["memn2n", "babi/qa99", "--out", str(tmp_path / "b")], "no recipe 'babi/qa99'"),
        (["gat", "babi/qa1", "--out", str(tmp_path / "c"), "--size", "20"], "about two entities"),
    ]
    for arguments, told in tries:
        assert main(["train", *arguments]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1


def test_a_full_disk_is_said_and_what_was_written_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = trainer(tmp_path, epochs=2)
    run.run()
    before = (tmp_path / loop.CHECKPOINT).read_bytes()

    @contextmanager
    def full(path: Path) -> Iterator[Any]:
        with Path("/dev/full").open("wb", buffering=0) as file:
            yield file  # unbuffered, so that writing fails at once

    more, _ = trainer(tmp_path, epochs=3)
    monkeypatch.setattr("fabula.core.files.whole_file", full)
    with pytest.raises(FabulaError, match=r"checkpoint.pt: cannot be written.*disk space"):
        more.run()
    assert (tmp_path / loop.CHECKPOINT).read_bytes() == before
    monkeypatch.undo()
    again, _ = trainer(tmp_path, epochs=3)
    again.run()
    assert len((tmp_path / loop.METRICS).read_bytes().splitlines()) == 3  # no epoch twice


def test_ctrl_c_leaves_a_run_that_goes_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "memn2n", "babi/qa1", "--out", str(tmp_path / "run"), "--size", "60"]
    command += ["--test-size", "20", "--with", "epochs=3"]
    epochs: list[int] = []
    epoch = Trainer._epoch

    def tired(self: Trainer, watch: loop.Watch) -> loop.Row:
        if len(epochs) == 2:
            raise KeyboardInterrupt
        epochs.append(self.progress.epoch)
        return epoch(self, watch)

    monkeypatch.setattr(Trainer, "_epoch", tired)
    assert main(command) == 130
    assert "the same command resumes" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(command) == 0
    told = [line.split()[1] for line in capsys.readouterr().err.splitlines() if "epoch" in line]
    assert told == ["3"]


def test_a_watcher_counts_every_example() -> None:
    run, data = trainer(None, epochs=2)
    counted: list[tuple[str, int | None, int]] = []

    @contextmanager
    def watch(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        seen: list[int] = []
        yield seen.append
        counted.append((what, total, sum(seen)))

    run.run(watch=watch)
    assert counted == [(f"epoch {n}", len(data), len(data)) for n in (1, 2)]


def test_learning_rates() -> None:
    def rates(schedule: str, *at: int) -> list[float]:
        regime = Regime(schedule=schedule, warm_steps=10)  # type: ignore[arg-type]
        return [course.rate(regime, step, 110) for step in at]

    assert rates("constant", 0, 9, 10, 109) == [0.1, 0.1, 1, 1]
    assert rates("rsqrt", 0, 9, 39) == pytest.approx([0.1, 1, 0.5])
    assert rates("linear", 4, 10, 60, 110, 200) == pytest.approx([0.5, 1, 0.5, 0, 0])
    assert rates("cosine", 4, 10, 60, 110) == pytest.approx([0.5, 1, 0.5, 0])


def test_a_mixture_takes_each_step_from_one_task_all_tasks_alike() -> None:
    examples = examples_of(generate("babi/qa1", "train", size=90))
    examples += examples_of(generate("babi/qa2", "train", size=10))
    tensors = Tensors(examples, Vocabulary.of(examples))
    regime = Regime(batch=4, mixture="recipe")
    drawn = [
        {e.features["recipe"] for e in batch.examples}
        for seed in range(20)
        for batch in course.batches(tensors, regime, torch.Generator().manual_seed(seed))
    ]
    assert len(drawn) == 20 * 25
    assert all(len(recipes) == 1 for recipes in drawn)
    assert 0.4 < drawn.count({"babi/qa2"}) / len(drawn) < 0.6
    whole = [
        e.asked for b in course.batches(tensors, Regime(), torch.Generator()) for e in b.examples
    ]
    assert sorted(whole) == sorted(e.asked for e in examples)


def test_selection_on_the_test_is_possible_and_said_aloud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "memn2n", "babi/qa1", "--size", "60", "--with", "epochs=2"]
    main([*command, "--out", str(tmp_path / "honest")])
    assert "SELECTED ON THE TEST" not in capsys.readouterr().out
    main([*command, "--out", str(tmp_path / "cheat"), "--with", "select=test"])
    assert "SELECTED ON THE TEST" in capsys.readouterr().out
    plan = TrainingPlan(
        "memn2n", (Source("babi/qa1", size=60),), regime={"epochs": 2, "select": "test"}
    )
    found = train(plan, tmp_path / "again")
    assert found["selected_on"] == "test"
    assert found["valid_accuracy"]["mean"] == found["tests"]["babi/qa1"]["best"]


def test_every_epoch_is_logged_to_trackio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[dict[str, Any]] = []
    logged: list[dict[str, Any]] = []
    double = SimpleNamespace(
        init=lambda **about: begun.append(about), log=logged.append, finish=lambda: None
    )
    monkeypatch.setitem(sys.modules, "trackio", double)
    plan = TrainingPlan("memn2n", (Source("babi/qa1", size=60),), regime={"epochs": 2})
    train(plan, tmp_path / "run", restarts=2, track="tales")
    assert [(run["project"], run["name"]) for run in begun] == [
        ("tales", "run-0"),
        ("tales", "run-1"),
    ]
    assert begun[0]["config"]["model"] == "memn2n"
    assert [row["epoch"] for row in logged] == [1, 2, 1, 2]


def test_restarts_side_by_side_are_those_one_after_another(tmp_path: Path) -> None:
    plan = TrainingPlan("memn2n", (Source("babi/qa1", size=60),), regime={"epochs": 2})
    one, two = (
        train(plan, tmp_path / str(workers), restarts=2, workers=workers) for workers in (1, 2)
    )
    assert one["tests"] == two["tests"]


def test_a_model_trained_in_its_linear_phase_is_used_so(tmp_path: Path) -> None:
    plan = TrainingPlan("memn2n", (Source("babi/qa1", size=100),), regime={"epochs": 3})
    found = train(plan, tmp_path / "run", tests={"babi/qa1": Source("babi/qa1", size=50)})
    model, vocabulary, regime = load_model(tmp_path / "run")
    examples = examples_of(generate("babi/qa1", "test", size=50))
    judged = evaluate(model, Tensors(examples, vocabulary, regime.max_sentences), CPU)
    assert judged.accuracy == found["tests"]["babi/qa1"]["best"]


@pytest.mark.parametrize(("options", "count"), [([], 1), (["--threads", "2"], 2)])
def test_a_process_has_one_thread_unless_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], count: int
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    small = ["--size", "20", "--test-size", "5", "--with", "epochs=1"]
    assert main(["train", "ngram", "babi/qa1", "--out", str(tmp_path), *small, *options]) == 0
    assert set(asked) == {count}


def test_new_tests_of_an_old_run_train_nothing(tmp_path: Path) -> None:
    plan = TrainingPlan("ngram", (Source("babi/qa1", size=100),), regime={"epochs": 2})
    train(plan, tmp_path / "run", tests={"near": Source("babi/qa1", size=40)})
    written = (tmp_path / "run" / "restart-0" / "model.pt").stat().st_mtime_ns
    other = {"far": Source("babi/qa1", {"dialect": "release"}, size=30)}
    found = train(plan, tmp_path / "run", tests=other)
    assert found["restarts"][0]["tests"]["far"]["examples"] == 30
    assert (tmp_path / "run" / "restart-0" / "model.pt").stat().st_mtime_ns == written


def test_a_run_goes_on_from_another_with_its_words(tmp_path: Path) -> None:
    first = TrainingPlan(
        "memn2n",
        (Source("babi/qa1", size=100),),
        sizes={"linear_start": 0},
        regime={"epochs": 2},
        words=(Source("babi/qa2", size=50),),
    )
    train(first, tmp_path / "first")
    second = TrainingPlan(
        "memn2n",
        (Source("babi/qa2", size=50),),
        regime={"epochs": 1, "lr": 0.0},
        start=str(tmp_path / "first"),
    )
    train(second, tmp_path / "second")
    before, words, _ = load_model(tmp_path / "first")
    after, same, _ = load_model(tmp_path / "second")
    assert same == words
    assert "football" in words.words or "milk" in words.words  # things are in task 2 only
    for one, two in zip(before.parameters(), after.parameters(), strict=True):
        assert torch.equal(one, two)  # a learning rate of nothing


def test_of_every_source_some_stories_are_held_out(tmp_path: Path) -> None:
    sources = tuple(Source(f"babi/qa{n}", size=60) for n in (1, 2))
    learned, held = TrainingRun(TrainingPlan("ngram", sources), tmp_path)._examples()
    assert {e.features["recipe"] for e in held} == {"babi/qa1", "babi/qa2"}
    assert not {e.group for e in learned} & {e.group for e in held}


def test_the_graph_of_a_family_is_the_chain_however_it_is_told() -> None:
    for instance in generate("clutrr/rob-supporting", "train", size=20):
        known = graph(instance)
        assert known is not None
        chain = [edge for edge in instance.features["edges"] if edge[3] == "support"]
        at, path = known.query[0], []
        for first, relation, second, _ in chain:
            assert (first, relation, second) in known.edges
            assert first == at
            at = second
            path.append(relation)
        assert at == known.query[1]
        assert {known.entities[node] for node in known.query} == set(instance.query[1:])
        assert len(known.edges) > len(chain)  # the other route is there as well


def test_names_that_only_the_test_has_become_placeholders_too() -> None:
    learned = examples_of(generate("clutrr/gen-23", "train", size=30))
    unseen = examples_of(generate("clutrr/gen-23", "test", size=30))
    vocabulary = Vocabulary.of(learned)
    batch = Tensors(unseen, vocabulary, cloze=True).batch(torch.arange(30))
    for row, example in enumerate(unseen):
        assert example.graph is not None
        names = [name.lower() for name in example.graph.entities]
        new = [name for name in names if vocabulary.word(name) == UNKNOWN]
        assert len(new) > 1
        for at, sentence in enumerate(example.story):
            for place, word in enumerate(sentence):
                number = int(batch.story[row, at, place])
                assert (2 <= number < 2 + PLACEHOLDERS) == (word in names)
                if word in names:
                    assert number == 2 + names.index(word)
        asked = [names[node] for node in example.graph.query]
        for which, name in enumerate(asked):
            found = {
                example.story[at][place]
                for at, place in batch.entities[row, which].nonzero().tolist()
            }
            assert found == {name}
