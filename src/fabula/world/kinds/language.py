"""Kinds in words: rendered, and parsed back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from fabula.language import language_file
from fabula.language.conventions import silent
from fabula.world.base import Fact, Query
from fabula.world.relations import Wording

ROLES = ("one", "article", "kind", "Kinds", "kinds", "others", "colour")
MEMO_LIMIT = 200_000


class KindsLanguage:
    """One language for kinds."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        tokens = data["tokens"]
        self._code: str = data["code"]
        self._sentences = Wording(data["sentences"], ROLES, tokens)
        self._questions = Wording(data["questions"], ROLES, tokens)
        self._plurals: dict[str, str] = data["plurals"]
        self._singulars = {plural: word for word, plural in self._plurals.items()}
        self._said: dict[Fact, str] = {}
        self._facts: dict[str, Fact] = {}

    def plural(self, kind: str) -> str:
        """The plural of a kind."""
        return self._plurals.get(kind) or f"{kind}s"

    def singular(self, kinds: str) -> str:
        """The singular of a plural."""
        return self._singulars.get(kinds) or kinds.removesuffix("s")

    def say(self, fact: Fact) -> str:
        """The sentence for a fact."""
        said = self._said.get(fact)
        if said is None:
            said = self._say(fact)
            if len(self._said) < MEMO_LIMIT:
                self._said[fact] = said
        return said

    def _say(self, fact: Fact) -> str:
        kind, first, second = fact
        slots = dict.fromkeys(ROLES, "")
        if kind in ("member", "colour"):
            slots["one"] = first
            slots["kind" if kind == "member" else "colour"] = second
            slots["article"] = "an" if second[0] in "aeiou" else "a"
        else:
            slots["kinds"], slots["others"] = self.plural(first), self.plural(second)
            slots["Kinds"] = slots["kinds"].capitalize()
        return self._sentences.say(kind, list(slots.values()), lambda: 0.0)

    def parse(self, sentence: str) -> Fact:
        """The fact of a sentence: member, subkind, fear or colour, and its two arguments.

        Empty if it states none (see language/conventions.py).
        """
        fact = self._facts.get(sentence)
        if fact is None and sentence in silent(self._code, "kinds"):
            return ()
        if fact is None:
            kind, *args = self._sentences.parse(sentence)
            if kind == "member":
                fact = (kind, args[0], args[2])
            elif kind == "colour":
                fact = (kind, *args)
            else:
                fact = (kind, *(self.singular(word.lower()) for word in args))
            if len(self._facts) < MEMO_LIMIT:
                self._facts[sentence] = fact
        return fact

    def ask(self, query: Query) -> str:
        """The question in words."""
        return self._questions.say(query[0], [query[1], *[""] * 6], lambda: 0.0)

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""
        return self._questions.parse(question)


@cache
def language(code: str) -> KindsLanguage:
    """The language with this code."""
    return KindsLanguage(language_file(code, "kinds"))
