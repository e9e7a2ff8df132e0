"""The training loop: trains any model, and can be interrupted at any moment.

Promises:
1. All randomness of epoch n comes from (seed, n): a run resumed from its last checkpoint ends with
   the same weights as one that was never interrupted.
2. A checkpoint is written completely or not at all.
3. The best epoch is chosen by validation, or by the training loss if the paper does so; the test is
   never used, unless `select` says so explicitly.
4. Several processes give the same result as one (see team.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from math import isfinite, isnan
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import orjson
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from fabula.core.files import damaged, write_whole, writing
from fabula.core.seeds import fingerprint
from fabula.errors import FabulaError
from fabula.training import course
from fabula.training.data import Batch, Tensors, Vocabulary
from fabula.training.model import Model, Output, Regime, Shape, mean_loss
from fabula.training.team import Team

CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.jsonl"

Row = dict[str, Any]
"""The metrics of one epoch."""
Watch = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]
"""Called with the name and size of a step; yields a function that counts its examples."""


@contextmanager
def unwatched(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Shows nothing."""
    yield lambda count: None


@dataclass
class Progress:
    """The state of a run."""

    epoch: int = 0
    best: float = float("-inf")
    """The best value of the selection metric."""
    best_loss: float = float("inf")
    """The validation loss of the best epoch."""
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
        team: Team | None = None,
    ) -> None:
        """`mixed`: bfloat16 where it is safe; `budget`: seconds of processor time."""
        if not len(train):
            raise FabulaError("no training examples.")
        self.team = team or Team(device=device)
        self.device = torch.device(self.team.device)
        self.model = model.to(self.device)
        self.regime = regime
        self.train, self.valid = train, valid
        self.seed = seed
        self.folder = folder
        self.mixed = mixed
        self.budget = budget
        self.progress = Progress()
        self.optimiser = _optimiser(model, regime)
        self.best_weights = _copy(model)
        self.steps = 0
        if folder:
            self._restore(folder / CHECKPOINT)

    # --- the loop -------------------------------------------------------------------------

    def run(
        self, report: Callable[[Row], None] = lambda row: None, watch: Watch = unwatched
    ) -> Progress:
        """Train to the end; the model then has the weights of the best epoch."""
        while not self._finished():
            row = self._epoch(watch)
            if self.team.leads:
                if self.folder:
                    metrics = self.folder / METRICS
                    with writing(metrics), metrics.open("ab") as file:
                        file.write(orjson.dumps(row) + b"\n")
                    self._save(self.folder / CHECKPOINT)
                report(row)
        if not self.progress.best_epoch:
            raise FabulaError("loss is NaN: training diverged. Lower lr or set clip.")
        self.model.load_state_dict(self.best_weights)
        return self.progress

    def _finished(self) -> bool:
        done, patience = self.progress, self.regime.patience
        return (
            done.epoch >= self.regime.epochs
            or (patience > 0 and done.epoch - done.best_epoch >= patience)
            or (self.budget is not None and done.seconds >= self.budget)
            or (0 < self.regime.enough <= done.best and self.regime.select != "train")
        )

    def _epoch(self, watch: Watch) -> Row:
        epoch = self.progress.epoch
        apart = (self.team.rank,) if self.team.rank else ()
        torch.manual_seed(_seed(self.seed, "train", epoch, *apart))
        generator = torch.Generator().manual_seed(_seed(self.seed, "order", epoch))
        rate = self.regime.lr * self.model.begin_epoch(epoch)
        if self.regime.halve_every:
            rate *= 0.5 ** (max(0, epoch - self.model.prelude) // self.regime.halve_every)
        if self.progress.halved:
            rate *= 0.5
        self.model.train()
        wall, begun = perf_counter(), process_time()
        sums, count = torch.zeros(2, dtype=torch.float64), 0
        with watch(f"epoch {epoch + 1}", len(self.train)) as tick:
            for batch in course.batches(self.train, self.regime, generator):
                sums += self._step(batch, rate)
                count += len(batch)
                tick(len(batch))
                if self._spent(process_time() - begun):
                    break
        seconds = self.progress.seconds + process_time() - begun
        self.progress.seconds = self.team.same(seconds)
        pace = count / max(perf_counter() - wall, 1e-9)
        loss, right = (self.team.add(sums) / count).tolist()
        judged = evaluate(self.model, self.valid, self.device, team=self.team)
        row = {
            "epoch": epoch + 1,
            "loss": loss,
            "train_accuracy": right,
            "valid_accuracy": judged.accuracy,
            "valid_loss": judged.loss,
            "lr": self.optimiser.param_groups[0]["lr"],
            "examples_per_second": round(pace, 1),
            "seconds": round(self.progress.seconds, 2),
        }
        row = self.team.same(row)
        self._judge(row, cut_short=count < len(self.train))
        return row

    def _spent(self, now: float) -> bool:
        """Whether the budget is used up within an epoch, which is then cut short; a team finishes
        the epoch, since its members would not all stop at the same step.
        """
        if self.budget is None or self.team.size > 1:
            return False
        return self.progress.seconds + now >= self.budget

    def _step(self, whole: Batch, rate: float) -> Tensor:
        """Take one step; returns the summed loss of this process's examples, and the number
        correct.
        """
        last = self.regime.epochs * course.steps(len(self.train), self.regime)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * course.rate(self.regime, self.steps, last)
        whole = whole.to(self.device)
        if self.team.size > 1:
            self.model.meet(whole)
        batch, weight = self.team.share(whole)
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.mixed):
            output = self.model(batch)
            loss = loss_of(output, batch)
        scale = weight * (len(whole) if self.regime.sum_loss else 1)
        (loss * scale if scale != 1 else loss).backward()  # type: ignore[no-untyped-call]
        self.team.add_gradients(self.model.parameters())
        self._clip()
        self.optimiser.step()
        self.steps += 1
        right = (output.answer == batch.answer).sum() if weight else 0
        return torch.tensor([loss.item() * weight * len(whole), int(right)], dtype=torch.float64)

    def _clip(self) -> None:
        if self.regime.clip_value:
            nn.utils.clip_grad_value_(self.model.parameters(), self.regime.clip_value)
        if self.regime.clip:
            norm = _clip_norms(self.model, self.regime)
            if not torch.isfinite(norm):  # skip a step with a non-finite gradient
                self.optimiser.zero_grad(set_to_none=True)

    def _judge(self, row: dict[str, Any], cut_short: bool) -> None:
        done = self.progress
        done.epoch += 1
        measure = -row["loss"] if self.regime.select == "train" else row["valid_accuracy"]
        # of two epochs that are equally accurate, the more confident one; never one that diverged;
        # and the loss on some examples cannot be compared with that on all
        astray = not isfinite(row["loss"]) or isnan(row["valid_loss"])
        # nor can the loss of some examples be compared with that of all
        astray |= cut_short and self.regime.select == "train" and done.best_epoch > 0
        if not astray and (measure, -row["valid_loss"]) > (done.best, -done.best_loss):
            done.best, done.best_loss, done.best_epoch = measure, row["valid_loss"], done.epoch
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
        keep(path, state)

    def _restore(self, path: Path) -> None:
        """Resume from a checkpoint, if there is one; metrics of later epochs are dropped."""
        found = path.is_file() and self.team.leads
        state = self.team.same(kept(path, self.device) if found else None)
        if state is None:
            if self.team.leads:  # metrics of an epoch that will be repeated
                path.with_name(METRICS).unlink(missing_ok=True)
            return
        try:
            self.model.load_state_dict(state["weights"])
            self.best_weights = state["best"]
            self.optimiser.load_state_dict(state["optimiser"])
            self.progress = replace(Progress(), **state["progress"])
            self.steps = state["steps"]
        except (KeyError, RuntimeError, TypeError, ValueError):  # of another version, for example
            raise damaged(path) from None
        metrics = path.with_name(METRICS)
        if found and metrics.is_file():
            rows = metrics.read_bytes().splitlines(keepends=True)
            write_whole(metrics, b"".join(rows[: self.progress.epoch]))


# --- helpers --------------------------------------------------------------------------------------


class Judged:
    """The answers of a model on examples."""

    def __init__(self, answers: Tensor, support: Tensor | None, gold: Tensor, loss: float) -> None:
        self.answers = answers
        """[N] the answer chosen for each example, in the order of the examples."""
        self.support = support
        """[N, 10] the sentences chosen, if the model chooses any."""
        self.right = answers == gold
        self.loss = loss

    @property
    def accuracy(self) -> float:
        """The fraction of correct answers."""
        return float(self.right.float().mean()) if len(self.right) else 0.0


ALONE = Team()


@torch.no_grad()
def evaluate(
    model: Model, tensors: Tensors, device: torch.device, size: int = 0, team: Team = ALONE
) -> Judged:
    """Evaluate a model; a team divides the batches among its members."""
    model.eval()
    answers = torch.zeros(len(tensors), dtype=torch.long)
    support = torch.zeros_like(tensors.support)
    sums = torch.zeros(2, dtype=torch.float64)  # of the losses; of batches with chosen supports
    for number, (rows, cut) in enumerate(tensors.batches(size or model.at_once)):
        if number % team.size != team.rank:
            continue
        batch = cut.to(device)
        output = model(batch)
        answers[rows] = output.answer.cpu()
        known = batch.answer >= 0
        if known.any():
            sums[0] += float(
                cross_entropy(output.logits[known], batch.answer[known], reduction="sum")
            )
        if output.support is not None:
            sums[1] += 1
            support[rows] = output.support.cpu()
    loss, chose = team.add(sums).tolist()
    return Judged(
        team.add(answers),
        team.add(support) if chose else None,
        tensors.answer,
        loss / max(1, int((tensors.answer >= 0).sum())),
    )


def loss_of(output: Output, batch: Batch) -> Tensor:
    """The mean loss per example of the batch."""
    return mean_loss(output.logits, batch.answer) if output.loss is None else output.loss


def _clip_norms(model: nn.Module, regime: Regime) -> Tensor:
    """Clip the gradient norms; returns the total norm before."""
    parts = [[part] for part in model.parameters()] if regime.clip_each else [model.parameters()]
    norms = torch.stack([nn.utils.clip_grad_norm_(part, regime.clip) for part in parts])
    whole: Tensor = torch.linalg.vector_norm(norms)
    return whole


def shape_of(vocabulary: Vocabulary, *parts: Tensors) -> Shape:
    """The properties of the data that a model needs."""
    return Shape(
        words=vocabulary.size,
        answers=len(vocabulary.answers),
        relations=len(vocabulary.relations),
        width=max(max(part.width, part.question.shape[1]) for part in parts),
        depth=max(part.story.shape[1] for part in parts),
        answer_words=tuple(map(vocabulary.word_of, vocabulary.answers)),
        answer_parts=vocabulary.answer_parts(),
        labels=vocabulary.answers,
    )


def _optimiser(model: nn.Module, regime: Regime) -> torch.optim.Optimizer:
    decay = regime.weight_decay
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    # rows of placeholders must not decay either
    kept = {id(table) for table in tables} if regime.cloze and decay else set()
    groups: list[dict[str, Any]] = [
        {"params": [p for p in model.parameters() if p.requires_grad and id(p) not in kept]},
        {"params": [p for p in tables if p.requires_grad and id(p) in kept], "weight_decay": 0.0},
    ]
    learned = [group for group in groups if group["params"]]
    if regime.optimiser == "sgd":
        return torch.optim.SGD(learned, lr=regime.lr, weight_decay=decay, fused=True)
    betas = (0.9, regime.beta2)
    if regime.optimiser == "nadam":
        return torch.optim.NAdam(
            learned, lr=regime.lr, betas=betas, weight_decay=decay, foreach=True
        )
    return torch.optim.Adam(learned, lr=regime.lr, betas=betas, weight_decay=decay, fused=True)


def _seed(*parts: object) -> int:
    """A seed for torch, the same on every machine."""
    return fingerprint(":".join(map(str, parts))) >> 1


def keep(path: Path, state: Any) -> None:
    """Write tensors, completely or not at all."""
    written = BytesIO()
    torch.save(state, written)
    write_whole(path, written.getbuffer())


def kept(path: Path, device: torch.device | str = "cpu") -> Any:
    """The tensors that `keep` wrote; nothing else is ever loaded, and no code is run."""
    try:
        return torch.load(path, map_location=device, weights_only=True)
    except Exception:  # torch has many errors for a file that is truncated or foreign
        raise damaged(path) from None


def _copy(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
