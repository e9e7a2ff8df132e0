"""The closed set of answers that a question can have, and the pattern that finds them in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from fabula.core.instance import Instance
from fabula.language.catalogue import tongue_of
from fabula.language.tongue import Tongue

NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)  # fmt: skip
WAYS = ("north", "south", "east", "west")
STEPS = (
    "n", "s", "e", "w",
    *("-".join(filter(None, step)) for step in product(
        ("", "up", "down"), ("", "left", "right"), ("", "front", "back")
    ) if any(step)),
)  # fmt: skip
EMPTY = ("zero", "none", "nothing", "no objects", "no object", "no items", "no item", "no things")

# other words for an answer, used unless they are answers themselves
ALIASES: dict[str, tuple[str, ...]] = {
    "none": EMPTY,
    "nothing": EMPTY,
    "yes": ("yep", "yeah"),
    "no": ("nope",),
    "maybe": ("perhaps", "possibly"),
    "unknown": ("not known", "undetermined", "indeterminate", "cannot be determined"),
    "haan": ("han", "haa", "ji haan", "ji han", "हां", "जी हां"),
    "हां": ("जी हां", "haan", "han"),
    "nahi": ("nahin", "nahee", "ji nahi", "ji nahin", "नहीं", "नही", "जी नहीं"),
    "नहीं": ("नही", "जी नहीं", "nahi", "nahin"),
    "shayad": ("shaayad", "ho sakta hai", "sambhav hai", "शायद"),
    "शायद": ("हो सकता है", "संभव है", "shayad"),
    "kuch nahi": ("kuch bhi nahi", "kuchh nahi", "kuch nahin", "kuch bhi nahin", "कुछ नहीं"),
    "कुछ नहीं": ("कुछ भी नहीं", "कुछ नही", "kuch nahi"),
    "overlap": ("overlaps", "overlapping"),
    **{
        f"{high}-{side}": (
            f"{edge}-{side}",
            f"{over} left" if side == "left" else f"{over} right",
            f"{over} and to the {side} of",
            f"{over} and to the {side}",
            f"{over} and {side}",
            f"{side} and {over}",
            f"to the {side} and {over}",
        )
        for high, edge, over in (("upper", "top", "above"), ("lower", "bottom", "below"))
        for side in ("left", "right")
    },
}

# the argument of a fact that is an object, for questions whose answers are lists of objects
OBJECT_OF = {"grab": 2, "drop": 2, "give": 2}


class Vocabulary(NamedTuple):
    """The possible answers, in every wording."""

    pattern: re.Pattern[str]
    names: dict[str, str]
    """Normalised wording to answer; empty for paths in English, which have their own pattern."""
    capitals: bool
    """Whether some answers are written with a capital."""


class Answers(NamedTuple):
    """The possible answers to an instance."""

    shape: str
    """'one' of several, 'list' or 'way'."""
    pattern: re.Pattern[str]
    names: dict[str, str]
    capitals: bool
    instance: Instance

    def echo(self) -> frozenset[str]:
        """Normalised words that the question itself contains."""
        return frozenset(map(fold, said(self.instance, self.instance.query[1:])))

    def asked(self) -> set[str]:
        """Words of the question, in lower case."""
        return words_of([self.instance.question])

    def told(self) -> set[str]:
        """Words of the story, in lower case."""
        return words_of(self.instance.story)


def words_of(sentences: Iterable[str]) -> set[str]:
    """Words of some sentences, in lower case."""
    return {word for sentence in sentences for word in _WORD.findall(sentence.lower())}


_WORD = re.compile(r"[\w'-]+")


def answers_of(instance: Instance) -> Answers:
    """The possible answers to an instance."""
    query, choices = instance.query, instance.choices
    source = _source(instance)
    if (query and query[0] == "path") or (not choices and _is_way(instance.answer)):
        if source or "steps" in query[1:]:
            return Answers("way", *vocabulary(_steps(source)), instance)
        return Answers("way", _WAY, {}, False, instance)
    if choices and len(instance.answer) <= 1:
        return Answers("one", *vocabulary(choices, source), instance)
    others = said(instance, [*objects_of(instance), "nothing"])
    # sorted, because stories with the same things then have the same pattern
    listed = sorted({*(choices or ()), *instance.answer, *others})
    return Answers("list", *vocabulary(tuple(listed), source), instance)


def objects_of(instance: Instance) -> Iterable[str]:
    """Objects of the story, as named in the facts; everything it names if there are none."""
    facts = [fact for told in instance.facts for fact in told]
    objects = {
        fact[place]: None for fact in facts if (place := OBJECT_OF.get(fact[0], 99)) < len(fact)
    }
    if objects:
        return objects
    asked = frozenset(map(fold, said(instance, instance.query[1:])))
    named = dict.fromkeys(word for fact in facts for word in fact[1:])
    return [word for word in named if fold(word) not in asked]


def said(instance: Instance, words: Sequence[str]) -> tuple[str, ...]:
    """Words of answers as the record writes them."""
    return _say(_tongue(instance), words)


def _say(tongue: Tongue | None, words: Sequence[str]) -> tuple[str, ...]:
    return tongue.say(words) if tongue else tuple(words)


Source = tuple[str, str, str, int]
"""World, language, cipher and seed: all that determines the words, except for letters."""


def _source(instance: Instance) -> Source | None:
    """How words are written; None if it is as in the facts, in plain English."""
    made = instance.provenance
    language, cipher = made.get("language", "en"), made.get("cipher")
    if language == "en" and not cipher:
        return None
    return str(made.get("world", "")), language, cipher or "", int(made.get("seed", 0))


def _tongue(instance: Instance) -> Tongue | None:
    """Translates words of facts to those of the record, if they differ."""
    source = _source(instance)
    if source is None:
        return None
    made = instance.provenance
    return tongue_of(source[0], made) if made.get("letters") else _spoken(source)


@lru_cache(maxsize=256)
def _spoken(source: Source) -> Tongue | None:
    world, language, cipher, seed = source
    return tongue_of(world, {"language": language, "cipher": cipher, "seed": seed})


@lru_cache(maxsize=256)
def _steps(source: Source | None) -> tuple[str, ...]:
    """The steps of a path in the words of the language; they have no letters."""
    return _say(_spoken(source) if source else None, STEPS)


def _forms(source: Source | None) -> tuple[tuple[str, str], ...]:
    """Other forms of words, each with the form used in answers."""
    tongue = _spoken(source) if source else None
    return tongue.forms() if tongue else ()


@lru_cache(maxsize=4096)
def vocabulary(choices: tuple[str, ...], source: Source | None = None) -> Vocabulary:
    """Every wording of the answers, with the forms that words have in a language."""
    names = {fold(word): word for word in choices}
    forms = _forms(source)
    for form, word in forms:  # an answer may itself be in another form: भूखी of a woman
        if fold(form) in names:
            names.setdefault(fold(word), names[fold(form)])
    for form, word in forms:
        if fold(word) in names:
            names.setdefault(fold(form), names[fold(word)])
    counting = all(word in NUMBERS for word in names)
    if counting:  # any number is an answer, even one that cannot be right
        for number, word in enumerate(NUMBERS):
            names.setdefault(word, word)
            names.setdefault(str(number), names[word])
    for word, others in ALIASES.items():
        if fold(word) in names:
            for other in others:
                names.setdefault(fold(other), names[fold(word)])
    pattern = _pattern(names, counting, "nothing" in names)
    return Vocabulary(pattern, names, any(word[:1].isupper() for word in names.values()))


# Whole words: no part of a hyphenated word, no possessive, no half of 'great grandmother', nor of a
# word that continues with a vowel sign, which is not a \w (शेर in शेरों). The dot is the first
# letter.
_BEFORE = r"".join(
    f"(?<!{text}.)"
    for text in (
        r"\w", r"\w-", r"\d\.", "great ", "step ", "upper ", "lower ", "top ", "bottom ",
        r"[\u0900-\u0963]",
    )
)  # fmt: skip
_AFTER = r"(?![\w\u0900-\u0963])(?!-\w)(?!'s\b)(?![\s-]in[\s-]law)(?!\.\d)"

# 'isn't carrying anything', without its first letter
_ANY = r"\s+(?:\w+\s+){0,2}?any(?:thing|\s+(?:objects?|items?|things?))"
EMPTY_PHRASE = rf"(?:\w*n't{_ANY}|(?<=n)ot{_ANY}|(?<=e)mpty-handed)"


def _pattern(names: Iterable[str], counting: bool, empty: bool) -> re.Pattern[str]:
    """A pattern for whole answers, the longest first.

    It begins with the set of their first letters: `re` searches for a set far faster than it tries
    alternatives at every position.
    """
    rests: dict[str, list[str]] = {}
    for name in sorted(filter(None, names), key=len, reverse=True):
        words = name.split()
        wording = [re.escape(words[0][1:]), *map(re.escape, words[1:])]
        rests.setdefault(words[0][0], []).append(r"[\s-]+".join(wording))
    firsts = {re.escape(form) for first in rests for form in (first.lower(), first.upper())}
    alternatives = [f"(?<={re.escape(first)})(?:{'|'.join(rest)})" for first, rest in rests.items()]
    if counting:
        firsts.add(r"\d")
        alternatives.append(r"(?<=\d)\d*")
    if empty:
        firsts.add(r"\w")
        alternatives.insert(0, rf"(?<=\w){EMPTY_PHRASE}")
    if not firsts:
        return re.compile(r"(?!)")
    begin = "".join(sorted(firsts))
    return re.compile(
        rf"(?-i:[{begin}])(?s:{_BEFORE})(?:{'|'.join(alternatives)}){_AFTER}", re.IGNORECASE
    )


_WAY = re.compile(
    r"(?:(?P<before>two|three|four|\d)\s+(?:steps?|rooms?|times)\s+)?"
    r"(?<![\w'])(?<!\w-)(?P<way>north|south|east|west|[nsew])(?![\w'-])(?!\.\w)"
    r"(?!(?:ern)?\s+of\b)"
    r"(?:\s+(?P<after>twice|(?:two|three|four|\d)\s+(?:times|steps?)))?",
    re.IGNORECASE,
)


def _is_way(answer: Sequence[str]) -> bool:
    return bool(answer) and all(word in WAYS or word in ("n", "s", "e", "w") for word in answer)


def compass(word: str) -> str:
    """A direction by its letter."""
    return word[:1].lower()


def long(letter: str) -> str:
    """A direction by its word."""
    return next(way for way in WAYS if way[0] == letter)


LOOSE = str.maketrans({"\u093c": None, "\u0901": "\u0902"})
"""Signs of Devanagari that are often omitted or swapped: the dot below, the half moon."""


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """A word normalised for comparison."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word).translate(LOOSE)
    text = re.sub(r"[\s_-]+", " ", word).strip(" .,;:!?\"'`").lower()
    return re.sub(r"^(?:the|a|an) (?=\w)", "", text)
