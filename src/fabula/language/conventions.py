"""Conventions: the assumptions behind a story, stated in words.

Some answers follow from the text only for a reader who knows how it is meant: that a relation is
one step on a grid, or that a child's parents are married to each other. Each such rule has a name
and one sentence, in `language/<code>/conventions.toml`; other languages translate it like any other
sentence (see phrasebook.py).

Promises:
1. A convention is stated once, as data. Prompts, stories, dataset cards and documentation all take
   its sentence from here.
2. A sentence that states a convention adds no fact. Every reader recognises it as such.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from fabula.core.registry import plugin_folders
from fabula.language.filler import filler_set

EACH = "needs"
"""The table of a world's language file whose rows fill the patterns with slots."""


@cache
def patterns(code: str, world: str) -> Mapping[str, str]:
    """The sentences by name, as in the language file; some have slots."""
    found: dict[str, str] = _file(code, "conventions").get(world, {})
    return found


@cache
def conventions(code: str, world: str) -> Mapping[str, str]:
    """All conventions of a world: name and sentence."""
    found: dict[str, str] = {}
    for name, text in patterns(code, world).items():
        for row in _rows(code, world) if "{" in name else ({},):
            found[name.format_map(row)] = text.format_map(row)
    return found


@cache
def silent(code: str, world: str) -> frozenset[str]:
    """The sentences that state no fact: fillers, and those that state a convention."""
    return filler_set(code) | frozenset(conventions(code, world).values())


def sentences(code: str, world: str, names: Sequence[str]) -> list[str]:
    """The sentences that state these conventions."""
    known = conventions(code, world)
    return [known[name] for name in names]


def _rows(code: str, world: str) -> Iterator[Mapping[str, str]]:
    for mood, need in _file(code, world)[EACH].items():
        yield {"mood": mood, "place": need["place"], "object": need["thing"]}


def _file(code: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}  # a plug-in adds tables but cannot replace one of ours
    for place in (*plugin_folders("language"), resources.files("fabula.language")):
        path = place / code / f"{name}.toml"
        if path.is_file():
            found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found
