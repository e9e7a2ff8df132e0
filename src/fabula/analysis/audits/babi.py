"""Audits bAbI text: is every answer right, and does its support prove it?

Promises:
1. Every question is answered from the text alone; the file's labels are only compared.
2. A support agrees if it is exactly what the release's conventions cite, order included. Whether it
   also *proves* the answer is reported separately, together with a support that does.
3. Each disagreement comes with its place and a reason. A sentence or question that cannot be parsed
   is a disagreement, never skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fabula.analysis.audits.findings import Change
from fabula.analysis.audits.speech import Speech, speech_of
from fabula.core.supports import mask_of, numbers_of
from fabula.datasets.formats import babi
from fabula.errors import FabulaError, ParseError
from fabula.world.base import Finding, Query, Reading, World, same_answer


class Remark(NamedTuple):
    """One problem with a question of a file."""

    file: str
    line: int
    question: str
    label: str
    reason: str
    story: tuple[str, ...]
    """The sentences before the question."""


@dataclass
class Audit:
    """The findings for one file."""

    file: str
    questions: int = 0
    answers: int = 0
    """Number of answers that follow from the text."""
    supports: int = 0
    """Number of support lists that are exactly what the release's conventions cite."""
    proofs: int = 0
    """Number of support lists that entail the answer on their own."""
    minimal: int = 0
    """Number of support lists that are a minimal proof."""
    identical: bool = False
    """Whether the file, parsed and written again, has the same bytes."""
    defects: list[Remark] = field(default_factory=list)
    """Answers that do not follow from the text."""
    odd_supports: list[Remark] = field(default_factory=list)
    """Support lists that differ from the convention, although the answer is right."""
    changes: list[Change] = field(default_factory=list)
    """The changes of the corrected edition."""
    edition: str = ""
    """The corrected text: entailed answers, supports that prove them, nothing that is undecided."""
    unproven: list[Remark] = field(default_factory=list)
    """Support lists that do not prove the answer, each with one that does."""


def audit(paths: Iterable[Path]) -> Iterator[Audit]:
    """The audit of each file, one after another; a folder stands for the text files in it."""
    return (found for _, found in audit_paths(paths))


def audit_paths(paths: Iterable[Path]) -> Iterator[tuple[Path, Audit]]:
    """The same, each with the file's path."""
    for path in paths:
        if not path.exists():
            raise FabulaError(f"{path}: no such file or folder.")
        files = sorted(path.rglob("*.txt"), key=_order) if path.is_dir() else [path]
        files = [file for file in files if file.name.lower() not in ("readme.txt", "license.txt")]
        if not files:
            raise FabulaError(f"{path}: no .txt file in this folder.")
        for file in files:
            yield file, audit_file(file)


def _order(path: Path) -> tuple[str, int, str]:
    digits = "".join(c for c in path.name.split("_")[0] if c.isdigit())
    return str(path.parent), int(digits or 0), path.name


def audit_file(path: Path) -> Audit:
    """The audit of one bAbI text file."""
    result = Audit(path.name)
    stories = list(babi.read(path))
    written = "".join(babi.text(story.sentences, story.questions) for story in stories)
    # files joined from several may have blank lines between them; these have no meaning
    result.identical = written.encode() == path.read_bytes().replace(b"\n\n", b"\n")
    speech = speech_of(stories, path)
    result.edition = "".join(_audit_story(result, speech, story) for story in stories)
    return result


def _audit_story(result: Audit, speech: Speech, story: babi.Story) -> str:
    """Audit a story; returns its corrected text."""
    kept: list[babi.Question] = []
    world, own = speech.world, speech.own(story)
    reading = world.read(speech.code, [])
    told = 0
    lost = ""
    for question, asked in zip(story.questions, own.questions, strict=True):
        result.questions += 1
        while told < question.position and not lost:
            try:
                reading.hear(own.sentences[told])
            except ParseError as error:
                lost = str(error)
            told += 1
        if lost:
            result.defects.append(_finding(result, story, question, lost))
            _drop(result, question, lost)
            continue
        try:
            query = world.parse_question(speech.code, asked.text)
        except ParseError as error:
            result.defects.append(_finding(result, story, question, str(error)))
            _drop(result, question, str(error))
            continue
        right = _audit_question(result, world, reading, story, question, query, asked.answer)
        if right is None:
            _drop(result, question, "no answer is entailed")
        elif right.answer != question.answer and speech.tongue is not None:
            _drop(result, question, f"the text entails '{right.answer}'")
        else:
            kept.append(right)
            _compare(result, question, right)
    return babi.text(story.sentences, kept) if kept else ""


def _drop(result: Audit, question: babi.Question, reason: str) -> None:
    place = f"line {question.line}"
    result.changes.append(Change(place, "removed", question.answer, "", reason))


def _compare(result: Audit, before: babi.Question, after: babi.Question) -> None:
    place = f"line {before.line}"
    if after.answer != before.answer:
        reason = "the answer that is entailed"
        result.changes.append(Change(place, "label", before.answer, after.answer, reason))
    if after.support != before.support:
        old, new = (" ".join(map(str, each.support)) for each in (before, after))
        result.changes.append(Change(place, "support", old, new, "a minimal proof"))


def _audit_question(
    result: Audit,
    world: World,
    reading: Reading,
    story: babi.Story,
    question: babi.Question,
    query: Query,
    answer: str,
) -> babi.Question | None:
    """Audit a question; returns it with the entailed answer and a proof, None if there is none."""
    label = tuple(word.strip() for word in answer.split(","))
    found = reading.find(query)
    if found is None or not same_answer(query, found.answer, label):
        reason = _reason(reading, query, label, found, question)
        result.defects.append(_finding(result, story, question, reason))
        best = _proof(reading, query, found)
        if found is None or not best:
            return None
        return question._replace(answer=",".join(found.answer), support=best)
    result.answers += 1
    citations = world.citations(reading, query)
    if (label, question.support) in citations:
        result.supports += 1
    else:
        cited = " or ".join(_list(c.numbers) for c in citations) or "nothing"
        reason = f"cites {_list(question.support)}, where the convention cites {cited}"
        result.odd_supports.append(_finding(result, story, question, reason))
    mask = mask_of(question.support)
    if reading.alone(query, mask) == found.answer:
        result.proofs += 1
        result.minimal += reading.stands(query, found.conclusion, mask)
        return question
    better = _proof(reading, query, found)
    proof = f"; {_list(better)} does" if better else ""
    reason = f"{_list(question.support)} does not prove '{','.join(label)}'{proof}"
    result.unproven.append(_finding(result, story, question, reason))
    return question._replace(support=better) if better else None


def _proof(reading: Reading, query: Query, found: Finding | None) -> tuple[int, ...]:
    """The best minimal proof of what was found; empty if there is none."""
    masks = found.masks if found else ()
    best = next((m for m in masks if found and reading.stands(query, found.conclusion, m)), 0)
    return tuple(numbers_of(best))


def _reason(
    reading: Reading,
    query: Query,
    label: tuple[str, ...],
    found: Finding | None,
    question: babi.Question,
) -> str:
    """Why a label does not match the text."""
    if found is None:
        return f"'{question.answer}' does not follow from the text"
    best = _list(numbers_of(found.masks[0])) if found.masks else "the text"
    says = f"{best} says '{','.join(found.answer)}', the label '{question.answer}'"
    facts = [fact for n in numbers_of(found.masks[0]) for fact in reading.facts()[n - 1]]
    if any(fact[0] == "either" and fact[2] == fact[3] for fact in facts):
        return f"'either … or' names one place twice: {says}"
    if query[0] in ("what-given", "who-gave", "who-gave-to", "who-received", "who-given-to"):
        return f"a later give supersedes the cited one: {says}"
    return says


def _finding(result: Audit, story: babi.Story, question: babi.Question, reason: str) -> Remark:
    told = story.sentences[: question.position]
    return Remark(result.file, question.line, question.text, question.answer, reason, told)


def _list(numbers: Sequence[int]) -> str:
    return "sentence " + ", ".join(map(str, numbers)) if numbers else "no sentence"
