"""A proof step by step, in every world: what follows after each sentence of the support.

The sentences of the support are read alone, one after another. After each, the reader is asked
where the people in it are, what the relation of two things is, and so on; whatever it can answer
for the first time is a step. So steps are not made up: they are the reader's conclusions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabula.core.instance import Instance
from fabula.core.supports import mask_of
from fabula.errors import FabulaError
from fabula.evaluation.run import kept_record
from fabula.language.catalogue import native, tongue_of
from fabula.world import WORLDS
from fabula.world.base import Query, Reading, World

MOST = 4  # conclusions shown per step
PLACES = {"actors": ("where-person", "where-object")}
"""Intermediate questions by world; in addition, the question itself with other names."""


def steps(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each sentence of the support: its number, its facts, and what follows with it."""
    instance = kept_record(record)
    name = str(instance.provenance.get("world", ""))
    if name not in WORLDS or not instance.supports:
        return []
    try:
        return _Trace(instance, WORLDS[name], name).steps()
    except (FabulaError, LookupError, ValueError):  # a record of another version
        return []


class _Trace:
    def __init__(self, instance: Instance, world: World, name: str) -> None:
        made = instance.provenance
        self.tongue = tongue_of(name, made)
        story = self.tongue.hear(instance.story) if self.tongue else instance.story
        code = native(str(made.get("language", "en")), name)
        self.code = world.idiom(code, instance.features)
        self.instance, self.world, self.kinds = instance, world, PLACES.get(name, ())
        self.reading: Reading = world.read(self.code, story)
        self.facts = self.reading.facts()

    def steps(self) -> list[dict[str, Any]]:
        numbers = sorted(self.instance.support)
        known: dict[Query, tuple[str, ...]] = {}
        found = []
        for at, number in enumerate(numbers, 1):
            so = [
                self._told(query, answer)
                for query, answer in self._concluded(numbers[:at])
                if known.get(query) != answer and not known.update({query: answer})
            ]
            facts = [f"{fact[0]}({', '.join(fact[1:])})" for fact in self.facts[number - 1]]
            found.append({"sentence": number, "facts": facts, "so": so[-MOST:]})
        derived = self.instance.features.get("proof")
        for step in reversed(derived) if isinstance(derived, list) else ():
            because = " and ".join(_triple(fact) for fact in step["from"])
            so = [f"{_triple(step['fact'])} because {because}"]
            found.append({"sentence": None, "facts": [], "so": so})
        return found

    def _concluded(self, numbers: Sequence[int]) -> Iterator[tuple[Query, tuple[str, ...]]]:
        """Conclusions from some sentences alone; the question itself comes last."""
        mask = mask_of(numbers)
        for query in (*self._queries(numbers), self.instance.query):
            try:
                answer = self.reading.alone(query, mask)
            except (LookupError, ValueError):  # this question does not apply
                continue
            if answer:
                yield query, answer

    def _queries(self, numbers: Sequence[int]) -> Iterator[Query]:
        names = dict.fromkeys(
            name for number in numbers for fact in self.facts[number - 1] for name in fact[1:]
        )
        asked = self.instance.query
        for name in names:
            for kind in self.kinds:
                yield kind, name
            if not self.kinds:
                for at in range(1, len(asked)):
                    if name not in asked[1:]:
                        yield (*asked[:at], name, *asked[at + 1 :])

    def _told(self, query: Query, answer: tuple[str, ...]) -> str:
        question = self.world.ask(self.code, query)
        if self.tongue:
            question, answer = self.tongue.ask(question), self.tongue.say(answer)
        return f"{question} {', '.join(answer)}"


def _triple(fact: Sequence[str]) -> str:
    """A relation as words: Angela –son→ Saul."""
    return f"{fact[0]} –{fact[1]}→ {fact[2]}" if len(fact) == 3 else " ".join(fact)
