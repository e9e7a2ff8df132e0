"""Runs: a model trained on data with several restarts; one folder documents everything.

A run folder holds `run.json` (model, sizes, training, data, vocabulary, results), and for each
restart its metrics and checkpoint. Started again, it only does what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch

from fabula.core.files import exclusive, make_folder, read_json, write_json
from fabula.core.seeds import fingerprint
from fabula.core.workers import run_jobs
from fabula.errors import FabulaError
from fabula.evaluation.tracking import tracked
from fabula.training.data import Example, Tensors, Vocabulary, hold_out, label
from fabula.training.loop import Judged, Row, Trainer, Watch, evaluate, shape_of, unwatched
from fabula.training.model import Model, Regime, Shape, parameters
from fabula.training.models import model_named
from fabula.training.plan import TrainingPlan, keep_plan, settings
from fabula.training.source import Source
from fabula.training.stored import MODEL_FILES, RUN, load_model, save_model
from fabula.training.team import Team, gathered

RESULT = "result.json"
TESTS = "tests.json"
HELD_OUT = 0.1
CELLS = ("recipe", "question", "answer", "support_size", "hops", "noise", "composition")


class TrainingRun:
    """One plan, executed in one folder."""

    def __init__(
        self,
        plan: TrainingPlan,
        folder: Path,
        tests: Mapping[str, Source] | None = None,
        store: Path | None = None,
        team: Team | None = None,
        track: str | None = None,
    ) -> None:
        """`tests`: test data, by default those of the training data; `store`: caches examples;
        `track`: the trackio project that metrics are logged to.
        """
        self.plan = plan
        self.folder = folder
        self.tests = plan.own_tests() if tests is None else tests
        self.store = store
        self.team = team or Team(device=plan.device)
        self.track = track

    def restart(
        self,
        number: int,
        report: Callable[[Row], None] = lambda row: None,
        watch: Watch = unwatched,
    ) -> dict[str, Any]:
        """Train and test once, from the initial weights of this number, and return the result."""
        torch.set_num_threads(self.plan.threads)
        folder, same = self.folder / f"restart-{number}", self.team.same
        if not same(all((folder / name).is_file() for name in (RESULT, *MODEL_FILES))):
            if self.team.leads:
                make_folder(folder)
            with exclusive(folder) if self.team.leads else nullcontext():
                self._train(folder, number, report, watch)
        result = same(read_json(folder / RESULT, "restart", "selected_by", "valid_loss"))
        done = same(read_json(folder / TESTS))
        missing = {
            name: source
            for name, source in self.tests.items()
            if done.get(name, {}).get("source") != source.to_dict()
        }
        if missing:
            device = torch.device(self.team.device)
            model, vocabulary, regime = load_model(folder)
            model.to(device)
            for name, source in missing.items():
                examples = source.examples("test", self.store)
                tensors = as_read(type(model), model.sizes, examples, vocabulary, regime)
                judged = evaluate(model, tensors, device, team=self.team)
                done[name] = {
                    "source": source.to_dict(),
                    **summary(judged, tensors, result["majority_answer"]),
                }
            if self.team.leads:
                write_json(folder / TESTS, done)
        return {**result, "tests": {name: done[name] for name in self.tests}}

    def _train(
        self, folder: Path, number: int, report: Callable[[Row], None], watch: Watch
    ) -> None:
        plan = self.plan
        kind = model_named(plan.model)
        sizes, regime = settings(kind, plan.sizes, plan.regime)
        start = load_model(Path(plan.start)) if plan.start else None
        if start:
            _check_start(plan, kind, sizes, start[0])
        learned, held = self._examples()
        if regime.select == "test":
            held = [e for source in plan.data for e in source.examples("test", self.store)]
        if start:
            vocabulary = start[1]
        else:
            known = [e for source in plan.words for e in source.examples("train", self.store)]
            vocabulary = Vocabulary.of([*learned, *known])
        train, valid = (as_read(kind, sizes, part, vocabulary, regime) for part in (learned, held))
        if start and not bool((train.answer >= 0).any()):
            raise FabulaError(
                f"{plan.start}: this model knows none of the answers of the new data "
                f"('{label(learned[0].answer)}', …) and cannot learn new ones; train a model on "
                "both kinds of data."
            )
        seed = fingerprint(f"{plan.seed}:restart:{number}") >> 1
        torch.manual_seed(seed)
        shape = start[0].shape if start else shape_of(vocabulary, train, valid)
        model = start[0] if start else _made(kind, sizes, shape)
        model.continued = start is not None
        trainer = Trainer(
            model, regime, train, valid, seed, folder, mixed=plan.mixed, budget=plan.budget,
            team=self.team,
        )  # fmt: skip
        project = self.track if self.team.leads else None
        with tracked(project, f"{self.folder.name}-{number}", plan.to_dict()) as log:

            def tell(row: Row) -> None:
                log(row)
                report(row)

            progress = trainer.run(tell, watch)
        judged = evaluate(model, valid, trainer.device, team=self.team)
        if not self.team.leads:
            return
        save_model(folder, plan.model, model.sizes, regime, vocabulary, shape, model)
        write_json(
            folder / RESULT,
            {
                "restart": number,
                "epochs": progress.epoch,
                "best_epoch": progress.best_epoch,
                "seconds": round(progress.seconds, 2),
                "selected_by": progress.best,
                "selected_on": regime.select,
                "valid_loss": progress.best_loss,
                "valid_accuracy": judged.accuracy,
                "parameters": parameters(model),
                **model.remarks(),
                "majority_answer": Counter(label(e.answer) for e in learned).most_common(1)[0][0],
            },
        )

    def _examples(self) -> tuple[list[Example], list[Example]]:
        """The examples for training and validation; some stories of each source are held out."""
        parts = [
            hold_out(source.examples("train", self.store), HELD_OUT) for source in self.plan.data
        ]
        learned, held = ([e for part in side for e in part] for side in zip(*parts, strict=True))
        return learned, held


def check(plan: TrainingPlan, tests: Mapping[str, Source] | None = None) -> None:
    """Raise an error for anything impossible, before any data are made."""
    settings(model_named(plan.model), plan.sizes, plan.regime)
    for source in plan.data:
        source.check("train")
    for source in (tests or plan.own_tests()).values():
        source.check("test")
    if plan.start and not Path(plan.start).is_dir():
        raise FabulaError(
            f"--fine-tune-from {plan.start}: no run here; train one first: "
            f"fabula train {plan.model} DATA --out {plan.start}"
        )


def train(
    plan: TrainingPlan,
    folder: Path,
    restarts: int = 1,
    workers: int = 1,
    report: Callable[[Row], None] = lambda row: None,
    tests: Mapping[str, Source] | None = None,
    watch: Watch = unwatched,
    track: str | None = None,
) -> dict[str, Any]:
    """Execute a plan; the best restart is chosen by validation, and all are reported."""
    check(plan, tests)
    with gathered(plan.device) as team:
        if team.leads:
            keep_plan(plan, folder)
        run = TrainingRun(plan, folder, tests, team=team, track=track)
        if workers > 1 and restarts > 1:
            if team.size > 1:
                raise FabulaError(
                    "parallel restarts cannot be combined with torchrun; drop --workers."
                )
            results = _side_by_side(run, restarts, workers, report)
        else:
            results = []
            for number in range(restarts):
                results.append(run.restart(number, report, watch))
                if restarts > 1 and team.leads:
                    report(results[-1])
        written = _written(plan, results)
        if team.leads:
            write_json(folder / RUN, written)
    return written


def _side_by_side(
    run: TrainingRun, restarts: int, workers: int, report: Callable[[Row], None]
) -> list[dict[str, Any]]:
    """Run the restarts in separate processes, which end with this one."""
    results = []
    jobs = [partial(run.restart, number) for number in range(restarts)]
    for result in run_jobs(jobs, workers):
        results.append(result)
        report(result)
    return sorted(results, key=lambda result: int(result["restart"]))


def _written(plan: TrainingPlan, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of `run.json`."""
    # of several that are equally accurate, the most confident
    best = max(results, key=lambda result: (result["selected_by"], -result["valid_loss"]))
    return {
        "plan": plan.to_dict(),
        "restarts": results,
        "best": best["restart"],
        "selected_on": best["selected_on"],
        "valid_accuracy": _spread([result["valid_accuracy"] for result in results]),
        "tests": {
            name: {
                **_spread([result["tests"][name]["accuracy"] for result in results]),
                "best": best["tests"][name]["accuracy"],
                "majority": best["tests"][name]["majority"],
                "chance": best["tests"][name]["chance"],
            }
            for name in best["tests"]
        },
    }


def _check_start(plan: TrainingPlan, kind: type[Model], sizes: Any, model: Model) -> None:
    """Check that the model to fine-tune has the same kind and size."""
    if type(model) is not kind:
        raise FabulaError(
            f"{plan.start}: contains a {type(model).__name__}, not a {kind.__name__}; "
            "fine-tune the same model."
        )
    for name in plan.sizes:
        if getattr(sizes, name) != getattr(model.sizes, name):
            raise FabulaError(
                f"setting '{name}': the model of {plan.start} has {getattr(model.sizes, name)}, "
                "which cannot be changed."
            )


def _made(kind: type[Model], sizes: Any, shape: Shape) -> Model:
    """A new model."""
    try:
        return kind(sizes, shape)
    except RuntimeError as error:
        if "allocate" not in str(error):
            raise
        raise FabulaError(
            "the model is too large for the memory of this machine; choose smaller sizes."
        ) from None


def as_read(
    kind: type[Model],
    sizes: Any,
    examples: Sequence[Example],
    vocabulary: Vocabulary,
    regime: Regime,
) -> Tensors:
    """Examples as a model reads them."""
    if kind.asks_of_two(sizes) or regime.cloze:
        for each in examples:
            if each.graph is None:
                raise FabulaError(
                    f"model {kind.__name__} needs questions about two entities of a story, but "
                    f"{each.features['recipe']} has others ('{each.asked}'); use a recipe such "
                    "as clutrr/gen-23 or stepgame/clean."
                )
    return Tensors(examples, vocabulary, regime.max_sentences, regime.cloze)


def _spread(values: Sequence[float]) -> dict[str, float]:
    deviation = stdev(values) if len(values) > 1 else 0.0
    return {"mean": mean(values), "deviation": deviation, "runs": len(values)}


def summary(judged: Judged, tensors: Tensors, majority: str) -> dict[str, Any]:
    """Accuracy, overall and by cells of similar examples, next to chance and the majority
    answer.
    """
    cells: dict[tuple[Any, ...], list[int]] = {}
    for example, right in zip(tensors.examples, judged.right.tolist(), strict=True):
        cell = cells.setdefault(tuple(map(example.features.get, CELLS)), [0, 0, 0])
        cell[0] += right
        cell[1] += label(example.answer) == majority
        cell[2] += 1
    result: dict[str, Any] = {
        "examples": len(tensors),
        "accuracy": judged.accuracy,
        "majority": sum(cell[1] for cell in cells.values()) / max(1, len(tensors)),
        "chance": 1 / max(1, len(tensors.vocabulary.answers)),
        "cells": [
            {**dict(zip(CELLS, of, strict=True)), "right": right, "majority": most, "count": count}
            for of, (right, most, count) in cells.items()
        ],
    }
    if judged.support is not None:
        result["supports_found"] = float((judged.support == tensors.support).all(1).float().mean())
    return result
