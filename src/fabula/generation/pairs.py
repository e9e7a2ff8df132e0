"""The additional fields of records in a contrast set: pair, edit, variables and spans.

pair       the id of the original, the same for all variants of a question
variant    base, flip, hold or unknown
edit       the change to the original, and the original's answer and supports; empty for a base
variables  for each sentence, what the reader knows after it that it did not know before: a
           table from variable to value, null if the value is no longer known. Together, up to
           a sentence, they are the reader's state (`state_after`).
spans      positions of sentences and names in the story's text, the sentences joined by '\\n':
           `sentences` has [begin, end], `names` [name, sentence number, begin, end]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from fabula.core.instance import UNKNOWN
from fabula.core.supports import numbers_of
from fabula.generation.contrast import aligner_of
from fabula.generation.edits import Edit, word_position
from fabula.generation.passage import Member, Passage
from fabula.generation.tokens import text_of
from fabula.recipe.model import Recipe
from fabula.world.base import Fact, World

TEXT = "\n"
"""The separator between sentences in the text that spans refer to."""


Known = tuple[Sequence[str], list[dict[str, Any]]]
"""A story, and the variables that each of its sentences changes."""


def variables(
    world: World, code: str, sentences: Sequence[str], known: Known = ((), [])
) -> list[dict[str, Any]]:
    """For each sentence, the variables of the reader's state that it changes.

    `known`: those of another story, which are the same as long as the sentences are.
    """
    alike = 0
    while alike < min(len(sentences), len(known[0])) and sentences[alike] == known[0][alike]:
        alike += 1
    changes = known[1][:alike]
    if alike == len(sentences):
        return changes
    reading = world.read(code, sentences[:alike])
    before = world.state(reading) if alike else {}
    for sentence in sentences[alike:]:
        reading.hear(sentence)
        state = world.state(reading)
        changed = {name: value for name, value in state.items() if before.get(name) != value}
        changed.update((name, None) for name in before if name not in state)
        changes.append(changed)
        before = state
    return changes


def state_after(changes: Sequence[Mapping[str, Any]], sentence: int) -> dict[str, Any]:
    """The reader's state after a sentence, numbered from 1; after 0 nothing is known."""
    state: dict[str, Any] = {}
    for changed in changes[:sentence]:
        state.update(changed)
    return {name: value for name, value in state.items() if value is not None}


def spans(
    world: World, code: str, story: Sequence[str], facts: Sequence[Sequence[Fact]]
) -> dict[str, Any]:
    """The positions of the sentences and the names in them in the text of a story."""
    at, sentences, names = 0, [], []
    for number, (text, told) in enumerate(zip(story, facts, strict=True), 1):
        sentences.append([at, at + len(text)])
        for name, begin, end in _named(world, code, text, tuple(told)):
            names.append([name, number, at + begin, at + end])
        at += len(text) + len(TEXT)
    return {"sentences": sentences, "names": names}


@lru_cache(maxsize=20_000)  # pairs have most sentences in common
def _named(
    world: World, code: str, text: str, told: tuple[Fact, ...]
) -> list[tuple[str, int, int]]:
    """The names of a sentence's facts in its text, in order."""
    found = []
    for name in dict.fromkeys(name for fact in told for name in fact[1:]):
        for form in dict.fromkeys(world.spellings(code, name)):
            place = word_position(text, form)
            while place is not None:
                found.append((name, place, place + len(form)))
                place = word_position(text, form, place + len(form))
    return sorted(found, key=lambda each: each[1:])


def edit_of(
    edit: Edit, base: Sequence[str], edited: Sequence[str], shift: int = 0
) -> dict[str, Any]:
    """An edit as a field of a record: sentences in the words of both stories.

    `shift`: number of sentences before the story that state conventions.
    """
    at, to = edit.sentence + shift, edit.to + shift if edit.to else 0
    return {
        "kind": edit.kind,
        "sentence": at,
        "to": to,
        "before": base[at - 1] if edit.before else "",
        "after": edited[to - 1] if to else "",
        "names": list(edit.names),
    }


class Pairs:
    """Adds the fields of contrast sets to the records of one assignment."""

    def __init__(self, recipe: Recipe, world: World) -> None:
        self._recipe = recipe
        self._world = world
        self._tokenizer = aligner_of(recipe) if recipe.contrast.tokenizer else None
        self._known: Known = ((), [])  # of the latest base

    def note(self, passage: Passage, made: Sequence[dict[str, Any]]) -> None:
        """Add the fields of a pair to the records of a passage."""
        member, shift = passage.member, len(passage.preface)
        assert member is not None
        for fields in made:
            features = fields["features"]
            if self._recipe.unknown:
                features["answerable"] = member.kind != UNKNOWN
                if member.kind == UNKNOWN:  # without a support there is nothing to measure it by
                    del features["recency"], features["reach"]
                if fields["choices"] is not None:
                    fields["choices"] = (*fields["choices"], UNKNOWN)
            if not self._in_pair(passage, fields, member):
                continue
            told = passage.tale.sentences[: len(fields["story"]) - shift]
            code = self._world.idiom(self._recipe.native, features)
            name = fields["id"].rpartition(":")[0]
            fields["pair"] = f"{name}:{member.base}" if member.variant else fields["id"]
            fields["variant"] = member.kind
            if member.variant is not None:
                fields["edit"] = self._edit(member, fields, shift)
            if member.variant is None and self._known[0] is not passage.tale.sentences:
                whole = passage.tale.sentences
                self._known = (whole, variables(self._world, code, whole))
            changes = variables(self._world, code, told, self._known)
            fields["variables"] = [{} for _ in range(shift)] + changes
            fields["spans"] = spans(self._world, code, fields["story"], fields["facts"])
            if self._tokenizer is not None and member.kind != UNKNOWN:
                fields["tokens"] = self._tokens(member, fields)
            if member.variant is not None and member.variant.witnesses:
                fields["witnesses"] = [each._asdict() for each in member.variant.witnesses]

    def _tokens(self, member: Member, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The number of tokens, and where they differ from those of the base."""
        aligner = self._tokenizer
        assert aligner is not None
        text = text_of(fields["story"], fields["question"])
        differ = None
        if member.variant is not None:
            base = member.sentences[: len(member.sentences)]
            count = len(fields["story"]) - len(member.variant.tale.sentences)
            asked = member.asked
            assert asked is not None
            told = text_of(base[: asked.position + count], fields["question"])
            differ = aligner.aligned(told, text)
        return aligner.noted(text, differ or ())

    def _in_pair(self, passage: Passage, fields: Mapping[str, Any], member: Member) -> bool:
        """Whether a question has variants, or is one."""
        if member.variant is not None:
            return True
        at = int(fields["provenance"]["index"]) - passage.first
        return bool(passage.asked[at].variants)

    def _edit(self, member: Member, fields: Mapping[str, Any], shift: int) -> dict[str, Any]:
        asked = member.asked
        assert asked is not None
        edit = edit_of(member.variant.edit, member.sentences, fields["story"], shift)
        edit["base"] = {
            "answer": list(asked.answer),
            "supports": [list(numbers_of(mask << shift)) for mask in asked.masks],
        }
        return edit


def intervened(
    world: World, code: str, story: Sequence[str], sentence: int, state: Mapping[str, Any]
) -> Any:
    """A reading of a story in which the state after a sentence is set to another.

    The reader knows what the state says, and then reads the following sentences. None if the world
    cannot resume from a state.
    """
    reading = world.resume(code, state)
    if reading is not None:
        for text in story[sentence:]:
            reading.hear(text)
    return reading
