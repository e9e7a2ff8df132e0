"""Detects the world and the language of a file of bAbI text.

Promises:
1. For one of our files, the manifest next to it says so; otherwise it is the world and language
   that can parse most of the first sentences and questions, the world's own language first.
2. A sentence that cannot be parsed is left as it is, so that it is reported when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.files import parse_json
from fabula.core.soundness import shown
from fabula.datasets.formats import babi
from fabula.errors import FabulaError, ParseError
from fabula.language.catalogue import codes, native, tongue_for
from fabula.language.tongue import Tongue
from fabula.world import WORLDS
from fabula.world.base import World

SAMPLE = 5  # stories that are tried
SAMPLE_LINES = 50  # sentences, and questions, of each


class Speech(NamedTuple):
    """The world and the language of a file."""

    name: str
    """Name of the world."""
    world: World
    code: str
    """The language that the world reads."""
    tongue: Tongue | None = None
    provenance: dict[str, Any] = {}
    """Provenance as in a record, which determines the language."""

    def own(self, story: babi.Story) -> babi.Story:
        """The story in the language of the world."""
        return self.begin().heard(story)

    def begin(self) -> Speech:
        """The same for a new story."""
        return self._replace(tongue=self.tongue.begin()) if self.tongue else self

    def heard(self, story: babi.Story) -> babi.Story:
        """The next sentences of the current story, in the language of the world."""
        if self.tongue is None:
            return story
        told = tuple(self._heard(sentence) for sentence in story.sentences)
        asked = tuple(
            question._replace(
                text=self._asked(question.text),
                answer=",".join(self.tongue.hear_words(question.answer.split(","))),
            )
            for question in story.questions
        )
        return babi.Story(told, asked)

    def _heard(self, sentence: str) -> str:
        assert self.tongue is not None
        try:
            return self.tongue.hear([sentence])[0]
        except ParseError:
            return sentence

    def _asked(self, question: str) -> str:
        assert self.tongue is not None
        try:
            return self.tongue.hear_question(question)
        except ParseError:
            return question


def speech_of(stories: Sequence[babi.Story], file: Path) -> Speech:
    """The world and language of a file with these stories."""
    stories = [
        babi.Story(story.sentences[:SAMPLE_LINES], story.questions[:SAMPLE_LINES])
        for story in stories[:SAMPLE]
    ]
    lines = sum(len(story.sentences) + len(story.questions) for story in stories)
    best, most = None, -1
    for speech in (*_told(file), *_native(), *_other()):
        understood = sum(_understood(speech, story) for story in stories)
        if understood > most:
            best, most = speech, understood
        if most == lines:
            break
    assert best is not None
    if lines and not most:
        first = next(text for story in stories for text in (*story.sentences, *_asked(story)))
        raise ParseError(
            f"{file}: no world or language can parse any of it, e.g. "
            f"{shown(first)}. Is this bAbI text?"
        )
    return best


def _asked(story: babi.Story) -> Iterator[str]:
    yield from (question.text for question in story.questions)


def _told(file: Path) -> Iterator[Speech]:
    """The entries of the manifest, if there is one."""
    for folder in (file.parent, file.parent.parent):
        manifest = folder / "manifest.json"
        if not manifest.is_file():
            continue
        try:
            data = parse_json(manifest.read_bytes(), str(manifest))
            content = {key: data["content"].get(key, "") for key in ("language", "cipher")}
            seed, world = int(data["seed"]), str(data["content"]["world"])
            code = content["language"] or "en"
            yield _speech(world, code, content["cipher"], seed)
        except (AttributeError, FabulaError, KeyError, TypeError, ValueError):
            pass  # ignore a manifest that is not ours, or older


def _native() -> Iterator[Speech]:
    for name, world in WORLDS.items():
        for code in codes(name):
            if native(code, name) == code:
                yield Speech(name, world, code, None, {"language": code})


def _other() -> Iterator[Speech]:
    for name in WORLDS:
        for code in codes(name):
            if native(code, name) != code:
                yield _speech(name, code)


def _speech(name: str, code: str, cipher: str = "", seed: int = 0) -> Speech:
    spoken = {"language": code, **({"cipher": cipher, "seed": seed} if cipher else {})}
    return Speech(
        name, WORLDS[name], native(code, name), tongue_for(name, code, cipher, seed), spoken
    )


def _understood(speech: Speech, story: babi.Story) -> int:
    """The number of sentences and questions of a story that can be parsed."""
    own, count = speech.own(story), 0
    for sentence in own.sentences:
        try:
            speech.world.read(speech.code, [sentence])
            count += 1
        except ParseError:
            pass
    for question in own.questions:
        try:
            speech.world.parse_question(speech.code, question.text)
            count += 1
        except ParseError:
            pass
    return count
