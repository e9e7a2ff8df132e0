"""The record: one question about one story, with its proof and measured features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from fabula.core.soundness import check
from fabula.errors import ParseError

FIELDS = (
    "id", "story", "question", "answer", "choices", "support", "supports", "facts", "query",
    "composition", "roles", "features", "signature", "provenance",
)  # fmt: skip
_NEEDED = frozenset(FIELDS)
EXTRAS = ("pair", "variant", "edit", "variables", "spans", "tokens", "witnesses")
"""Fields that only some records have: those of contrast sets and of unanswerable questions."""
UNKNOWN = "unknown"
"""The answer to a question that the story leaves open, and the variant of its record."""


class Asked(NamedTuple):
    """A question about a story, before it becomes a record."""

    position: int
    """Number of sentences before it."""
    query: tuple[str, ...]
    question: str
    answer: tuple[str, ...]
    support: tuple[int, ...]
    """Sentence numbers in the order of the recipe's convention."""
    masks: list[int]
    """Every minimal support, best first; empty if a published label does not follow."""
    conventions: tuple[str, ...] = ()
    """The conventions that the answer relies on."""
    variants: tuple[Any, ...] = ()
    """The edited stories that belong to it (see generation/contrast.py)."""


def story_name(provenance: Mapping[str, Any], name: str) -> str:
    """The name of a record's story, which several questions may share; `name` is the record's
    own.
    """
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
    """The sentences before the question."""
    question: str
    answer: tuple[str, ...]
    """The answer, always a list of words."""
    choices: tuple[str, ...] | None
    """All answers that this question can have in this recipe, or null if answers are lists."""
    support: tuple[int, ...]
    """The numbers (from 1) of the sentences that prove the answer, in the recipe's order."""
    supports: tuple[tuple[int, ...], ...]
    """Every minimal support, in ascending order."""
    facts: tuple[tuple[tuple[str, ...], ...], ...]
    """Symbolic facts, one list per sentence."""
    query: tuple[str, ...]
    """The question in symbols, e.g. ('where-person', 'Bill')."""
    composition: tuple[str, ...]
    """Events and tellings in the support."""
    roles: tuple[str, ...]
    """For each sentence: support, distractor, or a kind of noise."""
    features: Mapping[str, Any]
    """Measured features: sentences, support_size, supports, …"""
    signature: str
    """Question and support with names abstracted."""
    provenance: Mapping[str, Any]
    """Recipe, digest, version, seed, index: all that is needed to generate it again."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """The fields of EXTRAS that the record has: those of a contrast pair, or two witnesses."""

    @property
    def pair(self) -> str:
        """The id of the original that the record is a variant of; empty if it is not in a pair."""
        return str(self.extras.get("pair", ""))

    @property
    def variant(self) -> str:
        """'base', 'flip', 'hold' or 'unknown'; empty if the record is not in a pair."""
        return str(self.extras.get("variant", ""))

    @property
    def answerable(self) -> bool:
        """Whether the answer follows from the story."""
        return self.answer != (UNKNOWN,)

    def fields(self) -> dict[str, Any]:
        """The fields of the record as files have them, extras at the end."""
        return {**{name: getattr(self, name) for name in FIELDS}, **self.extras}

    def to_json(self) -> bytes:
        """The record as one line of JSON, without the line feed."""
        return orjson.dumps(self.fields())

    @classmethod
    def made(cls, fields: Mapping[str, Any]) -> Instance:
        """The record with these fields, as generation makes them."""
        extras = {name: fields[name] for name in EXTRAS if name in fields}
        return cls(**{name: fields[name] for name in FIELDS}, extras=extras)

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
        """The record with these fields; lists from files become tuples."""
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
            extras={name: data[name] for name in EXTRAS if data.get(name) is not None},
        )
