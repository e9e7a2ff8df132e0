"""The plan of a run: model, settings and data; everything that determines the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from fabula._version import __version__
from fabula.core.files import make_folder, read_json, write_json
from fabula.errors import FabulaError, hint
from fabula.training.model import Model, Regime, check_number
from fabula.training.source import Source, plain
from fabula.training.stored import weights

PLAN = "plan.json"
T = TypeVar("T")


@dataclass(frozen=True)
class TrainingPlan:
    """Everything that determines the weights of a run."""

    model: str
    data: tuple[Source, ...]
    """Training data; several sources are trained on jointly."""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    regime: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    start: str | None = None
    """The run that this one is fine-tuned from: with its words, answers and weights."""
    words: tuple[Source, ...] = ()
    """Data whose words and answers are known too, although they are not trained on."""
    device: str = "cpu"
    mixed: bool = False
    budget: float | None = None
    threads: int = 1

    def own_tests(self) -> dict[str, Source]:
        """The default test data: the test splits of the training data."""
        return {source.name: source for source in self.data}

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON data, as stored with a run."""
        sources = {
            name: [source.to_dict() for source in getattr(self, name)] for name in ("data", "words")
        }
        return plain({**asdict(self), **sources, "version": __version__})


def divided(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings divided into sizes of the model and changes to its regime."""
    common = {field.name for field in fields(Regime)}
    sizes = {name: value for name, value in given.items() if name not in common}
    return sizes, {name: value for name, value in given.items() if name in common}


def settings(
    model: type[Model], sizes: Mapping[str, Any], regime: Mapping[str, Any]
) -> tuple[Any, Regime]:
    """The sizes and regime of a model with changes; unknown or invalid settings are rejected."""
    known = {field.name for field in fields(model.Sizes)}
    common = {field.name for field in fields(Regime)}
    for name in (*sizes, *regime):
        if name not in known | common:
            raise FabulaError(
                f"model {model.__name__}: no setting '{name}'.{hint(name, sorted(known | common))}"
            )
    found: Any = _checked(model.Sizes, {**asdict(model.Sizes()), **sizes})
    for size in fields(model.Sizes):
        _check_size(size, getattr(found, size.name))
    model.check(found)
    return found, _checked(Regime, {**asdict(model.regime), **regime})


def _check_size(size: Field[Any], value: Any) -> None:
    """Check that a size is at least 1, or at least 0 if that is the default or has a meaning."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    whole = isinstance(size.default, int) and size.default != 0
    check_number(size.name, value, size.metadata.get("least", 1 if whole else 0))
    if size.name == "dropout" and value >= 1:
        raise FabulaError("setting 'dropout': it must be below 1.")


def _checked(kind: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass of settings with its types checked."""
    for known in fields(kind):  # type: ignore[arg-type]
        given = values.get(known.name)
        if isinstance(given, bool) and type(known.default) in (int, float):
            raise FabulaError(f"setting '{known.name}': it must be a number.")
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        name, text = ".".join(map(str, first["loc"])), first["msg"]
        raise FabulaError(f"setting '{name}': {text[0].lower()}{text[1:]}.") from None


def keep_plan(plan: TrainingPlan, folder: Path) -> None:
    """Write the plan into its folder; raises an error if it contains another."""
    make_folder(folder)
    header, said = folder / PLAN, plan.to_dict()
    if plan.start:
        said["start_weights"] = weights(Path(plan.start))
    kept = read_json(header)
    if kept == said:
        return
    if kept and any(folder.glob("restart-*/[!.]*")):  # a lock does not count
        other = sorted(name for name in kept | said if kept.get(name) != said.get(name))
        raise FabulaError(
            f"{folder}: contains another run ({', '.join(other)}: not the same); choose another "
            "folder or remove it."
        )
    write_json(header, said)
