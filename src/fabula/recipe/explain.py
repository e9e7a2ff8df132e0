"""Error messages for invalid recipes: the place, the problem, a suggestion."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ValidationError

from fabula.core.soundness import shown
from fabula.errors import hint


def explain(error: ValidationError, place: str, model: type[BaseModel]) -> str:
    """The first problem, with its place and a suggestion."""
    problem = error.errors()[0]
    where = _where(problem["loc"])
    here = f"{place}, {where}" if where else place
    if problem["type"] == "extra_forbidden":
        key = str(problem["loc"][-1])
        return f"{here}: unknown key.{hint(key, _keys(model, problem['loc'][:-1]))}"
    if problem["type"] == "missing":
        return f"{here}: this key is missing."
    if problem["type"] == "value_error":
        said = str(problem["ctx"]["error"])
        return f"{here}: {said}{'' if said.endswith(('.', '?')) else '.'}"
    said = f"{problem['msg'][:1].lower()}{problem['msg'][1:]}"
    return f"{here}: {said} (given: {shown(problem.get('input'))})."


def _where(loc: tuple[int | str, ...]) -> str:
    """A location as the user would write it, without pydantic's names of union branches."""
    text = ""
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not re.search(r"[\[(]|^(constrained-.*|int|tuple|str)$", part):
            text += f".{part}" if text else part
    return text


def _keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys allowed at a location."""
    fields: Any = model
    for part in loc:
        if isinstance(part, int):
            continue
        field = fields.model_fields.get(part)
        if field is None:
            return list(fields.model_fields)
        for candidate in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                fields = candidate
                break
        else:
            return []
    return list(fields.model_fields)
