"""Worlds of one fact a sentence: what they share, so that each only names its pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

from fabula.world.base import Account, Query, World


class SmallWorld(World):
    """A world in a folder of its own, with the verifier's reading in the module `account` there."""

    language: ClassVar[Any]
    """A function from a code to a language that can ask and parse questions."""

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return str(type(self).language(code).ask(query))

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        found: Query = type(self).language(code).parse_question(question)
        return found

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own reading; it is only loaded when something is to be proven."""
        own = import_module(f"{type(self).__module__}.account")
        found: Account = own.Account(code, sentences)
        return found
