"""The file format of an experiment.

    id = "B8"
    title = "More hops help"
    paper = "…"                         the paper that reports the finding
    finding = "…"                       what the paper found
    [[columns]]                         a model with the settings of the paper
    name = "3 hops"
    model = "memn2n"
    with = {hops = 3}
    published = [86.7]                  its published results, one per line; nan if there is none
    [[lines]]                           training and test data
    name = "task {n}"
    each = {n = [1, 2, 3]}              a line for each value
    train = "babi/qa{n}"
    test = "babi/qa{n}"                 by default the same as train
    where = {question = "where-*"}      only these test questions
    [[claims]]                          a direction with a margin
    says = "three hops beat one"
    columns = ["3 hops"]
    above = {columns = ["1 hop"]}
    by = 5
    [scales.small]                      sizes for two cores
    train_size = 1000
    seeds = 2
    [scales.full]                       the paper's own

Data are a recipe, or a table: {recipe = "stepgame/clean", set = {hops = 1}, size = 500}.

Keys that all lines share go into [every]. An experiment that reuses the trainings of another says
`like = "S2"`: it inherits columns, scales and [every]. If it lists columns, only those are used,
and a name is enough for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from fabula.core.files import unfit_name
from fabula.errors import hint
from fabula.recipe import cells
from fabula.training.models import MODELS

REFERENCES = ("majority", "chance", "measured")
"""Reference columns next to the models."""


class Strict(cells.Strict):
    """A table that rejects unknown keys."""

    also: ClassVar[tuple[str, ...]] = ()
    """Keys that a file may have here and that are resolved before the check."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, said: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in said if isinstance(said, dict) else ():
            if key not in known:
                raise ValueError(f"unknown key '{key}'.{hint(key, [*known, *cls.also])}")
        return said


def _plain(name: str) -> str:
    """Check that a name can be a file name."""
    if unfit_name(name) or not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise ValueError(f"'{name}' is not a valid name: use letters, digits, '-' and '_' only")
    return name


Name = Annotated[str, AfterValidator(_plain)]


class Data(Strict):
    """Examples of a recipe or a folder."""

    recipe: str
    set: dict[str, Any] = {}
    """Changes to the recipe."""
    size: Annotated[int, Field(ge=1)] | None = None
    """Number of examples, at every scale."""
    times: Annotated[float, Field(gt=0)] = 1.0
    """Factor on the size that the scale gives."""
    split: str | None = None
    seed: int | None = None


def _listed(value: Any) -> Any:
    """Wrap a single value in a list; a name becomes a table with just that recipe."""
    several = value if isinstance(value, list) else [value]
    return [{"recipe": each} if isinstance(each, str) else each for each in several]


Several = Annotated[tuple[Data, ...], BeforeValidator(_listed)]
Size = Annotated[int, Field(ge=2)]
Seeds = Annotated[int, Field(ge=1)]
Budget = Annotated[float, Field(gt=0, allow_inf_nan=False)]
AMOUNTS: dict[str, TypeAdapter[Any]] = {
    "train_size": TypeAdapter(Size),
    "seeds": TypeAdapter(Seeds),
    "budget": TypeAdapter(Budget),
}
"""Keys among the settings of a model that are amounts, as in a scale."""


def _amounts(given: dict[str, Any]) -> dict[str, Any]:
    """Check the types of the amounts among the settings."""
    for name in AMOUNTS.keys() & given:
        try:
            given = {**given, name: AMOUNTS[name].validate_python(given[name])}
        except ValidationError as error:
            raise ValueError(f"{name}: {problem(error)[1]}") from None
    return given


Given = Annotated[dict[str, Any], AfterValidator(_amounts)]
Settings = Annotated[Given, Field(alias="with")]


class Stage(Strict):
    """A part of the training: data, and changes to the settings."""

    train: Several
    settings: Settings = {}
    times: Annotated[float, Field(gt=0)] = 1.0
    """Factor on the budget that the scale gives."""


class Line(Strict):
    """A line of the table: what a model is trained and tested on, or a measure without a model."""

    name: str
    train: Several = ()
    before: tuple[Stage, ...] = ()
    """Earlier stages of the training, in order."""
    settings: Settings = {}
    words: Several = ()
    """Data whose words and answers are known from the first stage on; words that only a later stage
    has, and that are not listed here, stay unknown.
    """
    test: Several = ()
    where: dict[str, Any] = {}
    """Only test examples with these features; values are patterns, negated by a leading '!'."""
    columns: tuple[str, ...] = ("*",)
    measure: dict[str, Any] | None = None
    """The name of a measure to its arguments."""
    also = ("each",)

    @model_validator(mode="after")
    def _something(self) -> Line:
        if bool(self.train) == (self.measure is not None):
            raise ValueError(f"line '{self.name}': give training data or a measure")
        return self

    @field_validator("where")
    @classmethod
    def _patterns(cls, where: dict[str, Any]) -> dict[str, Any]:
        for feature, wanted in where.items():
            patterns = wanted if isinstance(wanted, list) else [wanted]
            if not patterns or any(isinstance(each, dict | list) for each in patterns):
                raise ValueError(f"{feature}: give a pattern, or a list of patterns")
        return where


class Column(Strict):
    """A model with settings."""

    name: str
    model: str
    settings: Settings = {}
    published: tuple[float, ...] = ()

    @field_validator("model")
    @classmethod
    def _there_is(cls, model: str) -> str:
        if model not in MODELS:
            raise ValueError(f"unknown model '{model}'.{hint(model, MODELS)}")
        return model


class Expectation(Strict):
    """A direction; it must hold in each of its columns, for the mean of its lines."""

    says: str
    lines: tuple[str, ...] = ("*",)
    columns: tuple[str, ...] = ("*",)
    at_least: float | None = None
    at_most: float | None = None
    solves_at_least: int | None = None
    """Number of lines that must reach 95."""
    solves_at_most: int | None = None
    above: dict[Literal["lines", "columns"], tuple[str, ...]] | None = None
    """The values it must exceed: by default the same lines, or the same column; for several
    columns, each of the others.
    """
    by: float = 0.0

    @model_validator(mode="after")
    def _one(self) -> Expectation:
        kinds = (
            self.at_least, self.at_most, self.solves_at_least, self.solves_at_most, self.above,
        )  # fmt: skip
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError(
                f"claim '{self.says}': give exactly one of at_least, at_most, solves_…, above"
            )
        if self.above is not None and not (self.above and all(self.above.values())):
            raise ValueError(f"claim '{self.says}': above: give lines or columns")
        return self


class Scale(Strict):
    """The sizes of an experiment."""

    set: dict[str, Any] = {}
    """Changes to all recipes."""
    train_size: Size | None = None
    test_size: Annotated[int, Field(ge=1)] | None = None
    seeds: Seeds = 1
    budget: Budget | None = None
    """Seconds of processor time per training."""
    settings: Settings = {}
    columns: dict[str, Given] = {}
    """Settings of single columns; also `budget`, `seeds` and `train_size`."""
    lines: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()
    """Columns that are omitted."""


class Experiment(Strict):
    """One finding."""

    id: Name
    title: str
    paper: str
    finding: str
    note: str = ""
    """How ours differs from the paper's, and why."""
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...]
    claims: tuple[Expectation, ...]
    scales: dict[Name, Scale]
    also = ("every", "like")

    @model_validator(mode="after")
    def _names(self) -> Experiment:
        lines = [line.name for line in self.lines]
        models = [column.name for column in self.columns]
        columns = [*models, *REFERENCES]
        _once("line", lines)
        _once("column", columns)
        for claim in self.claims:
            above = claim.above or {}
            _there("line", lines, (*claim.lines, *above.get("lines", ())))
            _there("column", columns, (*claim.columns, *above.get("columns", ())))
        for line in self.lines:
            _there("column", columns, line.columns)
        for name, scale in self.scales.items():
            _there("line", lines, scale.lines)
            _there("column", models, scale.without)
            for chosen in scale.columns:
                if chosen not in models:
                    raise ValueError(
                        f"scales.{name}.columns: no column '{chosen}'.{hint(chosen, models)}"
                    )
        for column in self.columns:
            if column.published and len(column.published) != len(lines):
                raise ValueError(
                    f"column '{column.name}': {len(column.published)} published figures "
                    f"for {len(lines)} lines"
                )
        return self


def _once(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two {what}s have the name '{name}'; rename one")


def _there(what: str, known: Sequence[str], patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if not any(matches(name, [pattern]) for name in known):
            raise ValueError(f"no {what} '{pattern}'.{hint(pattern, known)}")


def matches(name: Any, patterns: tuple[str, ...] | list[str]) -> bool:
    """Whether a name matches one of the patterns."""
    return any(fnmatchcase(str(name), pattern.replace("[", "[[]")) for pattern in patterns)


def problem(error: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """The first problem: where, and a sentence that says what."""
    first = error.errors()[0]
    if first["type"] == "missing":
        return first["loc"], "this key is missing."
    if first["type"] == "value_error":
        told = str(first["ctx"]["error"])
        return first["loc"], told if told.endswith((".", "?")) else f"{told}."
    told = first["msg"]
    return first["loc"], f"{told[:1].lower()}{told[1:]} (given: {first['input']!r})."
