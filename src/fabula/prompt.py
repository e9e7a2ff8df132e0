"""How a model is asked: story, question, the form of the answer, and how to reply.

Promises:
1. A prompt is a function of the record alone: it says nothing of answer, support or proof.
2. It names every answer that is possible, or the form the answer has, so that nobody fails for not
   knowing that it is 'none' and not 'zero'.
3. A reply in the form that it asks for is understood by `fabula.score`; letters of choices are
   scored on `lettered(instance)`.

The words come from `language/<code>/prompt.toml`; a language without that file is asked in English.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import orjson

from fabula.errors import FabulaError, RecipeError, hint
from fabula.instance import Instance
from fabula.language import language_file
from fabula.worlds.base import ORDERED

DEFAULT_STYLE = "direct"
DEFAULT_FORM = "word"
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Letters of choices; no I, which is a word."""


@cache
def _words(code: str) -> dict[str, Any]:
    try:
        return language_file(code, "prompt")
    except RecipeError:
        return language_file("en", "prompt")


def _words_for(instance: Instance) -> dict[str, Any]:
    return _words(str(instance.provenance.get("language", "en")))


def styles() -> list[str]:
    """The ways to ask for a reply: 'direct' (the answer alone), 'reason' (thoughts first)."""
    return list(_words("en")["styles"])


def forms() -> list[str]:
    """The forms of an answer: 'word', and what else a model may be asked for."""
    return [DEFAULT_FORM, *_words("en")["forms"]]


def prompt(
    instance: Instance,
    style: str = DEFAULT_STYLE,
    examples: Iterable[Instance] = (),
    form: str = DEFAULT_FORM,
) -> str:
    """What a model is asked, after worked examples if there are any.

    >>> print(prompt(fabula.instance("babi/qa2", "test", 3)))
    """
    worked = [f"{case(example, form)}\n{reply(example, form)}" for example in examples]
    return "\n\n".join([instruction(instance, style, form), *worked, case(instance, form)])


def instruction(instance: Instance, style: str = DEFAULT_STYLE, form: str = DEFAULT_FORM) -> str:
    """What is to be done, and in which form the reply is wanted; the same for a whole recipe."""
    words = _words_for(instance)
    if style not in words["styles"]:
        raise FabulaError(f"unknown style of prompt '{style}'.{hint(style, words['styles'])}")
    if form not in forms():
        raise FabulaError(f"unknown form of answer '{form}'.{hint(form, forms())}")
    return f"{words['task']} {_form(instance, form).get(style, words['styles'][style])}"


def _form(instance: Instance, form: str) -> dict[str, str]:
    """The words of a form; none where the answer is asked for as a word."""
    if form == "letter" and lettered(instance) is instance:
        return {}
    found: dict[str, str] = _words_for(instance).get("forms", {}).get(form, {})
    return found


def case(instance: Instance, form: str = DEFAULT_FORM) -> str:
    """Story, question, and what an answer looks like."""
    words = _words_for(instance)
    kind = "one" if instance.choices else "path" if instance.query[0] in ORDERED else "list"
    choices, own = instance.choices or (), _form(instance, form)
    if form == "letter" and own:
        choices = tuple(f"{letter}. {word}" for letter, word in zip(LETTERS, choices, strict=False))
    return "\n".join(
        [
            words["story"],
            *instance.story,
            "",
            words["question"].format(question=instance.question),
            own.get(kind, words["form"][kind]).format(choices=", ".join(choices)),
        ]
    )


def reply(instance: Instance, form: str = DEFAULT_FORM) -> str:
    """The right reply, in the form that the prompt asks for."""
    if form == "json":
        answer = instance.answer
        return orjson.dumps({"answer": answer[0] if len(answer) == 1 else answer}).decode()
    said = lettered(instance).answer if form == "letter" else instance.answer
    words = _form(instance, form).get("answer", _words_for(instance)["answer"])
    return str(words).format(answer=", ".join(said))


def lettered(instance: Instance) -> Instance:
    """The instance with letters for answers, to score a reply by; itself if it has no choices."""
    choices = instance.choices
    if not choices or len(choices) > len(LETTERS) or len(instance.answer) != 1:
        return instance
    letters = LETTERS[: len(choices)]
    answer = letters[choices.index(instance.answer[0])]
    return replace(instance, choices=tuple(letters), answer=(answer,))


def lead(instance: Instance) -> str:
    """What the right reply begins with before the answer: 'Answer:'."""
    return str(_words_for(instance)["answer"]).partition("{answer}")[0].rstrip()


def next_case(code: str = "en") -> str:
    """What a model that goes on by itself writes after its reply: the head of another story."""
    return str(_words(code)["story"])
