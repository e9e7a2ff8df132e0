"""The verifier's own reading of stories about kinds, and what follows from them.

An individual is of a kind if the story says so, and of every kind above it, and is afraid of
whatever one of these kinds is afraid of. By convention (see rules.lp), an individual without a
stated colour has the colours of the others stated to be of the same kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from fabula.language.patterns import Patterns, language_data, matching, nothing_fits, silent
from fabula.world.base import Fact, Query
from fabula.world.small import SmallAccount

SLOTS = {
    "member": ("one", "kind"),
    "subkind": ("kinds", "others"),
    "fear": ("Kinds", "others"),
    "colour": ("one", "colour"),
}
"""The slots that hold the arguments of a fact."""
PLURAL = ("kinds", "Kinds", "others")


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str) -> None:
        data = language_data(code, "kinds")
        self._code, self._silent = code, silent(code, "kinds")
        self._singular = {plural: word for word, plural in data["plurals"].items()}
        slots = {slot: matching(token) for slot, token in data["tokens"].items()}
        self._sentences, self._questions = Patterns(), Patterns()
        for table, patterns in (("sentences", self._sentences), ("questions", self._questions)):
            for kind, texts in data[table].items():
                for text in texts:
                    patterns.add(text, kind, slots)

    def _one(self, slot: str, word: str) -> str:
        """The content of a slot, in the singular."""
        if slot not in PLURAL:
            return word
        word = word.lower()
        return self._singular.get(word) or word.removesuffix("s")

    def fact(self, sentence: str) -> Fact:
        """The fact of a sentence; empty if it states none."""
        found = self._sentences.best(sentence)
        if found is None:
            if self._silent(sentence):
                return ()
            raise nothing_fits(self._code, sentence)
        slots = SLOTS[found.meaning]
        return (found.meaning, *(self._one(slot, found.slots[slot]) for slot in slots))

    def question(self, text: str) -> Query:
        """The query behind a question."""
        found = self._questions.best(text.strip())
        if found is None:
            raise nothing_fits(self._code, text, "question")
        return (found.meaning, found.slots["one"])


class Account(SmallAccount):
    """The verifier's view of a story."""

    def __init__(self, code: str, sentences: Sequence[str]) -> None:
        super().__init__(grammar(code), sentences)

    def conclude(self, query: Query, told: Collection[int]) -> set[str]:
        """The conclusion of these sentences for a query."""
        return answers(self._facts, query, told)

    def wanted(self, answer: tuple[str, ...]) -> set[str]:
        """The value that `conclude` must return for an answer."""
        return set(answer)


def answers(facts: Sequence[Fact], query: Query, told: Collection[int]) -> set[str]:
    """All answers to a query that follow from these sentences."""
    known = [fact for number in told if (fact := facts[number - 1])]
    # a question may write the name without its capital
    names = {fact[1].lower(): fact[1] for fact in facts if fact and fact[0] in ("member", "colour")}
    name = names.get(query[1].lower(), query[1])
    kinds = [fact[2] for fact in known if fact[:2] == ("member", name)]
    if query[0] == "afraid":
        for kind in kinds:  # grows during iteration
            above = [fact[2] for fact in known if fact[:2] == ("subkind", kind)]
            kinds += [other for other in above if other not in kinds]
        return {fact[2] for fact in known if fact[0] == "fear" and fact[1] in kinds}
    own = {fact[2] for fact in known if fact[:2] == ("colour", name)}
    peers = {fact[1] for fact in known if fact[0] == "member" and fact[2] in kinds} - {name}
    return own or {fact[2] for fact in known if fact[0] == "colour" and fact[1] in peers}


@cache
def grammar(code: str) -> Grammar:
    """The patterns of a language."""
    return Grammar(code)
