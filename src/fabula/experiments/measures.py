"""Figures that need no training: how much of a test is in the training, how benchmarks agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fabula.errors import FabulaError, hint
from fabula.evaluate import statistics
from fabula.evaluate.concurrence import concurrence, published
from fabula.leak.items import TAKE, item_of
from fabula.training.source import Source


def measure(said: Mapping[str, Any], figures: Mapping[str, Any], columns: Sequence[str]) -> float:
    """The figure of a measure, in percent; `said` is its name with its arguments."""
    if len(said) != 1:
        raise FabulaError(f"a measure is one name with its arguments, not {list(said)}.")
    ((name, given),) = said.items()
    if name not in MEASURES:
        raise FabulaError(f"no measure '{name}'.{hint(name, MEASURES)}")
    return MEASURES[name](given, figures, columns)


def _leak(given: Mapping[str, Any], _: Any, __: Any) -> float:
    """The share of a test whose support and question the training has word for word."""
    recipe, changes = given["recipe"], given.get("set", {})
    same = TAKE[given.get("by", "proof")]
    known = {
        same(item_of(each))
        for each in Source(recipe, changes, given["train_size"]).instances("train")
    }
    test = [
        same(item_of(each))
        for each in Source(recipe, changes, given["test_size"]).instances("test")
    ]
    return 100 * sum(item in known for item in test) / len(test)


def _published(given: Mapping[str, Any], _: Any, __: Any) -> float:
    """How a benchmark of the paper's own table goes together with another."""
    for found in concurrence(published(), given["against"]):
        if found.second == given["benchmark"]:
            value: float = getattr(found, given["by"]).value
            return 100 * value
    raise FabulaError(f"no benchmark '{given['benchmark']}' in the published table.")


def _ranks(given: Mapping[str, Any], figures: Mapping[str, Any], columns: Sequence[str]) -> float:
    """Kendall's correlation of two lines of this table, over the models that have both."""
    first, second = (figures[line] for line in given["lines"])
    both = [column for column in columns if column in first and column in second]
    pairs = [[line[column]["mean"] for column in both] for line in (first, second)]
    return 100 * statistics.kendall(*pairs).value


MEASURES: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any], Sequence[str]], float]] = {
    "leak": _leak,
    "concurrence": _published,
    "ranks": _ranks,
}
