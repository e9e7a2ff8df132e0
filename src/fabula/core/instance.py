"""The record: one question about one story, with its proof and what was measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from fabula.core.soundness import check
from fabula.errors import ParseError

FIELDS = (
    "id", "story", "question", "answer", "choices", "support", "supports", "facts", "query",
    "composition", "roles", "features", "signature", "provenance",
)  # fmt: skip
_NEEDED = frozenset(FIELDS)


class Asked(NamedTuple):
    """A question put to a story, before it becomes a record."""

    position: int
    """Sentences told before it."""
    query: tuple[str, ...]
    question: str
    answer: tuple[str, ...]
    support: tuple[int, ...]
    """Sentence numbers in the order of the recipe's convention."""
    masks: list[int]
    """Every minimal support, best first; none if a published label does not follow."""
    conventions: tuple[str, ...] = ()
    """The conventions that the answer relies on."""


def story_name(provenance: Mapping[str, Any], name: str) -> str:
    """Names the story of a record, which questions may share; `name`: that of the record itself."""
    if "passage" not in provenance:
        return name
    keys = ("recipe", "part", "seed", "split", "passage")
    return ":".join(str(provenance.get(key, "")) for key in keys)


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a benchmark; the same fields for every world."""

    id: str
    """Recipe, split and index, e.g. 'babi/qa2:test:417'."""
    story: tuple[str, ...]
    """The sentences told before the question."""
    question: str
    answer: tuple[str, ...]
    """Always a list of words."""
    choices: tuple[str, ...] | None
    """All answers possible for this question in this recipe, or null where answers are lists."""
    support: tuple[int, ...]
    """Sentence numbers from 1 that the answer follows from, in the recipe's order."""
    supports: tuple[tuple[int, ...], ...]
    """Every minimal support, ascending."""
    facts: tuple[tuple[tuple[str, ...], ...], ...]
    """Symbolic facts, one list per sentence."""
    query: tuple[str, ...]
    """The question as a symbol, e.g. ('where-person', 'Bill')."""
    composition: tuple[str, ...]
    """Events and tellings found in the support."""
    roles: tuple[str, ...]
    """For each sentence: support, distractor, or a kind of noise."""
    features: Mapping[str, Any]
    """What was measured: sentences, support_size, supports, …"""
    signature: str
    """Question and support with names abstracted."""
    provenance: Mapping[str, Any]
    """Recipe, digest, version, seed, index: how to make it again."""

    def to_json(self) -> bytes:
        """The record as one line of JSON, without the line feed."""
        return orjson.dumps({name: getattr(self, name) for name in FIELDS})

    @classmethod
    def from_json(cls, line: bytes | str, place: str = "record") -> Instance:
        """The record in a line of JSON; ParseError says what is wrong with it."""
        try:
            data = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"{place}: not valid JSON: {error}.") from None
        if not isinstance(data, dict):
            raise ParseError(f"{place}: a record must be a JSON object.")
        return cls.from_fields(data, place)

    @classmethod
    def from_fields(cls, data: Mapping[str, Any], place: str = "record") -> Instance:
        """The record with these fields, lists instead of tuples as files have them."""
        if not data.keys() >= _NEEDED:
            missing = [name for name in FIELDS if name not in data]
            raise ParseError(f"{place}: fields are missing: {', '.join(missing)}.")
        check(data, place)
        return cls(
            id=data["id"],
            story=tuple(data["story"]),
            question=data["question"],
            answer=tuple(data["answer"]),
            choices=None if data["choices"] is None else tuple(data["choices"]),
            support=tuple(data["support"]),
            supports=tuple(map(tuple, data["supports"])),
            facts=tuple([tuple(map(tuple, facts)) for facts in data["facts"]]),
            query=tuple(data["query"]),
            composition=tuple(data["composition"]),
            roles=tuple(data["roles"]),
            features=data["features"],
            signature=data["signature"],
            provenance=data["provenance"],
        )
