"""How a model is asked: story, question, the form of the answer, and how to reply.

Promises:
1. A prompt is a function of the record alone: it says nothing of answer, support or proof.
2. It names every answer that is possible, or the form the answer has, so that nobody fails for not
   knowing that it is 'none' and not 'zero'.
3. A reply in the form that it asks for is understood by `fabula.score`.

The words come from `language/<code>/prompt.toml`; a language without that file is asked in English.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from fabula.errors import FabulaError, RecipeError, hint
from fabula.instance import Instance
from fabula.language import language_file
from fabula.worlds.base import ORDERED

DEFAULT_STYLE = "direct"


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


def prompt(
    instance: Instance, style: str = DEFAULT_STYLE, examples: Iterable[Instance] = ()
) -> str:
    """What a model is asked, after worked examples if there are any.

    >>> print(prompt(fabula.instance("babi/qa2", "test", 3)))
    """
    worked = [f"{case(example)}\n{reply(example)}" for example in examples]
    return "\n\n".join([instruction(instance, style), *worked, case(instance)])


def instruction(instance: Instance, style: str = DEFAULT_STYLE) -> str:
    """What is to be done, and in which form the reply is wanted; the same for a whole recipe."""
    words = _words_for(instance)
    if style not in words["styles"]:
        raise FabulaError(f"unknown style of prompt '{style}'.{hint(style, words['styles'])}")
    return f"{words['task']} {words['styles'][style]}"


def case(instance: Instance) -> str:
    """Story, question, and what an answer looks like."""
    words = _words_for(instance)
    form = "one" if instance.choices else "path" if instance.query[0] in ORDERED else "list"
    return "\n".join(
        [
            words["story"],
            *instance.story,
            "",
            words["question"].format(question=instance.question),
            words["form"][form].format(choices=", ".join(instance.choices or ())),
        ]
    )


def reply(instance: Instance) -> str:
    """The right reply, in the form that the prompt asks for."""
    return str(_words_for(instance)["answer"].format(answer=", ".join(instance.answer)))


def lead(instance: Instance) -> str:
    """What the right reply begins with before the answer: 'Answer:'."""
    return str(_words_for(instance)["answer"]).partition("{answer}")[0].rstrip()


def next_case(code: str = "en") -> str:
    """What a model that goes on by itself writes after its reply: the head of another story."""
    return str(_words(code)["story"])
