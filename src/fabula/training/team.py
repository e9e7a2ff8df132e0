"""Several processes that train one model together: each takes its share of every batch.

Started by `fabula train --processes N`, or on several machines by torchrun. Gradients are added up
before every step, so all processes have the same weights, equal to those of one process with the
same batches, up to rounding and the model's own random draws. Only the leader writes and reports.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, distributed, nn

from fabula.errors import FabulaError
from fabula.training.data import Batch

T = TypeVar("T")


class Team(NamedTuple):
    """The role of this process among those that train together."""

    rank: int = 0
    size: int = 1
    device: str = "cpu"

    @property
    def leads(self) -> bool:
        """Whether this process writes and reports."""
        return self.rank == 0

    def share(self, batch: Batch) -> tuple[Batch, float]:
        """This process's examples of a batch, and their fraction of the batch.

        A process without any takes the first example with weight 0: all must stay in step.
        """
        if self.size == 1:
            return batch, 1.0
        mine = slice(self.rank, None, self.size) if self.rank < len(batch) else slice(1)
        part = replace(batch, **{f.name: getattr(batch, f.name)[mine] for f in fields(batch)})
        return part, len(part) / len(batch) if self.rank < len(batch) else 0.0

    def add(self, values: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size == 1:
            return values
        total = values.to(self.device, copy=True)
        distributed.all_reduce(total)
        return total.to(values.device)

    def add_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Give every parameter the sum of its gradients; one that no process used keeps none."""
        if self.size == 1:
            return
        learned = [p for p in parameters if p.requires_grad]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in learned]
        used = torch.tensor([float(p.grad is not None) for p in learned], device=self.device)
        total = self.add(torch.cat([*(g.flatten() for g in gradients), used]))
        *found, counts = torch.split(total, [*(g.numel() for g in gradients), len(learned)])
        for parameter, gradient, count in zip(learned, found, counts.tolist(), strict=True):
            parameter.grad = gradient.view_as(parameter) if count else None

    def same(self, value: T) -> T:
        """The leader's value, sent to all."""
        box = [value]
        if self.size > 1:
            distributed.broadcast_object_list(box)
        return box[0]


@contextmanager
def gathered(device: str) -> Iterator[Team]:
    """The team that torchrun started this process in; a team of one without torchrun."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        check_device(device)
        yield Team(device=device)
        return
    check_device(device)
    kind = torch.device(device).type
    if kind == "cuda":
        device = f"cuda:{os.environ['LOCAL_RANK']}"
        check_device(device)
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
    try:
        yield Team(distributed.get_rank(), size, device)
    finally:
        distributed.destroy_process_group()


def check_device(name: str) -> None:
    """Raise an error if the device does not exist."""
    try:
        torch.zeros(1, device=name).cpu()
    except (RuntimeError, AssertionError, NotImplementedError):
        other = torch.accelerator.is_available() and torch.accelerator.current_accelerator()
        known = f"cpu or {other.type}" if other else "cpu"
        raise FabulaError(f"--device {name}: not available here; choose {known}.") from None
