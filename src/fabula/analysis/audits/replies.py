"""Replies that a scorer must accept or reject: contents of every sort in every usual form.

A *content* is what a reply claims (the right answer, another one, all of them, none, a negation);
a *form* is how it is written (plain, in a sentence, boxed, as JSON, after some reasoning). Every
pair of the two is a kind of reply, so a scorer is tried with several hundred kinds.

Promises:
1. `right` is known for every reply: a reply is right if and only if it commits to the right answer
   and to no other. Contents on which people would disagree are not used.
2. Names of forms and contents are stable, so that reports can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

__all__ = ["CONTENTS", "FORMS", "Item", "Reply", "replies"]


class Item(NamedTuple):
    """The question that a reply answers."""

    story: str
    question: str
    answer: str
    """The right answer as text; several parts are joined by ', '."""
    choices: tuple[str, ...]
    """All possible answers, the right one among them."""


class Reply(NamedTuple):
    """One reply, and whether it is right."""

    content: str
    form: str
    text: str
    right: bool

    @property
    def kind(self) -> str:
        """Content and form."""
        return f"{self.content}, {self.form}"


# --- forms ------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda said: said,
    "full stop": lambda said: f"{said}.",
    "capital": lambda said: said[:1].upper() + said[1:],
    "upper case": lambda said: said.upper(),
    "spaces around": lambda said: f"  {said} \n",
    "quotes": lambda said: f'"{said}"',
    "bold": lambda said: f"**{said}**",
    "code": lambda said: f"`{said}`",
    "code block": lambda said: f"```\n{said}\n```",
    "labelled": lambda said: f"Answer: {said}",
    "labelled, bold": lambda said: f"**Answer:** {said}",
    "labelled, next line": lambda said: f"Answer:\n{said}",
    "final answer": lambda said: f"Final answer: {said}.",
    "sentence": lambda said: f"The answer is {said}.",
    "boxed": lambda said: f"\\boxed{{{said}}}",
    "boxed text": lambda said: f"$\\boxed{{\\text{{{said}}}}}$",
    "tags": lambda said: f"<answer>{said}</answer>",
    "JSON": lambda said: json.dumps({"answer": said}),
    "JSON in a block": lambda said: f"```json\n{json.dumps({'answer': said})}\n```",
    "after reasoning": lambda said: f"Let me read the story again, step by step.\nAnswer: {said}",
    "after thinking": lambda said: f"<think>I read the story again.</think>\nAnswer: {said}",
    "polite": lambda said: f"Sure! The answer is: {said}.\n\nLet me know if you need more help.",
}

# --- contents ---------------------------------------------------------------------------------

LOOK_ALIKES = str.maketrans("aeopcxyi", "аеорсхуі")


def _others(item: Item) -> list[str]:
    return [choice for choice in item.choices if choice != item.answer]


CONTENTS: dict[str, tuple[bool, Callable[[Item], str | None]]] = {
    "right": (True, lambda item: item.answer),
    "another": (False, lambda item: next(iter(_others(item)), None)),
    "last other": (False, lambda item: _others(item)[-1] if len(_others(item)) > 1 else None),
    "all, commas": (False, lambda item: _several(item, ", ")),
    "all, right last": (False, lambda item: _several([*_others(item), item.answer], ", ")),
    "all, right first": (False, lambda item: _several([item.answer, *_others(item)], ", ")),
    "all, or": (False, lambda item: _several(item, " or ")),
    "all, and": (False, lambda item: _several(item, " and ")),
    "all, slashes": (False, lambda item: _several(item, "/")),
    "all, lines": (False, lambda item: _several(item, "\n")),
    "two, or": (False, lambda item: _pair(item, " or ")),
    "two, other first": (False, lambda item: _pair(item, " or ", swap=True)),
    "negated": (False, lambda item: f"not {item.answer}"),
    "denied": (False, lambda item: f"anything but {item.answer}"),
    "refusal": (False, lambda item: "I cannot tell from the story"),
    "nothing": (False, lambda item: ""),
    "the question": (False, lambda item: item.question),
    "the prompt": (False, lambda item: f"{item.story} {item.question}"),
    "look-alike letters": (False, lambda item: _changed(item, item.answer.translate(LOOK_ALIKES))),
    "truncated": (False, lambda item: _changed(item, item.answer[: max(1, len(item.answer) // 2)])),
    "inside a word": (False, lambda item: f"un{item.answer}ish"),
    "placeholder": (False, lambda item: "[your answer here]"),
}
"""Name of the content: whether it is right, and its text (None if it cannot be made)."""


def _several(words: Item | Sequence[str], between: str) -> str | None:
    found = words.choices if isinstance(words, Item) else words
    return between.join(found) if len(set(found)) > 1 else None


def _pair(item: Item, between: str, swap: bool = False) -> str | None:
    other = next(iter(_others(item)), None)
    if other is None:
        return None
    return between.join((other, item.answer) if swap else (item.answer, other))


def _changed(item: Item, text: str) -> str | None:
    return text if text != item.answer and text.casefold() not in item.choices else None


CHANGED_MIND = "changed mind"
REASONING_ONLY = "reasoning only"


def replies(item: Item) -> Iterator[Reply]:
    """Every kind of reply to a question."""
    for content, (right, make) in CONTENTS.items():
        said = make(item)
        if said is None or (not right and said.casefold() == item.answer.casefold()):
            continue
        for form, write in FORMS.items():
            yield Reply(content, form, write(said), right)
    other = next(iter(_others(item)), None)
    if other is not None:
        for form, write in FORMS.items():
            reasoned = f"At first I thought of {item.answer}, but that is wrong.\n{write(other)}"
            yield Reply(REASONING_ONLY, form, reasoned, False)
            corrected = f"At first I thought of {other}, but that is wrong.\nAnswer: {item.answer}"
        yield Reply(CHANGED_MIND, "labelled", corrected, True)
