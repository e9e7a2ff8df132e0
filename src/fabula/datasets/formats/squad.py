"""Extractive form: SQuAD's JSON, where the answer is a span of the text.

    {"version": "1.1", "data": [{"title": …, "paragraphs": [{"context": …, "qas": [
        {"id": …, "question": …, "answers": [{"text": "park", "answer_start": 17}]}]}]}]}

Promises:
1. `context[answer_start:answer_start + len(text)]` is the answer, a whole word, in the last
   sentence of the support that contains it.
2. An answer that is not a span of its support (yes, two, a list of things) is an error that names
   the instance and the recipes that have spans.
3. The context begins with the conventions of the recipe, unless the story states them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.errors import FabulaError
from fabula.prompting.prompt import conventions

VERSION = "1.1"


def context(instance: Instance) -> str:
    """The text that a model reads: the conventions, unless the story states them, and the story."""
    return " ".join([*conventions(instance), *instance.story])


def span(instance: Instance) -> tuple[str, int]:
    """The answer and its offset in the context."""
    if len(instance.answer) != 1:
        raise _no_span(instance)
    word = instance.answer[0]
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    starts = [sum(len(sentence) + 1 for sentence in conventions(instance))]
    for sentence in instance.story:
        starts.append(starts[-1] + len(sentence) + 1)
    for number in sorted(instance.support, reverse=True):
        found = list(pattern.finditer(instance.story[number - 1]))
        if found:
            return word, starts[number - 1] + found[-1].start()
    raise _no_span(instance)


def _no_span(instance: Instance) -> FabulaError:
    return FabulaError(
        f"{instance.id}: the answer '{', '.join(instance.answer)}' to '{instance.question}' is not "
        "a span of its support. The format squad is for questions that are answered by a place, a "
        "person or a thing, as in dyna/mix-t2 and dyna/mix-t7; ask no others "
        "(--set asks.yes-no=0 and so on)."
    )


def paragraph(instances: Sequence[Instance]) -> dict[str, Any]:
    """The questions of one story; questions about a shorter part of it have their own paragraph."""
    questions = []
    for each in instances:
        text, start = span(each)
        answers = [{"text": text, "answer_start": start}]
        questions.append({"id": each.id, "question": each.question, "answers": answers})
    return {"context": context(instances[0]), "qas": questions}


def _render(records: Sequence[Instance]) -> bytes:
    """A story as an article: a paragraph for each length at which it is asked about."""
    stories: dict[tuple[str, ...], list[Instance]] = {}
    for record in records:
        stories.setdefault(record.story, []).append(record)
    article = {
        "title": records[0].id,
        "paragraphs": [paragraph(group) for group in stories.values()],
    }
    return orjson.dumps(article)


FORMAT = Format(
    "json",
    "SQuAD's JSON: the answer as a span of the text",
    _render,
    header=b'{"version": "%s", "data": [\n' % VERSION.encode(),
    separator=b",\n",
    footer=b"\n]}\n",
)
