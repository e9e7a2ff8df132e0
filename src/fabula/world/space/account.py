"""The verifier's own parser for stories and questions about positions.

Each expression of the language file becomes one plain pattern (see language/patterns.py) with slots
for words. The relation it states is the one that the words in all its slots have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from fabula.errors import ParseError
from fabula.language.patterns import (
    Match,
    Memo,
    Patterns,
    Slot,
    language_data,
    matching,
    nothing_fits,
    one_of,
    silent,
    written_facts,
)
from fabula.world.base import Claim, Fact, Query
from fabula.world.space import placing
from fabula.world.space.words import LABELS, OFFSETS, REGIONS, SIDES, opposite

AGENT, THING = matching(r"[A-Z]\w*"), matching(r"[a-z][\w-]*")
ANYTHING = matching(r"[\w'-]+(?: [\w'-]+)*")
RELATIONS = frozenset(LABELS) - {"overlap"}
NAMES = ("figure", "ground", "other")


class Meaning(NamedTuple):
    """The meaning of a pattern: a relation that its words share with these, or a denial."""

    kind: str
    relations: frozenset[str]


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str) -> None:
        data = language_data(code, "space")
        self._code, self._silent = code, silent(code, "space")
        self._sentences, self._questions = Patterns(), Patterns()
        self.facts = Memo(self._parsed)
        """The facts of a sentence."""
        self._both = data["joining"]["both"].replace("{first}", "").replace("{second}", "")
        numbers = {word: n for n, word in enumerate(data["steps"]["numbers"], 1) if n > 1}
        counts = one_of(numbers)
        for table in ("compass", "sides"):
            for relation, texts in data[table].items():
                for text in texts:
                    slots = {"figure": ANYTHING, "ground": ANYTHING}
                    self._sentences.add(text, Meaning("told", frozenset({relation})), slots)
        flat = {**_columns(data["words"]), "count": counts}
        groups = data["phrases"]["groups"]
        lists = [kind for name, kind in data["phrases"].items() if name != "groups"]
        for kind in (*lists, data["steps"]["phrases"]):
            for group, texts in kind.items():
                for text in texts:
                    self._add(text, Meaning("told", frozenset(groups[group])), flat)
        deep = _composed(data["depth"], data["depth"]["once"], {"": 1})
        for texts in data["depth"]["phrases"].values():
            for text in texts:
                self._add(text, Meaning("told", RELATIONS), deep)
        counted = _composed(data["depth"], data["depth"]["several"], numbers)
        for text in data["depth"]["counted"]:
            self._add(text, Meaning("told", RELATIONS), counted)
        regions = {text: word for word, text in data["patterns"].items()}
        regions |= {text: side for side, text in data["asked"]["which"].items() if side in SIDES}
        denied = {"relation": one_of(regions)}
        for text in data["denials"]["texts"]:
            self._add(text, Meaning("denied", frozenset()), denied)
        at = one_of(_before_ground(data, numbers))
        self._add(
            data["joining"]["shared"], Meaning("shared", RELATIONS), {"at": at, "other_at": at}
        )
        self._add_questions(data)

    def _add(self, text: str, meaning: Meaning, slots: Mapping[str, Slot]) -> None:
        """Add an expression for agents, which have names, and for things, which have an article."""
        self._sentences.add(text, meaning, {**slots, **dict.fromkeys(NAMES, AGENT)})
        things = text
        for name in NAMES:
            things = things.replace(f"{{{name}}}", f"the {{{name}}}")
        things = things[0].upper() + things[1:]
        self._sentences.add(things, meaning, {**slots, **dict.fromkeys(NAMES, THING)})

    def _add_questions(self, data: Mapping[str, Any]) -> None:
        for kind, text in data["questions"].items():
            base = kind.removesuffix("-things").removesuffix("-agents")
            asked = {}
            if "{relation}" in text:
                asked = dict(data["asked"][base])
                if base == "yes-no":
                    if kind.endswith("-agents"):
                        which = data["asked"]["which"].items()
                        asked |= {word: words for word, words in which if word in SIDES}
                    asked |= data["patterns"]
            relation = one_of({words: word for word, words in asked.items()})
            slots = {"figure": ANYTHING, "ground": ANYTHING, "relation": relation}
            self._questions.add(text, base, slots)

    # --- sentences --------------------------------------------------------------------------

    def _parsed(self, sentence: str) -> tuple[Fact, ...]:
        found = self._single(sentence)
        if found is not None:
            return found
        if self._silent(sentence):
            return ()
        at = sentence.find(self._both)
        while at >= 0:
            rest = sentence[at + len(self._both) :]
            first = self._single(f"{sentence[:at]}.")
            second = self._single(rest[:1].upper() + rest[1:])
            if first and second:
                return (*first, *second)
            at = sentence.find(self._both, at + 1)
        facts = written_facts(sentence)
        if facts is None or not all(map(_sound, facts)):
            raise nothing_fits(self._code, sentence)
        return facts

    def _single(self, sentence: str) -> tuple[Fact, ...] | None:
        matches = self._sentences.matches(sentence)
        meant = [(match.loose, facts) for match in matches if (facts := _told(match))]
        if not meant:
            return None
        least = min(loose for loose, _ in meant)
        found = {facts for loose, facts in meant if loose == least}
        if len(found) > 1:
            raise ParseError(f"'{sentence}' is ambiguous: more than one pattern fits.")
        return found.pop()

    def question(self, text: str) -> Query:
        """The query behind a question."""
        found = self._questions.best(text.strip())
        if found is None:
            raise nothing_fits(self._code, text, "question")
        kind, slots = found.meaning, found.slots
        names = [slots[name] for name in ("figure", "ground") if name in slots]
        relation = [slots["relation"]] if "relation" in slots else []
        if kind == "steps":
            return ("path", kind, *names)
        return (kind, *names, *relation) if kind == "what-of" else (kind, *relation, *names)


class Account:
    """The verifier's view of a story."""

    def __init__(self, code: str, sentences: Sequence[str]) -> None:
        self._grammar = grammar(code)
        self._facts = [self._grammar.facts(sentence) for sentence in sentences]

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence."""
        return self._facts

    def query(self, question: str) -> Query:
        """The query behind a question."""
        return self._grammar.question(question)

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """Objections to each claim, by the logic program if `logic` is set; empty if it is
        proven.
        """
        if logic:
            from fabula.world.space import oracle

            return oracle.prove(self._facts, claims)
        return placing.prove(self._facts, claims)


def _told(match: Match) -> tuple[Fact, ...] | None:
    """The facts of a pattern with these words, or None if the words do not fit together."""
    (kind, relations), slots = match.meaning, match.slots
    names = [slots[name] for name in NAMES if name in slots]
    if len(set(names)) < len(names):
        return None
    figure, ground = names[:2]
    if kind == "denied":
        return (("not", slots["relation"], figure, ground),)
    if kind == "shared":
        places = ((slots["at"], ground), (slots["other_at"], names[2]))
        return tuple(_fact(relation, steps, figure, by) for (relation, steps), by in places)
    found = set(relations)
    count = int(slots.get("count", 1))
    for name, value in slots.items():
        if name not in NAMES and name != "count":
            found &= {relation for relation, _ in value}
            count = max([count, *(steps for _, steps in value)])
    if len(found) != 1:
        return None
    return (_fact(found.pop(), count, figure, ground),)


def _fact(relation: str, count: int, figure: str, ground: str) -> Fact:
    return (relation, figure, ground, str(count)) if count > 1 else (relation, figure, ground)


def _sound(fact: Fact) -> bool:
    if fact[0] == "not":
        return len(fact) == 4 and fact[1] in REGIONS
    return fact[0] in OFFSETS and (len(fact) == 3 or (len(fact) == 4 and fact[3].isdecimal()))


# --- the words of the slots -----------------------------------------------------------------------

Words = dict[str, frozenset[tuple[str, int]]]
"""Words with the relations, and numbers of steps, that they can stand for."""


def _table(entries: Iterator[tuple[str, str, int]]) -> Slot:
    found: Words = {}
    for text, relation, steps in entries:
        if text:
            found[text] = found.get(text, frozenset()) | {(relation, steps)}
    return one_of(found)


def _columns(words: Mapping[str, Sequence[str]]) -> dict[str, Slot]:
    """A slot for each row of the table of words, and one for the words of the opposite."""
    slots = {}
    for row, texts in words.items():
        pairs = list(zip(texts, words["order"], strict=True))
        slots[row] = _table((text, relation, 1) for text, relation in pairs)
        slots[f"{row}_back"] = _table((text, opposite(relation), 1) for text, relation in pairs)
    return slots


def _composed(
    depth: Mapping[str, Any], forms: Mapping[str, str], numbers: Mapping[str, int]
) -> dict[str, Slot]:
    """The same for stories with depth, where the words of the sides are listed."""
    words, slots = depth["words"], dict[str, Slot]()
    for row, form in forms.items():
        entries = []
        for relation, (count, steps) in product(sorted(RELATIONS), numbers.items()):
            texts = [
                form.replace("{word}", words[row][at]).replace("{count}", count)
                for at, side in enumerate(words["order"])
                if _towards(relation, side)
            ]
            entries.append((depth["lists"][len(texts) - 1].format(*texts), relation, steps))
        slots[row] = _table(iter(entries))
        slots[f"{row}_back"] = _table((text, opposite(r), steps) for text, r, steps in entries)
    return slots


def _towards(relation: str, side: str) -> bool:
    """Whether a relation goes towards a side."""
    pairs = zip(OFFSETS[relation], OFFSETS[side], strict=True)
    return sum(one * other for one, other in pairs) > 0


def _before_ground(
    data: Mapping[str, Any], numbers: Mapping[str, int]
) -> dict[str, tuple[str, int]]:
    """Words allowed before a ground in a sentence that states two positions of one figure."""
    found: dict[str, tuple[str, int]] = {}
    for words in (data["words"], data["depth"]["words"]):
        for text, relation in zip(words["at"], words["order"], strict=True):
            found[text] = (relation, 1)
            if relation in SIDES:
                for count, steps in numbers.items():
                    found[data["steps"]["at"].format(count=count, at=text)] = (relation, steps)
    return found


@cache
def grammar(code: str) -> Grammar:
    """The patterns of a language."""
    return Grammar(code)
