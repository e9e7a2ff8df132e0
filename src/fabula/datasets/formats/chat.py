"""Chat messages for fine-tuning: the prompt and the right reply, one conversation per line.

    {"id": …, "messages": [{"role": "user", …}, {"role": "assistant", …}]}

Three styles: the answer alone, a chain of thought written from the proof, and worked examples
before the question. The examples are the same for a whole data set: instances of the recipe's first
split with indices that no data set reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.generation.author import Author, Passage
from fabula.prompting.prompt import prompt, reply
from fabula.prompting.thoughts import thoughts

SHOTS = 3
BEYOND = 10**12  # index of the first worked example


def conversation(asked: str, answered: str, name: str) -> bytes:
    """One line: a question and its reply."""
    messages = [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": answered},
    ]
    return orjson.dumps({"id": name, "messages": messages}) + b"\n"


def _direct(records: Sequence[Instance]) -> bytes:
    return b"".join([conversation(prompt(r), reply(r), r.id) for r in records])


def _thoughtful(records: Sequence[Instance]) -> bytes:
    return b"".join([conversation(prompt(r, "reason"), thoughts(r), r.id) for r in records])


def with_examples(records: Iterable[Instance], examples: Sequence[Instance]) -> bytes:
    """Conversations whose question follows worked examples."""
    return b"".join([conversation(prompt(r, examples=examples), reply(r), r.id) for r in records])


@lru_cache(maxsize=16)
def examples_of(author: Author) -> tuple[Instance, ...]:
    """The worked examples of a data set."""
    split = next(iter(author.recipe.splits))
    teacher = author if split == author.split else Author(author.whole, split, author.seed)
    step = author.block
    return tuple(
        next(teacher.instances(at, at + 1)) for at in range(BEYOND, BEYOND + SHOTS * step, step)
    )


def _few_shot(author: Author, passage: Passage) -> bytes:
    return with_examples(author.records(passage), examples_of(author))


DIRECT = Format(
    "jsonl", "chat messages: question and answer", _direct, numbered=True, loader="json"
)
THOUGHTS = Format(
    "jsonl",
    "chat messages: the proof as a chain of thought, then the answer",
    _thoughtful,
    numbered=True,
    loader="json",
)
FEW_SHOT = Format(
    "jsonl",
    f"chat messages: {SHOTS} worked examples, then question and answer",
    quick=_few_shot,
    numbered=True,
    loader="json",
)
