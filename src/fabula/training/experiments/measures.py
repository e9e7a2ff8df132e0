"""Measures that need no training: overlap of test and training, agreement of benchmarks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator

from fabula.analysis.leak.items import TAKE, item_of
from fabula.errors import FabulaError, hint
from fabula.evaluation import statistics
from fabula.evaluation.concurrence import concurrence, published, read_table
from fabula.training.experiments.spec import Strict, problem
from fabula.training.source import Source

Size = Annotated[int, Field(ge=1)]
Trained = Mapping[str, Sequence[str]]
"""Line to the columns it has results for."""


class Measure(Strict):
    """A measure with its arguments."""

    @abstractmethod
    def check(self, trained: Trained) -> None:
        """Raise an error if it cannot be measured, before anything is trained."""

    @abstractmethod
    def value(self, figures: Mapping[str, Any]) -> float:
        """The value, in percent."""


class Leak(Measure):
    """The fraction of a test whose support and question occur word for word in training."""

    recipe: str
    train_size: Size
    test_size: Size
    set: dict[str, Any] = {}
    by: str = "proof"

    @field_validator("by")
    @classmethod
    def _way(cls, by: str) -> str:
        if by not in TAKE:
            raise ValueError(f"unknown comparison '{by}'.{hint(by, TAKE)}")
        return by

    def check(self, _: Trained) -> None:
        """Check that the recipe has both splits."""
        for split in ("train", "test"):
            self._source(split).check(split)

    def value(self, _: Mapping[str, Any]) -> float:
        """The fraction."""
        train, test = (
            [TAKE[self.by](item_of(each)) for each in self._source(split).instances(split)]
            for split in ("train", "test")
        )
        known = set(train)
        return 100 * sum(item in known for item in test) / len(test)

    def _source(self, split: str) -> Source:
        size = self.train_size if split == "train" else self.test_size
        return Source(self.recipe, self.set, size).near()


class Published(Measure):
    """The correlation of two benchmarks in the paper's own table."""

    against: str
    benchmark: str
    by: Literal["pearson", "kendall"]

    def check(self, _: Trained) -> None:
        """Check that both are in the table."""
        known = read_table(published())[0]
        for name in (self.against, self.benchmark):
            if name not in known:
                raise FabulaError(
                    f"no benchmark '{name}' in the published table.{hint(name, known)}"
                )
        if self.against == self.benchmark:
            raise FabulaError(f"'{self.against}' cannot be compared with itself.")

    def value(self, _: Mapping[str, Any]) -> float:
        """The correlation."""
        found = {each.second: each for each in concurrence(published(), self.against)}
        value: float = getattr(found[self.benchmark], self.by).value
        return 100 * value


class Ranks(Measure):
    """Kendall's correlation of two lines of this table, over the models that have both."""

    lines: tuple[str, str]

    def check(self, trained: Trained) -> None:
        """Check that both lines are trained, with some models in common."""
        for line in self.lines:
            if line not in trained:
                raise FabulaError(f"no line '{line}' is trained.{hint(line, trained)}")
        if len(self._both(trained)) < 2:
            raise FabulaError(f"{' and '.join(self.lines)}: at least two columns must have both.")

    def value(self, figures: Mapping[str, Any]) -> float:
        """The correlation."""
        both = self._both(figures)
        pairs = [[figures[line][column]["mean"] for column in both] for line in self.lines]
        return 100 * statistics.kendall(*pairs).value

    def _both(self, found: Mapping[str, Any]) -> list[str]:
        first, second = (found[line] for line in self.lines)
        return [column for column in first if column in second]


MEASURES: dict[str, type[Measure]] = {"leak": Leak, "concurrence": Published, "ranks": Ranks}


def measure(said: Mapping[str, Any], trained: Trained) -> Measure:
    """The measure of a line, checked; `said` is its name with its arguments."""
    if len(said) != 1:
        raise FabulaError(f"a measure is one name with its arguments, not {list(said)}.")
    ((name, given),) = said.items()
    if name not in MEASURES:
        raise FabulaError(f"no measure '{name}'.{hint(name, MEASURES)}")
    try:
        found = MEASURES[name].model_validate(given)
    except ValidationError as error:
        loc, told = problem(error)
        raise FabulaError(f"measure {'.'.join(map(str, (name, *loc)))}: {told}") from None
    found.check(trained)
    return found
