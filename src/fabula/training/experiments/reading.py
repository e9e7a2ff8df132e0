"""Reads the file of an experiment, resolving `like` (inherited keys) and `each` (several lines)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fabula.core.files import parse_toml, unfit_name
from fabula.errors import FabulaError, hint
from fabula.training.experiments.spec import Experiment, matches, problem


def load_experiment(path: Path) -> Experiment:
    """The experiment in a file."""
    said = _expanded(_said(path), path)
    try:
        return Experiment.model_validate(said)
    except ValidationError as error:
        loc, told = problem(error)
        raise FabulaError(f"{path}: {_place(loc, said)}{told}") from None


def _place(loc: tuple[int | str, ...], said: Mapping[str, Any]) -> str:
    """The place of a key, with the name of its line or column."""
    if not loc:
        return ""
    named = None
    if loc[0] in ("lines", "columns") and len(loc) > 1:
        named = said[str(loc[0])][loc[1]].get("name")
    return f"{'.'.join(map(str, loc))}{f' ({named!r})' if named is not None else ''}: "


def _said(path: Path, followed: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The content of a file, merged over the one it is `like`."""
    try:
        said = parse_toml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise FabulaError(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise FabulaError(f"{path}: not valid TOML: {error}.") from None
    _check_kinds(said, path)
    like = said.pop("like", None)
    if like is None:
        return said
    if unfit_name(like):
        raise FabulaError(
            f"{path}: like = {like!r}: give the name of a file in the same folder, without .toml."
        )
    other = path.with_name(f"{like}.toml")
    if other in (*followed, path):
        raise FabulaError(f"{path}: like = '{like}' refers back to this file.")
    if not other.is_file():
        known = [each.stem for each in path.parent.glob("*.toml")]
        raise FabulaError(f"{path}: like = '{like}': no {other}.{hint(like, known)}")
    return _taken_over(said, _said(other, (*followed, path)))


def _check_kinds(said: Mapping[str, Any], path: Path) -> None:
    """Reject values of the wrong type that could not be expanded, before checking the whole."""
    kinds = {"columns": list, "lines": list, "every": dict, "scales": dict}
    for key, kind in kinds.items():
        _check_kind(said.get(key, kind()), kind, f"{path}: {key}")
    for key in ("columns", "lines"):
        for at, each in enumerate(said.get(key, ())):
            _check_kind(each, dict, f"{path}: {key}.{at}")
    for name, scale in said.get("scales", {}).items():
        _check_kind(scale, dict, f"{path}: scales.{name}")
        _check_kind(scale.get("columns", {}), dict, f"{path}: scales.{name}.columns")
        without = scale.get("without", [])
        if not isinstance(without, list) or not all(isinstance(each, str) for each in without):
            raise FabulaError(f"{path}: scales.{name}.without: expected a list of columns.")


def _check_kind(value: Any, kind: type, place: str) -> None:
    if not isinstance(value, kind):
        wanted = "table" if kind is dict else "list of tables"
        raise FabulaError(f"{place}: expected a {wanted}, found {value!r}.")


def _taken_over(said: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Inherit columns, scales and [every] unless they are given."""
    models = [
        {key: column[key] for key in column if key != "published"}
        for column in other.get("columns", ())
    ]
    columns = [_column_taken_over(column, models) for column in said.get("columns", ())] or models
    names = [str(column.get("name")) for column in columns]
    mine, others = said.get("scales", {}), other.get("scales", {})
    scales = {
        name: _scale_taken_over(mine.get(name, {}), others.get(name, {}), names)
        for name in {**others, **mine}
    }
    every = {**other.get("every", {}), **said.get("every", {})}
    return {**said, "every": every, "columns": columns, "scales": scales}


def _column_taken_over(
    column: dict[str, Any], models: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A column merged over the inherited one with its name."""
    same = [model for model in models if "name" in column and model.get("name") == column["name"]]
    return {**same[0], **column} if same else column


def _scale_taken_over(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, Any]:
    """A scale merged over another, restricted to these columns."""
    chosen = {name: each for name, each in theirs.get("columns", {}).items() if name in columns}
    without = [
        pattern
        for pattern in theirs.get("without", ())
        if any(matches(name, [pattern]) for name in columns)
    ]
    return {
        **theirs,
        "without": without,
        **mine,
        "columns": {**chosen, **mine.get("columns", {})},
    }


def _expanded(said: dict[str, Any], path: Path) -> dict[str, Any]:
    """Expand lines with `each`, and add [every] to each line."""
    every = said.get("every", {})
    lines = [line if "measure" in line else {**every, **line} for line in said.get("lines", ())]
    several = [
        one for at, line in enumerate(lines) for one in _each(line, f"{path}: lines.{at}.each")
    ]
    rest = {key: value for key, value in said.items() if key not in ("every", "lines")}
    return {**rest, "lines": several} if "lines" in said else rest


def _each(line: dict[str, Any], place: str) -> Iterator[dict[str, Any]]:
    if "each" not in line:
        yield line
        return
    rest, each = {key: line[key] for key in line if key != "each"}, line["each"]
    lists = each.values() if isinstance(each, dict) else ()
    if not lists or not all(isinstance(values, list) and values for values in lists):
        raise FabulaError(f"{place}: expected names with lists of values, e.g. {{n = [1, 2]}}.")
    if len({len(values) for values in lists}) > 1:
        counts = ", ".join(f"{name} has {len(values)}" for name, values in each.items())
        raise FabulaError(f"{place}: the lists must have the same length: {counts}.")
    for values in zip(*lists, strict=True):
        yield _filled(rest, dict(zip(each, values, strict=True)))


def _filled(value: Any, given: Mapping[str, Any]) -> Any:
    """A value with {names} replaced; a value that is just one name becomes its value."""
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
