"""Filler sentences, and names that no recipe uses: word banks for rewriting stories."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from fabula.errors import FabulaError


@cache
def fillers(code: str) -> tuple[str, ...]:
    """All filler sentences of a language, which say nothing about a story; none if it has no such
    file.
    """
    return tuple(
        f"{subject} {predicate}."
        for group in _bank(code, "filler").get("groups", ())
        for predicate in group["predicates"]
        for subject in group["subjects"]
    )


@cache
def filler_set(code: str) -> frozenset[str]:
    """The filler sentences as a set."""
    return frozenset(fillers(code))


def unseen(code: str) -> dict[str, dict[str, list[str]]]:
    """Names that no recipe uses: persons by pronoun, places and objects."""
    bank = _bank(code, "unseen")
    if not bank:
        raise FabulaError(f"there are no unseen names for the language '{code}'.")
    return bank


@cache
def _bank(code: str, name: str) -> dict[str, Any]:
    path = resources.files("fabula.language") / code / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
