"""Cleans a reply: odd characters, reasoning, the next question.

Each check begins with the fastest test for whether it applies at all: for most replies it does not.
"""

from __future__ import annotations

import re
import unicodedata

from fabula.scoring.answers import LOOSE, Answers
from fabula.scoring.phrases import HEADING, LABEL, NEXT
from fabula.scoring.reply import ParsedReply, Span

LONGEST = 50_000  # characters that are read, from the end; then the first thousand

_LOOK_ALIKES = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "\u2010": "-", "\u2011": "-", "\u00ad": None}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None)
)
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_NO_SPACE = re.compile(r"[^\S\n ]")
_MARKS = re.compile(r"[^\w\s]{6}")
_TAGS = "think|thinking|thought|reasoning|scratchpad|analysis"
_CLOSED = re.compile(rf"<({_TAGS})>.*?</\1>", re.I | re.S)
_OPENED_BEFORE = re.compile(rf"^.*</(?:{_TAGS})>", re.I | re.S)  # opened in the prompt
_NEVER_CLOSED = re.compile(rf"<(?:{_TAGS})>.*\Z", re.I | re.S)


def clean(reply: str) -> str:
    """The text in plain characters, without long runs of blanks, lines and signs."""
    text = reply
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_LOOK_ALIKES))
        text = text.translate(_LOOK_ALIKES).translate(LOOSE)
    text = text if len(text) <= LONGEST else f"{text[:1000]}\n\n{text[-LONGEST:]}"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "  " in text or _NO_SPACE.search(text):
        text = _BLANKS.sub(" ", text)
    if _MARKS.search(text):
        text = re.sub(r"([^\w\s])\1{5,}", r"\1\1\1", text)
    return re.sub(r"(?: ?\n){3,}", "\n\n", text) if text.count("\n") > 2 else text


def without_reasoning(text: str) -> str:
    """The text without reasoning in tags or under a heading."""
    if "<" in text:
        for tagged in (_CLOSED, _OPENED_BEFORE, _NEVER_CLOSED):
            text = tagged.sub("\n", text)
    heading = HEADING.search(text) if ":" in text else None
    if heading is None:
        return text
    before, rest = text[: heading.start()], text[heading.end() :]
    label = LABEL.search(rest)
    if label:
        after = rest[label.start() :]
    elif before.strip():
        after = ""
    else:  # the last paragraph is the conclusion of the reasoning
        after = rest.rstrip().rpartition("\n\n")[2] if "\n\n" in rest.strip() else ""
    kept = f"{before}\n{after}"
    return kept if kept.strip() else rest


def without_next_question(text: str, answers: Answers) -> str:
    """The text up to where a model that keeps writing asks the next question."""
    if ":" not in text:
        return text
    for following in NEXT.finditer(text):
        before = text[: following.start()]
        if before.strip() and _answered(text, before, answers):
            return before
    return text


def _answered(text: str, before: str, answers: Answers) -> bool:
    """Whether there is an answer on the first line, or after a label before the next question."""
    first = text.strip().partition("\n")[0]
    if len(first) < 200 and ParsedReply(first, answers).bare(Span(0, len(first)), strict=True):
        return True
    label = LABEL.search(text)
    return label is not None and bool(before[label.end() :].strip())
