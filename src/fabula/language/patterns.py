"""Plain sentence patterns, matched word by word: the verifier's own way from text to facts.

The readers parse for speed, each in its own way. Verification must not repeat their mistakes, so it
reads the same language files with this module, which shares no code with them:

    book = Patterns()
    book.add("{figure} is {at} {ground}.", "plain", {"figure": NAME, "at": AT, "ground": NAME})
    book.best("Ann is above Bob.")     # Match("plain", {"figure": "Ann", "at": …, …}, loose=11)

Promises:
1. A pattern matches if its words are those of the text, in order, and every slot holds one or more
   whole words that the slot accepts. A slot that occurs twice must hold the same text twice.
2. If several patterns match, the one with the least text in its slots wins; if two of these differ
   in meaning, the text is ambiguous and ParseError is raised.
3. Fillers and conventions, which state no fact, are listed in the language files, not in code.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Generic, NamedTuple, TypeVar

from fabula.core.registry import plugin_folders
from fabula.errors import ParseError

_W = r"[^\s.,;:!?।()]"
TOKEN = re.compile(rf"'s(?!{_W})|{_W}+?(?='s(?!{_W}))|{_W}+|[.,;:!?।()]")
SLOT = re.compile(r"\{([^{}]+)\}")
MANY = 1_000  # default maximum number of words in a slot
MEMO = 100_000  # cached matches, so that memory stays flat

Slots = dict[str, Any]
T = TypeVar("T")


class Slot(NamedTuple):
    """The text that a slot accepts, and its value."""

    read: Callable[[str], Any]
    """The value of a text, or None if the slot does not accept it."""
    longest: int = MANY
    """Maximum number of words, including punctuation marks."""


def matching(expression: str) -> Slot:
    """A slot for text that fully matches a regular expression."""
    pattern = re.compile(expression)
    several = re.search(r"[ .]|\\s|'", re.sub(r"\\.", "", expression)) is not None

    def read(text: str) -> str | None:
        return text if pattern.fullmatch(text) else None

    return Slot(read, MANY if several else 1)


def one_of(words: Mapping[str, Any]) -> Slot:
    """A slot for the keys of a table; its value is the table's value."""
    return Slot(words.get, max((len(TOKEN.findall(text)) for text in words), default=0))


class Match(NamedTuple):
    """A pattern that fits a text."""

    meaning: Any
    slots: Slots
    loose: int
    """Number of characters inside slots."""


class _Node:
    """A position in the patterns: what may come next."""

    __slots__ = ("ends", "slots", "words")

    def __init__(self) -> None:
        self.words: dict[str, _Node] = {}
        self.slots: list[tuple[str, Slot, _Node]] = []
        self.ends: list[Any] = []


class Patterns:
    """A set of patterns, as a tree of their words."""

    def __init__(self) -> None:
        self._root = _Node()
        self._memo: dict[str, Match] = {}

    def add(self, template: str, meaning: Any, slots: Mapping[str, Slot]) -> None:
        """Add a pattern; `slots` says what each of its {slots} accepts."""
        node = self._root
        for n, part in enumerate(SLOT.split(template)):
            if n % 2:
                slot = slots[part]
                known = [child for name, s, child in node.slots if name == part and s is slot]
                if known:
                    node = known[0]
                else:
                    child = _Node()
                    node.slots.append((part, slot, child))
                    node = child
            else:
                for word in TOKEN.findall(part):
                    node = node.words.setdefault(word, _Node())
        if meaning not in node.ends:
            node.ends.append(meaning)

    def matches(self, text: str) -> list[Match]:
        """Every pattern that fits a text."""
        found: list[Match] = []
        spans = [match.span() for match in TOKEN.finditer(text)]
        words = [text[start:end] for start, end in spans]
        count, bound = len(words), dict[str, Any]()

        def walk(node: _Node, at: int, loose: int) -> None:
            if at == count:
                found.extend(Match(meaning, dict(bound), loose) for meaning in node.ends)
                return
            child = node.words.get(words[at])
            if child is not None:
                walk(child, at + 1, loose)
            for name, slot, child in node.slots:
                start, literal = spans[at][0], not child.slots
                before = bound.get(name)
                for end in range(at + 1, min(count, at + slot.longest) + 1):
                    if literal and (
                        words[end] not in child.words if end < count else not child.ends
                    ):
                        continue
                    stop = spans[end - 1][1]
                    value = slot.read(text[start:stop])
                    if value is None or (before is not None and before != value):
                        continue
                    bound[name] = value
                    walk(child, end, loose + stop - start)
                    if before is None:
                        del bound[name]

        walk(self._root, 0, 0)
        return found

    def best(self, text: str) -> Match | None:
        """The best match, or None if no pattern fits; ParseError if it is ambiguous."""
        known = self._memo.get(text)
        if known is not None:
            return known
        found = self.matches(text)
        if not found:
            return None
        least = min(match.loose for match in found)
        meant = [match for match in found if match.loose == least]
        if any(match[:2] != meant[0][:2] for match in meant[1:]):
            raise ParseError(f"'{text}' is ambiguous: more than one pattern fits.")
        if len(self._memo) >= MEMO:
            self._memo.clear()
        self._memo[text] = meant[0]
        return meant[0]


# --- language files -----------------------------------------------------------------------------


@cache
def language_data(code: str, name: str) -> dict[str, Any]:
    """The content of a language file, plug-ins included; empty if there is no such file."""
    found: dict[str, Any] = {}
    for place in (*plugin_folders("language"), resources.files("fabula.language")):
        path = place / code / f"{name}.toml"
        if path.is_file():
            found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def texts_in(data: Any) -> Iterator[str]:
    """All texts in tables and lists, at any depth."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from texts_in(each)


@cache
def silent(code: str, world: str) -> Callable[[str], bool]:
    """A test for sentences that state no fact: fillers, and conventions of the world.

    Conventions are in the world's own file or in `conventions.toml`; their slots accept any text.
    """
    fillers = {
        f"{subject} {predicate}."
        for group in language_data(code, "filler").get("groups", ())
        for predicate in group["predicates"]
        for subject in group["subjects"]
    }
    conventions, anything = Patterns(), matching(".+")
    tables = (language_data(code, world), language_data(code, f"{world}/grammar"))
    stated: list[Any] = [data.get("conventions", {}) for data in tables]
    stated.append(language_data(code, "conventions").get(world, {}))
    for text in texts_in(stated):
        conventions.add(text, "", dict.fromkeys(SLOT.findall(text), anything))

    def is_silent(sentence: str) -> bool:
        return sentence == "()" or sentence in fillers or bool(conventions.matches(sentence))

    return is_silent


def nothing_fits(code: str, text: str, what: str = "sentence") -> ParseError:
    """The error for a text that no pattern fits."""
    return ParseError(f"no {code} {what} pattern of the verifier fits '{text}'.")


# --- facts in notation --------------------------------------------------------------------------


def written_facts(text: str) -> tuple[tuple[str, ...], ...] | None:
    """The facts of a text such as 'left(Ann,Bob); above(Cid,Bob)' or '()'; None if it has none."""
    if not (text.endswith(")") and "(" in text):
        return None
    facts = []
    for part in text.split(";") if text != "()" else ():
        kind, _, rest = part.strip().partition("(")
        args = rest.removesuffix(")").split(",")
        if not rest.endswith(")") or not re.fullmatch(r"[\w-]+", kind) or not all(args):
            return None
        facts.append((kind, *args))
    return tuple(facts)


def fixed(words: Iterable[str]) -> dict[str, str]:
    """A table of words that stand for themselves."""
    return {word: word for word in words}


class Memo(Generic[T]):
    """Cache of results by text, up to MEMO of them, so that memory stays flat."""

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make
        self._known: dict[str, T] = {}

    def __call__(self, text: str) -> T:
        """The result for a text."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= MEMO:
                self._known.clear()
            known = self._known[text] = self._make(text)
        return known
