"""Base classes for worlds with one fact per sentence, so that each defines only its own parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Protocol

from fabula.world.base import Account, Claim, Fact, Query, World
from fabula.world.proving import examine


class SmallWorld(World):
    """A world in its own folder, whose module `account` has the verifier."""

    language: ClassVar[Any]
    """Function from a language code to a language that can ask and parse questions."""

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return str(type(self).language(code).ask(query))

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        found: Query = type(self).language(code).parse_question(question)
        return found

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own view; imported only when something has to be proven."""
        own = import_module(f"{type(self).__module__}.account")
        found: Account = own.Account(code, sentences)
        return found


class Grammar(Protocol):
    """The patterns of one language, as the verifier reads them."""

    def fact(self, sentence: str) -> Fact:
        """The fact of a sentence; empty if it states none."""

    def question(self, text: str) -> Query:
        """The query behind a question."""


class SmallAccount(ABC):
    """The verifier's view of a story; the logic program is in the module `oracle` next to it."""

    def __init__(self, grammar: Grammar, sentences: Sequence[str]) -> None:
        self._grammar = grammar
        self._facts = [grammar.fact(sentence) for sentence in sentences]

    @abstractmethod
    def conclude(self, query: Query, told: Collection[int]) -> object:
        """The conclusion of these sentences for a query."""

    @abstractmethod
    def wanted(self, answer: tuple[str, ...]) -> object:
        """The value that `conclude` must return for an answer."""

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence."""
        return [(fact,) if fact else () for fact in self._facts]

    def query(self, question: str) -> Query:
        """The query behind a question."""
        return self._grammar.question(question)

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """Objections to each claim, by the logic program if `logic` is set; empty if proven."""
        if logic:
            oracle = import_module(f"{type(self).__module__.rpartition('.')[0]}.oracle")
            found: list[list[str]] = oracle.prove(self._facts, claims)
            return found
        return [self._examined(claim) for claim in claims]

    def _examined(self, claim: Claim) -> list[str]:
        def conclude(told: Collection[int]) -> object:
            return self.conclude(claim.query, told)

        return examine(claim, len(self._facts), conclude, self.wanted(claim.answer))
