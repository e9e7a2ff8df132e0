"""The parts of a question and its story that are compared, for every kind of file.

Our records state what is support, proof and noise. In bAbI text the cited lines are the support.
StepGame's files cite nothing useful, so there the support is the shortest stated chain, the facts
are those of the whole story, and both are parsed by the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from fabula.analysis.audits import stepgame as words
from fabula.core.instance import Instance
from fabula.core.supports import mask_of
from fabula.datasets.formats import babi
from fabula.datasets.formats import stepgame as stepgame_files
from fabula.datasets.stored import ENDINGS, data_files, opened, records_of
from fabula.errors import ParseError

Fact = tuple[str, words.Step | str, str]
"""Figure, step and ground; if a sentence is not understood, its text takes the place of the
step.
"""


class Item(NamedTuple):
    """The parts of one question and its story that are compared."""

    place: str
    story: tuple[str, ...]
    question: str
    support: tuple[int, ...] | None
    signature: str | None
    facts: tuple[Fact, ...] | None
    """The story without noise; None if it is not about positions on the grid."""
    asked: tuple[str, ...]


# --- the measures -------------------------------------------------------------------------------


def _text(item: Item) -> str:
    return _join([*item.story, item.question])


def _order(item: Item) -> str:
    return _join([*sorted(item.story), item.question])


def _proof(item: Item) -> str | None:
    if item.support is None:
        return None
    told = {item.story[number - 1] for number in item.support}
    return _join([*sorted(told), item.question])


def _facts(item: Item) -> str | None:
    if item.facts is None:
        return None
    return _join([*sorted(map(str, item.facts)), *item.asked])


def _canonical(item: Item) -> str | None:
    if item.facts is None:
        return None
    return _join([*sorted(str(_one_way(fact)) for fact in item.facts), *item.asked])


def _one_way(fact: Fact) -> Fact:
    """A fact or its inverse, whichever names the agents in order."""
    figure, step, ground = fact
    if figure <= ground or isinstance(step, str):
        return fact
    return ground, (-step[0], -step[1]), figure


def _join(parts: Iterable[str]) -> str:
    return "\x1f".join(parts)


TAKE: dict[str, Callable[[Item], str | None]] = {
    "text": _text,
    "order": _order,
    "proof": _proof,
    "signature": lambda item: item.signature,
    "facts": _facts,
    "canonical": _canonical,
}
"""Measure to the part of an item that has to be equal."""


# --- reading ------------------------------------------------------------------------------------


def items(paths: Path | Iterable[Path]) -> Iterator[Item]:
    """The items of files and folders, one after another."""
    for file in files_of(paths):
        yield from items_of(file)


def files_of(paths: Path | Iterable[Path]) -> Iterator[Path]:
    """The data files of files and folders."""
    for path in [paths] if isinstance(paths, Path) else paths:
        yield from data_files(path, *ENDINGS, ".json", ".txt")


def items_of(file: Path) -> Iterator[Item]:
    """The items of a file."""
    if ours(file):
        yield from map(item_of, records_of(file))
    elif file.suffix == ".txt" and not _stepgame_text(file):
        yield from _babi(file)
    else:
        yield from map(_sample, stepgame_files.read(file))


def ours(file: Path) -> bool:
    """Whether a file holds our records."""
    if file.suffix not in (".jsonl", ".gz"):
        return file.suffix == ".parquet"
    with opened(file) as lines:
        return b'"provenance"' in next((line for line in lines if line.strip()), b"")


def item_of(record: Instance) -> Item:
    """The parts of a record that are compared."""
    facts: tuple[Fact, ...] | None = None
    if record.query[:1] == ("relation",) and record.provenance.get("world") == "space":
        facts = tuple(
            (fact[1], words.label_step(fact[0]) or fact[0], fact[2])
            if len(fact) == 3
            else ("", " ".join(fact), "")
            for told, role in zip(record.facts, record.roles, strict=True)
            if role == "support"
            for fact in told
        )
    support = record.support or None
    told, asked = record.story, record.query
    return Item(record.id, told, record.question, support, record.signature, facts, asked)


def _sample(sample: stepgame_files.Sample) -> Item:
    """A sample of StepGame; its sentences are parsed by the audit."""
    told = [words.understand(sentence) for sentence in sample.story]
    known = {n: found for n, found in enumerate(told, 1) if not isinstance(found, str)}
    pair = words.asked(sample.question)
    support = words.Grid(known).chain(*pair) if pair else ()
    facts: tuple[Fact, ...] = tuple(
        ("", sentence, "") if isinstance(found, str) else (found.figure, found.step, found.ground)
        for sentence, found in zip(sample.story, told, strict=True)
        if sentence not in words.STATED
    )
    signature = _abstract([known[n] for n in support], pair) if pair and support else None
    asked = ("relation", *pair) if pair else (sample.question,)
    return Item(
        sample.place, sample.story, sample.question, support or None, signature, facts, asked
    )


def _abstract(told: Sequence[words.Told], pair: tuple[str, str]) -> str:
    """Facts and question with names abstracted, written as in our records."""
    names: dict[str, str] = {}

    def short(name: str) -> str:
        return names.setdefault(name, f"E{len(names) + 1}")

    parts = [f"{words.LABELS[t.step]}({short(t.figure)},{short(t.ground)})" for t in told]
    return f"{' '.join(parts)} ? relation({','.join(map(short, pair))})"


def _stepgame_text(file: Path) -> bool:
    """Whether bAbI text asks for the relation of agents, as StepGame does."""
    story = next(babi.read(file), None)
    if story is None or not story.questions:
        return False
    return words.asked(story.questions[0].text) is not None


def _babi(file: Path) -> Iterator[Item]:
    """The questions of bAbI text; the signature comes from the world that can parse it."""
    from fabula.analysis.audits.speech import speech_of

    stories = babi.read(file)
    first = list(islice(stories, 5))
    if not first:
        return
    speech = speech_of(first, file)
    world = speech.world
    for story in chain(first, stories):
        own, reading, told = speech.own(story), world.read(speech.code, []), 0
        lost = False
        for asked, question in zip(story.questions, own.questions, strict=True):
            signature = None
            try:
                while told < asked.position and not lost:
                    reading.hear(own.sentences[told])
                    told += 1
                if not lost:
                    query = world.parse_question(speech.code, question.text)
                    signature = reading.signature(query, mask_of(asked.support))
            except ParseError:
                lost = True
            yield Item(
                f"{file}, line {asked.line}",
                story.sentences[: asked.position],
                asked.text,
                asked.support or None,
                signature,
                None,
                (),
            )
