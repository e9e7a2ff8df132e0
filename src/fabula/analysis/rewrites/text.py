"""bAbI text put together and asked more: the splits concat and inject from files of any origin.

Promises:
1. What a file says is kept as it is: sentences, questions, answers; only line numbers change.
2. An added question is answered from the text alone and cites a minimal proof.
3. A file that is not understood is named with its line; nothing is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fabula.analysis.audits.speech import Speech, speech_of
from fabula.core.supports import numbers_of
from fabula.datasets.formats import babi
from fabula.errors import FabulaError, ParseError
from fabula.world.base import Reading

ADDED = ("where-person", "where-object")
SPLITS = {"train": "train", "valid": "valid", "test": "iid"}
"""The splits of published files, and what a recipe calls them."""


class OtherWorldError(FabulaError):
    """Stories to which no questions can be added."""


def injected(path: Path, kinds: Sequence[str] = ADDED) -> Iterator[str]:
    """The stories of a file, each question followed by all others of these kinds."""
    stories = list(babi.read(path))
    speech = speech_of(stories, path)
    if not speech.world.surveys or speech.tongue is not None:
        raise OtherWorldError(
            f"{path}: questions can be added to stories of the actor world in its own language; "
            f"this is '{speech.name}'."
        )
    for story in stories:
        yield babi.text(story.sentences, _asked(story, speech, kinds, path))


def _asked(
    story: babi.Story, speech: Speech, kinds: Sequence[str], path: Path
) -> Iterator[babi.Question]:
    reading = speech.world.read(speech.code, ())
    told = 0
    for question in story.questions:
        try:
            for sentence in story.sentences[told : question.position]:
                reading.hear(sentence)
            query = speech.world.parse_question(speech.code, question.text)
        except ParseError as error:
            raise ParseError(f"{path}, line {question.line}: {error}") from None
        told = question.position
        yield question
        yield from _more(reading, speech, kinds, query, question)


def _more(
    reading: Reading,
    speech: Speech,
    kinds: Sequence[str],
    asked: tuple[str, ...],
    question: babi.Question,
) -> Iterator[babi.Question]:
    """All other questions that can be asked where one was."""
    for query in speech.world.survey(reading, kinds):
        finding = reading.find(query)
        if query == asked or finding is None:
            continue
        proof = next(
            (m for m in finding.masks if reading.stands(query, finding.conclusion, m)), None
        )
        if proof is not None:
            text = speech.world.ask(speech.code, query)
            answer = ",".join(finding.answer)
            yield question._replace(text=text, answer=answer, support=numbers_of(proof), line=0)


def published(folder: Path, tasks: Sequence[int]) -> Mapping[str, list[Path]]:
    """The files of each split in a folder of bAbI files, in the order of the tasks."""
    if not folder.is_dir():
        raise FabulaError(f"{folder}: there is no such folder.")
    found: dict[str, list[Path]] = {}
    files = {path.name: path for path in sorted(folder.rglob("*.txt"))}
    for split in SPLITS:
        there = []
        for task in tasks:
            pattern = re.compile(rf"qa{task}_(?:.*_)?{split}\.txt")
            there += [path for name, path in files.items() if pattern.fullmatch(name)][:1]
        if there and len(there) < len(tasks):
            have = ", ".join(path.name for path in there)
            raise FabulaError(
                f"{folder}: of tasks {', '.join(map(str, tasks))}, split {split} has only: {have}."
            )
        if there:
            found[split] = there
    if not found:
        raise FabulaError(
            f"{folder}: no file named like qa{tasks[0]}_single-supporting-fact_train.txt is there."
        )
    return found


def tasks_of(parts: Sequence[str]) -> list[int]:
    """The numbers of the bAbI tasks among the recipes of parts."""
    return [int(name.removeprefix("babi/qa")) for name in parts if name.startswith("babi/qa")]
