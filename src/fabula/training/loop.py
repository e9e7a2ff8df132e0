"""The loop: trains any model, and can be cut off at any moment.

Promises:
1. Everything random of epoch n comes from (seed, n): a run resumed from its last checkpoint ends
   with the same weights as one that was never cut off.
2. A checkpoint is written whole or not at all.
3. The best epoch is chosen by validation (or by the training loss, where a paper does so), never by
   the test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import orjson
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from fabula.errors import FabulaError
from fabula.files import whole
from fabula.seeds import fingerprint
from fabula.training.data import Batch, Tensors, Vocabulary
from fabula.training.model import Model, Output, Regime, Shape

CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.jsonl"


@dataclass
class Progress:
    """How far a run has come."""

    epoch: int = 0
    best: float = float("-inf")
    """Of the measure that selects."""
    best_epoch: int = 0
    halved: bool = False
    seconds: float = 0.0
    """Processor time spent on training."""


class Trainer:
    """One run of one model."""

    def __init__(
        self,
        model: Model,
        regime: Regime,
        train: Tensors,
        valid: Tensors,
        seed: int,
        folder: Path | None = None,
        device: str = "cpu",
        mixed: bool = False,
        budget: float | None = None,
    ) -> None:
        """`budget`: seconds of processor time after which no further epoch is begun."""
        if not len(train):
            raise FabulaError("no training examples.")
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.regime = regime
        self.train, self.valid = train, valid
        self.seed = seed
        self.folder = folder
        self.mixed = mixed and self.device.type != "cpu"
        self.budget = budget
        self.progress = Progress()
        self.optimiser = _optimiser(model, regime)
        self.best_weights = _copy(model)
        self.steps = 0
        if folder and (folder / CHECKPOINT).is_file():
            self._restore(folder / CHECKPOINT)

    # --- the loop -------------------------------------------------------------------------

    def run(self, report: Callable[[dict[str, Any]], None] = lambda row: None) -> Progress:
        """Train to the end; the model has the weights of the best epoch."""
        while not self._finished():
            row = self._epoch()
            if self.folder:
                self._save(self.folder / CHECKPOINT)
                with (self.folder / METRICS).open("ab") as file:
                    file.write(orjson.dumps(row) + b"\n")
            report(row)
        self.model.load_state_dict(self.best_weights)
        return self.progress

    def _finished(self) -> bool:
        done, patience = self.progress, self.regime.patience
        return (
            done.epoch >= self.regime.epochs
            or (patience > 0 and done.epoch - done.best_epoch >= patience)
            or (self.budget is not None and done.seconds >= self.budget)
            or (done.best >= 1.0 and self.regime.select == "valid")
        )

    def _epoch(self) -> dict[str, Any]:
        epoch = self.progress.epoch
        torch.manual_seed(_seed(self.seed, "train", epoch))
        generator = torch.Generator().manual_seed(_seed(self.seed, "order", epoch))
        rate = self.regime.lr * self.model.begin_epoch(epoch)
        if self.regime.halve_every:
            rate *= 0.5 ** (epoch // self.regime.halve_every)
        if self.progress.halved:
            rate *= 0.5
        self.model.train()
        wall, begun = perf_counter(), process_time()
        total = right = 0.0
        for _, batch in self.train.batches(self.regime.batch, generator):
            loss, correct = self._step(batch.to(self.device), rate)
            total += loss * len(batch)
            right += correct
        self.progress.seconds += process_time() - begun
        pace = len(self.train) / max(perf_counter() - wall, 1e-9)
        judged = evaluate(self.model, self.valid, self.device)
        count = len(self.train)
        row = {
            "epoch": epoch + 1,
            "loss": total / count,
            "train_accuracy": right / count,
            "valid_accuracy": judged.accuracy,
            "valid_loss": judged.loss,
            "lr": rate,
            "examples_per_second": round(pace, 1),
            "seconds": round(self.progress.seconds, 2),
        }
        self._judge(row)
        return row

    def _step(self, batch: Batch, rate: float) -> tuple[float, float]:
        """One step; the mean loss and how many were right."""
        cold = self.steps < self.regime.warm_steps
        for group in self.optimiser.param_groups:
            group["lr"] = rate * 0.1 if cold else rate
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, enabled=self.mixed):
            output = self.model(batch)
            loss = loss_of(output, batch)
        (loss * len(batch) if self.regime.sum_loss else loss).backward()  # type: ignore[no-untyped-call]
        if self.regime.clip:
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.regime.clip)
            if not torch.isfinite(norm):  # a step into nowhere is not taken
                self.optimiser.zero_grad(set_to_none=True)
        self.optimiser.step()
        self.steps += 1
        return loss.item(), int((output.logits.argmax(1) == batch.answer).sum())

    def _judge(self, row: dict[str, Any]) -> None:
        done = self.progress
        done.epoch += 1
        measure = row["valid_accuracy"] if self.regime.select == "valid" else -row["loss"]
        if measure > done.best:
            done.best, done.best_epoch = measure, done.epoch
            self.best_weights = _copy(self.model)
        if self.regime.halve_below and row["valid_loss"] < self.regime.halve_below:
            done.halved = True

    # --- checkpoints ----------------------------------------------------------------------

    def _save(self, path: Path) -> None:
        state = {
            "weights": self.model.state_dict(),
            "best": self.best_weights,
            "optimiser": self.optimiser.state_dict(),
            "progress": asdict(self.progress),
            "steps": self.steps,
        }
        with whole(path) as partial:
            torch.save(state, partial)

    def _restore(self, path: Path) -> None:
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["weights"])
        self.best_weights = state["best"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.progress = replace(Progress(), **state["progress"])
        self.steps = state["steps"]


# --- parts ----------------------------------------------------------------------------------------


class Judged:
    """What a model answered to examples."""

    def __init__(self, answers: Tensor, support: Tensor | None, gold: Tensor, loss: float) -> None:
        self.answers = answers
        """[N] the answer chosen for each example, in the order of the examples."""
        self.support = support
        """[N, 10] the sentences chosen, if the model chooses any."""
        self.right = answers == gold
        self.loss = loss

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.right.float().mean()) if len(self.right) else 0.0


@torch.no_grad()
def evaluate(model: Model, tensors: Tensors, device: torch.device, size: int = 256) -> Judged:
    """The answers of a model."""
    model.eval()
    answers = torch.full((len(tensors),), -2)
    support = torch.full_like(tensors.support, -1)
    chose, total = False, 0.0
    for rows, cut in tensors.batches(size):
        batch = cut.to(device)
        output = model(batch)
        answers[rows] = output.logits.argmax(1).cpu()
        known = batch.answer >= 0
        if known.any():
            total += float(
                cross_entropy(output.logits[known], batch.answer[known], reduction="sum")
            )
        if output.support is not None:
            chose = True
            support[rows] = output.support.cpu()
    return Judged(answers, support if chose else None, tensors.answer, total / max(1, len(tensors)))


def loss_of(output: Output, batch: Batch) -> Tensor:
    """The mean loss of a batch; answers that training never had do not count."""
    if output.loss is not None:
        return output.loss
    return cross_entropy(output.logits, batch.answer, ignore_index=-1)


def shape_of(vocabulary: Vocabulary, *parts: Tensors) -> Shape:
    """What a model must know of the data."""
    return Shape(
        words=vocabulary.size,
        answers=len(vocabulary.answers),
        relations=len(vocabulary.relations),
        width=max(part.width for part in parts),
        depth=max(part.story.shape[1] for part in parts),
        answer_words=tuple(map(vocabulary.word_of, vocabulary.answers)),
    )


def _optimiser(model: nn.Module, regime: Regime) -> torch.optim.Optimizer:
    learned = [p for p in model.parameters() if p.requires_grad]
    if regime.optimiser == "sgd":
        return torch.optim.SGD(learned, lr=regime.lr, weight_decay=regime.weight_decay)
    kind = torch.optim.NAdam if regime.optimiser == "nadam" else torch.optim.Adam
    return kind(learned, lr=regime.lr, betas=(0.9, regime.beta2), weight_decay=regime.weight_decay)


def _seed(*parts: object) -> int:
    """A seed for torch, the same on every machine."""
    return fingerprint(":".join(map(str, parts))) >> 1


def _copy(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
