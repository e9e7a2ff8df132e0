"""The verifier's own parser for stories and questions of the actor world.

Each sentence frame of the language file becomes a plain pattern (see language/patterns.py).
Pronouns are left in place; the rules decide whom they refer to (timeline.py, rules.lp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from fabula.language import Lore, Need
from fabula.language.patterns import (
    MEMO,
    Patterns,
    Slot,
    language_data,
    matching,
    nothing_fits,
    one_of,
    silent,
)
from fabula.world.actors import timeline
from fabula.world.actors.claims import PRONOUN, Sentence
from fabula.world.base import Claim, Fact, Query

KINDS = {
    "MOVE": "move", "AFFIRM": "at", "NEGATE": "not-at", "INDEF": "either", "GRAB": "grab",
    "DROP": "drop", "GIVE": "give", "PUT": "put", "LAY": "lay", "TAKE": "take", "TIME": "went",
    "NEED": "need", "COLOUR": "colour", "STATE": "state",
}  # fmt: skip
"""The facts that each frame of the language file states."""
UNCAPPED = ("where-will-go", "why-go", "why-get")
"""Questions that may write a name without its capital."""


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str) -> None:
        data = language_data(code, "actors")
        self._code = code
        self._silent = silent(code, "actors")
        self.lore = Lore(
            tuple(data.get("times", ())),
            {mood: Need(**need) for mood, need in data.get("needs", {}).items()},
        )
        self._sorts: dict[str, Slot] = {sort: matching(x) for sort, x in data["tokens"].items()}
        self._sorts["time"] = one_of({word: word for word in self.lore.times})
        self._sorts["Time"] = one_of({_capital(word): word for word in self.lore.times})
        self._sorts["mood"] = one_of({word: word for word in self.lore.needs})
        for look, words in data.get("looks", {}).items():
            self._sorts[look] = one_of({word: word for word in words})
        self._pronoun = one_of(dict.fromkeys(data["pronouns"], PRONOUN))
        self._sentences, self._questions = Patterns(), Patterns()
        for frame, texts in data["frames"].items():
            self._add_frame(data, frame.partition("-")[0], texts)
        for table in ("questions", "plural_questions"):
            for kind, text in data.get(table, {}).items():
                sorts = data["question_slots"][kind]
                slots = {str(n): self._sorts[sort] for n, sort in enumerate(sorts)}
                self._questions.add(text, (kind, len(sorts)), slots)
        self._known: dict[str, Sentence] = {}

    def _add_frame(self, data: Mapping[str, Any], kind: str, texts: Sequence[str]) -> None:
        subject, sorts = data["subject"], data["slots"][kind]
        person = self._sorts["object" if kind in data.get("things", ()) else "person"]
        who: list[tuple[str, tuple[str, ...]]] = [("{who}", ("who",))]
        if kind not in data.get("things", ()):
            two = subject["two"].replace("{0}", "{who}").replace("{1}", "{and}")
            who.append((two, ("who", "and")))
            for lead in subject["leads"]:
                said = subject["pronoun"].replace("{lead}", lead)
                who.append((said, ("pronoun",)))
        for text in texts:
            for verb in data["verbs"].get(kind, ()) if "{v}" in text else ("",):
                slots = {"who": person, "and": person, "pronoun": self._pronoun}
                for n, sort in enumerate(sorts, 1):
                    opening = text.startswith(f"{{{n}}}")
                    slots[str(n)] = self._sorts[_capital(sort) if opening else sort]
                for form, subjects in who:
                    template = text.replace("{v}", verb).replace("{0}", form)
                    meaning = (KINDS[kind], subjects, len(sorts))
                    self._sentences.add(template, meaning, slots)

    def sentence(self, text: str) -> Sentence:
        """The facts of a sentence; their subject is PRONOUN if the sentence has a pronoun."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= MEMO:
                self._known.clear()
            known = self._known[text] = self._parsed(text)
        return known

    def _parsed(self, text: str) -> Sentence:
        found = self._sentences.best(text)
        if found is None:
            if self._silent(text):
                return Sentence((), False)
            raise nothing_fits(self._code, text)
        kind, subjects, count = found.meaning
        args = tuple(found.slots[str(n)] for n in range(1, count + 1))
        facts = tuple((kind, found.slots[subject], *args) for subject in subjects)
        return Sentence(facts, subjects == ("pronoun",))

    def question(self, text: str) -> Query:
        """The query behind a question."""
        found = self._questions.best(text.strip())
        if found is None:
            raise nothing_fits(self._code, text, "question")
        kind, count = found.meaning
        return (kind, *(found.slots[str(n)] for n in range(count)))


class Account:
    """The verifier's view of a story."""

    def __init__(self, code: str, sentences: Sequence[str]) -> None:
        self._grammar = grammar(code)
        self._told = [self._grammar.sentence(sentence) for sentence in sentences]
        self._timeline = timeline.Timeline(self._told, self._grammar.lore)

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""
        return self._timeline.facts

    def query(self, question: str) -> Query:
        """The query behind a question."""
        return self._grammar.question(question)

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """The objections to each claim; found by the logic program if `logic` is set."""
        asked = [Claim(self._named(claim.query), *claim[1:]) for claim in claims]
        if logic:
            from fabula.world.actors import oracle

            return oracle.prove(self._told, asked, self._grammar.lore)
        return [self._timeline.prove(claim) for claim in asked]

    def _named(self, query: Query) -> Query:
        """The query with the name as the story writes it."""
        if query[0] in UNCAPPED:
            people = {fact[1] for facts in self.facts() for fact in facts if fact[0] == "need"}
            if query[1] not in people and _capital(query[1]) in people:
                return (query[0], _capital(query[1]), *query[2:])
        return query


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


@cache
def grammar(code: str) -> Grammar:
    """The patterns of a language."""
    return Grammar(code)
