"""Leakage: how much of a test set is already in the training set, by measures of growing strength.

    text       the same story, word for word, with the same question
    order      the same sentences in any order, with the same question
    proof      the same supporting sentences as a set, with the same question
    signature  the same question and support with names abstracted
    facts      relations only: the same facts before noise, however worded, with the same question
    canonical  as facts, with a relation and its inverse identified ('A left of B', 'B right of A')

Promises:
1. Both sets are streamed; what is kept of an item is 8 bytes of hash for each measure, in a table
   with 11 to 16 bytes a place. The odds that two of a million items get one hash are below 1e-7.
2. Records of ours say themselves what supports, proves and is noise. In bAbI text the cited lines
   are the support; StepGame's files cite nothing useful, so there the support is the shortest
   told chain, the facts are those of the whole story, and both are read by the audit's own parser.
3. An item for which a measure cannot be taken is left out of it and not counted as new.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from math import comb, factorial
from pathlib import Path
from typing import Any, NamedTuple

from fabula.audits import stepgame as words
from fabula.errors import FabulaError, ParseError
from fabula.formats import babi, read_jsonl
from fabula.formats import stepgame as stepgame_files
from fabula.instance import Instance
from fabula.labels import mask_of
from fabula.seeds import fingerprint

MEASURES = ("text", "order", "proof", "signature", "facts", "canonical")
ENDINGS = (".jsonl", ".json", ".txt")


Fact = tuple[str, words.Step | str, str]
"""Figure, step and ground; where a sentence is not understood, its text stands for the step."""


class Item(NamedTuple):
    """What is compared of one question about one story."""

    place: str
    story: tuple[str, ...]
    question: str
    support: tuple[int, ...] | None
    signature: str | None
    facts: tuple[Fact, ...] | None
    """What is told before noise; None where it is not about places on the grid."""
    asked: tuple[str, ...]


class Overlap(NamedTuple):
    """How two sets overlap by one measure."""

    train: int
    """Items of the training set that could be measured."""
    train_repeats: int
    """Those that an earlier one of the same set equals."""
    test: int
    test_repeats: int
    seen: int
    """Items of the test set that equal one of the training set."""
    example: str
    """Place of the first of them."""

    @property
    def share(self) -> float:
        """The part of the test set that is seen in training."""
        return self.seen / self.test if self.test else 0.0


class Repeats(NamedTuple):
    """How often a set repeats itself by one measure."""

    items: int
    repeated: int
    """Items that an earlier one equals."""
    example: str
    """Place of the first of them."""


@dataclass(frozen=True, slots=True)
class Leak:
    """How much of a test set is in a training set."""

    train: int
    test: int
    measures: dict[str, Overlap] = field(default_factory=dict)
    """Measure to overlap; measures that no item allows are left out."""

    def to_dict(self) -> dict[str, Any]:
        """The leakage as JSON has it."""
        found = {
            measure: {**overlap._asdict(), "share": round(overlap.share, 6)}
            for measure, overlap in self.measures.items()
        }
        return {"train": self.train, "test": self.test, "measures": found}


def leak(train: Path | Iterable[Path], test: Path | Iterable[Path]) -> Leak:
    """The leakage between two data sets, each a file, a folder, or several of them."""
    known, fresh = _Tally(), _Tally()
    for item in items(train):
        known.add(item)
    seen = dict.fromkeys(MEASURES, 0)
    example: dict[str, str] = {}
    for item in items(test):
        for measure, print_ in fresh.add(item):
            if print_ in known.prints[measure]:
                seen[measure] += 1
                example.setdefault(measure, item.place)
    found = {
        measure: Overlap(
            known.measured[measure],
            known.repeated[measure],
            fresh.measured[measure],
            fresh.repeated[measure],
            seen[measure],
            example.get(measure, ""),
        )
        for measure in MEASURES
        if known.measured[measure] and fresh.measured[measure]
    }
    return Leak(known.items, fresh.items, found)


def repeats(paths: Path | Iterable[Path]) -> dict[str, Repeats]:
    """How often a data set repeats itself, by each measure that can be taken."""
    tally = _Tally()
    for item in items(paths):
        tally.add(item)
    return {
        measure: Repeats(
            tally.measured[measure], tally.repeated[measure], tally.example.get(measure, "")
        )
        for measure in MEASURES
        if tally.measured[measure]
    }


# --- what is compared ---------------------------------------------------------------------------


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


_TAKE: dict[str, Callable[[Item], str | None]] = {
    "text": _text,
    "order": _order,
    "proof": _proof,
    "signature": lambda item: item.signature,
    "facts": _facts,
    "canonical": _canonical,
}


class _Tally:
    """The prints of one data set, by measure."""

    def __init__(self) -> None:
        self.items = 0
        self.prints = {measure: Prints() for measure in MEASURES}
        self.measured = dict.fromkeys(MEASURES, 0)
        self.repeated = dict.fromkeys(MEASURES, 0)
        self.example: dict[str, str] = {}

    def add(self, item: Item) -> list[tuple[str, int]]:
        """Count an item in; its prints by measure."""
        self.items += 1
        taken = []
        for measure, take in _TAKE.items():
            content = take(item)
            if content is None:
                continue
            print_ = fingerprint(content) or 1  # 0 is an empty place
            self.measured[measure] += 1
            if not self.prints[measure].add(print_):
                self.repeated[measure] += 1
                self.example.setdefault(measure, item.place)
            taken.append((measure, print_))
        return taken


class Prints:
    """A set of hashes: places in one array, probed in a line, at most three quarters full."""

    def __init__(self) -> None:
        self._places = array("Q", bytes(8 * 64))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, print_: int) -> bool:
        return self._places[self._find(print_)] == print_

    @property
    def memory(self) -> int:
        """Bytes of the table."""
        return len(self._places) * self._places.itemsize

    def add(self, print_: int) -> bool:
        """Take in a hash; whether it is new."""
        place = self._find(print_)
        if self._places[place]:
            return False
        self._places[place] = print_
        self._count += 1
        if 4 * self._count > 3 * len(self._places):
            self._grow()
        return True

    def _find(self, print_: int) -> int:
        """Where a hash is, or the empty place where it belongs."""
        places = self._places
        size = len(places)
        place = print_ % size
        while (other := places[place]) and other != print_:
            place += 1
            if place == size:
                place = 0
        return place

    def _grow(self) -> None:
        # by a half, so that the table is never less than half full
        old = self._places
        self._places = array("Q", bytes(8 * (len(old) * 3 // 2)))
        for print_ in old:
            if print_:
                self._places[self._find(print_)] = print_


# --- reading ------------------------------------------------------------------------------------


def items(paths: Path | Iterable[Path]) -> Iterator[Item]:
    """The items of files and folders, one after another."""
    for path in [paths] if isinstance(paths, Path) else paths:
        for file in _files(path):
            if file.suffix == ".jsonl" and _ours(file):
                yield from map(_record, read_jsonl(file))
            elif file.suffix == ".txt" and not _stepgame_text(file):
                yield from _babi(file)
            else:
                yield from map(_sample, stepgame_files.read(file))


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return [path]
    for ending in ENDINGS:
        found = [file for file in sorted(path.glob(f"*{ending}")) if file.stem != "manifest"]
        if found:
            return found
    raise FabulaError(f"{path}: no {', '.join(ENDINGS)} file in this folder.")


def _ours(file: Path) -> bool:
    with file.open("rb") as lines:
        return b'"provenance"' in next((line for line in lines if line.strip()), b"")


def _record(record: Instance) -> Item:
    facts: tuple[Fact, ...] | None = None
    if record.query[:1] == ("relation",) and record.provenance.get("world") == "space":
        facts = tuple(
            (figure, words.label_step(relation) or relation, ground)
            for told, role in zip(record.facts, record.roles, strict=True)
            if role == "support"
            for relation, figure, ground in told
        )
    support = record.support or None
    told, asked = record.story, record.query
    return Item(record.id, told, record.question, support, record.signature, facts, asked)


def _sample(sample: stepgame_files.Sample) -> Item:
    """A sample of StepGame: its sentences are understood by the audit's parser."""
    told = [words.understand(sentence) for sentence in sample.story]
    known = {n: found for n, found in enumerate(told, 1) if not isinstance(found, str)}
    pair = words.asked(sample.question)
    support = words.Grid(known).chain(*pair) if pair else ()
    facts: tuple[Fact, ...] = tuple(
        ("", sentence, "") if isinstance(found, str) else (found.figure, found.step, found.ground)
        for sentence, found in zip(sample.story, told, strict=True)
    )
    signature = _abstract([known[n] for n in support], pair) if pair and support else None
    asked = ("relation", *pair) if pair else (sample.question,)
    return Item(
        sample.place, sample.story, sample.question, support or None, signature, facts, asked
    )


def _abstract(told: Sequence[words.Told], pair: tuple[str, str]) -> str:
    """Facts and question with names abstracted, written as in records of ours."""
    names: dict[str, str] = {}

    def short(name: str) -> str:
        return names.setdefault(name, f"E{len(names) + 1}")

    parts = [f"{words.LABELS[t.step]}({short(t.figure)},{short(t.ground)})" for t in told]
    return f"{' '.join(parts)} ? relation({','.join(map(short, pair))})"


def _stepgame_text(file: Path) -> bool:
    """Whether text asks for the relation of agents, as StepGame does."""
    story = next(babi.read(file), None)
    if story is None or not story.questions:
        return False
    return words.asked(story.questions[0].text) is not None


def _babi(file: Path) -> Iterator[Item]:
    """The questions of bAbI text; the signature comes from the world that understands it."""
    from fabula.audits.babi import LANGUAGE, world_of

    stories = babi.read(file)
    first = list(islice(stories, 5))
    if not first:
        return
    _, world = world_of(first)
    for story in chain(first, stories):
        reading, told = world.read(LANGUAGE, []), 0
        lost = False
        for asked in story.questions:
            signature = None
            try:
                while told < asked.position and not lost:
                    reading.hear(story.sentences[told])
                    told += 1
                if not lost:
                    query = world.parse_question(LANGUAGE, asked.text)
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


# --- how large StepGame is ------------------------------------------------------------------------


def sample_space(k: int, entities: int = 26, directed: bool = True) -> int:
    """How many different samples StepGame can draw for a chain of k sentences, before wording.

    The published formula, (k+1)! · C(n, k+1) · 16^k · k!/2 · 2 · C(k+1, 2), for n agents:

    - (k+1)! · C(n, k+1): which agents form the chain, in which order;
    - 16^k: for each link one of 8 steps, told from either end ('A left of B', 'B right of A');
    - k!/2: the order of the sentences, halved since a chain read backwards is the same chain;
    - 2 · C(k+1, 2): which two agents are asked about, and in which order.

    Its values for 26 agents are 10,400 (k=1), 23,961,600 (k=2), 5.3e10 (k=3). With `directed`
    false, a relation and its inverse count as one, and a link has 8 values instead of 16: 5,200
    for k=1, which is the number in print. With 10,000 samples each in training and test, most of
    the test set is then seen in training at k=1; see `expected_share`.
    """
    if k < 1 or entities < k + 1:
        raise FabulaError(f"a chain of {k} sentences among {entities} agents cannot be drawn.")
    agents = factorial(k + 1) * comb(entities, k + 1)
    links: int = (16 if directed else 8) ** k
    return agents * links * factorial(k) * 2 * comb(k + 1, 2) // 2


def expected_share(train: int, space: int) -> float:
    """The part of a test set that is in training by chance, both drawn evenly from a space."""
    return 1 - (1 - 1 / space) ** train
