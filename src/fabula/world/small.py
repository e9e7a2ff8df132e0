"""Worlds of one fact a sentence: what their folders share, so that each only names its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from fabula.core.seeds import Draw
from fabula.recipe.model import Recipe
from fabula.world.base import Account, Brief, Citation, Claim, Query, Reading, Tale, World


class Speech(Protocol):
    """A language, as far as questions go."""

    def ask(self, query: Query) -> str:
        """The question in words."""

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""


def small_world(
    folder: str,
    recipe: type[Recipe],
    *,
    tale: Callable[[Any, Draw, Draw, Brief], Tale],
    language: Callable[[str], Speech],
    read: Callable[[str, Sequence[str]], Reading],
    choices: Callable[[Any, Query], list[str] | None],
    citations: Callable[[Any, Query], list[Citation]],
    conventions: Callable[[Any], tuple[str, ...]],
    relies: Callable[[Any, Query, tuple[str, ...], Sequence[int]], tuple[str, ...]],
    about: str,
) -> World:
    """The world in a folder; what proves is only loaded when something is to be proven."""

    def begin(given: Recipe, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
        assert isinstance(given, recipe)
        return tale(given, unfold, tell, brief)

    def account(code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        found: Account = import_module(f"{folder}.account").Account(code, sentences)
        return found

    def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
        return account(code, sentences, {}).prove(claims)

    return World(
        recipe,
        begin,
        read,
        lambda code, query: language(code).ask(query),
        lambda code, question: language(code).parse_question(question),
        choices,
        prove,
        about,
        citations=citations,
        conventions=conventions,
        relies=relies,
        account=account,
    )
