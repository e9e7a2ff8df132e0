"""The answer that a reply gives, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fabula.scoring.answers import fold
from fabula.scoring.outcome import Outcome
from fabula.scoring.phrases import ANSWER_IS, FILLER, LABEL, REVISION, THEREFORE
from fabula.scoring.reply import Mention, ParsedReply, Span

MARKS = 20  # marks that are checked, from the last; a model may repeat itself forever

_TAGGED = re.compile(r"(?is)<answer>(.*?)(?:</answer>|\Z)")
_BOX = re.compile(r"\\boxed\s*\{")
_QUOTED = re.compile(r"""["']answer["']\s*:\s*(\[[^\]]*\]|"[^"]*"|'[^']*'|[\w-]+)""", re.I)
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_BELOW = re.compile(r"\s*\S")
_CLOSE = re.compile(r"[.!?](?=\s|$)|\n\n")
_PART_END = re.compile(r"[,;:—–]|\s-\s|\n")
_SIGNS = re.compile(r"[.!?\"'\[\]()]")
_BETWEEN = re.compile(r",|;|\band\b|&|\n|\+")
_ITEM = re.compile(r"[\s•-]*(?:(?:the|a|an|also|one|her|his)\s+)*([\w-]+)\s*", re.I)

Found = tuple[str, ...] | Outcome


def answer_in(reply: ParsedReply, truncated: bool) -> Found:
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


def plainly(reply: ParsedReply) -> tuple[str, ...]:
    """The unmistakable answer of a reply: marked, in bold, or without another word.

    Words that are merely mentioned along the way do not count.
    """
    for span in reversed(_marks(reply.raw)[-MARKS:]):
        said = _in_mark(reply, span)
        if said is not None:
            return () if isinstance(said, Outcome) else said
    said = _in_bold(reply)
    if said is not None:
        return () if isinstance(said, Outcome) else said
    bare = [m for sentence in reply.sentences for m in reply.bare(sentence, strict=True)]
    alone = all(reply.bare(sentence, strict=True) for sentence in reply.sentences)
    given = _distinct(bare)
    return given if alone and len(given) == 1 else ()


def answer_span(text: str) -> str:
    """The part of a reply that is marked as its answer: the last such part; the whole if none is.

    >>> answer_span("She left the kitchen. Answer: the garden")
    ' the garden'
    """
    marks = [span for span in _marks(text) if span.firm]
    return text[marks[-1].start : marks[-1].end] if marks else text


def _marks(text: str) -> list[Span]:
    """The spans marked as the answer, in order."""
    found = [Span(*m.span(1), True) for m in _TAGGED.finditer(text)] if "<" in text else []
    if "\\boxed" in text:
        found += _boxed(text)
    lower = text.lower()
    answer = "answer" in lower
    json = list(_QUOTED.finditer(text)) if answer else []
    found += [Span(*m.span(1), True) for m in json]
    labelled = answer or ":" in text or "ans" in lower or "####" in text
    for match in LABEL.finditer(text) if labelled else ():
        if any(m.start() <= match.start() < m.end() for m in json):
            continue
        end = _line_end(text, match.end())
        if not text[match.end() : end].strip(" *_`"):  # the answer is on the next line
            below = _BELOW.match(text, end)
            stop = text.find("\n\n", below.end()) if below else end
            end = len(text) if stop < 0 else stop
        found.append(Span(match.end(), end, True))
    for match in ANSWER_IS.finditer(text) if answer else ():
        close = _CLOSE.search(text, match.end() + 1)
        found.append(Span(match.end(), close.end() if close else len(text)))
    return sorted(found)


def _boxed(text: str) -> list[Span]:
    """The content of each box, up to its closing bracket."""
    found = []
    for match in list(_BOX.finditer(text))[-MARKS:]:
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found.append(Span(match.end(), end - (depth == 0), True))
    return found


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _in_mark(reply: ParsedReply, span: Span) -> Found | None:
    """The answer of a marked span: its first sentence that has one."""
    windows = reply.split(span)
    if reply.answers.shape != "one":  # items may be on separate lines
        windows = _rejoined(reply.text, windows)
    for window in windows:
        mentions = reply.stated(window)
        if mentions:
            return _given(reply, mentions, window)
        if reply.refuses(window):
            return Outcome.REFUSAL
    return None


def _rejoined(text: str, windows: list[Span]) -> list[Span]:
    """Sentences, with those rejoined that are separated only by a line break."""
    joined: list[Span] = []
    for window in windows:
        if joined and not text[: joined[-1].end].rstrip().endswith((".", "!", "?")):
            joined[-1] = Span(joined[-1].start, window.end)
        else:
            joined.append(window)
    return joined


def _given(reply: ParsedReply, mentions: list[Mention], window: Span) -> tuple[str, ...]:
    """The answer that the mentions of a window give; several if it is ambiguous."""
    mentions = reply.without_asides(mentions, window)
    if reply.answers.shape == "way":
        return tuple(m.answer for m in mentions)
    if reply.answers.shape == "list":
        return (*_distinct(mentions), *_strangers(reply, window))
    given = _distinct(mentions)
    if len(given) > 1:
        mentions = reply.without_echo(mentions)
        given = _distinct(mentions)
    if len(given) > 1:
        given = _distinct(_leading(reply, window)) or given
    return given


def _distinct(mentions: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([m.answer for m in mentions]))


def _leading(reply: ParsedReply, window: Span) -> list[Mention]:
    """The mention in a bare beginning, as in 'Yes, there is no doubt', unless others follow it."""
    if REVISION.is_in(reply.text[window.start : window.end], reply.words):
        return []
    parts, start = [], window.start
    for gap in _PART_END.finditer(reply.text[window.start : window.end]):
        parts.append(Span(start, window.start + gap.start()))
        start = window.start + gap.end()
    parts.append(Span(start, window.end))
    bare = [reply.bare(part, strict=True) for part in parts]
    if not bare[0] or len(_distinct(bare[0])) > 1:
        return []
    return bare[0] if len(_distinct(m for part in bare for m in part)) == 1 else []


def _strangers(reply: ParsedReply, window: Span) -> list[str]:
    """Items of a list that are neither known answers nor words of the story."""
    text = reply.text[window.start : window.end]
    found = []
    for item in _BETWEEN.split(_SIGNS.sub(" ", text)):
        match = _ITEM.fullmatch(item)
        word = match[1].lower() if match else ""
        strange = word and word not in FILLER and not word.isdigit()
        if strange and fold(word) not in reply.answers.names:
            found.append(word)
    if not found:
        return found
    known = reply.answers.told() | reply.answers.asked()
    return [word for word in found if word not in known]


def _in_bold(reply: ParsedReply) -> Found | None:
    """The answer in bold: the last one, or all of the last paragraph for lists and paths."""
    if "**" not in reply.raw:
        return None
    bold = [Span(*m.span(1)) for m in _BOLD.finditer(reply.raw)]
    for last in reversed(bold):
        mentions = reply.stated(last)
        if not mentions:
            if reply.refuses(last):
                return Outcome.REFUSAL
            continue
        if reply.answers.shape == "one":
            return _given(reply, mentions, last)
        start = reply.raw.rfind("\n\n", 0, last.start) + 1
        together = [span for span in bold if start <= span.start <= last.start]
        if reply.answers.shape == "way":
            return tuple(m.answer for m in reply.stated(*together))
        strange = [word for span in together for word in _strangers(reply, span)]
        return (*_distinct(reply.stated(*together)), *strange)
    return None


def _unmarked(reply: ParsedReply) -> Found:
    """The answer of a reply without a mark."""
    whole = Span(0, len(reply.text))
    mentions = reply.stated(whole)
    opening = _opening(reply) if mentions and not REVISION.is_in(reply.text, reply.words) else []
    if opening:
        return _given(reply, opening, Span(opening[0].start, opening[-1].end))
    last = reply.refusals[-1] if reply.refusals else None
    if last is not None:
        after = [m for m in mentions if m.start >= last.end]
        return _given(reply, after, Span(last.end, whole.end)) if after else Outcome.REFUSAL
    if not mentions:
        return Outcome.UNPARSED
    if "?" in reply.text:
        asked = [s for s in reply.sentences if reply.text[s.start : s.end].endswith("?")]
        echoed = set(reply.stated(*asked))
        mentions = [m for m in mentions if m not in echoed] or mentions
    if reply.answers.shape == "way":
        return tuple(m.answer for m in mentions)
    ending = _ending(reply, mentions)
    if ending:
        return ending
    if reply.answers.shape == "list":
        return (*_distinct(reply.without_asides(mentions, whole)), *_strangers(reply, whole))
    return _given(reply, mentions, whole)


def _opening(reply: ParsedReply) -> list[Mention]:
    """The mentions of a bare beginning, if no other bare sentence contradicts it."""
    first = reply.sentences[0]
    start = reply.bare(first, strict=True)
    if not start and reply.answers.shape == "one":
        start = _leading(reply, first)
    if not start:
        return []
    others = [m for s in reply.sentences[1:] for m in reply.bare(s, strict=True)]
    if reply.answers.shape == "list":
        return [*start, *others]
    if reply.answers.shape == "way":
        return [] if others else start
    return start if len(_distinct([*start, *others])) == 1 else []


def _ending(reply: ParsedReply, mentions: list[Mention]) -> tuple[str, ...]:
    """The conclusion of the last sentence with an answer, if it clearly is one."""
    last = next(s for s in reversed(reply.sentences) if s.holds(mentions[-1].start))
    text = reply.text[last.start : last.end]
    therefore = THEREFORE.matches(text, reply.words)
    if therefore:
        window = Span(last.start + therefore[-1].end(), last.end)
        concluded = reply.stated(window)
        return _given(reply, concluded, window) if concluded else ()
    bare = reply.bare(last)
    others = [s for s in reply.sentences if s != last and reply.bare(s)]
    return _given(reply, bare, last) if bare and not others else ()
