"""What the file of an experiment says.

    id = "B8"
    title = "More hops help"
    paper = "…"                         whose finding it is
    finding = "…"                       what the paper found
    [[columns]]                         a model with the settings of the paper
    name = "3 hops"
    model = "memn2n"
    with = {hops = 3}
    published = [86.7]                  its figures, one for each line; nan where there is none
    [[lines]]                           what is trained on, and what is tested on
    name = "task {n}"
    each = {n = [1, 2, 3]}              a line for each value
    train = "babi/qa{n}"
    test = "babi/qa{n}"                 as trained, if not said
    where = {question = "where-*"}      only these of the test
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

What several lines share stands once, in [every]: keys of a line. An experiment that is read from
the trainings of another says `like = "S2"`: its columns, scales and [every] are taken over, so that
the same trainings serve both. Columns that it names are then the only ones, and need a name only.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from fabula.errors import FabulaError, hint

REFERENCES = ("majority", "chance", "measured")
"""Columns that stand beside the models."""


class Strict(BaseModel):
    """Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Data(Strict):
    """Examples of a recipe or a folder."""

    recipe: str
    set: dict[str, Any] = {}
    """Changes to the recipe."""
    size: Annotated[int, Field(ge=1)] | None = None
    """So many, at every scale."""
    times: Annotated[float, Field(gt=0)] = 1.0
    """So many times the size that the scale says."""
    split: str | None = None
    seed: int | None = None


def _listed(value: Any) -> Any:
    """One, or a list of several; a name stands for a table with just that."""
    several = value if isinstance(value, list) else [value]
    return [{"recipe": each} if isinstance(each, str) else each for each in several]


Several = Annotated[tuple[Data, ...], BeforeValidator(_listed)]
Settings = Annotated[dict[str, Any], Field(alias="with")]


class Stage(Strict):
    """A part of the training: these data, with these changes of the settings."""

    train: Several
    settings: Settings = {}
    times: Annotated[float, Field(gt=0)] = 1.0
    """So many times the scale's budget."""


class Line(Strict):
    """A line of the table: what a model is trained and tested on, or a measure without a model."""

    name: str
    train: Several = ()
    before: tuple[Stage, ...] = ()
    """What comes before in training, stage after stage."""
    settings: Settings = {}
    words: Several = ()
    """Data whose words and answers are known from the first stage on; what only a later stage has
    and is not told here stays unknown."""
    test: Several = ()
    where: dict[str, Any] = {}
    """Only examples of the test with these features; values are patterns, '!' in front: not."""
    columns: tuple[str, ...] = ("*",)
    measure: dict[str, Any] | None = None
    """The name of a measure to its arguments."""

    @model_validator(mode="after")
    def _something(self) -> Line:
        if bool(self.train) == (self.measure is not None):
            raise ValueError(f"line '{self.name}': say what to train on, or a measure")
        return self


class Column(Strict):
    """A model with settings."""

    name: str
    model: str
    settings: Settings = {}
    published: tuple[float, ...] = ()


class Claim(Strict):
    """A direction; it must hold in each of its columns, for the mean of its lines."""

    says: str
    lines: tuple[str, ...] = ("*",)
    columns: tuple[str, ...] = ("*",)
    at_least: float | None = None
    at_most: float | None = None
    solves_at_least: int | None = None
    """So many of the lines reach 95."""
    solves_at_most: int | None = None
    above: dict[Literal["lines", "columns"], tuple[str, ...]] | None = None
    """What it is above: of the same lines, or the same column, where not said."""
    by: float = 0.0

    @model_validator(mode="after")
    def _one(self) -> Claim:
        kinds = (
            self.at_least, self.at_most, self.solves_at_least, self.solves_at_most, self.above,
        )  # fmt: skip
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError(f"claim '{self.says}': say one of at_least, at_most, solves_…, above")
        return self


class Scale(Strict):
    """How much of everything."""

    set: dict[str, Any] = {}
    """Changes to all recipes."""
    train_size: Annotated[int, Field(ge=2)] | None = None
    test_size: Annotated[int, Field(ge=1)] | None = None
    seeds: Annotated[int, Field(ge=1)] = 1
    budget: Annotated[float, Field(gt=0)] | None = None
    """Seconds of processor time for a training."""
    settings: Settings = {}
    columns: dict[str, dict[str, Any]] = {}
    """Settings of single columns; `budget`, `seeds` and `train_size` too."""
    lines: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()
    """Columns that are left out."""


class Experiment(Strict):
    """One finding."""

    id: str
    title: str
    paper: str
    finding: str
    note: str = ""
    """How ours differs from the paper's, and why."""
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...]
    claims: tuple[Claim, ...]
    scales: dict[str, Scale]

    @model_validator(mode="before")
    @classmethod
    def _expanded(cls, said: Any) -> Any:
        """A line with `each` becomes several; what every line has is given to each."""
        if not isinstance(said, dict) or not isinstance(said.get("lines"), list):
            return said
        every = said.get("every", {})
        rest = {key: value for key, value in said.items() if key != "every"}
        lines = [
            {**every, **line} if isinstance(line, dict) and "measure" not in line else line
            for line in said["lines"]
        ]
        return {**rest, "lines": [one for line in lines for one in _each(line)]}

    @model_validator(mode="after")
    def _names(self) -> Experiment:
        lines = [line.name for line in self.lines]
        columns = [*(column.name for column in self.columns), *REFERENCES]
        sides = [(c.lines, c.columns) for c in self.claims]
        sides += [
            (c.above.get("lines", ()), c.above.get("columns", ())) for c in self.claims if c.above
        ]
        sides += [(s.lines, (*s.columns, *s.without)) for s in self.scales.values()]
        sides += [((), line.columns) for line in self.lines]
        for asked, of in sides:
            for patterns, known, what in ((asked, lines, "line"), (of, columns, "column")):
                for pattern in patterns:
                    if not any(matches(name, [pattern]) for name in known):
                        raise ValueError(f"no {what} '{pattern}'.{hint(pattern, known)}")
        for column in self.columns:
            if column.published and len(column.published) != len(lines):
                raise ValueError(
                    f"column '{column.name}': {len(column.published)} published figures "
                    f"for {len(lines)} lines"
                )
        return self


def matches(name: Any, patterns: tuple[str, ...] | list[str]) -> bool:
    """Whether a name is one of those that the patterns describe."""
    return any(fnmatchcase(str(name), pattern.replace("[", "[[]")) for pattern in patterns)


def load_experiment(path: Path) -> Experiment:
    """The experiment of a file."""
    try:
        return Experiment.model_validate(_said(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise FabulaError(f"{path}: {f'{place}: ' if place else ''}{said}.") from None


def _said(path: Path, followed: tuple[Path, ...] = ()) -> dict[str, Any]:
    """What a file says, and what it takes over from the one that it is like."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FabulaError(f"{path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FabulaError(f"{path}: not valid TOML: {error}.") from None
    like = said.pop("like", None)
    if like is None:
        return said
    other = path.with_name(f"{like}.toml")
    if other in (*followed, path):
        raise FabulaError(f"{path}: like = '{like}' leads back to this file.")
    if not other.is_file():
        known = [each.stem for each in path.parent.glob("*.toml")]
        raise FabulaError(f"{path}: like = '{like}': no {other}.{hint(str(like), known)}")
    return _taken_over(said, _said(other, (*followed, path)))


def _taken_over(said: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Columns, scales and what every line has, where they are not said otherwise."""
    if not all(isinstance(each, dict) and "name" in each for each in said.get("columns", ())):
        return {**other, **said}  # refused by what follows, with the place
    models = {
        column["name"]: {key: value for key, value in column.items() if key != "published"}
        for column in other.get("columns", ())
    }
    own = {column["name"]: column for column in said.get("columns", ())}
    columns = {name: {**models.get(name, {}), **own.get(name, {})} for name in own or models}
    scales: dict[str, Any] = {}
    for name, scale in {**other.get("scales", {}), **said.get("scales", {})}.items():
        mine, theirs = said.get("scales", {}).get(name, {}), other.get("scales", {}).get(name, {})
        chosen = {**theirs.get("columns", {}), **mine.get("columns", {})}
        scales[name] = {
            **theirs,
            **scale,
            "columns": {column: chosen[column] for column in chosen if column in columns},
            "without": [
                column
                for column in scale.get("without", theirs.get("without", ()))
                if column in columns
            ],
        }
    every = {"every": {**other.get("every", {}), **said.get("every", {})}}
    return {**said, **every, "columns": list(columns.values()), "scales": scales}


def _each(line: Any) -> Iterator[Any]:
    if not isinstance(line, dict) or "each" not in line:
        yield line
        return
    rest = {key: value for key, value in line.items() if key != "each"}
    names = list(line["each"])
    for values in zip(*line["each"].values(), strict=True):
        yield _filled(rest, dict(zip(names, values, strict=True)))


def _filled(value: Any, given: Mapping[str, Any]) -> Any:
    """A value with {names} replaced; one that is only a name becomes what stands for it."""
    if isinstance(value, dict):
        return {key: _filled(each, given) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, given) for each in value]
    if not isinstance(value, str):
        return value
    for name, told in given.items():
        if value == f"{{{name}}}":
            return told
        value = value.replace(f"{{{name}}}", str(told))
    return value
