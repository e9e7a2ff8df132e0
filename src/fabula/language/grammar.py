"""A language for a world: renders facts as sentences and parses sentences back.

Promises:
1. Every rendered sentence parses back to its meaning (a property test covers all frames).
2. Parsing needs no list of names: any word that fits a slot is accepted.
3. A sentence that fits no frame raises ParseError; there is no guessing.

Words and frames come from `<code>/<world>.toml`; this module only fills and matches them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import count
from typing import Any, NamedTuple

from fabula.core.files import unfit_name
from fabula.core.registry import plugin_folders
from fabula.core.seeds import Draw, pick
from fabula.errors import ParseError, RecipeError, hint
from fabula.language.conventions import silent

MEMO_LIMIT = 200_000  # cached sentences per language, so that memory stays flat


FILLER = "FILLER"
"""The kind of a sentence that states no fact."""


_serials = count()


class Statement:
    """The content of one sentence, before pronouns are resolved.

    A sentence is parsed once, and its statement is shared by all stories with that sentence; so a
    reader may cache its own results in it.
    """

    __slots__ = ("args", "domain", "facts", "kind", "pronoun", "serial", "subjects")

    def __init__(
        self,
        kind: str,
        subjects: tuple[str, ...],
        args: tuple[str, ...],
        pronoun: str = "",
    ) -> None:
        self.kind = kind
        """MOVE, GRAB, … as named in the language file."""
        self.subjects = subjects
        """One person or two; empty if a pronoun stands for them."""
        self.args = args
        """The other arguments, in the order of the file's [slots]."""
        self.pronoun = pronoun
        """The pronoun that refers to the subjects of the previous sentence, or nothing."""
        self.serial = next(_serials)
        """A unique number."""
        self.facts: tuple[tuple[str, ...], ...] = ()
        """Cache of a reader: its facts, unless a pronoun leaves the subject open."""
        self.domain = -1
        """Cache of a reader: the places it leaves open, 0 if it states no movement; -1: not
        computed yet.
        """

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Statement)
            and self.kind == other.kind
            and self.subjects == other.subjects
            and self.args == other.args
            and self.pronoun == other.pronoun
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.subjects, self.args, self.pronoun))

    def __repr__(self) -> str:
        said = (self.kind, self.subjects, self.args, self.pronoun)
        return f"Statement{said!r}"

    def _replace(
        self,
        kind: str | None = None,
        subjects: tuple[str, ...] | None = None,
        args: tuple[str, ...] | None = None,
    ) -> Statement:
        """The same with another kind, subjects or arguments."""
        return Statement(
            self.kind if kind is None else kind,
            self.subjects if subjects is None else subjects,
            self.args if args is None else args,
            self.pronoun,
        )


class Need(NamedTuple):
    """The need behind a mood: the thing people want, and where they go for it."""

    place: str
    thing: str


class Lore(NamedTuple):
    """Background knowledge that stories do not state."""

    times: tuple[str, ...] = ()
    """Words for parts of the past, earliest first; the present follows the last."""
    needs: Mapping[str, Need] = {}
    """The need behind each mood."""
    looks: Mapping[str, tuple[str, ...]] = {}
    """The attributes of things, colour and state, with the words for each."""


class Language:
    """One language for one world."""

    def __init__(self, data: Mapping[str, Any], world: str = "actors") -> None:
        self.code: str = data["code"]
        self.world = world
        self.frames: dict[str, tuple[str, ...]] = {
            key: tuple(_with_verbs(frames, data["verbs"].get(key.split("-")[0], [""])))
            for key, frames in data["frames"].items()
        }
        self.questions: dict[str, str] = data["questions"]
        self._plural_questions: dict[str, str] = data.get("plural_questions", {})
        self._plural_things: frozenset[str] = frozenset(data.get("plural_things", ()))
        """Things with a plural name: verbs and pronouns agree with it."""
        self.leads: tuple[str, ...] = tuple(data["subject"]["leads"])
        self.answers: dict[str, str] = data["answers"]
        self._two: str = data["subject"]["two"]
        self._pronoun_frame: str = data["subject"]["pronoun"]
        self._pronouns: dict[str, str] = {
            name: pronoun for pronoun, names in data["pronouns"].items() for name in names
        }
        self._pronoun_words: tuple[str, ...] = tuple(data["pronouns"])
        self._plural: str = self._pronoun_words[-1]
        self._numbers: dict[str, list[str]] = data["numbers"]
        self.lore = Lore(
            tuple(data.get("times", ())),
            {mood: Need(**need) for mood, need in data.get("needs", {}).items()},
            {look: tuple(words) for look, words in data.get("looks", {}).items()},
        )
        tokens = {
            **data["tokens"],
            "time": "|".join(map(re.escape, self.lore.times)),
            "mood": "|".join(map(re.escape, self.lore.needs)),
            **{look: "|".join(map(re.escape, words)) for look, words in self.lore.looks.items()},
        }
        # the frame with the most fixed text is tried first: '… the {1} there.' before '… the {1}.'
        self._statement_patterns = [
            pattern
            for _, pattern in sorted(self._compile_statements(data, tokens), key=lambda p: -p[0])
        ]
        self._question_patterns = tuple(self._compile_questions(data))
        self.statements: dict[str, Statement] = {}
        """Cache of parsed sentences."""
        self._queries: dict[str, tuple[str, ...]] = {}

    # --- telling -------------------------------------------------------------------------

    def say(self, frame: str, who: str, args: Sequence[str], draw: Draw) -> str:
        """A sentence of this frame, its verb drawn at random."""
        if who in self._plural_things:
            frame = f"{frame}-plural"
        said = pick(draw, self.frames[frame]).format(who, *args)
        return said[0].upper() + said[1:]

    def pair(self, first: str, second: str) -> str:
        """Two people as one subject."""
        return self._two.format(first, second)

    def anaphor(self, pronoun: str, lead: int) -> str:
        """A pronoun as a subject, with the lead-in of this number."""
        return self._pronoun_frame.format(lead=self.leads[lead], pronoun=pronoun)

    def pronoun(self, people: Sequence[str]) -> str | None:
        """The pronoun for these people, or None if the language has none."""
        return self._plural if len(people) > 1 else self._pronouns.get(people[0])

    def ask(self, query: Sequence[str]) -> str:
        """The question in words."""
        kind, first = query[0], query[1]
        if first in self._plural_things and kind in self._plural_questions:
            return self._plural_questions[kind].format(*query[1:])
        return self.questions[kind].format(*query[1:])

    def number(self, n: int) -> str:
        """A number in words; digits from one hundred on."""
        ones, tens = self._numbers["ones"], self._numbers["tens"]
        if n < len(ones):
            return ones[n]
        if n < 100:
            word = tens[n // 10 - 2]
            return word if n % 10 == 0 else f"{word}-{ones[n % 10]}"
        return str(n)

    # --- parsing -------------------------------------------------------------------------

    def parse(self, sentence: str) -> Statement:
        """The content of a sentence."""
        known = self.statements.get(sentence)
        if known is None:
            known = self._parse(sentence)
            if len(self.statements) >= MEMO_LIMIT:
                self.statements.clear()
            self.statements[sentence] = known
        return known

    def parse_question(self, question: str) -> tuple[str, ...]:
        """The query behind a question."""
        known = self._queries.get(question)
        if known is None:
            known = self._parse_question(question)
            if len(self._queries) >= MEMO_LIMIT:
                self._queries.clear()
            self._queries[question] = known
        return known

    def _parse(self, sentence: str) -> Statement:
        for kind, arity, pattern, opening in self._statement_patterns:
            found = pattern.fullmatch(sentence)
            if found:
                names = tuple(n for n in (found["first"], found["second"]) if n)
                args = tuple(
                    _uncapitalised(found[f"arg{i}"]) if i == opening else found[f"arg{i}"]
                    for i in range(1, arity + 1)
                )
                return Statement(kind, names, args, found["pronoun"] or "")
        if sentence in silent(self.code, self.world):
            return Statement(FILLER, (), ())
        raise ParseError(f"no {self.code} sentence pattern fits '{sentence}'.")

    def _parse_question(self, question: str) -> tuple[str, ...]:
        for kind, pattern in self._question_patterns:
            found = pattern.fullmatch(question.strip())
            if found:
                return (kind, *found.groups())
        raise ParseError(f"no {self.code} question pattern fits '{question}'.")

    def _compile_statements(
        self, data: Mapping[str, Any], tokens: Mapping[str, str]
    ) -> Iterator[tuple[int, tuple[str, int, re.Pattern[str], int]]]:
        """(length of the fixed text, (kind, arguments, pattern, which argument comes first))."""
        leads = "|".join(map(re.escape, self.leads))
        pronouns = "|".join(map(re.escape, self._pronoun_words))
        anaphor = _fill(
            self._pronoun_frame, {"lead": f"(?:{leads})", "pronoun": f"(?P<pronoun>{pronouns})"}
        )
        person = tokens["person"]
        named = _fill(self._two, {"0": f"(?P<first>{person})", "1": f"(?P<second>{person})"})
        # a single name is the first half of a pair, so that one pattern covers both
        alone = f"(?P<first>{person})"
        joint = named.removeprefix(alone)
        who = f"(?:{anaphor}|{alone}(?:{joint})?)"
        for key, frames in self.frames.items():
            kind = key.split("-")[0]
            slots = data["slots"][kind]
            subject = who
            if kind in data.get("things", ()):  # a thing: never a pair, never a pronoun
                subject = f"(?P<first>{tokens['object']})(?P<second>(?!))?(?P<pronoun>(?!))?"
            for frame in frames:
                fillings = {"0": subject}
                opening = int(frame[1]) if frame.startswith("{") else 0
                for i, slot in enumerate(slots, 1):
                    token = tokens[slot]
                    if i == opening:  # the first word of a sentence is capitalised
                        token = "|".join(word[0].upper() + word[1:] for word in token.split("|"))
                    fillings[str(i)] = f"(?P<arg{i}>{token})"
                fixed = len(re.sub(r"\{\w+\}", "", frame))
                yield fixed, (kind, len(slots), re.compile(_fill(frame, fillings)), opening)

    def _compile_questions(self, data: Mapping[str, Any]) -> Iterator[tuple[str, re.Pattern[str]]]:
        tokens = data["tokens"]
        for kind, frame in (*self.questions.items(), *self._plural_questions.items()):
            slots = data["question_slots"][kind]
            fillings = {str(i): f"({tokens[slot]})" for i, slot in enumerate(slots)}
            yield kind, re.compile(_fill(frame, fillings))


def _with_verbs(frames: Sequence[str], verbs: Sequence[str]) -> Iterator[str]:
    for frame in frames:
        for verb in verbs if "{v}" in frame else ("",):
            yield frame.replace("{v}", verb)


def _uncapitalised(word: str) -> str:
    return word[:1].lower() + word[1:]


def _fill(frame: str, fillings: Mapping[str, str]) -> str:
    """The frame as a regular expression: slots replaced, the rest escaped."""
    parts = re.split(r"\{(\w+)\}", frame)
    return "".join(fillings[part] if i % 2 else re.escape(part) for i, part in enumerate(parts))


def language_file(code: str, world: str) -> dict[str, Any]:
    """The words and sentence patterns of a language for a world."""
    for folder in () if unfit_name(code) or unfit_name(world) else folders():
        path = folder / code / f"{world}.toml"
        if path.is_file():
            return tomllib.loads(path.read_text(encoding="utf-8"))
    codes = [p.name for f in folders() for p in f.iterdir() if (p / f"{world}.toml").is_file()]
    raise RecipeError(f"no language '{code}' for the world '{world}'.{hint(code, codes)}")


def folders() -> list[Any]:
    """The folders with languages: our own, and those of plug-ins."""
    return [resources.files("fabula.language"), *plugin_folders("language")]


@cache
def language(code: str, world: str) -> Language:
    """The language with this code for this world."""
    return Language(language_file(code, world), world)
