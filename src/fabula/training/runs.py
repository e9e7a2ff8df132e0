"""Runs: a model on data, from several beginnings, side by side; a folder that says everything.

A run folder holds `run.json` (model, sizes, training, data, vocabulary, results), and for each
restart its metrics and checkpoint. Started again, it does only what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import orjson
import torch

from fabula._version import __version__
from fabula.errors import FabulaError, hint
from fabula.files import whole, write_json
from fabula.models import model_named
from fabula.seeds import fingerprint
from fabula.training.data import Example, Tensors, Vocabulary, examples_of, hold_out
from fabula.training.loop import Judged, Trainer, evaluate, shape_of
from fabula.training.model import Model, Regime, Shape, parameters

RUN = "run.json"
HELD_OUT = 0.1


@dataclass(frozen=True)
class Plan:
    """All that decides a run."""

    model: str
    data: tuple[str, ...]
    """Recipes or folders; several are trained on jointly."""
    changes: Mapping[str, Any]
    """Changes to the recipes."""
    sizes: Mapping[str, Any]
    regime: Mapping[str, Any]
    train_size: int | None = None
    test: tuple[str, ...] = ()
    """Recipes or folders to be tested on; those of the training, if none is named."""
    test_size: int | None = None
    seed: int = 0
    data_seed: int | None = None
    device: str = "cpu"
    mixed: bool = False
    budget: float | None = None
    threads: int = 1


def settings(
    model: type[Model], sizes: Mapping[str, Any], regime: Mapping[str, Any]
) -> tuple[Any, Regime]:
    """The sizes and training of a model with changes, refused with a suggestion if unknown."""
    known = {field.name for field in fields(model.Sizes)}
    common = {field.name for field in fields(Regime)}
    for name in (*sizes, *regime):
        if name not in known | common:
            raise FabulaError(
                f"model {model.__name__}: no setting '{name}'.{hint(name, sorted(known | common))}"
            )
    return model.Sizes(**sizes), replace(model.regime, **regime)


def read_examples(
    sources: Sequence[str],
    split: str,
    size: int | None,
    seed: int | None,
    changes: Mapping[str, Any],
) -> list[Example]:
    """The examples of a split of recipes or folders."""
    from fabula.training.source import instances

    return examples_of(
        chain.from_iterable(instances(source, split, size, seed, changes) for source in sources)
    )


class Run:
    """One plan carried out in one folder."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder

    def restart(
        self, number: int, report: Callable[[dict[str, Any]], None] = lambda row: None
    ) -> dict[str, Any]:
        """Train once, from the beginning of this number; what came of it."""
        plan = self.plan
        torch.set_num_threads(plan.threads)
        kind = model_named(plan.model)
        sizes, regime = settings(kind, plan.sizes, plan.regime)
        folder = self.folder / f"restart-{number}"
        done = folder / "result.json"
        if done.is_file():
            return dict(orjson.loads(done.read_bytes()))
        folder.mkdir(parents=True, exist_ok=True)
        learned, held = self._examples()
        vocabulary = Vocabulary.of(learned)
        train, valid, *tests = (
            Tensors(part, vocabulary, regime.max_sentences, regime.cloze)
            for part in (learned, held, *self._tests().values())
        )
        shape = shape_of(vocabulary, train, valid, *tests)
        seed = fingerprint(f"{plan.seed}:restart:{number}") >> 1
        torch.manual_seed(seed)
        model = kind(sizes, shape)
        trainer = Trainer(
            model, regime, train, valid, seed, folder, plan.device, plan.mixed, plan.budget
        )
        progress = trainer.run(report)
        judged = evaluate(model, valid, trainer.device)
        result: dict[str, Any] = {
            "restart": number,
            "epochs": progress.epoch,
            "best_epoch": progress.best_epoch,
            "seconds": round(progress.seconds, 2),
            "selected_by": progress.best,
            "valid_accuracy": judged.accuracy,
            "parameters": parameters(model),
            "tests": {},
        }
        for name, part in zip(self._tests(), tests, strict=True):
            result["tests"][name] = summary(evaluate(model, part, trainer.device), part)
        save_model(folder, plan, sizes, regime, vocabulary, shape, model)
        write_json(done, result)
        return result

    def _examples(self) -> tuple[list[Example], list[Example]]:
        plan = self.plan
        learned = read_examples(plan.data, "train", plan.train_size, plan.data_seed, plan.changes)
        return hold_out(learned, HELD_OUT)

    def _tests(self) -> dict[str, list[Example]]:
        plan = self.plan
        names = plan.test or plan.data
        return {
            name: read_examples([name], "test", plan.test_size, plan.data_seed, plan.changes)
            for name in names
        }


def train(
    plan: Plan,
    folder: Path,
    restarts: int = 1,
    workers: int = 1,
    report: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Carry out a plan; the best restart is chosen by validation, and all are reported."""
    settings(model_named(plan.model), plan.sizes, plan.regime)
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "plan.json"
    said = orjson.loads(orjson.dumps({**asdict(plan), "version": __version__}))
    if header.is_file() and orjson.loads(header.read_bytes()) != said:
        raise FabulaError(f"{folder}: holds another run; choose another folder or remove it.")
    write_json(header, said)
    run = Run(plan, folder)
    if workers > 1 and restarts > 1:
        with ProcessPoolExecutor(min(workers, restarts), get_context("spawn")) as pool:
            results = list(pool.map(run.restart, range(restarts)))
        for result in results:
            report(result)
    else:
        results = [run.restart(number, report) for number in range(restarts)]
    best = max(results, key=lambda result: result["selected_by"])
    written = {
        "plan": said,
        "restarts": results,
        "best": best["restart"],
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
    write_json(folder / RUN, written)
    return written


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"mean": mean(values), "deviation": pstdev(values), "runs": len(values)}


def summary(judged: Judged, tensors: Tensors) -> dict[str, Any]:
    """Accuracy, overall and by feature, beside chance and the majority answer of training."""
    gold = tensors.answer
    counts = torch.bincount(gold[gold >= 0], minlength=1)
    broken: dict[str, dict[str, list[int]]] = {}
    for example, right in zip(tensors.examples, judged.right.tolist(), strict=True):
        for name in ("recipe", "question", "support_size", "hops", "composition"):
            value = example.features.get(name)
            if value is not None:
                cell = broken.setdefault(name, {}).setdefault(str(value), [0, 0])
                cell[0] += right
                cell[1] += 1
    result: dict[str, Any] = {
        "examples": len(tensors),
        "accuracy": judged.accuracy,
        "majority": float(counts.max()) / max(1, len(gold)),
        "chance": 1 / max(1, len(tensors.vocabulary.answers)),
        "by": broken,
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
    with whole(folder / "model.pt") as partial:
        torch.save(model.state_dict(), partial)
    write_json(
        folder / "model.json",
        {
            "model": plan.model,
            "sizes": asdict(sizes),
            "regime": asdict(regime),
            "shape": shape._asdict(),
            "vocabulary": vocabulary.to_dict(),
            "version": __version__,
        },
    )


def load_model(folder: Path) -> tuple[Model, Vocabulary, Regime]:
    """A trained model, ready to answer; `folder` is a run or one restart of it."""
    if (folder / RUN).is_file():
        folder = folder / f"restart-{orjson.loads((folder / RUN).read_bytes())['best']}"
    if not (folder / "model.json").is_file():
        raise FabulaError(f"{folder}: no trained model is here; train one with `fabula train`.")
    said = orjson.loads((folder / "model.json").read_bytes())
    kind = model_named(said["model"])
    words = {name: tuple(value) for name, value in said["vocabulary"].items()}
    model = kind(
        kind.Sizes(**said["sizes"]),
        Shape(**{**said["shape"], "answer_words": tuple(said["shape"]["answer_words"])}),
    )
    model.load_state_dict(torch.load(folder / "model.pt", map_location="cpu", weights_only=True))
    model.eval()
    return model, Vocabulary(**words), Regime(**said["regime"])
