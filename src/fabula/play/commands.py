"""Parses a typed line: a command with its actor and arguments, or a question.

Promises:
1. Capitals, articles, commas and the final punctuation do not matter; the words do.
2. A line that cannot be parsed raises a ParseError that names the word and the nearest known one.

Words and patterns come from the language files `play.toml` and `actors.toml`; this module only
matches them against the names of the world.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from fabula.errors import ParseError, hint
from fabula.language import language, language_file
from fabula.play.worldfile import WorldFile, opposites
from fabula.world.base import Query

LONGEST = 500  # characters of a line
MOST = 1_000  # maximum number of events caused by one command

_PIECES = re.compile(r"(\[[^\]]*\]|\{\w+\})")


class Command(NamedTuple):
    """A line that does something."""

    name: str
    """As in the language file: go, get, put-in, …"""
    actor: str | None
    """The person named at its beginning, if any."""
    args: Mapping[str, str]
    """Slot to name, as the world writes it."""


class Question(NamedTuple):
    """A line that asks."""

    query: Query


class _Pattern(NamedTuple):
    name: str
    expression: re.Pattern[str]
    slots: tuple[tuple[str, str], ...]
    """Group of the expression and the sort of names it takes."""
    fixed: int
    """Length of the text outside slots."""


class Grammar:
    """Parses typed lines in a world."""

    def __init__(self, world: WorldFile) -> None:
        data = language_file(world.language, "play")
        self.phrases: dict[str, Any] = data
        self._articles = frozenset(data["articles"])
        self._spellings: Mapping[str, str] = data["spellings"]
        names: dict[str, Iterable[str]] = {
            "person": world.people,
            "place": world.places,
            "thing": world.things,
            "entity": [*world.people, *world.things, *world.places],
            "direction": opposites(world.language),
            "property": data["properties"],
        }
        names["holder"] = names["object"] = names["thing"]
        names["anyone"] = names["person"]
        self._names: dict[str, dict[str, str]] = {
            sort: {self._plain(name): name for name in known} for sort, known in names.items()
        }
        self._names["direction"] |= data["short"]
        for name, others in data["properties"].items():
            self._names["property"] |= dict.fromkeys(others, name)
        self._commands = sorted(
            (
                self._pattern(name, pattern)
                for name, patterns in data["commands"].items()
                for pattern in patterns
            ),
            key=lambda pattern: -pattern.fixed,
        )
        slots = language_file(world.language, "actors")["question_slots"]
        tongue = language(world.language, "actors")
        self._questions = [
            self._question(kind, tongue.questions[kind], sorts) for kind, sorts in slots.items()
        ]
        self._verbs: dict[str, list[str]] = {}
        for name, patterns in data["commands"].items():
            for verb in dict.fromkeys(_verbs(patterns)):
                self._verbs.setdefault(verb, []).append(name)

    # --- reading patterns -----------------------------------------------------------------

    def _pattern(self, name: str, pattern: str) -> _Pattern:
        expression, fixed = "", 0
        for piece in filter(None, (part.strip() for part in _PIECES.split(pattern))):
            inner = piece.strip("[]")
            part = rf"(?:\A|\s+){_part(inner)}"
            expression += f"(?:{part})?" if piece.startswith("[") else part
            if not piece.startswith(("[", "{")):
                fixed += max(map(len, piece.split("|")))
        slots = tuple((sort, sort) for sort in re.findall(r"\{(\w+)\}", pattern))
        return _Pattern(name, re.compile(expression), slots, fixed)

    def _question(self, kind: str, frame: str, sorts: list[str]) -> _Pattern:
        plain = self._plain(re.sub(r"\{(\d)\}", r" slot\1 ", frame))
        expression = re.sub(r"slot(\d)", r"(?P<slot\1>\\S+(?: \\S+)*?)", plain)
        slots = tuple((f"slot{number}", sort) for number, sort in enumerate(sorts))
        return _Pattern(kind, re.compile(expression), slots, len(re.sub(r"slot\d", "", plain)))

    def _plain(self, text: str) -> str:
        """Text normalised for comparison."""
        words = re.sub(r"[,;:\"]|[.?!]+\s*$", " ", text.casefold()).split()
        words = [self._spellings.get(word, word) for word in words]
        return " ".join([word for word in words if word not in self._articles] or words)

    # --- reading lines --------------------------------------------------------------------

    def understand(self, line: str) -> Command | Question:
        """The meaning of a line."""
        if len(line) > LONGEST:
            raise ParseError(str(self.phrases["mistakes"]["too-long"]).format(LONGEST))
        text = self._plain(line)
        asks = line.rstrip().endswith("?")
        routes = (self._ask, self._command) if asks else (self._command, self._ask)
        mistakes: list[tuple[int, str]] = []
        for route in routes:
            found = route(text, mistakes)
            if found is not None:
                return found
        if mistakes:
            best = max(fixed for fixed, _ in mistakes)
            said = [mistake for fixed, mistake in mistakes if fixed == best]
            raise ParseError(next((m for m in said if m.endswith("?")), said[0]))
        raise ParseError(self._unknown(line, text, asks))

    def person(self, word: str) -> str:
        """The person that a word names, ignoring case."""
        name = self._resolve("person", self._plain(word))
        if name is None:
            raise ParseError(self._mistake("person", word))
        return name

    def _unknown(self, line: str, text: str, asks: bool) -> str:
        """The reply to a line that matches no pattern."""
        say = self.phrases["mistakes"]
        words = text.split() or [""]
        first = words[1] if words[0] in self._names["person"] and len(words) > 1 else words[0]
        openings = {pattern.expression.pattern.split(" ")[0] for pattern in self._questions}
        if asks or first in openings:
            return str(say["question"])
        usage = [self.phrases["usage"].get(name) for name in self._verbs.get(first, ())]
        if any(usage):
            shown = f" {self.phrases['conjunctions']['or']} ".join(f"'{u}'" for u in usage if u)
            return str(say["incomplete"]).format(line.strip()[:60], shown)
        if first == words[0] and words[1:] and words[1] in self._verbs:
            people = self._names["person"]
            close = get_close_matches(first, people, n=1)
            remedy = hint(people[close[0]] if close else "", people.values())
            return str(say["stranger"]).format(line.split(maxsplit=1)[0].strip(","), remedy)
        starts: list[str] = [*self._verbs]
        if first == words[0]:
            starts += [*openings, *self._names["person"]]
        close = get_close_matches(first, starts, n=1, cutoff=0.7)
        nearest = ""
        if close and close[0] != first:
            known = self._names["person"].get(close[0], close[0])
            nearest = hint(known, [known])
        return str(say["unknown"]).format(line.strip()[:60], nearest)

    def _command(self, text: str, mistakes: list[tuple[int, str]]) -> Command | None:
        readings: list[tuple[str | None, str]] = [(None, text)]
        for plain, name in self._names["person"].items():
            if text.startswith(f"{plain} "):
                readings.append((name, text[len(plain) + 1 :]))
        for pattern in self._commands:
            for actor, rest in readings:
                found = self._match(pattern, rest, mistakes)
                if found is not None:
                    return Command(pattern.name, actor, found)
        return None

    def _ask(self, text: str, mistakes: list[tuple[int, str]]) -> Question | None:
        for pattern in self._questions:
            found = self._match(pattern, text, mistakes)
            if found is not None:
                return Question((pattern.name, *found.values()))
        return None

    def _match(
        self, pattern: _Pattern, text: str, mistakes: list[tuple[int, str]]
    ) -> dict[str, str] | None:
        """The names in the slots of a pattern; None if it does not fit or names something
        unknown.
        """
        match = pattern.expression.fullmatch(text)
        if match is None:
            return None
        found: dict[str, str] = {}
        for group, sort in pattern.slots:
            word = match[group]
            if word is not None:
                name = word if sort == "word" else self._resolve(sort, word)
                if name is None:
                    if pattern.fixed:
                        mistakes.append((pattern.fixed, self._mistake(sort, word)))
                    return None
                found[group] = name
        return found

    def _resolve(self, sort: str, word: str) -> str | None:
        """The name that a word stands for, if it is one of its sort."""
        if sort == "number":
            counts = word.isascii() and word.isdecimal() and 1 <= int(word) <= MOST
            return word if counts else None
        return self._names[sort].get(word)

    def _mistake(self, sort: str, word: str) -> str:
        """The error for an unknown word, with the nearest known one."""
        say = self.phrases["mistakes"]
        if sort == "number":
            return str(say["number"]).format("", word, MOST)
        known = {name.casefold(): name for name in self._names[sort].values()}
        close = get_close_matches(word, known, n=1)
        remedy = hint(known[close[0]] if close else "", known.values())
        return str(say["name"]).format("", word, self.phrases["sorts"][sort], remedy)


def _part(inner: str) -> str:
    """A slot, or alternative words, as a regular expression."""
    slot = re.fullmatch(r"\{(\w+)\}", inner)
    if slot:
        return rf"(?P<{slot[1]}>\S+(?: \S+)*?)"
    return f"(?:{'|'.join(re.escape(words) for words in inner.split('|'))})"


def _verbs(patterns: Iterable[str]) -> Iterator[str]:
    """The words that commands begin with."""
    for pattern in patterns:
        if not pattern.startswith("{"):
            for words in re.split(r"[\[{]", pattern)[0].split("|"):
                yield words.split()[0]
