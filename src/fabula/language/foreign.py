"""The verifier's own translation of other languages into the language of the world.

A file of phrases pairs sentences of the world's language with those of another. This module matches
the foreign side with plain patterns (see patterns.py) and fills in the world's side. It shares the
files with phrasebook.py, but no code. Words are recognised in every form listed in the file of
words.

Still shared with the code that tells stories: the list of languages (catalogue.py) and the cipher
tables (cipher.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple
from unicodedata import normalize

from fabula.errors import ParseError
from fabula.language.catalogue import Entry, catalogue
from fabula.language.cipher import cipher
from fabula.language.patterns import (
    SLOT,
    Match,
    Patterns,
    Slot,
    language_data,
    nothing_fits,
    one_of,
    silent,
)

PART = re.compile(r"<(\w+)(?:\.(\w+))?>")
NAME = r"[\w'-]+(?: [\w'-]+)*"
FREE = re.compile(r"[^\s.,।?]+(?: [^\s.,।?]+)*")
LETTER = re.compile(r"[A-Z]+")
NOTHING = "()"
RULE = "rule"  # a sentence of the symbolic form that states no fact

Query = tuple[str, ...]
Renaming = Callable[[str, str], str]


class Known(NamedTuple):
    """The content of a slot: the names it may stand for, and whether it is a known word."""

    names: tuple[str, ...]
    word: bool


class Words:
    """The words of a language, in all their forms."""

    def __init__(self, data: Mapping[str, Any], more: Mapping[str, Any], entry: Entry) -> None:
        table = data.get(entry.spelling, {}) if entry.spelling else {}
        script = re.compile(entry.script) if entry.spelling else None
        self.spell: Callable[[str], str] = lambda text: (
            script.sub(lambda run: table[run[0]], text) if script else text
        )
        self._classes: Sequence[str] = data.get("classes", ())
        self._rules: Mapping[str, str] = data.get("forms", {})
        self._entries: dict[str, dict[str, Any]] = {}
        own = {**data.get("words", {}), **more, **data.get("names", {}), **data.get("pronouns", {})}
        for name, given in own.items():
            self._entries[name] = self._forms(given)
        for name in data.get("same", ()):
            self._entries[name] = {"": name}
        compounds = data.get("compounds", {})
        pairs = product(compounds.get("adjectives", ()), compounds.get("nouns", ()))
        for first, second in pairs:
            self._entries[f"{first} {second}"] = self._compound(first, second)
        self.agreeing = {first: [first, *rest] for first, rest in data.get("agree", {}).items()}
        pronouns = data.get("pronouns", {})
        self.citations = {
            self.spell(text): name
            for name, entry in self._entries.items()
            if name not in pronouns
            for text in (entry[""], *entry.get("answers", ()))
        }
        """Words as they appear in answers (moods in their form for a man or a woman) to their
        names.
        """

    def _forms(self, given: str | Mapping[str, Any]) -> dict[str, Any]:
        if isinstance(given, str):
            return {"": given}
        found: dict[str, Any] = {}
        for key, value in given.items():
            if key in self._classes:
                found |= {"": value, "gender": key}
            elif key == "word":
                found[""] = value
            elif key != "plural":
                found[key] = value
        if "agrees" in found:
            found.setdefault("", found["agrees"][0])
        return found

    def _compound(self, first: str, second: str) -> dict[str, Any]:
        """Compounds such as 'blue square': before a postposition the adjective has its plural
        form.
        """
        adjective, noun = self._entries[first]["agrees"], self._entries[second]
        plain = adjective[self._classes.index(noun["gender"])]
        oblique = adjective[self._classes.index(f"{noun['gender']}.pl")]
        found = {"obl": f"{oblique} {noun['']}"}
        for form, text in noun.items():
            if form != "gender":
                found[form] = f"{oblique if form else plain} {text}"
        return found

    def form(self, name: str, form: str) -> str:
        """A word in a form: its own, the one by the rule for the form, or the plain word."""
        entry = self._entries[name]
        if form in entry:
            return str(entry[form])
        rule = self._rules.get(form)
        return SLOT.sub(lambda slot: self.form(name, slot[1]), rule) if rule else str(entry[""])

    def surfaces(self, token: str, form: str, agrees: bool) -> dict[str, tuple[str, ...]]:
        """The written forms of the words that fit a token, with their names."""
        found: dict[str, tuple[str, ...]] = {}
        for name, entry in self._entries.items():
            if re.fullmatch(token, name):
                texts = entry.get("agrees") if agrees else None
                for text in texts or [self.form(name, form)]:
                    spelt = self.spell(text)
                    found[spelt] = (*found.get(spelt, ()), name)
        return found

    def around(self, form: str) -> tuple[str, str]:
        """The text before and after an unknown word in a form."""
        rule = self._rules.get(form)
        before, after = SLOT.sub("\0", rule).split("\0") if rule else ("", "")
        return self.spell(before), self.spell(after)


class Foreign:
    """One language that is translated from a world's own."""

    def __init__(self, code: str, world: str) -> None:
        entry = catalogue()[code]
        phrases, native = language_data(entry.folder, world), language_data(entry.source, world)
        self._code, self._capitals, self._lettered = code, entry.capitals, entry.letters
        self._types: Mapping[str, str] = phrases.get("types", {})
        self._tokens: dict[str, str] = {
            **native.get("tokens", {}),
            "pronoun": "|".join(native.get("pronouns", ())),
            "time": "|".join(native.get("times", ())),
            "mood": "|".join(native.get("needs", ())),
            **{look: "|".join(words) for look, words in native.get("looks", {}).items()},
        }
        self._plurals: Mapping[str, str] = native.get("plurals", {})
        self.words = Words(language_data(entry.folder, "words"), phrases.get("words", {}), entry)
        # conventions may be left in the language of the world
        self.silent = (silent(entry.folder, world), silent(entry.source, world))
        self._slots: dict[tuple[str, str, bool], Slot] = {}
        self._books: dict[str, Patterns] = {}
        order = 0
        for table in ("sentences", "questions"):
            book = self._books[table] = Patterns()
            for left, right in phrases.get(table, {}).items():
                for one, other in _written_out(left, right, phrases.get("parts", {})):
                    template, slots = self._template(one, other)
                    book.add(template, (order, one), slots)
                    order += 1
        self._memo: dict[tuple[str, str], list[tuple[str, dict[str, tuple[str, ...]]]]] = {}

    def _token(self, slot: str) -> str:
        sort = self._types.get(slot, slot).rstrip("0123456789")
        return self._tokens.get(sort) or NAME

    def _template(self, left: str, right: str) -> tuple[str, dict[str, Slot]]:
        """The pattern of the foreign side, and what its slots accept."""
        named = {slot.partition(".")[0] for slot in SLOT.findall(left)}
        slots: dict[str, Slot] = {}
        template = ""
        for n, part in enumerate(SLOT.split(right)):
            if n % 2 == 0:
                template += self.words.spell(normalize("NFC", part))
                continue
            what, _, agrees = part.partition("~")
            slot, _, form = what.partition(".")
            if slot in named:
                name = f"{slot}/{n}" if slot in slots else slot
                slots[name] = self._slot(self._token(slot), form, bool(agrees))
            else:
                name = f"~{n}"
                slots[name] = one_of({self.words.spell(w): () for w in self.words.agreeing[slot]})
            template += f"{{{name}}}"
        return template, slots

    def _slot(self, token: str, form: str, agrees: bool) -> Slot:
        key = (token, form, agrees)
        if key not in self._slots:
            known = self.words.surfaces(token, form, agrees)
            before, after = self.words.around(form)

            def read(text: str) -> Known | None:
                if text in known:
                    return Known(known[text], True)
                if not (text.startswith(before) and text.endswith(after)):
                    return None
                name = text[len(before) : len(text) - len(after)]
                if self._lettered:
                    return Known((name,), True) if LETTER.fullmatch(name) else None
                free = name not in self.words.citations and FREE.fullmatch(name)
                return Known((name,), False) if free and re.fullmatch(token, name) else None

            self._slots[key] = Slot(read)
        return self._slots[key]

    # --- parsing ----------------------------------------------------------------------------

    def native(self, text: str, table: str, name: Renaming) -> str | None:
        """A text in the language of the world, or None if no pattern fits."""
        text = normalize("NFC", text.strip())
        key = (table, text)
        if key not in self._memo:
            if len(self._memo) > 50_000:
                self._memo.clear()
            self._memo[key] = list(self._matched(text, table))
        for left, slots in self._memo[key]:
            found = self._filled(left, slots, name)
            if found is not None:
                return found
        return None

    def _matched(self, text: str, table: str) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
        """The possible meanings of a text, best first: known words, then the least text in
        slots.
        """
        texts = {text}
        if self._capitals:
            texts.add(text[:1].lower() + text[1:])
        found: list[Match] = [m for one in sorted(texts) for m in self._books[table].matches(one)]

        def rank(match: Match) -> tuple[int, int, int]:
            strange = sum(isinstance(k, Known) and not k.word for k in match.slots.values())
            return strange, match.loose if strange else 0, match.meaning[0]

        for match in sorted(found, key=rank):
            slots = {s: known.names for s, known in match.slots.items() if isinstance(known, Known)}
            yield match.meaning[1], slots

    def _filled(
        self, left: str, slots: Mapping[str, tuple[str, ...]], name: Renaming
    ) -> str | None:
        """The sentence of the world, with the first names that fit."""
        chosen: dict[str, str] = {}
        for key, names in slots.items():
            slot = key.partition("/")[0]
            fitting = [
                new
                for old in names
                if re.fullmatch(self._token(slot), new := name(old, self._token(slot)))
            ]
            if slot in chosen:
                if chosen[slot] not in fitting:
                    return None
            elif fitting:
                chosen[slot] = fitting[0]
            else:
                return None

        def put(found: re.Match[str]) -> str:
            slot, *forms = found[1].split(".")
            word = chosen[slot]
            if "plural" in forms:
                word = self._plurals.get(word) or f"{word}s"
            return word[:1].upper() + word[1:] if "cap" in forms else word

        return SLOT.sub(put, left)


class Hearing:
    """One story in another language, or in cipher."""

    def __init__(self, world: str, provenance: Mapping[str, Any]) -> None:
        code = str(provenance.get("language", "en"))
        entry = catalogue().get(code)
        kind = str(provenance.get("cipher", "")) or (entry.cipher if entry else "")
        self._table = cipher(kind, int(provenance.get("seed", 0))) if kind else None
        self._foreign = foreign(code, world) if entry and not entry.cipher else None
        self._lettered = bool(entry and entry.letters)
        self._letters: dict[str, str] = dict(provenance.get("letters") or {})
        self._code = code
        self.changes = self._table is not None or self._foreign is not None
        """Whether the text differs from the language of the world at all."""

    def _name(self, word: str, token: str) -> str:
        """The name behind a letter of the symbolic form; the letter itself if that is unknown."""
        if self._lettered and LETTER.fullmatch(word):
            if word not in self._letters:
                self._letters[word] = word if re.fullmatch(token, word) else word.lower()
            return self._letters[word]
        return word

    def _plain(self, text: str) -> str:
        return self._table.read(text) if self._table else text

    def sentence(self, text: str) -> str:
        """A sentence in the language of the world; facts in notation if the phrases do not cover
        it.
        """
        text = self._plain(text)
        if self._foreign is None:
            return text
        found = self._foreign.native(text, "sentences", self._name)
        if found is not None:
            return found
        if text == RULE or any(states_nothing(text) for states_nothing in self._foreign.silent):
            return NOTHING
        if not self._lettered:
            raise nothing_fits(self._code, text)
        return "; ".join(self._fact(text, part) for part in text.split("; "))

    def _fact(self, text: str, part: str) -> str:
        first, *rest = part.split(" ")
        if not rest or not LETTER.fullmatch(first):
            raise nothing_fits(self._code, text)
        kind, names = rest[0], self._names([first, *rest[1:]])
        if kind.startswith("not-"):
            return f"not({kind.removeprefix('not-')},{','.join(names)})"
        return f"{kind}({','.join(names)})"

    def question(self, text: str) -> str | Query:
        """A question in the language of the world, or its query if it is written as symbols."""
        text = self._plain(text)
        if self._foreign is None:
            return text
        found = self._foreign.native(text, "questions", self._name)
        if found is not None:
            return found
        if not self._lettered:
            raise nothing_fits(self._code, text, "question")
        kind, *names = text.split(" ")
        return (kind, *self._names(names))

    def words(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an answer in the language of the world."""
        return self._names([self._plain(word) for word in words])

    def _names(self, words: Sequence[str]) -> tuple[str, ...]:
        found = []
        for word in words:
            known = self._foreign.words.citations.get(word) if self._foreign else None
            found.append(known or self._name(word, r"\w[\w' -]*"))
        return tuple(found)


def _written_out(
    left: str, right: str, parts: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """A pair of patterns, expanded with each line of their parts."""
    found = PART.search(left)
    if found is None:
        yield left, right
        return
    part = re.compile(rf"<{found[1]}(?:\.(\w+))?>")
    for one, other in parts[found[1]].items():
        lefts = part.sub(lambda _: one, left)  # noqa: B023
        rights = part.sub(lambda p: other.replace(".*", f".{p[1]}" if p[1] else ""), right)  # noqa: B023
        yield from _written_out(lefts, rights, parts)


@cache
def foreign(code: str, world: str) -> Foreign:
    """The patterns of a language for a world."""
    try:
        return Foreign(code, world)
    except KeyError as error:
        raise ParseError(f"the language '{code}' lacks {error} for the world '{world}'.") from None
