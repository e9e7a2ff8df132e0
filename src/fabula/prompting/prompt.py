"""How a model is asked: story, question, the form of the answer, and how to reply.

Promises:
1. A prompt is a function of the record alone: it says nothing of answer, support or proof.
2. It names every answer that is possible, or the form the answer has, so that nobody fails for not
   knowing that it is 'none' and not 'zero'.
3. It states the conventions that answers of the recipe may rely on, unless the story does; the
   same ones for every question, so that they give nothing away.
4. A reply in the form that it asks for is understood by `fabula.score`; letters of choices are
   scored on `lettered(instance)`.
5. In the style 'cite', the sentences of the story are numbered from 1, as supports count them.

The words come from `language/<code>/prompt.toml`, by default in the language of the story; a file
has what differs from English, and a language without one is asked in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import orjson

from fabula.core.instance import Instance
from fabula.errors import FabulaError, RecipeError, hint
from fabula.language import language_file
from fabula.language.catalogue import WORDS, catalogue, codes, native, tongue_for, tongue_of
from fabula.language.conventions import patterns, sentences
from fabula.language.lexicon import speller
from fabula.scoring.answers import said
from fabula.world.base import ORDERED

DEFAULT_STYLE = "direct"
DEFAULT_FORM = "word"
CITE = "cite"
"""The style that asks for the sentences an answer follows from."""
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Letters of choices; no I, which is a word."""
NAMED = (
    "nothing", "n", "s", "e", "w", "up", "down", "left", "right", "front", "back", "up-left",
    "up-left-back",
)  # fmt: skip
"""Words of answers that a prompt may name, as the story would write them."""


@cache
def _words(code: str) -> dict[str, Any]:
    english = language_file("en", "prompt")
    entry = catalogue().get(code)
    try:
        own = language_file(entry.folder if entry else code, "prompt")
    except RecipeError:
        return english
    spelling = own.pop("roman", {})
    if entry and entry.spelling:
        table = language_file(entry.folder, WORDS)[entry.spelling] | spelling
        own = _spelt(own, speller(table, entry.script))
    return {**english, **own}


def _spelt(words: Any, spell: Any) -> Any:
    """The same words in another spelling; sentences and labels begin with a capital."""
    if isinstance(words, dict):
        return {key: _spelt(value, spell) for key, value in words.items()}
    return _FIRST.sub(lambda first: first[0].upper(), spell(words))


_FIRST = re.compile(r"(?:^|(?<=[.?] )|(?<=\")(?=\w+:))[a-z]")
"""The first letter of a sentence, or of a label in quotation marks."""


def _words_for(instance: Instance, language: str = "") -> dict[str, Any]:
    made = instance.provenance
    told = str(made.get("language", "en"))
    return _words(language or ("shuffled" if told == "en" and made.get("cipher") else told))


def languages() -> list[str]:
    """The languages that instructions are available in."""
    return ["en", *(code for code in catalogue() if _words(code)["story"] != _words("en")["story"])]


def styles() -> list[str]:
    """The prompt styles.

    'direct' asks for the answer alone, 'reason' for thoughts first, 'cite' for the answer and the
    numbers of the sentences it follows from.
    """
    return list(_words("en")["styles"])


def forms() -> list[str]:
    """The forms of an answer: 'word', and others that a prompt may ask for."""
    return [DEFAULT_FORM, *_words("en")["forms"]]


def prompt(
    instance: Instance,
    style: str = DEFAULT_STYLE,
    examples: Iterable[Instance] = (),
    form: str = DEFAULT_FORM,
    language: str = "",
) -> str:
    """The prompt for an instance, after worked examples if there are any.

    `language` is that of the instructions; by default it is that of the story.

    >>> import fabula
    >>> fabula.prompt(fabula.instance("babi/qa2", "test", 3)).splitlines()[-2]
    'Question: Where is the football?'
    """
    asked = instruction(instance, style, form, language)
    worked = [worked_example(one, style, form, language) for one in examples]
    return "\n\n".join([asked, *worked, case(instance, form, language, style)])


def worked_example(
    instance: Instance,
    style: str = DEFAULT_STYLE,
    form: str = DEFAULT_FORM,
    language: str = "",
) -> str:
    """An instance with its right reply, as a few-shot example."""
    return f"{case(instance, form, language, style)}\n{reply(instance, form, language, style)}"


def instruction(
    instance: Instance,
    style: str = DEFAULT_STYLE,
    form: str = DEFAULT_FORM,
    language: str = "",
) -> str:
    """The instructions, with the form of the reply; the same for a whole recipe."""
    words = _words_for(instance, language)
    if style not in words["styles"]:
        raise FabulaError(f"unknown style of prompt '{style}'.{hint(style, words['styles'])}")
    if form not in forms():
        raise FabulaError(f"unknown form of answer '{form}'.{hint(form, forms())}")
    asked = f"{words['task']} {_form(instance, form, language).get(style, words['styles'][style])}"
    stated = conventions(instance, language)
    if not stated:
        return asked
    return f"{asked}\n{words['conventions'].format(conventions=' '.join(stated))}"


def conventions(instance: Instance, language: str = "") -> list[str]:
    """The conventions of the recipe as sentences, in the language of the instructions.

    Those that name places and things of the story are in the language of the story. Empty if the
    story states them itself, or if the recipe leaves them out.
    """
    made = instance.provenance
    stated = made.get("conventions", {})
    if stated.get("stated") != "prompt" or not stated.get("names"):
        return []
    world, told = str(made["world"]), str(made.get("language", "en"))
    source = native(told, world)
    own = other = tongue_of(world, made)
    if language and language != told:
        other = tongue_for(world, language) if language in codes(world) else None
    found = []
    for name, sentence in zip(
        stated["names"], sentences(source, world, stated["names"]), strict=True
    ):
        speaks = other if name in patterns(source, world) else own
        found += speaks.tell([sentence]) if speaks else [sentence]
    return found


def _form(instance: Instance, form: str, language: str) -> dict[str, str]:
    """The words of a form; empty if the answer is a plain word."""
    if form == "letter" and lettered(instance) is instance:
        return {}
    found: dict[str, str] = _words_for(instance, language)["forms"].get(form, {})
    return found


def case(
    instance: Instance,
    form: str = DEFAULT_FORM,
    language: str = "",
    style: str = DEFAULT_STYLE,
) -> str:
    """Story, question, and the form of the answer; numbered sentences in the style 'cite'."""
    words = _words_for(instance, language)
    choices, own = instance.choices or (), _form(instance, form, language)
    if form == "letter" and own:
        choices = tuple(f"{letter}. {word}" for letter, word in zip(LETTERS, choices, strict=False))
    kind = _kind(instance)
    looks = own.get(kind, words["form"][kind])
    named = {"choices": ", ".join(choices)}
    if kind != "one":
        named |= zip(NAMED, said(instance, NAMED), strict=True)
    return "\n".join(
        [
            words["story"],
            *(_numbered(instance.story) if style == CITE else instance.story),
            "",
            words["question"].format(question=instance.question),
            looks.format_map(named),
        ]
    )


def _numbered(story: Iterable[str]) -> list[str]:
    return [f"{number}. {sentence}" for number, sentence in enumerate(story, 1)]


def _kind(instance: Instance) -> str:
    """The form of an answer: one of the choices, a list, a path over the map or of steps."""
    if instance.choices:
        return "one"
    if instance.query[0] not in ORDERED:
        return "list"
    if "steps" not in instance.query:
        return "path"
    # depends on the recipe, not on the story: a room may happen to need no step to the front
    stated = instance.provenance.get("conventions", {}).get("names", ())
    return "steps-in-a-room" if "front-view" in stated else "steps"


def reply(
    instance: Instance,
    form: str = DEFAULT_FORM,
    language: str = "",
    style: str = DEFAULT_STYLE,
) -> str:
    """The right reply, in the form that the prompt asks for."""
    proof = min(instance.supports, key=len, default=instance.support)
    if form == "json":
        answer = instance.answer
        made: dict[str, Any] = {"answer": answer[0] if len(answer) == 1 else answer}
        return orjson.dumps(made | {"evidence": proof} if style == CITE else made).decode()
    given = lettered(instance).answer if form == "letter" else instance.answer
    words = _words_for(instance, language)
    answered = _form(instance, form, language).get("answer", words["answer"])
    lines = [str(answered).format(answer=", ".join(given))]
    if style == CITE:
        numbers = ", ".join(map(str, proof)) or words["no_evidence"]
        lines.append(str(words["evidence"]).format(numbers=numbers))
    return "\n".join(lines)


def lettered(instance: Instance) -> Instance:
    """The instance with letters as answers, for scoring; unchanged if it has no choices."""
    choices = instance.choices
    if not choices or len(choices) > len(LETTERS) or len(instance.answer) != 1:
        return instance
    if instance.answer[0] not in choices:  # a record from elsewhere, or with an error in it
        return instance
    letters = LETTERS[: len(choices)]
    answer = letters[choices.index(instance.answer[0])]
    return replace(instance, choices=tuple(letters), answer=(answer,))


def lead(instance: Instance, language: str = "") -> str:
    """The words before the answer in a right reply: 'Answer:'."""
    return str(_words_for(instance, language)["answer"]).partition("{answer}")[0].rstrip()


def next_case(code: str = "en") -> str:
    """The heading of another story, which a model that keeps writing puts after its reply."""
    return str(_words(code)["story"])
