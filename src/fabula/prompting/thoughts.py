"""A proof in words: a chain of thought that a model may be trained on.

Promises:
1. It says nothing that the record does not prove: it gives the sentences of the support in the
   order of the story, the referents of their pronouns, and the steps of the record's own proof.
2. It ends as the prompt asks, so `fabula.score` finds the answer (a test checks every recipe).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from fabula.core.instance import Instance
from fabula.errors import RecipeError
from fabula.language import language_file
from fabula.prompting.prompt import reply


@cache
def _words(code: str) -> dict[str, Any]:
    try:
        return language_file(code, "reasoning")
    except RecipeError:
        return language_file("en", "reasoning")


def thoughts(record: Instance) -> str:
    """The proof of a record in words, then the answer."""
    words = _words(str(record.provenance.get("language", "en")))
    lines = []
    if record.supports:
        lines.append(words["support"])
        lines += [_sentence(record, number, words) for number in sorted(record.support)]
        lines += _steps(record, words)
    else:
        lines.append(words["nothing"])
    lines.append(words["end"].format(question=record.question))
    return "\n".join([*lines, reply(record)])


def _sentence(record: Instance, number: int, words: dict[str, Any]) -> str:
    sentence = record.story[number - 1]
    known = set(re.findall(r"\w+", sentence))
    hidden = dict.fromkeys(  # people of the fact whom the sentence does not name
        name
        for fact in record.facts[number - 1]
        for name in fact[1:]
        if name[:1].isupper() and not set(re.findall(r"\w+", name)) <= known
    )
    if record.provenance.get("world") == "actors" and hidden:
        names = ", ".join(hidden)
        return str(words["means"].format(number=number, sentence=sentence, names=names))
    return str(words["sentence"].format(number=number, sentence=sentence))


def _steps(record: Instance, words: dict[str, Any]) -> list[str]:
    """The steps of a proof stored in the record: what follows from which facts.

    Kinship has them as triples, the conclusion first; stated facts need no step.
    """
    steps = record.features.get("proof")
    if record.provenance.get("world") != "kinship" or not isinstance(steps, list):
        return []
    told = []
    for step in reversed(steps):
        first, relation, second = step["fact"]
        told.append(words["step"].format(first=first, relation=relation, second=second))
    return told
