"""One pair of patterns of a phrase book: matched on either side, and rendered on the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from fabula.language.lexicon import CITATION, Lexicon, Word

NAME = r"[\w'-]+(?: [\w'-]+){0,7}"  # a name has at most eight words
END = re.compile(r"(?=[\s.,;।?])|$")  # where a word ends

Slots = dict[str, str]
"""The content of each slot, as named in the facts."""


class Field(NamedTuple):
    """A slot in a pattern."""

    slot: str
    forms: tuple[str, ...] = ()
    agrees: tuple[str, ...] = ()
    """The slots it agrees with, if any."""


class Agreement(NamedTuple):
    """A word in a pattern that agrees with slots."""

    forms: tuple[str, ...]
    slots: tuple[str, ...]


Part = str | Field | Agreement


class Native:
    """The slots of the world's own language."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.tokens: dict[str, str] = {
            **data.get("tokens", {}),
            "pronoun": "|".join(data.get("pronouns", ())),
            "time": "|".join(data.get("times", ())),
            "mood": "|".join(data.get("needs", ())),
            **{look: "|".join(words) for look, words in data.get("looks", {}).items()},
        }
        needs = data.get("needs", {})
        self.moods = tuple(f" is {mood}." for mood in needs)
        """Endings of sentences that rely on common knowledge."""
        self.lore = tuple(
            dict.fromkeys(word for mood, need in needs.items() for word in (mood, *need.values()))
        )
        """The words for common knowledge."""
        self._plurals: dict[str, str] = data.get("plurals", {})
        self._singulars = {plural: word for word, plural in self._plurals.items()}

    def form(self, name: str, forms: tuple[str, ...]) -> str:
        """A name as written in these forms."""
        if "plural" in forms:
            name = self._plurals.get(name) or f"{name}s"
        return name[:1].upper() + name[1:] if "cap" in forms else name

    def name(self, text: str, forms: tuple[str, ...]) -> str:
        """The name behind a text written in these forms."""
        if "cap" in forms:
            text = text[:1].lower() + text[1:]
        if "plural" in forms:
            text = self._singulars.get(text) or text.removesuffix("s")
        return text


class Book(Protocol):
    """The part of a phrase book that a pattern needs."""

    lexicon: Lexicon
    native: Native
    free: str

    def token(self, slot: str) -> str:
        """The text that a slot accepts on the world's side, as a regular expression."""

    def surfaces(self, field: Field) -> dict[str, tuple[str, ...]]:
        """The written forms of known words in a slot, with the names they may stand for."""


class Phrase:
    """One pair of patterns."""

    def __init__(
        self, book: Book, left: str, right: str, groups: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.left, self.right = left, right
        self._book = book
        self._native = [_field(part, {}, book.lexicon) for part in _split(left)]
        self.slots = tuple(dict.fromkeys(p.slot for p in self._native if isinstance(p, Field)))
        own = {slot: (slot,) for slot in self.slots}
        self.parts = [
            _field(part, {**own, **groups}, book.lexicon, right) for part in _split(right)
        ]
        named = {part.slot for part in self.parts if isinstance(part, Field)}
        if named != set(self.slots):
            raise ValueError(f"'{left}' and '{right}' do not have the same slots")
        self.subject = groups.get("who", ())
        self.fixed = sum(len(part) for part in self.parts if isinstance(part, str))
        # the longest text that any sentence of this pattern contains: rules out most patterns
        # quickly
        self.native_mark = _longest(self._native)
        self.mark = _longest(self.parts)

    # --- the world's side -------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        text = ""
        for part in self._native:
            if isinstance(part, str):
                text += re.escape(part)
            elif isinstance(part, Field):
                token = NAME if part.forms else self._book.token(part.slot)
                text += f"(?P<{part.slot}>{token})"
        return re.compile(text)

    def match(self, sentence: str) -> Slots | None:
        """The slots of a sentence in the language of the world, or None if it does not match."""
        found = self._pattern.fullmatch(sentence)
        if found is None:
            return None
        slots = {}
        for part in self._native:
            if isinstance(part, Field):
                name = self._book.native.name(found[part.slot], part.forms)
                if part.forms and not re.fullmatch(self._book.token(part.slot), name):
                    return None
                slots[part.slot] = name
        return slots

    def native(self, slots: Slots) -> str:
        """The sentence in the language of the world."""
        form = self._book.native.form
        return "".join(
            part if isinstance(part, str) else form(slots[part.slot], part.forms)
            for part in self._native
            if not isinstance(part, Agreement)
        )

    # --- the foreign side -------------------------------------------------------------------

    def say(self, words: Mapping[str, Word], before: str) -> str:
        """The sentence with these words."""
        lexicon = self._book.lexicon
        text = ""
        for part in self.parts:
            if isinstance(part, str):
                text += part
                continue
            if isinstance(part, Field) and not part.agrees:
                text += lexicon.form(words[part.slot], part.forms[0] if part.forms else CITATION)
                continue
            agrees = part.agrees if isinstance(part, Field) else part.slots
            kind = lexicon.group([words[slot] for slot in agrees], before)
            forms = part.forms if isinstance(part, Agreement) else words[part.slot].classes
            if not forms and isinstance(part, Field):  # an unknown word agrees with nothing
                forms = (words[part.slot].forms[CITATION],)
            text += lexicon.agreeing(forms, kind)
        return text

    def heard(self, sentence: str, loose: bool) -> Iterator[Slots]:
        """The possible slots of a sentence in the foreign language.

        Only known words are accepted, unless `loose` is set.
        """
        return self._heard(sentence, 0, 0, loose)

    def _heard(self, sentence: str, at: int, number: int, loose: bool) -> Iterator[Slots]:
        """The possible slots from a position in the sentence and a part of the pattern on."""
        if number == len(self.parts):
            if at == len(sentence):
                yield {}
            return
        part = self.parts[number]
        if isinstance(part, str):
            if sentence.startswith(part, at):
                yield from self._heard(sentence, at + len(part), number + 1, loose)
        elif isinstance(part, Agreement):
            for form in dict.fromkeys(part.forms):
                if sentence.startswith(form, at):
                    yield from self._heard(sentence, at + len(form), number + 1, loose)
        else:
            for end, names in self._words(part, sentence, at, loose):
                for rest in self._heard(sentence, end, number + 1, loose):
                    yield from ({**rest, part.slot: name} for name in names)

    def _words(
        self, part: Field, sentence: str, at: int, loose: bool
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Where a word in a slot may end, and the names it may stand for."""
        book = self._book
        known = book.surfaces(part)
        ends = [found.start() for found in END.finditer(sentence, at + 1)]
        for end in ends:
            names = known.get(sentence[at:end])
            if names:
                yield end, names
        if loose:
            template = book.lexicon.templates.get((*part.forms, "")[0], "{word}")
            before, after = re.split(r"\{\w+\}", template)
            if sentence.startswith(before, at):
                at += len(before)
                for end in ends:
                    name = sentence[at:end]
                    # a word of the language, in any of its forms, is not a name
                    free = name not in book.lexicon.citations and re.fullmatch(book.free, name)
                    if free and sentence.startswith(after, end):
                        yield end + len(after), (name,)


def _split(text: str) -> list[str]:
    """A pattern cut into text and fields; fields keep their braces."""
    return [part for part in re.split(r"(\{[^}]+\})", text) if part]


def _field(
    part: str, groups: Mapping[str, tuple[str, ...]], lexicon: Lexicon, pattern: str = ""
) -> Part:
    if not part.startswith("{"):
        return part
    what, _, with_what = part[1:-1].partition("~")
    slot, *forms = what.split(".")
    if not with_what:
        return Field(slot, tuple(forms))
    if with_what not in groups:
        raise ValueError(f"'{pattern}': there is no slot '{with_what}' to agree with")
    agrees = groups[with_what]
    if slot in groups:
        return Field(slot, tuple(forms), agrees)
    if slot not in lexicon.agree:
        raise ValueError(f"'{pattern}': the lexicon does not say how '{slot}' agrees")
    return Agreement(lexicon.agree[slot], agrees)


def _longest(parts: Iterable[Part]) -> str:
    return max((part.strip() for part in parts if isinstance(part, str)), key=len, default="")
