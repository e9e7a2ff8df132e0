"""What a recipe can ask of an instance: quotas on what is asked and how it is supported.

Promises:
1. A condition is on what is measured on the instance, never on what its story was meant to be.
2. A number n where a range may stand is the range n … n; a range without numbers is refused.
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
"""A number of sentences, or a range of them."""

UNBOUNDED = 1_000_000
ANY: Bounds = (0, UNBOUNDED)
RANGES = (
    "support_size", "hops", "supports", "recency", "reach", "distractors", "related_distractors",
)  # fmt: skip


LARGEST = 2**63 - 1


def _strict(schema: Any) -> Any:
    """A schema of pydantic in which nothing is taken for a number or a truth value but those."""
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

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the model with strict numbers, wherever they stand in it."""
        strict: CoreSchema = _strict(handler(source))
        return strict


class Cell(Strict):
    """A kind of instance: what is asked, and how it is supported."""

    name: str = ""
    share: Weight = 1.0
    """Relative number of instances."""
    asks: tuple[str, ...] = ()
    """Kinds of question; empty: any."""
    answers: tuple[str, ...] = ()
    """Answers; empty: any."""
    support_size: Bounds = ANY
    """Sentences in the support, inclusive."""
    hops: Bounds = ANY
    """Links of the proof, inclusive; more than sentences where one tells several."""
    supports: Bounds = (1, UNBOUNDED)
    """Number of alternative minimal supports, inclusive."""
    requires: tuple[str, ...] = ()
    """Events and tellings that must all be in the support."""
    forbids: tuple[str, ...] = ()
    """Events and tellings that must not be in the support."""
    exactly: tuple[str, ...] = ()
    """The events and tellings of the support, no more and no fewer; empty: any."""
    recency: Bounds = ANY
    """Sentences told after the latest of the support; 0: it is the last before the question."""
    reach: Bounds = ANY
    """Sentences told after the earliest of the support."""
    distractors: Bounds = ANY
    """Sentences outside the support."""
    related_distractors: Bounds = ANY
    """Sentences outside the support that name whom or what the question is about."""
    distracted_by: tuple[str, ...] = ()
    """Events and tellings that must all be among the sentences outside the support."""
    undistracted_by: tuple[str, ...] = ()
    """Events and tellings that must not be among them."""
    misleads: tuple[Literal["last", "beside", "first"], ...] = ()
    """Trivial guesses (see shortcuts.py) that must be wrong."""

    @model_validator(mode="before")
    @classmethod
    def _one_number(cls, data: Any) -> Any:
        """A single number n stands for the range n … n."""
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
                raise ValueError(f"{key} = [{low}, {high}] holds no number")
        for one, other in (("requires", "forbids"), ("distracted_by", "undistracted_by")):
            both = set(getattr(self, one)) & set(getattr(self, other))
            if both:
                raise ValueError(f"{one} and {other} both name {', '.join(sorted(both))}")
        if self.exactly and not set(self.requires) <= set(self.exactly):
            raise ValueError("requires names what is not in exactly")
        if self.exactly and set(self.forbids) & set(self.exactly):
            raise ValueError("forbids names what is in exactly")
        return self

    @property
    def concepts(self) -> dict[str, tuple[str, ...]]:
        """The keys that name events and tellings, for a world to check."""
        keys = ("requires", "forbids", "exactly", "distracted_by", "undistracted_by")
        return {key: getattr(self, key) for key in keys}


ANYTHING = Cell()
"""The cell of every instance where a recipe has no quotas."""


class Decoys(Strict):
    """How often a trivial guess (see shortcuts.py) must be wrong, as shares of the questions.

    A single share stands for `last` and `beside`.
    """

    last: Share = 0.0
    """The possible answer that the story mentions last is wrong."""
    beside: Share = 0.0
    """Any possible answer in the last fact about the first name in the question is wrong."""
    first: Share = 0.0
    """Any possible answer in the first fact about that name is wrong."""

    @model_validator(mode="before")
    @classmethod
    def _one_share(cls, data: Any) -> Any:
        if isinstance(data, int | float) and not isinstance(data, bool):
            return {"last": data, "beside": data}
        return data

    def parts(self) -> list[tuple[float, tuple[str, ...]]]:
        """Shares of the questions, and the guesses that must be wrong in them."""
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
    """Kinds of question; empty: any."""
    combine: Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)]
    """Sets of events and tellings: held out is a support with one of each set."""

    def matches(self, kind: str, composition: Iterable[str]) -> bool:
        """Whether a question with such a support is held out."""
        if self.asks and kind not in self.asks:
            return False
        found = set(composition)
        return all(found & set(group) for group in self.combine)


class Compositional(Strict):
    """A benchmark of which the test combines what training has only apart."""

    test: tuple[str, ...] = ("test",)
    """The splits that combine; all others are for training."""
    held_out: tuple[HeldOut, ...] = ()
    """Combinations that training never has in a support."""


def cells_of(
    bins: Mapping[str, tuple[Bin, ...]],
    asks: Mapping[str, float],
    even: Mapping[str, tuple[str, ...]],
    decoys: Mapping[str, tuple[Decoys, ...]],
) -> list[Cell]:
    """A cell for each support size of each kind of question, the kinds by their weights.

    Of a kind in `even`, there is one for each size and answer. Each of them is divided by `decoys`,
    which has a value for each bin, or a single one for all; 'kind answer' comes before 'kind'.
    """
    cells = []
    for kind, sizes in bins.items():
        answers: list[tuple[str, ...]] = [(word,) for word in even.get(kind, ())] or [()]
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
