"""Joins bAbI text files and adds questions to them, whatever program wrote them.

Promises:
1. Sentences, questions and answers of a file are kept as they are; only line numbers change.
2. An added question is answered from the text alone and cites a minimal proof.
3. A file that cannot be parsed is reported with its line; nothing is skipped.
4. The output folder has a manifest, and appears completely or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabula._version import __version__
from fabula.analysis.audits.speech import Speech, speech_of
from fabula.core.files import whole_folder
from fabula.core.supports import numbers_of
from fabula.datasets.engines.local import check_free
from fabula.datasets.formats import babi
from fabula.datasets.manifest import file_entry, write_manifest
from fabula.datasets.stored import data_files, split_of
from fabula.errors import FabulaError, ParseError, UsageError, hint
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe
from fabula.world.actors.questions import KINDS
from fabula.world.base import Reading

ADDED = ("where-person", "where-object")
SPLITS = {"train": "train", "valid": "valid", "test": "iid"}
"""The splits of published files, and their names in a recipe."""


class OtherWorldError(FabulaError):
    """Stories to which no questions can be added."""


def injected(path: Path, kinds: Sequence[str] = ADDED) -> Iterator[str]:
    """The stories of a file, each question followed by all others of these kinds."""
    stories = list(babi.read(path))
    speech = speech_of(stories, path)
    if not speech.world.surveys or speech.tongue is not None:
        raise OtherWorldError(
            f"{path}: questions can only be added to stories of the actor world in its "
            f"own language; this is '{speech.name}'."
        )
    for story in stories:
        yield babi.text(story.sentences, _asked(story, speech, kinds, path))


class Injected(NamedTuple):
    """The result of adding questions to files."""

    questions: dict[str, int]
    """Number of questions in each file now."""
    skipped: list[str]
    """Files to which no questions can be added, each with the reason."""


def inject(
    source: str | Path, out: str | Path, kinds: Sequence[str] | None = None, force: bool = False
) -> Injected:
    """Add to bAbI files, next to every question, all others that can be asked at that point.

    Args:
        source: a bAbI text file, or a folder of them.
        out: the folder to write to.
        kinds: the question kinds to add; by default where people and where things are.
        force: replace an existing data set.
    """
    chosen = ADDED if kinds is None else tuple(kinds)
    for kind in chosen:
        if kind not in KINDS:
            raise UsageError(f"kinds {','.join(chosen)}: unknown '{kind}'.{hint(kind, KINDS)}")
    source, out = Path(source), Path(out)
    files = [f for f in data_files(source, ".txt") if f.name.lower() != "readme.txt"]
    questions: dict[str, int] = {}
    skipped: list[OtherWorldError] = []
    check_free(out, str(out), force)
    with whole_folder(out) as folder:
        for file in files:
            target = folder / file.name
            try:
                questions[file.name] = _write_stories(target, injected(file, chosen))
            except OtherWorldError as error:
                target.unlink()
                skipped.append(error)
        if not questions and skipped:
            raise skipped[0]
        entries = [
            (split_of(name), file_entry(folder, name, count)) for name, count in questions.items()
        ]
        about = {"version": __version__, "format": "babi", "rewrite": "inject", "of": str(source)}
        write_manifest(folder, entries, **about, kinds=chosen)
    return Injected(questions, list(map(str, skipped)))


def _write_stories(path: Path, stories: Iterable[str]) -> int:
    """Write stories to a file; returns the number of their questions."""
    questions = 0
    with path.open("w", encoding="utf-8", newline="") as target:
        for story in stories:
            questions += story.count("\t") // 2
            target.write(story)
    return questions


def concat(
    recipe: str | Path | Recipe, source: str | Path, out: str | Path, force: bool = False
) -> dict[str, list[str]]:
    """Join published bAbI files, byte by byte, as a recipe joins its tasks.

    Args:
        recipe: a recipe whose parts are bAbI tasks, e.g. 'dyna/concat-t7'.
        source: the folder of the published files.
        out: the folder to write to.
        force: replace an existing data set.

    Returns the names of the joined files, by split.
    """
    chosen = load(recipe)
    parts = chosen.parts if isinstance(chosen, Collection) else ()
    tasks = tasks_of([part.recipe for part in parts])
    if not tasks:
        raise UsageError(
            f"recipe {chosen.id}: it does not join bAbI tasks; choose one such as dyna/concat-t7."
        )
    found = {SPLITS[split]: files for split, files in published(Path(source), tasks).items()}
    out = Path(out)
    check_free(out, str(out), force)
    with whole_folder(out) as folder:
        entries = []
        for split, files in found.items():
            content = b"".join(file.read_bytes().rstrip(b"\n") + b"\n" for file in files)
            (folder / f"{split}.txt").write_bytes(content)
            questions = sum(b"\t" in line for line in content.splitlines())
            entries.append((split, file_entry(folder, f"{split}.txt", questions)))
        about = {"version": __version__, "format": "babi", "rewrite": "concat", "of": str(source)}
        write_manifest(folder, entries, **about, recipe=chosen.id)
    return {split: [file.name for file in files] for split, files in found.items()}


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
    """All other questions that can be asked at the same point."""
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
        raise FabulaError(f"{folder}: no such folder.")
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
            f"{folder}: no file with a name like qa{tasks[0]}_single-supporting-fact_train.txt."
        )
    return found


def tasks_of(parts: Sequence[str]) -> list[int]:
    """The numbers of the bAbI tasks among the recipes of parts."""
    return [int(name.removeprefix("babi/qa")) for name in parts if name.startswith("babi/qa")]
