"""Scores a reply: which answer does it give, and is it the right one?

Promises:
1. Answers are matched whole, over the closed set of answers that the question can have: 'none' is
   not 'one', 'upper left' is not 'left', 'mother-in-law' is not 'mother'.
2. Lists are compared as sets, ways ('south, then east') as sequences; case, articles, hyphens and
   punctuation do not matter.
3. What is marked as the answer ('Answer: …', a tag, a box, bold) goes before what is not, and the
   last mark before earlier ones. Reasoning is left out. Without a mark, two different answers are
   no right answer.
4. 'I do not know' (refusal), no answer of the set (unparsed) and no answer yet (truncated) are
   told apart from a wrong answer.
5. The right answer is consulted only at the end: how a reply is read never depends on it, except
   that it is always among the words of a list.

A *mention* is a place in the reply where an answer of the set is named; those in the reach of a
'not' do not count. A *window* is the stretch of text that is taken to give the answer. A sentence
is *bare* if it does nothing but give one: 'In the garden.'
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from fabula.instance import Instance
from fabula.language.catalogue import tongue_of
from fabula.language.tongue import Tongue


class Outcome(StrEnum):
    """What became of a reply."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    """None of the possible answers is given."""
    REFUSAL = "refusal"
    """It says that it cannot tell."""
    TRUNCATED = "truncated"
    """It was cut off before an answer was marked."""


class Score(NamedTuple):
    """How a reply was scored."""

    outcome: Outcome
    answer: tuple[str, ...] = ()
    """The answer as understood, in the words of the answer set; several if it is ambiguous."""

    @property
    def correct(self) -> bool:
        """Whether the answer is right."""
        return self.outcome is Outcome.CORRECT


def score(instance: Instance, reply: str, truncated: bool = False) -> Score:
    """How a reply to an instance is scored; `truncated` if it was cut off by a token limit.

    >>> fabula.score(instance, "She left the kitchen. Answer: the garden.").correct
    """
    answers = _answers(instance)
    plain = None if truncated else _plain(reply, answers)
    if plain is not None:
        return Score(_outcome([_fold(plain)] == [*map(_fold, instance.answer)]), (plain,))
    text = _without_next_question(_without_reasoning(_clean(reply)), answers)
    found = _read(_Reply(text, answers), truncated)
    if isinstance(found, Outcome):
        return Score(found)
    if answers.shape == "way" and not answers.names:
        right = found == tuple(_compass(word) for word in instance.answer)
        style = str if all(len(word) == 1 for word in instance.answer) else _long
        return Score(_outcome(right), tuple(style(word) for word in found))
    if answers.shape == "way":
        return Score(_outcome(found == instance.answer), found)
    expected = {_fold(word) for word in instance.answer}
    return Score(_outcome({_fold(word) for word in found} == expected), found)


_PLAIN = re.compile(r"\s*(?:Answer:\s*)?([A-Za-z][a-z-]+)\.?\s*")


def _plain(reply: str, answers: _Answers) -> str | None:
    """The answer of a reply that is nothing but one of the choices; most are, and it is quicker."""
    match = _PLAIN.fullmatch(reply) if answers.shape == "one" else None
    return answers.names.get(_fold(match[1])) if match else None


def _outcome(right: bool) -> Outcome:
    return Outcome.CORRECT if right else Outcome.WRONG


# --- the closed set of answers ----------------------------------------------------------------

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

# other words for an answer, in force if they are not answers themselves
ALIASES: dict[str, tuple[str, ...]] = {
    "none": EMPTY,
    "nothing": EMPTY,
    "yes": ("yep", "yeah"),
    "no": ("nope",),
    "maybe": ("perhaps", "possibly"),
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

# 'isn't carrying anything'
EMPTY_PHRASE = (
    r"(?:\w+n't|not)\s+(?:\w+\s+){0,2}?any(?:thing|\s+(?:objects?|items?|things?))|empty-handed"
)

# argument of a fact that is an object, where answers are lists of them
OBJECT_OF = {"grab": 2, "drop": 2, "give": 2}


class _Answers(NamedTuple):
    """What may be answered, and how it is found in a text."""

    shape: str
    """'one' of several, 'list' or 'way'."""
    pattern: re.Pattern[str]
    names: dict[str, str]
    """Folded wording to answer; none for a way in English, which has a pattern of its own."""
    echo: frozenset[str]
    """Folded words that the question itself names."""
    story: tuple[str, ...]
    question: frozenset[str]
    """Words of the question, in lower case."""


def _answers(instance: Instance) -> _Answers:
    kind, *arguments = instance.query or ("",)
    words = frozenset(re.findall(r"[\w'-]+", instance.question.lower()))
    story = instance.story
    tongue = _tongue(instance)
    say = tongue.say if tongue else tuple
    echo = frozenset(map(_fold, say(arguments)))
    if kind == "path" or (not instance.choices and _is_way(instance.answer)):
        if tongue or "steps" in arguments:
            return _Answers("way", *_vocabulary(tuple(say(STEPS))), echo, story, words)
        return _Answers("way", _WAY, {}, echo, story, words)
    forms = tongue.forms() if tongue else ()
    if instance.choices and len(instance.answer) <= 1:
        pattern, names = _vocabulary(tuple(instance.choices), forms)
        return _Answers("one", pattern, names, echo, story, words)
    objects = [
        fact[OBJECT_OF[fact[0]]]
        for facts in instance.facts
        for fact in facts
        if len(fact) > OBJECT_OF.get(fact[0], 99)
    ]
    if not objects:
        objects = [word for facts in instance.facts for fact in facts for word in fact[1:]]
        objects = [word for word in objects if _fold(word) not in echo]
    other = say([*objects, "nothing"])
    listed = dict.fromkeys([*(instance.choices or ()), *instance.answer, *other])
    pattern, names = _vocabulary(tuple(listed), forms)
    return _Answers("list", pattern, names, echo, story, words)


def _tongue(instance: Instance) -> Tongue | None:
    """What says words as the record does, if that is not how its facts have them."""
    source = instance.provenance
    if source.get("language", "en") == "en" and not source.get("cipher"):
        return None
    return tongue_of(str(source.get("world", "")), source)


@lru_cache(maxsize=4096)
def _vocabulary(
    choices: tuple[str, ...], forms: tuple[tuple[str, str], ...] = ()
) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for the answers, and what each wording means; `forms`: other forms of words."""
    names = {_fold(word): word for word in choices}
    for form, word in forms:
        if _fold(word) in names:
            names.setdefault(_fold(form), names[_fold(word)])
    counting = all(word in NUMBERS for word in names)
    if counting:  # any number is an answer, also one that cannot be right
        for number, word in enumerate(NUMBERS):
            names.setdefault(word, word)
            names.setdefault(str(number), names[word])
    for word, others in ALIASES.items():
        if _fold(word) in names:
            for other in others:
                names.setdefault(_fold(other), names[_fold(word)])
    longest = sorted(names, key=len, reverse=True)
    wordings = [r"[\s-]+".join(map(re.escape, name.split())) for name in longest]
    if counting:
        wordings.append(r"\d+")
    if "nothing" in names:
        wordings.insert(0, EMPTY_PHRASE)
    alternatives = "|".join(wordings) or r"(?!)"
    return re.compile(_WHOLE.format(alternatives), re.IGNORECASE), names


# Whole words: no part of a hyphenated word, no possessive, no half of 'great grandmother', nor of a
# word that goes on with a vowel sign, which is no \w (शेर in शेरों).
_WHOLE = (
    r"(?<!\w)(?<!\w-)(?<!\d\.)(?<!great )(?<!step )(?<!upper )(?<!lower )(?<!top )(?<!bottom )"
    r"(?<![\u0900-\u0963])(?:{})(?![\w\u0900-\u0963])(?!-\w)(?!'s\b)(?![\s-]in[\s-]law)(?!\.\d)"
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


def _compass(word: str) -> str:
    return word[:1].lower()


def _long(letter: str) -> str:
    return next(way for way in WAYS if way[0] == letter)


@lru_cache(maxsize=65_536)
def _fold(word: str) -> str:
    """A word without what does not matter."""
    text = re.sub(r"[\s_-]+", " ", word).strip(" .,;:!?\"'`").lower()
    return re.sub(r"^(?:the|a|an) (?=\w)", "", text)


# --- cleaning -----------------------------------------------------------------------------------

_LOOK_ALIKES = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "\u2010": "-", "\u2011": "-", "\u00ad": None}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None)
)
_TAGS = "think|thinking|thought|reasoning|scratchpad|analysis"
_HEADING = re.compile(
    r"^[\s*#_>-]*(?:reasoning|explanation|rationale|thought process|thoughts?|analysis|"
    r"justification|chain of thought|step[- ]by[- ]step[\w ]*)\s*[*_]*\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(
    r"(?:(?<=\n)|^)[\s>*_#-]*(?:A|ans)[*_`]*\s*:[*_`]*"
    r"|\b(?:answer|ans)['\"]?[*_`]*\s*(?::=?|=|\s[-–—](?=\s))[*_`]*"
    r"|(?:(?<=\n)|^)[>*_#\s-]*answer[*_`]*\n"
    r"|(?:(?<=\n)|^)####(?!#)",
    re.IGNORECASE,
)
_ANSWER_IS = re.compile(
    r"\b(?:the|my|our)\s+(?:(?:final|correct|right|best|only)\s+)*answer\s+"
    r"(?:(?:to|for)\s[^.\n]{1,80}?\s)?(?:is|would\s+be|should\s+be|must\s+be|will\s+be)\b\s*:?",
    re.IGNORECASE,
)
_NEXT = re.compile(r"^[\s*#>]*(?:question|q|story|passage|context)[*_]*\s*\d*\s*:", re.I | re.M)


LONGEST = 50_000  # characters that are read, from the end; then the first thousand


def _clean(reply: str) -> str:
    text = unicodedata.normalize("NFKC", reply.translate(_LOOK_ALIKES)).translate(_LOOK_ALIKES)
    text = text if len(text) <= LONGEST else f"{text[:1000]}\n\n{text[-LONGEST:]}"
    text = re.sub(r"[^\S\n]+", " ", text.replace("\r\n", "\n").replace("\r", "\n"))
    return re.sub(r"(?: ?\n){3,}", "\n\n", re.sub(r"([^\w\s])\1{5,}", r"\1\1\1", text))


def _without_reasoning(text: str) -> str:
    """The text without reasoning in tags or under a heading."""
    text = re.sub(rf"<({_TAGS})>.*?</\1>", "\n", text, flags=re.I | re.S)
    text = re.sub(rf"^.*</(?:{_TAGS})>", "\n", text, flags=re.I | re.S)  # opened in the prompt
    text = re.sub(rf"<(?:{_TAGS})>.*\Z", "\n", text, flags=re.I | re.S)  # never closed
    heading = _HEADING.search(text)
    if heading is None:
        return text
    before, rest = text[: heading.start()], text[heading.end() :]
    label = _LABEL.search(rest)
    if label:
        after = rest[label.start() :]
    elif before.strip():
        after = ""
    else:  # the last paragraph is what the reasoning led to
        after = rest.rstrip().rpartition("\n\n")[2] if "\n\n" in rest.strip() else ""
    kept = f"{before}\n{after}"
    return kept if kept.strip() else rest


def _without_next_question(text: str, answers: _Answers) -> str:
    """The text up to where a model that goes on by itself asks the next question."""
    first = text.strip().partition("\n")[0]
    given = len(first) < 200 and _Reply(first, answers).bare(Span(0, len(first)), strict=True)
    label = _LABEL.search(text)
    for following in _NEXT.finditer(text):
        before = text[: following.start()]
        if before.strip() and (given or (label and before[label.end() :].strip())):
            return before
    return text


# --- reading ------------------------------------------------------------------------------------


class Span(NamedTuple):
    """A stretch of the text."""

    start: int
    end: int
    firm: bool = False
    """Whether it can hold nothing but an answer."""

    def holds(self, place: int) -> bool:
        """Whether a place lies in it."""
        return self.start <= place < self.end


class Mention(NamedTuple):
    """An answer named in the text."""

    start: int
    end: int
    answer: str
    negated: bool


REACH = 200  # characters that a 'not' reaches at most
MARKS = 20  # marks that are looked at, from the last; a model may repeat itself for ever

_NEGATOR = re.compile(
    r"\b(?:not(?!\s+(?:only|just)\b)|never|cannot|neither|nor|without|\w+n't|no\s+longer|"
    r"instead\s+of|rather\s+than|other\s+than|except(?:\s+for)?|excluding|anything\s+but|"
    r"impossible|unable|whether|unclear|unknown)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;:!?\n()—–]|\b(?:but|however|instead(?!\s+of)|so|because|since|though|although|"
    r"and\s+(?:is|was|are|now|then|she|he|it|they|has|went|moved|so))\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:(?:do(?:es)?\s+not|don't|doesn't|did\s+not|didn't|can\s*not|can't|could\s+not|couldn't|"
    r"never)\s+(?:\w+\s+){0,3}?"
    r"(?:know|tell|determined?|say|said|state|specify|mention|answer|help|inferred?|concluded?|"
    r"deduced?|known|told|provide|give|indicate|have\s+(?:enough|sufficient|that|the))\b"
    r"|(?:not|n't|no)\s+(?:\w+\s+)?(?:enough|sufficient)\s+(?:\w+\s+)?(?:information|info|context|"
    r"details?|data|facts|evidence)"
    r"|insufficient\s+(?:\w+\s+)?(?:information|info|context|data|details?)"
    r"|(?:impossible|not\s+possible|no\s+way)\s+to\s+(?:\w+\s+)?"
    r"(?:tell|know|say|determine|answer|infer|deduce)"
    r"|unable\s+to|unknown|unclear|undetermined|indeterminate|undeterminable|unsure|unanswerable|"
    r"not\s+(?:sure|certain|clear|stated|specified|given|mentioned|known|determinable|provided)|"
    r"no\s+(?:idea|clue|information|mention)|ambiguous|cannot\s+be\s+determined"
    r"|i\s+(?:refuse|decline)|won't\s+(?:answer|be\s+able)"
    r")\b|(?<!\w)n/a(?!\w)",
    re.IGNORECASE,
)
# words in which an answer only seems to be named
_IDIOM = re.compile(
    r"\bno\s+(?:longer|one|doubt|more|information|mention|way|idea|clue|evidence|indication|matter|"
    r"problem|enough|sufficient|need|other|further|reason|change)\b"
    r"|\bno(?=\s+(?:person|place|room|sentence|statement))"
    r"|\bnone\s+of\s+the\s+(?:above|other)|\b(?:nothing|none)\s+(?:but|except|other\s+than|else)\b"
    r"|\byes\s*(?:/|or)\s*no(?:\s*(?:/|or)\s*maybe)?\b|\byes\s*,\s*no\s*,?\s*or\s+maybe\b"
    r"|\bthe\s+one\s+(?=who|that)|\bat\s+one\s+point|\bone\s+(?:by\s+one|another)"
    r"|\b(?:sentence|line|step|fact|statement|clue|event)s?\s+#?\d+(?:\s*(?:,|and|&|-|to)\s*\d+)*"
    r"|(?<!:\s)(?<!:)\[\d+(?:\s*,\s*\d+)*\]|(?:(?<=\n)|^)\s*\d+[.)](?=\s)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]"
    r"|(?:,\s*)?\b(?:because|since|given\s+that|due\s+to|as\s+(?:she|he|it|they|the|[A-Z])|"
    r"after\s+(?:leaving|moving|being)|having|which|where\s+(?:she|he|it|they)|"
    r"(?:she|he|they)\s+(?:just\s+)?(?:left|dropped|gave|put))\b[^.\n]*"
)
_FILLER = frozenset(
    re.findall(
        r"\S+",
        "the a an in at on to of is it it's its be inside within located probably likely surely "
        "definitely just only and & or both i i'd i'm think believe guess say would must therefore "
        "so thus well ok okay sure actually wait object objects item items thing things there "
        "currently now still room go goes then s",
    )
)
_REVISION = re.compile(r"\b(?:wait|actually|correction|sorry|oops|scratch that|on second)\b", re.I)
_THEREFORE = re.compile(
    r"(?:^|[.,;:\n]\s*|\band\s+)(?:so|therefore|thus|hence|consequently|"
    r"(?:in )?conclusion|(?:in )?total|result|"
    r"th(?:is|at) means(?: that)?|it follows(?: that)?)\b[,:]?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"')*_]*\s+|\n+")


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    """The text with what matches replaced by blanks, so that places stay the same."""
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


class _Reply:
    """A reply with its mentions and refusals."""

    def __init__(self, text: str, answers: _Answers) -> None:
        self.answers = answers
        self.raw = text
        self.text = re.sub(r"[*_`~$\\{}]", " ", text)
        self.refusals = [Span(*m.span()) for m in _REFUSAL.finditer(self.text)]
        self.negators = [Span(*m.span()) for m in _NEGATOR.finditer(self.text)]
        self.sentences = self._split(Span(0, len(text)))
        matches = list(answers.pattern.finditer(_blank(self.text, _IDIOM)))
        matches = self._proper(matches)
        self.mentions = [mention for m in matches for mention in self._mentioned(m)]

    def _split(self, span: Span) -> list[Span]:
        """The sentences of a stretch; a new line begins a new one."""
        found, start = [], span.start
        for gap in _SENTENCE.finditer(self.text, span.start, span.end):
            found.append(Span(start, gap.start()))
            start = gap.end()
        found.append(Span(start, span.end))
        return [s for s in found if self.text[s.start : s.end].strip()]

    def _proper(self, matches: list[re.Match[str]]) -> list[re.Match[str]]:
        """Where names are written with capitals, 'will' is not Will; single letters always are."""
        if self.answers.shape == "way":
            return matches
        names = self.answers.names

        def wants_capital(match: re.Match[str]) -> bool:
            return names.get(_fold(match[0]), "")[:1].isupper()

        matches = [
            m
            for m in matches
            if len(names.get(_fold(m[0]), "  ")) > 1 or not wants_capital(m) or m[0].isupper()
        ]
        if any(wants_capital(m) and m[0][0].isupper() for m in matches):
            matches = [m for m in matches if not wants_capital(m) or m[0][0].isupper()]
        return matches

    def _mentioned(self, match: re.Match[str]) -> Iterator[Mention]:
        negated = self._negated(match.start(), match.end())
        if self.answers.shape != "way" or self.answers.names:
            name = self.answers.names.get(_fold(match[0]))
            if name is None:
                name = match[0] if match[0].isdigit() else self.answers.names["nothing"]
            yield Mention(match.start(), match.end(), name, negated)
            return
        times = {"two": 2, "twice": 2, "three": 3, "four": 4}
        many = (match["before"] or match["after"] or "1").split()[0].lower()
        for _ in range(times.get(many) or int(many)):
            yield Mention(match.start(), match.end(), _compass(match["way"]), negated)

    def _negated(self, start: int, end: int) -> bool:
        if re.search(
            r"\bno\s+(?:\w+\s+)?(?:the\s+)?$", self.text[max(0, start - 30) : start], re.I
        ):
            return self.answers.shape != "way"
        near = bisect_left(self.negators, (start - REACH,))
        for negator in self.negators[near:]:
            if negator.end > start:
                break
            if not self._ends(negator.end, start):
                return True
        return False

    def _ends(self, start: int, stop: int) -> bool:
        """Whether the reach of a 'not' ends between two places."""
        between = self.text[start:stop]
        if _CLAUSE_END.search(between):
            return True
        comma = between.find(",")
        if comma < 0:
            return False
        # 'not in the kitchen, garden, or hallway' goes on over its commas
        listed = self.answers.pattern.sub(" ", self.text[start + comma : stop])
        far = stop + REACH
        clause_end = _CLAUSE_END.search(self.text, stop, far)
        rest = self.text[start : clause_end.start() if clause_end else far]
        only_listed = re.fullmatch(r"[\s,]*(?:(?:or|nor|and|in|at|the|a|an)\b[\s,]*)*", listed)
        return not (only_listed and re.search(r"\b(?:or|nor)\b", rest))

    # --- what a stretch says --------------------------------------------------------------

    def stated(self, spans: Iterable[Span]) -> list[Mention]:
        """The mentions in these stretches that no 'not' takes back."""
        found: list[Mention] = []
        for span in spans:
            low = bisect_left(self.mentions, (span.start,))
            high = bisect_left(self.mentions, (span.end,))
            found += [m for m in self.mentions[low:high] if not m.negated]
        return found

    def refuses(self, span: Span) -> bool:
        """Whether it says there that it cannot tell."""
        return bisect_left(self.refusals, (span.start,)) < bisect_left(self.refusals, (span.end,))

    def without_asides(self, mentions: list[Mention], span: Span) -> list[Mention]:
        """The mentions outside of brackets and because-clauses, if any."""
        part = self.text[span.start : span.end]
        asides = [Span(span.start + m.start(), span.start + m.end()) for m in _ASIDE.finditer(part)]
        beside = set(self.stated(asides))
        return [m for m in mentions if m not in beside] or mentions

    def without_echo(self, mentions: list[Mention]) -> list[Mention]:
        """The mentions of what the question does not name itself, if any."""
        kept = [m for m in mentions if _fold(m.answer) not in self.answers.echo]
        return kept or mentions

    def bare(self, span: Span, strict: bool = False) -> list[Mention]:
        """The mentions of a stretch that says nothing else, or only what the question says."""
        mentions = self.stated([span])
        if not mentions or self.text[span.start : span.end].rstrip().endswith("?"):
            return []
        rest = list(self.text[span.start : span.end])
        for mention in mentions:
            for place in range(max(span.start, mention.start), min(span.end, mention.end)):
                rest[place - span.start] = " "
        words = set(re.findall(r"[\w'-]*\w[\w'-]*", "".join(rest).lower()))
        allowed = _FILLER if strict else _FILLER | self.answers.question | {"she", "he", "they"}
        return mentions if words <= allowed else []


Found = tuple[str, ...] | Outcome


def _read(reply: _Reply, truncated: bool) -> Found:
    """The answer a reply gives, or why there is none."""
    text = reply.raw.rstrip()
    if not reply.text.strip():
        return Outcome.TRUNCATED if truncated else Outcome.UNPARSED
    for span in reversed(_marks(reply.raw)[-MARKS:]):
        cut = truncated and span.end >= len(text)
        said = _in_mark(reply, span)
        if said is not None:
            unfinished = not isinstance(said, Outcome) and reply.mentions[-1].end >= len(text)
            return Outcome.TRUNCATED if cut and unfinished else said
        if cut:
            return Outcome.TRUNCATED
        if span.firm and reply.text[span.start : span.end].strip(" \n.:'\""):
            return Outcome.UNPARSED
    said = _in_bold(reply)
    if said is not None:
        return said
    return Outcome.TRUNCATED if truncated else _unmarked(reply)


def _marks(text: str) -> list[Span]:
    """The stretches marked as the answer, in order."""
    found = [
        Span(*m.span(1), True) for m in re.finditer(r"(?is)<answer>(.*?)(?:</answer>|\Z)", text)
    ]
    for match in list(re.finditer(r"\\boxed\s*\{", text))[-MARKS:]:
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found.append(Span(match.end(), end - (depth == 0), True))
    quoted = r"""["']answer["']\s*:\s*(\[[^\]]*\]|"[^"]*"|'[^']*'|[\w-]+)"""
    json = list(re.finditer(quoted, text, re.I))
    found += [Span(*m.span(1), True) for m in json]
    for match in _LABEL.finditer(text):
        if any(m.start() <= match.start() < m.end() for m in json):
            continue
        end = _line_end(text, match.end())
        if not text[match.end() : end].strip(" *_`"):  # the answer stands below
            below = re.compile(r"\s*\S").match(text, end)
            stop = text.find("\n\n", below.end()) if below else end
            end = len(text) if stop < 0 else stop
        found.append(Span(match.end(), end, True))
    for match in _ANSWER_IS.finditer(text):
        close = re.compile(r"[.!?](?=\s|$)|\n\n").search(text, match.end() + 1)
        found.append(Span(match.end(), close.end() if close else len(text)))
    return sorted(found)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _in_mark(reply: _Reply, span: Span) -> Found | None:
    """What a marked stretch answers: its first sentence that says something."""
    windows = reply._split(span)
    if reply.answers.shape != "one":  # items may stand on lines of their own
        windows = _rejoined(reply.text, windows)
    for window in windows:
        mentions = reply.stated([window])
        if mentions:
            return _given(reply, mentions, window)
        if reply.refuses(window):
            return Outcome.REFUSAL
    return None


def _rejoined(text: str, windows: list[Span]) -> list[Span]:
    """Sentences, those joined again that only a line break parts."""
    joined: list[Span] = []
    for window in windows:
        if joined and not text[: joined[-1].end].rstrip().endswith((".", "!", "?")):
            joined[-1] = Span(joined[-1].start, window.end)
        else:
            joined.append(window)
    return joined


def _given(reply: _Reply, mentions: list[Mention], window: Span) -> tuple[str, ...]:
    """The answer that the mentions of a window amount to; several if it is ambiguous."""
    mentions = reply.without_asides(mentions, window)
    if reply.answers.shape == "way":
        return tuple(m.answer for m in mentions)
    if reply.answers.shape == "list":
        return (*_distinct(mentions), *_strangers(reply, window))
    if len(_distinct(mentions)) > 1:
        mentions = reply.without_echo(mentions)
    if len(_distinct(mentions)) > 1:
        mentions = _leading(reply, window) or mentions
    return _distinct(mentions)


def _distinct(mentions: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(m.answer for m in mentions))


def _leading(reply: _Reply, window: Span) -> list[Mention]:
    """The mention in a bare beginning, as in 'Yes, there is no doubt', unless others follow it."""
    if _REVISION.search(reply.text[window.start : window.end]):
        return []
    parts, start = [], window.start
    for gap in re.finditer(r"[,;:—–]|\s-\s|\n", reply.text[window.start : window.end]):
        parts.append(Span(start, window.start + gap.start()))
        start = window.start + gap.end()
    parts.append(Span(start, window.end))
    bare = [reply.bare(part, strict=True) for part in parts]
    if not bare[0] or len(_distinct(bare[0])) > 1:
        return []
    return bare[0] if len(_distinct(m for part in bare for m in part)) == 1 else []


def _strangers(reply: _Reply, window: Span) -> list[str]:
    """Items of a list that are no known answers and no words of the story either."""
    text = reply.text[window.start : window.end]
    known = {w for s in reply.answers.story for w in re.findall(r"[\w'-]+", s.lower())}
    known |= reply.answers.question
    found = []
    for item in re.split(r",|;|\band\b|&|\n|\+", re.sub(r"[.!?\"'\[\]()]", " ", text)):
        match = re.fullmatch(r"[\s•-]*(?:(?:the|a|an|also|one|her|his)\s+)*([\w-]+)\s*", item, re.I)
        word = match[1].lower() if match else ""
        strange = word and word not in known and word not in _FILLER
        if strange and _fold(word) not in reply.answers.names and not word.isdigit():
            found.append(word)
    return found


def _in_bold(reply: _Reply) -> Found | None:
    """The answer in bold: the last one, or all of the last paragraph for lists and ways."""
    bold = [Span(*m.span(1)) for m in re.finditer(r"\*\*([^*]+)\*\*|(?s:__([^_]+)__)", reply.raw)]
    bold = [span for span in bold if span.start >= 0]
    for last in reversed(bold):
        mentions = reply.stated([last])
        if not mentions:
            if reply.refuses(last):
                return Outcome.REFUSAL
            continue
        if reply.answers.shape == "one":
            return _given(reply, mentions, last)
        start = reply.raw.rfind("\n\n", 0, last.start) + 1
        together = [span for span in bold if start <= span.start <= last.start]
        if reply.answers.shape == "way":
            return tuple(m.answer for m in reply.stated(together))
        strange = [word for span in together for word in _strangers(reply, span)]
        return (*_distinct(reply.stated(together)), *strange)
    return None


def _unmarked(reply: _Reply) -> Found:
    """The answer of a reply without a mark."""
    sentences = reply.sentences
    whole = Span(0, len(reply.text))
    opening = [] if _REVISION.search(reply.text) else _opening(reply)
    if opening:
        return _given(reply, opening, Span(opening[0].start, opening[-1].end))
    last = reply.refusals[-1] if reply.refusals else None
    if last is not None:
        after = [m for m in reply.stated([whole]) if m.start >= last.end]
        return _given(reply, after, Span(last.end, whole.end)) if after else Outcome.REFUSAL
    asked = [s for s in sentences if reply.text[s.start : s.end].endswith("?")]
    mentions = reply.stated([whole])
    echoed = set(reply.stated(asked))
    mentions = [m for m in mentions if m not in echoed] or mentions
    if not mentions:
        return Outcome.UNPARSED
    if reply.answers.shape == "way":
        return tuple(m.answer for m in mentions)
    ending = _ending(reply, mentions)
    if ending:
        return ending
    if reply.answers.shape == "list":
        return (*_distinct(reply.without_asides(mentions, whole)), *_strangers(reply, whole))
    return _given(reply, mentions, whole)


def _opening(reply: _Reply) -> list[Mention]:
    """The mentions of a bare beginning, if no other bare sentence says otherwise."""
    first = reply.sentences[0]
    bare = [reply.bare(sentence, strict=True) for sentence in reply.sentences]
    if reply.answers.shape == "list":
        return [m for part in bare for m in part] if bare[0] else []
    if reply.answers.shape == "way":
        return bare[0] if bare[0] and not any(bare[1:]) else []
    start = bare[0] or _leading(reply, first)
    said = {m.answer for m in [*start, *(m for part in bare[1:] for m in part)]}
    return start if start and len(said) == 1 else []


def _ending(reply: _Reply, mentions: list[Mention]) -> tuple[str, ...]:
    """What the last sentence with an answer concludes, if it is plainly a conclusion."""
    last = next(s for s in reversed(reply.sentences) if s.holds(mentions[-1].start))
    text = reply.text[last.start : last.end]
    therefore = list(_THEREFORE.finditer(text))
    if therefore:
        window = Span(last.start + therefore[-1].end(), last.end)
        concluded = reply.stated([window])
        return _given(reply, concluded, window) if concluded else ()
    bare = reply.bare(last)
    others = [s for s in reply.sentences if s != last and reply.bare(s)]
    return _given(reply, bare, last) if bare and not others else ()
