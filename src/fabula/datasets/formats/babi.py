"""bAbI text: numbered lines, questions with answer and supporting line numbers after tabs.

    1 Mary moved to the bathroom.
    2 John went to the hallway.
    3 Where is Mary? <TAB>bathroom<TAB>1

Promises:
1. Reading a file and writing it again gives the same bytes, quirks included (the blank before the
   tab, the order of supports, blanks in answers).
2. Line numbers count statements and questions; records count sentences. Only this module converts
   between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from fabula.core.soundness import LONGEST_TEXT
from fabula.errors import ParseError

LONGEST = LONGEST_TEXT + 200  # characters of a line: a sentence or question, labels, numbers
MOST_DIGITS = 9  # of a line number


class Question(NamedTuple):
    """A question line."""

    position: int
    """Number of sentences before it."""
    text: str
    answer: str
    """As written, e.g. 'milk,apple'."""
    support: tuple[int, ...]
    """Sentence numbers, in the order of the file."""
    blank: bool = False
    """Whether there is a blank between question mark and tab."""
    line: int = 0
    """Line of the file, from 1."""


class Story(NamedTuple):
    """A story with its questions."""

    sentences: tuple[str, ...]
    questions: tuple[Question, ...]


def text(sentences: Sequence[str], questions: Iterable[Question]) -> str:
    """A story as lines of text."""
    lines: list[str] = []
    line_of = [0]  # sentence number to line number
    told = 0
    for question in questions:
        for sentence in sentences[told : question.position]:
            line_of.append(len(lines) + 1)
            lines.append(f"{len(lines) + 1} {sentence}\n")
        told = question.position
        blank = " " if question.blank else ""
        cited = " ".join([str(line_of[number]) for number in question.support])
        lines.append(f"{len(lines) + 1} {question.text}{blank}\t{question.answer}\t{cited}\n")
    for sentence in sentences[told:]:
        lines.append(f"{len(lines) + 1} {sentence}\n")
    return "".join(lines)


def read(path: Path) -> Iterator[Story]:
    """The stories of a file; rejects a file without questions."""
    asked = 0
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for story in parse(_lines(file), str(path)):
                asked += len(story.questions)
                yield story
    except UnicodeDecodeError as error:
        raise ParseError(f"{path}: not UTF-8 text: {error}.") from None
    if not asked:
        raise ParseError(
            f"{path}: the file has no questions. In bAbI text a question line has its answer and "
            "the supporting line numbers after tabs: '3 Where is Mary?<TAB>bathroom<TAB>1'."
        )


def _lines(file: TextIO) -> Iterator[str]:
    """The lines; long ones are truncated just beyond the limit."""
    while line := file.readline(LONGEST + 2):
        yield line


def parse(lines: Iterable[str], place: str) -> Iterator[Story]:
    """The stories in lines of text; ParseError names the wrong line."""
    sentences: list[str] = []
    questions: list[Question] = []
    number_of: dict[int, int] = {}  # line number to sentence number
    expected = 1
    for at, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if len(line) > LONGEST:
            raise ParseError(
                f"{place}, line {at}: longer than {LONGEST:,} characters; a line is one sentence "
                "or one question."
            )
        if not line.strip():
            continue
        head, _, rest = line.partition(" ")
        if not head.isdecimal() or len(head) > MOST_DIGITS:
            raise ParseError(f"{place}, line {at}: expected a line number, found '{line[:40]}'.")
        number = int(head)
        if number == 1 and (sentences or questions):
            yield Story(tuple(sentences), tuple(questions))
            sentences, questions, number_of, expected = [], [], {}, 1
        if number != expected:
            raise ParseError(f"{place}, line {at}: expected number {expected}, found {number}.")
        expected += 1
        if "\t" not in rest:
            sentences.append(rest)
            number_of[number] = len(sentences)
            continue
        questions.append(_question(rest, len(sentences), number_of, f"{place}, line {at}", at))
    if sentences or questions:
        yield Story(tuple(sentences), tuple(questions))


def _question(
    rest: str, position: int, number_of: dict[int, int], place: str, line: int
) -> Question:
    parts = rest.split("\t")
    if len(parts) not in (2, 3):
        raise ParseError(
            f"{place}: a question line needs two tabs, but this one has {len(parts) - 1}."
        )
    asked, answer = parts[0], parts[1]
    support = []
    for word in parts[2].split() if len(parts) == 3 else ():
        if not word.isdecimal() or len(word) > MOST_DIGITS or int(word) not in number_of:
            raise ParseError(
                f"{place}: support '{word[:40]}' is not the number of an earlier statement."
            )
        support.append(number_of[int(word)])
    return Question(position, asked.rstrip(" "), answer, tuple(support), asked.endswith(" "), line)
