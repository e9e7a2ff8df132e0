"""Turns a file of commands into stories with their questions, in any format.

Promises:
1. The same world, script and seed give the same bytes.
2. Every question is a record with its proofs, as if a recipe had made it: `fabula verify` proves
   it.
3. A line that cannot be parsed, is impossible or has no answer raises an error with file, line
   number and reason; then nothing is written.

A script has one command or question per line, as in the game; empty lines and lines that begin with
'#' are skipped; `new` begins another story.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fabula.core.files import make_folder, remove_empty, write_whole
from fabula.core.seeds import Draw
from fabula.datasets.formats.base import Format
from fabula.errors import FabulaError, OutputError
from fabula.generation.author import Author, Passage
from fabula.play.session import Session
from fabula.play.worldfile import WorldFile
from fabula.world.actors.disclosure import Disclosure
from fabula.world.actors.reading import ActorsReading, annotation
from fabula.world.actors.truth import truth
from fabula.world.base import Annotation, Candidate, OneWording, Query

SPLIT = "play"


class PlayedTale(OneWording):
    """A story that was played: complete, with no further events."""

    def __init__(self, session: Session) -> None:
        self.sentences = list(session.sentences)
        self.reading: ActorsReading = session.reading
        self._stage = session.simulation.stage
        self._language = session.language
        self._told = list(session.told)

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Always False: nothing more happens."""
        return len(self.sentences) >= goal

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """Always empty: only the player's questions are asked."""
        return []

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer of the simulation at the end of the story; the session has compared it."""
        return truth(self._stage, self._language, query, lambda: Disclosure(self._told))

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles and features, as for generated stories."""
        return annotation(self.reading, query, mask, position)


class Played(NamedTuple):
    """The records that a script produced."""

    author: Author
    passages: list[Passage]

    @property
    def questions(self) -> int:
        """The number of questions in all stories."""
        return sum(len(passage.asked) for passage in self.passages)


def read_script(path: Path) -> list[str]:
    """The lines of a script."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FabulaError(f"{path}: no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FabulaError(f"{path}: cannot be read: {error}.") from None


def run(
    world: WorldFile, lines: Iterable[str], place: str, seed: int = 0, actor: str | None = None
) -> Played:
    """Perform the lines of a script; an error names the place and the line."""
    session = Session(world, seed, actor)
    passages: list[Passage] = []

    def finish() -> None:
        """Turn the story so far into a passage, if anything was asked."""
        if session.asked:
            first = sum(len(passage.asked) for passage in passages)
            tale = PlayedTale(session)
            passages.append(Passage(str(len(passages)), first, tale, list(session.asked)))

    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            if session.begins_anew(text):
                finish()
            reply = session.perform(text)
        except FabulaError as error:
            raise FabulaError(f"{place}, line {number}: '{text}': {error}") from None
        if reply.unanswered:
            raise FabulaError(
                f"{place}, line {number}: '{text}' cannot be answered: {reply.text} "
                "Add commands before it, or remove the question."
            )
        if reply.over:
            break
    finish()
    if not passages:
        raise FabulaError(f"{place}: the script asks no questions, so there is nothing to write.")
    recipe = world.recipe.model_copy(update={"seed": seed})
    return Played(Author(recipe, SPLIT, seed), passages)


def rendered(played: Played, form: Format) -> bytes:
    """The stories and questions in a format."""
    memory = io.BytesIO()
    sink = form.sink(memory)
    sink.add(form.piece(played.author, played.passages))
    sink.close()
    return memory.getvalue()


def write(data: bytes, out: Path, form: Format, world: WorldFile, force: bool = False) -> Path:
    """Write rendered stories to a file, or a new folder, completely or not at all; returns the
    file's path.
    """
    file = out
    if out.is_dir() or not out.suffix:
        file = out / form.file(f"play/{world.id}", SPLIT, 0, 1)
        if out.is_dir() and any(out.iterdir()) and not (force and file.is_file()):
            raise OutputError(f"{out} is not empty; choose another folder or a file.")
    elif file.exists() and not force:
        raise OutputError(f"{file} already exists; choose another file, or add --force.")
    made = [folder for folder in file.absolute().parents if not folder.exists()]
    make_folder(file.parent)
    try:
        write_whole(file, data)
    except OutputError:
        remove_empty(made)
        raise
    return file
