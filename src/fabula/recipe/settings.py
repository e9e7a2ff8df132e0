"""Changes to a recipe as typed on the command line: `--set KEY=VALUE`, the value as TOML.

Promise: `cli.common.changes_of` parses exactly the changes that are written here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

_WORD = re.compile(r"(?!(?:true|false|inf|nan)$)[A-Za-z][\w./-]*", re.ASCII)
_KEY = re.compile(r"[\w-]+", re.ASCII)


def typed(changes: Mapping[str, Any]) -> list[str]:
    """The arguments that make these changes, to be typed after the name of a recipe."""
    return [word for key, value in changes.items() for word in ("--set", f"{key}={toml(value)}")]


def toml(value: Any, inside: bool = False) -> str:
    """A value as `--set` takes it: TOML, with plain words unquoted."""
    if isinstance(value, str):
        return value if not inside and _WORD.fullmatch(value) else _quoted(value)
    if isinstance(value, Mapping):
        pairs = (
            f"{key if _KEY.fullmatch(key) else _quoted(key)} = {toml(each, True)}"
            for key, each in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(each, True) for each in value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode().replace("\x7f", "\\u007f")
