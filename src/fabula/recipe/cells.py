"""The conditions a recipe can set for an instance: quotas on questions and their supports.

Promises:
1. A condition applies to what is measured on the instance, never to the intention of its story.
2. Where a range is expected, a number n means n … n; empty ranges are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Bounds = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
Bin = int | Bounds
"""A number of sentences, or a range."""

UNBOUNDED = 1_000_000
ANY: Bounds = (0, UNBOUNDED)
RANGES = (
    "support_size", "hops", "supports", "recency", "reach", "distractors", "related_distractors",
    "sentences",
)  # fmt: skip


LARGEST = 2**63 - 1


def _strict(schema: Any) -> Any:
    """A pydantic schema without coercion to numbers or booleans."""
    if isinstance(schema, (list, tuple)):
        return type(schema)(map(_strict, schema))
    if not isinstance(schema, dict):
        return schema
    kept = ("default", "metadata", "expected", "serialization")
    made = {key: value if key in kept else _strict(value) for key, value in schema.items()}
    if made.get("type") in ("int", "float", "bool"):
        made["strict"] = True
    if made.get("type") == "literal" and all(type(word) is int for word in made["expected"]):
        return {"type": "chain", "steps": [{"type": "int", "strict": True}, made]}
    if made.get("type") == "int":
        made |= {} if {"le", "lt"} & made.keys() else {"le": LARGEST}
        made |= {} if {"ge", "gt"} & made.keys() else {"ge": -LARGEST}
    return made


class Strict(BaseModel):
    """A part of a recipe: frozen, closed to unknown keys, and strict about numbers.

    A number is a number: not a text, not true or false, and within 64 bits.
    """

    # built on first use: a command needs the models of one world
    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, defer_build=True
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the model with strict numbers at any depth."""
        strict: CoreSchema = _strict(handler(source))
        return strict

    def __getstate__(self) -> dict[Any, Any]:
        """The fields alone: what was derived from them may number things as this process does."""
        state = super().__getstate__()
        fields = type(self).model_fields
        state["__dict__"] = {key: state["__dict__"][key] for key in fields if key in self.__dict__}
        return state


class Cell(Strict):
    """A kind of instance: what is asked, and how the answer is supported."""

    name: str = ""
    share: Weight = 1.0
    """Relative number of instances."""
    asks: tuple[str, ...] = ()
    """Question kinds; empty: any."""
    answers: tuple[str, ...] = ()
    """Answers; empty: any."""
    support_size: Bounds = ANY
    """Number of sentences in the support, inclusive."""
    hops: Bounds = ANY
    """Number of links in the proof, inclusive; larger than the support if a sentence states
    several.
    """
    supports: Bounds = (1, UNBOUNDED)
    """Number of alternative minimal supports, inclusive."""
    requires: tuple[str, ...] = ()
    """Events and tellings that must all be in the support."""
    forbids: tuple[str, ...] = ()
    """Events and tellings that must not be in the support."""
    exactly: tuple[str, ...] = ()
    """The exact set of events and tellings in the support; empty: any."""
    recency: Bounds = ANY
    """Number of sentences after the last one of the support; 0: it is right before the question."""
    reach: Bounds = ANY
    """Number of sentences after the first one of the support."""
    distractors: Bounds = ANY
    """Sentences outside the support."""
    related_distractors: Bounds = ANY
    """Number of sentences outside the support that mention the subject of the question."""
    distracted_by: tuple[str, ...] = ()
    """Events and tellings that must all be among the sentences outside the support."""
    undistracted_by: tuple[str, ...] = ()
    """Events and tellings that must not be among the sentences outside the support."""
    misleads: tuple[Literal["last", "beside", "first"], ...] = ()
    """Trivial guesses (see shortcuts.py) that must be wrong."""
    sentences: Bounds = ANY
    """Sentences of the story before the question."""
    noise: tuple[str, ...] = ()
    """Kinds of noise that must all occur: irrelevant, supporting, disconnected, negation."""

    @model_validator(mode="before")
    @classmethod
    def _one_number(cls, data: Any) -> Any:
        """Expand a single number n to the range n … n."""
        if isinstance(data, dict):
            data = dict(data)
            for key in RANGES:
                if isinstance(data.get(key), int):
                    data[key] = (data[key], data[key])
        return data

    @model_validator(mode="after")
    def _possible(self) -> Cell:
        for key in RANGES:
            low, high = getattr(self, key)
            if low > high:
                raise ValueError(f"{key} = [{low}, {high}] is an empty range")
        for one, other in (("requires", "forbids"), ("distracted_by", "undistracted_by")):
            both = set(getattr(self, one)) & set(getattr(self, other))
            if both:
                raise ValueError(f"{one} and {other} both name {', '.join(sorted(both))}")
        if self.exactly and not set(self.requires) <= set(self.exactly):
            raise ValueError("requires has a concept that is not in exactly")
        if self.exactly and set(self.forbids) & set(self.exactly):
            raise ValueError("forbids has a concept that is in exactly")
        return self

    @property
    def concepts(self) -> dict[str, tuple[str, ...]]:
        """The keys that name events and tellings, for a world to check."""
        keys = ("requires", "forbids", "exactly", "distracted_by", "undistracted_by")
        return {key: getattr(self, key) for key in keys}


ANYTHING = Cell()
"""The cell of every instance if a recipe has no quotas."""


class Decoys(Strict):
    """How often a trivial guess (see shortcuts.py) must be wrong, as fractions of the questions.

    A single number sets `last` and `beside`.
    """

    last: Share = 0.0
    """Fraction in which the possible answer that the story mentions last is wrong."""
    beside: Share = 0.0
    """Fraction in which every possible answer in the last fact about the question's first name is
    wrong.
    """
    first: Share = 0.0
    """Fraction in which every possible answer in the first fact about that name is wrong."""

    @model_validator(mode="before")
    @classmethod
    def _one_share(cls, data: Any) -> Any:
        if isinstance(data, int | float) and not isinstance(data, bool):
            return {"last": data, "beside": data}
        return data

    def parts(self) -> list[tuple[float, tuple[str, ...]]]:
        """Fractions of the questions, each with the guesses that must be wrong."""
        least, most = sorted((self.last, self.beside))
        more = "last" if self.last > self.beside else "beside"
        late: list[tuple[float, tuple[str, ...]]] = [
            (least, ("last", "beside")),
            (most - least, (more,)),
            (1 - most, ()),
        ]
        early: list[tuple[float, tuple[str, ...]]] = [
            (self.first, ("first",)),
            (1 - self.first, ()),
        ]
        return [
            (share * other, (*guesses, *ahead))
            for share, guesses in late
            for other, ahead in early
            if share * other > 1e-9
        ]


class HeldOut(Strict):
    """A combination that must not occur in the supports of training instances."""

    asks: tuple[str, ...] = ()
    """Question kinds; empty: any."""
    combine: Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)]
    """Sets of events and tellings: supports with one of each set are held out."""

    def matches(self, kind: str, composition: Iterable[str]) -> bool:
        """Whether a question with such a support is held out."""
        if self.asks and kind not in self.asks:
            return False
        found = set(composition)
        return all(found & set(group) for group in self.combine)


class Compositional(Strict):
    """A compositional benchmark: the test combines what training only has separately."""

    test: tuple[str, ...] = ("test",)
    """The test splits; all others are for training."""
    held_out: tuple[HeldOut, ...] = ()
    """Combinations that never occur in a training support."""


def cells_of(
    bins: Mapping[str, tuple[Bin, ...]],
    asks: Mapping[str, float],
    balanced: Mapping[str, tuple[str, ...]],
    decoys: Mapping[str, tuple[Decoys, ...]],
) -> list[Cell]:
    """A cell for each support size of each question kind, weighted as in `asks`.

    For kinds in `balanced` there is one for each size and answer. Each cell is divided by `decoys`,
    which has a value for each bin, or a single one for all; 'kind answer' takes precedence over
    'kind'.
    """
    cells = []
    for kind, sizes in bins.items():
        answers: list[tuple[str, ...]] = [(word,) for word in balanced.get(kind, ())] or [()]
        share = asks.get(kind, 0.0) / len(sizes) / len(answers)
        for at, size in enumerate(sizes if share else ()):
            low, high = (size, size) if isinstance(size, int) else size
            name = f"{kind} {low}" + ("" if low == high else f"-{high}")
            for words in answers:
                wanted = decoys.get(" ".join((kind, *words)), decoys.get(kind, (Decoys(),)))
                for part, misleads in wanted[at if len(wanted) > 1 else 0].parts():
                    marks = (f"({' and '.join(misleads)} misled)",) if misleads else ()
                    cells.append(
                        Cell(
                            name=" ".join((name, *words, *marks)),
                            share=share * part,
                            asks=(kind,),
                            answers=words,
                            support_size=(low, high),
                            misleads=misleads,
                        )
                    )
    return cells
