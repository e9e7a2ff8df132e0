"""Runs: a model on data, from several beginnings, side by side; a folder that says everything.

A run folder holds `run.json` (model, sizes, training, data, vocabulary, results), and for each
restart its metrics and checkpoint. Started again, it does only what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import Field, asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from statistics import mean, stdev
from typing import Any, TypeVar

import torch
from pydantic import TypeAdapter, ValidationError

from fabula._version import __version__
from fabula.errors import FabulaError, hint
from fabula.evaluate.tracking import tracked
from fabula.files import alone, damaged, hashed, make_folder, read_json, write_json
from fabula.models import model_named
from fabula.seeds import fingerprint
from fabula.training.data import Example, Tensors, Vocabulary, hold_out, label
from fabula.training.loop import Judged, Row, Trainer, Watch, evaluate, keep, shape_of, unwatched
from fabula.training.model import Model, Regime, Shape, check_number, parameters
from fabula.training.processes import side_by_side
from fabula.training.source import Source, plain
from fabula.training.team import Team, gathered

RUN = "run.json"
RESULT = "result.json"
TESTS = "tests.json"
MODEL, WEIGHTS = MODEL_FILES = ("model.json", "model.pt")
LOCK = ".lock"
HELD_OUT = 0.1
T = TypeVar("T")
CELLS = ("recipe", "question", "answer", "support_size", "hops", "noise", "composition")


@dataclass(frozen=True)
class Plan:
    """All that decides the weights of a run."""

    model: str
    data: tuple[Source, ...]
    """Several are trained on jointly."""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    regime: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    start: str | None = None
    """The folder of a run that this one goes on from: with its words, answers and weights."""
    words: tuple[Source, ...] = ()
    """Data whose words and answers are known too, though they are not trained on."""
    device: str = "cpu"
    mixed: bool = False
    budget: float | None = None
    threads: int = 1

    def own_tests(self) -> dict[str, Source]:
        """What it is tested on if nothing else is said: the data that it is trained on."""
        return {source.name: source for source in self.data}

    def to_dict(self) -> dict[str, Any]:
        """As it is written beside a run."""
        sources = {
            name: [source.to_dict() for source in getattr(self, name)] for name in ("data", "words")
        }
        return plain({**asdict(self), **sources, "version": __version__})


def divided(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings as (sizes of the model, changes of its regime)."""
    common = {field.name for field in fields(Regime)}
    sizes = {name: value for name, value in given.items() if name not in common}
    return sizes, {name: value for name, value in given.items() if name in common}


def settings(
    model: type[Model], sizes: Mapping[str, Any], regime: Mapping[str, Any]
) -> tuple[Any, Regime]:
    """The sizes and training of a model with changes, refused if unknown or of a wrong kind."""
    known = {field.name for field in fields(model.Sizes)}
    common = {field.name for field in fields(Regime)}
    for name in (*sizes, *regime):
        if name not in known | common:
            raise FabulaError(
                f"model {model.__name__}: no setting '{name}'.{hint(name, sorted(known | common))}"
            )
    found: Any = _checked(model.Sizes, {**asdict(model.Sizes()), **sizes})
    for size in fields(model.Sizes):
        _check_size(size, getattr(found, size.name))
    model.check(found)
    return found, _checked(Regime, {**asdict(model.regime), **regime})


def _check_size(size: Field[Any], value: Any) -> None:
    """Sizes are at least 1, or 0 where that is the default or said to have a meaning."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    whole = isinstance(size.default, int) and size.default != 0
    check_number(size.name, value, size.metadata.get("least", 1 if whole else 0))
    if size.name == "dropout" and value >= 1:
        raise FabulaError("setting 'dropout': it must be below 1.")


def _checked(kind: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass of settings whose values are of the right kinds."""
    for known in fields(kind):  # type: ignore[arg-type]
        given = values.get(known.name)
        if isinstance(given, bool) and type(known.default) in (int, float):
            raise FabulaError(f"setting '{known.name}': it must be a number.")
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        name, text = ".".join(map(str, first["loc"])), first["msg"]
        raise FabulaError(f"setting '{name}': {text[0].lower()}{text[1:]}.") from None


class Run:
    """One plan carried out in one folder."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        tests: Mapping[str, Source] | None = None,
        store: Path | None = None,
        team: Team | None = None,
        track: str | None = None,
    ) -> None:
        """`tests`: what it is tested on, the training's own if not said; `store`: keeps examples;
        `track`: the trackio project that gets the figures of every epoch."""
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
        """Train and test once, from the beginning of this number; what came of it."""
        torch.set_num_threads(self.plan.threads)
        folder, same = self.folder / f"restart-{number}", self.team.same
        if not same(all((folder / name).is_file() for name in (RESULT, *MODEL_FILES))):
            if self.team.leads:
                make_folder(folder)
            with alone(folder / LOCK) if self.team.leads else nullcontext():
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
                f"('{label(learned[0].answer)}', …) and learns no new ones; train a model on both "
                "kinds of data."
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
        save_model(folder, plan, model.sizes, regime, vocabulary, shape, model)
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
        """For training and validation; of each source some stories are held out."""
        parts = [
            hold_out(source.examples("train", self.store), HELD_OUT) for source in self.plan.data
        ]
        learned, held = ([e for part in side for e in part] for side in zip(*parts, strict=True))
        return learned, held


def train(
    plan: Plan,
    folder: Path,
    restarts: int = 1,
    workers: int = 1,
    report: Callable[[Row], None] = lambda row: None,
    tests: Mapping[str, Source] | None = None,
    watch: Watch = unwatched,
    track: str | None = None,
) -> dict[str, Any]:
    """Carry out a plan; the best restart is chosen by validation, and all are reported."""
    settings(model_named(plan.model), plan.sizes, plan.regime)
    for source in plan.data:
        source.check("train")
    for source in (tests or plan.own_tests()).values():
        source.check("test")
    with gathered(plan.device) as team:
        if team.leads:
            keep_plan(plan, folder)
        run = Run(plan, folder, tests, team=team, track=track)
        if workers > 1 and restarts > 1:
            if team.size > 1:
                raise FabulaError("restarts side by side and torchrun do not go together.")
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
    run: Run, restarts: int, workers: int, report: Callable[[Row], None]
) -> list[dict[str, Any]]:
    """The restarts in processes of their own, which end with this one."""
    results = []
    jobs = [partial(run.restart, number) for number in range(restarts)]
    for result in side_by_side(jobs, workers):
        results.append(result)
        report(result)
    return sorted(results, key=lambda result: int(result["restart"]))


def _written(plan: Plan, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a run says of itself."""
    # of several that are right as often, the one that is surest of it
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


def keep_plan(plan: Plan, folder: Path) -> None:
    """Write the plan into its folder, which must not hold another."""
    make_folder(folder)
    header, said = folder / "plan.json", plan.to_dict()
    if plan.start:
        said["start_weights"] = weights(Path(plan.start))
    kept = read_json(header)
    if kept == said:
        return
    if kept and any(folder.glob("restart-*/[!.]*")):  # a lock holds nothing
        other = sorted(name for name in kept | said if kept.get(name) != said.get(name))
        raise FabulaError(
            f"{folder}: holds another run ({', '.join(other)}: not the same); choose another "
            "folder or remove it."
        )
    write_json(header, said)


def weights(folder: Path) -> str:
    """What tells apart the weights of two runs."""
    path = _best(folder) / WEIGHTS
    return hashed(path) if path.is_file() else ""


def _check_start(plan: Plan, kind: type[Model], sizes: Any, model: Model) -> None:
    """The model that is gone on from must be of the same kind and size."""
    if type(model) is not kind:
        raise FabulaError(
            f"{plan.start}: holds a {type(model).__name__}, and a {kind.__name__} is to be trained."
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
                    f"model {kind.__name__} is asked about two entities of a story, and "
                    f"{each.features['recipe']} has other questions ('{each.asked}'); give it such "
                    "as clutrr/gen-23 or stepgame/clean."
                )
    return Tensors(examples, vocabulary, regime.max_sentences, regime.cloze)


def _spread(values: Sequence[float]) -> dict[str, float]:
    deviation = stdev(values) if len(values) > 1 else 0.0
    return {"mean": mean(values), "deviation": deviation, "runs": len(values)}


def summary(judged: Judged, tensors: Tensors, majority: str) -> dict[str, Any]:
    """Accuracy, overall and in cells of like examples, beside chance and the majority answer."""
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


# --- trained models on disk -----------------------------------------------------------------------


def save_model(
    folder: Path,
    plan: Plan,
    sizes: Any,
    regime: Regime,
    vocabulary: Vocabulary,
    shape: Shape,
    model: Model,
) -> None:
    """The trained model with all that is needed to use it."""
    keep(folder / WEIGHTS, model.state_dict())
    model.keep(folder)
    write_json(
        folder / MODEL,
        {
            "model": plan.model,
            "sizes": asdict(sizes),
            "regime": asdict(regime),
            "shape": shape._asdict(),
            "vocabulary": vocabulary.to_dict(),
            "version": __version__,
        },
    )


def _best(folder: Path) -> Path:
    """The best restart of a run, or the folder itself if it is one."""
    said = read_json(folder / RUN, "best")
    return folder / f"restart-{said['best']}" if said else folder


def load_model(folder: Path) -> tuple[Model, Vocabulary, Regime]:
    """A trained model, ready to answer; `folder` is a run or one restart of it."""
    folder = _best(folder)
    if not (folder / MODEL).is_file():
        raise FabulaError(f"{folder}: no trained model is here; train one with `fabula train`.")
    said = read_json(folder / MODEL)
    try:
        kind = model_named(said["model"])
        sizes, regime = kind.Sizes(**said["sizes"]), Regime(**said["regime"])
        words = {name: tuple(value) for name, value in said["vocabulary"].items()}
        vocabulary = Vocabulary(**words)
        shape = Shape(
            **{
                **said["shape"],
                "answer_words": tuple(said["shape"]["answer_words"]),
                "answer_parts": tuple(map(tuple, said["shape"].get("answer_parts", ()))),
                "labels": vocabulary.answers,
            }
        )
    except (AttributeError, KeyError, TypeError):  # cut off, or of a version with other settings
        raise damaged(folder / MODEL) from None
    model = kind.restored(sizes, shape, folder)
    try:
        kept = torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True)
        model.load_state_dict(kept)
    except (OSError, EOFError, RuntimeError, TypeError, UnpicklingError):
        raise damaged(folder / WEIGHTS) from None
    model.eval()
    return model, vocabulary, regime
