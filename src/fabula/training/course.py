"""The course of training: the order of the examples, and the learning rate."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, cos, pi, sqrt

import torch
from torch import Tensor

from fabula.errors import FabulaError, hint
from fabula.training.data import Batch, Tensors
from fabula.training.model import Regime


def steps(count: int, regime: Regime) -> int:
    """Number of steps in an epoch."""
    return ceil(count / regime.batch)


def batches(tensors: Tensors, regime: Regime, generator: torch.Generator) -> Iterator[Batch]:
    """The batches of an epoch."""
    if not regime.mixture:
        yield from (batch for _, batch in tensors.batches(regime.batch, generator))
        return
    groups = _groups(tensors, regime.mixture)
    piles = [group[:0] for group in groups]  # the remainder of each group, in random order
    for _ in range(steps(len(tensors), regime)):
        drawn = int(torch.randint(len(groups), (1,), generator=generator))
        while len(piles[drawn]) < regime.batch:
            again = torch.randperm(len(groups[drawn]), generator=generator)
            piles[drawn] = torch.cat([piles[drawn], groups[drawn][again]])
        rows, piles[drawn] = piles[drawn].tensor_split([regime.batch])
        yield tensors.batch(rows, generator)


def _groups(tensors: Tensors, feature: str) -> list[Tensor]:
    """The rows for each value of a feature."""
    known = tensors.examples[0].features
    if feature not in known:
        raise FabulaError(f"setting 'mixture': no feature '{feature}'.{hint(feature, known)}")
    rows: dict[object, list[int]] = {}
    for row, example in enumerate(tensors.examples):
        rows.setdefault(example.features.get(feature), []).append(row)
    return [torch.tensor(group) for group in rows.values()]


def rate(regime: Regime, step: int, last: int) -> float:
    """The factor of the learning rate at a step, counted from 0, of a training with `last`
    steps.
    """
    warm = regime.warm_steps
    if regime.schedule == "constant":
        return 0.1 if step < warm else 1.0
    if step < warm:
        return (step + 1) / warm
    if regime.schedule == "rsqrt":
        return sqrt(max(1, warm) / (step + 1))
    left = max(0.0, 1 - (step - warm) / max(1, last - warm))
    return left if regime.schedule == "linear" else (1 - cos(pi * left)) / 2
