"""Data sets for PyTorch; imported only if PyTorch is installed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from torch.utils.data import Dataset as MapDataset
from torch.utils.data import IterableDataset, get_worker_info

from fabula.core.instance import Instance

if TYPE_CHECKING:
    from fabula.datasets.dataset import Dataset


class Instances(MapDataset[Instance]):
    """A finite data set."""

    def __init__(self, data: Dataset) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> Instance:
        return self.data[index]


class EndlessInstances(IterableDataset[Instance]):
    """An endless data set; workers take turns, so no instance is repeated."""

    def __init__(self, data: Dataset) -> None:
        self.data = data

    def __iter__(self) -> Iterator[Instance]:
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return (self.data[index] for index in count(start, step))
