"""A reply with its mentions, and what its sentences say.

A *mention* is a place in the reply where an answer of the set occurs; those in the scope of a 'not'
do not count. A *window* is the span of text that is assumed to give the answer. A sentence is
*bare* if it does nothing but give one: 'In the garden.'
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fabula.scoring.answers import Answers, compass, fold
from fabula.scoring.phrases import (
    ASIDE,
    CLAUSE_END,
    FILLER,
    IDIOM,
    NEGATOR,
    NO_SUCH,
    NOT_AFTER,
    NOT_KNOWN,
    NUMBERED,
    PRONOUNS,
    REFUSAL,
    words_in,
)

REACH = 200  # maximum scope of a 'not', in characters
_MARKUP = re.compile(r"[*_`~$\\{}]")
_DIGIT = re.compile(r"\d")
# each begins with a set of characters, which `re` searches fastest
_SENTENCE_END = re.compile(r"[.!?।\n](?:(?<=\n)\n*|(?<!\n)[\"')*_]*\s+)")
_LISTED = re.compile(r"[\s,]*(?:(?:or|nor|and|in|at|the|a|an)\b[\s,]*)*")
_OR = re.compile(r"\b(?:or|nor)\b")
TIMES = {"two": 2, "twice": 2, "three": 3, "four": 4}


class Span(NamedTuple):
    """A span of the text."""

    start: int
    end: int
    firm: bool = False
    """Whether it can contain nothing but an answer."""

    def holds(self, place: int) -> bool:
        """Whether a position lies in it."""
        return self.start <= place < self.end


class Mention(NamedTuple):
    """An occurrence of an answer in the text."""

    start: int
    end: int
    answer: str
    negated: bool = False


class ParsedReply:
    """A reply with its mentions and refusals."""

    def __init__(self, text: str, answers: Answers) -> None:
        self.answers = answers
        self.raw = text
        self.text = _MARKUP.sub(" ", text)
        self.words = words_in(self.text)
        self.refusals = [
            Span(*match.span())
            for phrase in (REFUSAL, NOT_KNOWN)
            for match in phrase.matches(self.text, self.words)
        ]
        self.negators = [Span(*m.span()) for m in NEGATOR.matches(self.text, self.words)]
        self.mentions = self._mentions()
        self._stated = [mention for mention in self.mentions if not mention.negated]
        self._starts = [mention.start for mention in self._stated]
        self._sentences: list[Span] | None = None

    @property
    def sentences(self) -> list[Span]:
        """The sentences of the whole reply."""
        if self._sentences is None:
            self._sentences = self.split(Span(0, len(self.text)))
        return self._sentences

    def split(self, span: Span) -> list[Span]:
        """The sentences of a span; a new line begins a new one."""
        found, start = [], span.start
        for gap in _SENTENCE_END.finditer(self.text, span.start, span.end):
            end = gap.start() + (gap[0][0] != "\n")
            found.append(Span(start, end))
            start = gap.end()
        found.append(Span(start, span.end))
        return [s for s in found if self.text[s.start : s.end].strip()]

    # --- mentions -------------------------------------------------------------------------

    def _mentions(self) -> list[Mention]:
        matches = self.answers.pattern.finditer(self._without_idioms())
        names = self.answers.names
        if not names:
            return list(self._ways(matches))
        found = [(m.start(), m[0], names.get(m[0]) or _name(m[0], names)) for m in matches]
        if self.answers.capitals and self.answers.shape != "way":
            found = _proper(found)
        after = not NOT_AFTER.words.isdisjoint(self.words)
        if not self.negators and not after and "no" not in self.words:
            return [Mention(start, start + len(said), name) for start, said, name in found]
        return [
            Mention(start, end, name, self._negated(start) or (after and self._denied(end)))
            for start, said, name in found
            if (end := start + len(said))
        ]

    def _without_idioms(self) -> str:
        """The text with blanks for words that only seem to name an answer; positions stay the
        same.
        """
        text = self.text
        for phrase in (IDIOM, NOT_KNOWN):
            if not phrase.words.isdisjoint(self.words):
                text = phrase.pattern.sub(_blanks, text)
        return NUMBERED.sub(_blanks, text) if _DIGIT.search(text) else text

    def _ways(self, matches: Iterable[re.Match[str]]) -> Iterator[Mention]:
        for match in matches:
            negated = self._negated(match.start())
            many = (match["before"] or match["after"] or "1").split()[0].lower()
            for _ in range(TIMES.get(many) or int(many)):
                yield Mention(match.start(), match.end(), compass(match["way"]), negated)

    def _negated(self, start: int) -> bool:
        if "no" in self.words and NO_SUCH.search(self.text[max(0, start - 30) : start]):
            return self.answers.shape != "way"
        near = bisect_left(self.negators, (start - REACH,))
        for negator in self.negators[near:]:
            if negator.end > start:
                break
            if not self._ends(negator.end, start):
                return True
        return False

    def _denied(self, end: int) -> bool:
        """Whether a 'not' follows a mention."""
        return NOT_AFTER.pattern.match(self.text, end) is not None

    def _ends(self, start: int, stop: int) -> bool:
        """Whether the scope of a 'not' ends between two positions."""
        between = self.text[start:stop]
        if CLAUSE_END.search(between):
            return True
        comma = between.find(",")
        if comma < 0:
            return False
        # 'not in the kitchen, garden, or hallway' continues over its commas
        listed = self.answers.pattern.sub(" ", self.text[start + comma : stop])
        far = stop + REACH
        clause_end = CLAUSE_END.search(self.text, stop, far)
        rest = self.text[start : clause_end.start() if clause_end else far]
        return not (_LISTED.fullmatch(listed) and _OR.search(rest))

    # --- what a stretch says --------------------------------------------------------------

    def stated(self, *spans: Span) -> list[Mention]:
        """The mentions in these spans that no 'not' negates."""
        found: list[Mention] = []
        for span in spans if self._stated else ():
            low = bisect_left(self._starts, span.start)
            found += self._stated[low : bisect_left(self._starts, span.end, low)]
        return found

    def refuses(self, span: Span) -> bool:
        """Whether the span says that the model cannot tell."""
        return bisect_left(self.refusals, (span.start,)) < bisect_left(self.refusals, (span.end,))

    def without_asides(self, mentions: list[Mention], span: Span) -> list[Mention]:
        """The mentions outside of brackets and because-clauses, if any."""
        if len(mentions) < 2:
            return mentions
        part = self.text[span.start : span.end]
        asides = [Span(span.start + m.start(), span.start + m.end()) for m in ASIDE.finditer(part)]
        beside = set(self.stated(*asides))
        return [m for m in mentions if m not in beside] or mentions

    def without_echo(self, mentions: list[Mention]) -> list[Mention]:
        """The mentions of words that are not in the question, if any."""
        echo = self.answers.echo()
        kept = [m for m in mentions if fold(m.answer) not in echo]
        return kept or mentions

    def bare(self, span: Span, strict: bool = False) -> list[Mention]:
        """The mentions of a span that says nothing else, or only repeats the question."""
        mentions = self.stated(span)
        if not mentions or self.text[span.start : span.end].rstrip().endswith("?"):
            return []
        rest, place = [], span.start
        for mention in mentions:
            rest.append(self.text[place : mention.start])
            place = mention.end
        rest.append(self.text[place : span.end])
        words = words_in(" ".join(rest), "'-") - FILLER
        words = {word for word in words if word.strip("'-")}
        if words and not strict:
            words -= self.answers.asked() | PRONOUNS
        return [] if words else mentions


Found = tuple[int, str, str]
"""(start, text, answer)."""


def _name(said: str, names: dict[str, str]) -> str:
    """The answer that is meant; anything unknown is another number, or nothing at all."""
    return names.get(fold(said)) or (said if said.isdigit() else names["nothing"])


def _proper(found: list[Found]) -> list[Found]:
    """If names are written with capitals, 'will' is not Will; single letters always are names."""
    kept = [
        (start, said, name)
        for start, said, name in found
        if len(name) > 1 or not name.isupper() or said.isupper()
    ]
    if any(name[0].isupper() and said[0].isupper() for _, said, name in kept):
        kept = [one for one in kept if not one[2][0].isupper() or one[1][0].isupper()]
    return kept


def _blanks(match: re.Match[str]) -> str:
    return "".join(char if char == "\n" else " " for char in match[0])
