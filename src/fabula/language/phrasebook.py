"""A phrase book: sentence patterns of the world's language, each paired with another language's.

A world tells and reads in one language, its own (English). All others are translated from that and
back, so they need no code. A file of phrases has tables [sentences] and [questions]:

    "{a} is in the {place}." = "{a} {place.obl} में {है~a}।"

    {place}       a slot: the word for whatever fills it in the pattern on the left
    {place.obl}   the same in a form of the lexicon; .cap and .plural are forms of the left side
    {है~a}        a word that agrees with a slot, in the form for its class
    {mood~a}      the same for a slot that agrees with another
    <who>         any line of [parts.who], the same one on both sides; agreement with 'who' is with
                  all its slots together. <who.ne> passes a form to where the line has '.*'

Promises:
1. Every translated sentence translates back to the original: checked when it is first rendered.
2. Parsing needs no list of names if the sentence shows where a name ends; known words take
   precedence.
3. A sentence that fits no pattern raises an error; there is no guessing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unicodedata import normalize

from fabula.errors import ParseError, RecipeError
from fabula.language.lexicon import CITATION, Lexicon, Word
from fabula.language.phrase import NAME, Field, Native, Phrase, Slots

MEMO_LIMIT = 200_000  # cached sentences, so that memory stays flat
FREE = r"[^\s.,।?]+(?: [^\s.,।?]+){0,7}?"  # any name of up to eight words, as short as possible
PART = re.compile(r"<(\w+)(?:\.(\w+))?>")
FIELD = re.compile(r"\{([^}]+)\}")

Renaming = Callable[[str, str], str]
"""The original name behind a replaced one, in a slot of this token."""


class PhraseBook:
    """The phrases of one language for one world."""

    def __init__(
        self,
        code: str,
        data: Mapping[str, Any],
        lexicon: Lexicon,
        native: Mapping[str, Any],
        capitals: bool = False,
        free: str = FREE,
        source: str = "en",
    ) -> None:
        self.code, self.lexicon, self.native = code, lexicon, Native(native)
        self.source = source
        self.capitals, self.free = capitals, free
        self._types: dict[str, str] = data.get("types", {})
        self._surfaces: dict[tuple[str, tuple[str, ...], bool], dict[str, tuple[str, ...]]] = {}
        parts = data.get("parts", {})
        self.sentences, self.questions = (
            [
                Phrase(self, left, right, groups)
                for pattern, other in data[table].items()
                for left, right, groups in _expand(pattern, lexicon.spell(other), parts, lexicon)
            ]
            for table in ("sentences", "questions")
        )
        self.proven: set[Phrase] = set()
        """Patterns known to translate back correctly, whatever the names."""
        self._memo: dict[tuple[bool, str], tuple[Phrase, Slots]] = {}
        self._heard: dict[tuple[bool, str], str] = {}
        self._orders = {
            asked: sorted(phrases, key=lambda phrase: -phrase.fixed)
            for asked, phrases in ((False, self.sentences), (True, self.questions))
        }
        self._native_orders = {
            asked: sorted(phrases, key=lambda phrase: -len(FIELD.sub("", phrase.left)))
            for asked, phrases in ((False, self.sentences), (True, self.questions))
        }

    def type_of(self, slot: str) -> str:
        """The type of a slot: person, place, …"""
        return self._types.get(slot, slot).rstrip("0123456789")

    def token(self, slot: str) -> str:
        """The text that a slot accepts on the world's side, as a regular expression."""
        return self.native.tokens.get(self.type_of(slot)) or NAME

    def surfaces(self, field: Field) -> dict[str, tuple[str, ...]]:
        """The written forms of known words in a slot, with the names they may stand for."""
        key = (self.token(field.slot), field.forms, bool(field.agrees))
        known = self._surfaces.get(key)
        if known is None:
            token = re.compile(key[0])
            known = self._surfaces[key] = {}
            for word in self.lexicon.words.values():
                if token.fullmatch(word.name):
                    form = self.lexicon.form(word, field.forms[0] if field.forms else CITATION)
                    for surface in word.classes if field.agrees and word.classes else (form,):
                        known[surface] = (*known.get(surface, ()), word.name)
        return known

    def understand(self, sentence: str, asked: bool = False) -> tuple[Phrase, Slots]:
        """The pattern of a sentence or question of the world, and the content of its slots."""
        known = self._memo.get((asked, sentence))
        if known is None:
            for phrase in self._native_orders[asked]:
                slots = phrase.match(sentence) if phrase.native_mark in sentence else None
                if slots is not None:
                    known = phrase, slots
                    break
            else:
                raise RecipeError(
                    f"the language '{self.code}' has no phrase for '{sentence}'; choose another "
                    "language, or add the sentence to its phrases."
                )
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            self._memo[asked, sentence] = known
        return known

    def say(self, phrase: Phrase, words: Mapping[str, Word], before: str = "") -> str:
        """A sentence of the pattern with these words."""
        said = phrase.say(words, before)
        first = phrase.parts[0]
        # a capital would turn an unknown word into a name
        strange = isinstance(first, Field) and not self.lexicon.knows(words[first.slot])
        return said[:1].upper() + said[1:] if self.capitals and not strange else said

    def hear(self, sentence: str, asked: bool = False, name: Renaming | None = None) -> str:
        """A sentence or question in the language of the world; `name` maps replaced names back."""
        known = self._heard.get((asked, sentence)) if name is None else None
        if known is None:
            known = self._hear(normalize("NFC", sentence.strip()), asked, name)
            if name is None:
                if len(self._heard) >= MEMO_LIMIT:
                    self._heard.clear()
                self._heard[asked, sentence] = known
        return known

    def _hear(self, sentence: str, asked: bool, name: Renaming | None) -> str:
        best = ""
        spoken = [sentence]
        if self.capitals:
            spoken.append(sentence[:1].lower() + sentence[1:])
        for loose in (False, True):
            for phrase in self._orders[asked]:
                if phrase.mark not in spoken[-1]:
                    continue
                for text in spoken:
                    for found in phrase.heard(text, loose):
                        slots = found
                        if name is not None:
                            slots = {s: name(word, self.token(s)) for s, word in found.items()}
                        native = phrase.native(slots)
                        if phrase.match(native) is None:
                            continue
                        words = {slot: self.lexicon.word(slots[slot]) for slot in slots}
                        # of two words that look alike ('he', 'she'), agreement may show which one
                        # is meant
                        if name or self.say(phrase, words) == sentence:
                            return native
                        best = best or native
            if best:
                return best
        raise ParseError(f"no {self.code} pattern fits '{sentence}'.")


def _expand(
    left: str,
    right: str,
    parts: Mapping[str, Mapping[str, str]],
    lexicon: Lexicon,
    groups: Mapping[str, tuple[str, ...]] | None = None,
) -> Iterator[tuple[str, str, dict[str, tuple[str, ...]]]]:
    """A pattern with its parts expanded, and the slots of each part."""
    found = PART.search(left)
    if found is None:
        yield left, right, dict(groups or {})
        return
    name = found[1]
    if name not in parts or not re.search(rf"<{name}(\.\w+)?>", right):
        raise ValueError(f"'{left}': the part <{name}> is missing")

    def fill(text: str, line: str) -> str:
        return PART.sub(
            lambda part: (
                line.replace(".*", f".{part[2]}" if part[2] else "") if part[1] == name else part[0]
            ),
            text,
        )

    for one, other in parts[name].items():
        slots = tuple(re.split(r"[.~]", field)[0] for field in FIELD.findall(one))
        grown = {**(groups or {}), name: slots}
        yield from _expand(
            fill(left, one), fill(right, lexicon.spell(other)), parts, lexicon, grown
        )
