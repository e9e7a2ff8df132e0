"""The recipe keys of the world of positions, in addition to those of every recipe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from fabula.errors import FabulaError, hint
from fabula.recipe.model import Recipe, Weight
from fabula.world.keys import among, amount, twice
from fabula.world.relations.amounts import Amount, Noise, bounds
from fabula.world.space.grid import COMPASS, FLAT_SIDES, SPACES, Space
from fabula.world.space.language import language

KINDS = ("relation", "yes-no", "what-is", "what-of", "path", "which", "how-far")
LONGEST_STEP = 9  # the numbers that the language files have words for
DEEP_DETOUR = 6  # alternative routes in three dimensions are far more numerous
MOST_DENIALS = 2  # three or more could together settle what no chain settles (see reading.py)


def _without_defaults(content: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """A recipe without newer keys at their default, so that older digests stay valid."""
    return {k: v for k, v in content.items() if k not in later or v != later[k]}


class SpaceNoise(Noise):
    """Noise, or that of the published StepGame."""

    original: bool = False
    """Amounts and construction of the published StepGame; overrides the other keys."""
    negation: Annotated[Amount, amount(0, "denials", MOST_DENIALS)] = 0
    """Sentences that deny a relative position of two entities of the chain."""

    @model_serializer(mode="wrap")
    def _known(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without_defaults(handler(self), {"negation": 0})

    def most(self, hops: int) -> int:
        """The maximum number of new entities that the noise can need."""
        if self.original:
            m = (hops + 1) // 3 + 1
            return max(m, 2) + m + (6 if hops > 3 else 0)
        return self.newcomers()


class SpaceRecipe(Recipe):
    """A recipe of the world of positions."""

    asks: Annotated[dict[str, Weight], among(KINDS)]
    names: tuple[str, ...] = ()
    """Names of the entities; alternatively, use `naming`."""
    length: Literal[1] = 1
    """Not used: the length of a story follows from its chain, map and noise."""
    naming: Literal["", "letters", "words", "objects", "people"] = ""
    """A list of names in the language file."""
    wording: Literal["compass", "sides", "phrases"] = "phrases"
    """Which sentences state relations: 'north of …', 'above …', or the phrase bank."""
    dimensions: Literal[2, 3] = 2
    """Two: the page, left and right, above and below. Three: a room seen from the front, with above
    and below as heights, and in front and behind; it has its own phrases.
    """
    phrases: tuple[str, ...] = ()
    """Kinds of expressions used from the phrase bank; empty: all."""
    shape: Literal["chain", "line", "map"] = "chain"
    """The content of a story: a chain of `hops` links; three in a line, with the middle more often
    the ground; or a map: a chain of `hops` links with other entities attached, `entities` in all.
    """
    hops: Annotated[Amount, amount(1, "hops")] = 2
    """Links between the two entities in the question (in a map: of the path)."""
    entities: Annotated[Amount, amount(1, "entities")] = 6
    """Entities of a map."""
    crowded: bool = True
    """Whether entities of a map may share a position, or be neighbours without a sentence that says
    so, and are all attached to the path in the question.
    """
    ask_about: Literal["ends", "any"] = "ends"
    """Which entities a question about a chain names: its ends, or any two, as in the published
    StepGame.
    """
    noise: SpaceNoise = SpaceNoise()
    balanced: bool = False
    """Draw the outcome of a chain first, uniformly, overlap included."""
    quotas: tuple[Literal["hops", "answer"], ...] = ()
    """Equal numbers of instances for each number of hops, or each answer, or both; creates
    cells.
    """
    ask_aligned: bool = True
    """Ask 'is … left of …?' even about entities in one column, and so on; the answer is no."""
    unambiguous: bool = False
    """Ask 'what is north of …?' only if nothing else lies on that side at any distance."""
    subject_only: bool = False
    """Ask 'what is …?' only about the first entity of a sentence, as the release does."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    joined: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Probability that a sentence states two links. A support is still a set of sentences, so it
    may have fewer sentences than the proof has hops.
    """
    steps: Annotated[Amount, amount(1, "steps", LONGEST_STEP)] = 1
    """Steps on the grid per sentence, always in one direction."""
    renamed: ClassVar[Mapping[str, str]] = {
        **Recipe.renamed,
        "told": "wording",
        "asked": "ask_about",
        "sure": "unambiguous",
        "aligned": "ask_aligned",
    }

    @model_serializer(mode="wrap")
    def _known(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        later = {"joined": 0.0, "steps": 1, "dimensions": 2}
        return _without_defaults(handler(self), later)

    @model_validator(mode="before")
    @classmethod
    def _deal(cls, data: Any) -> Any:
        """The cells for the quotas."""
        if not isinstance(data, dict):
            return data
        quotas, hops = data.get("quotas") or (), data.get("hops", 2)
        ends = hops if isinstance(hops, (list, tuple)) else (hops, hops)
        dimensions = data.get("dimensions", 2)
        space = SPACES.get(dimensions) if isinstance(dimensions, int) else None
        sound = isinstance(quotas, (list, tuple)) and len(ends) == 2
        sound = sound and all(type(k) is int and 0 < k <= 1000 for k in ends)
        if not quotas or not sound or space is None:
            return data  # invalid values are rejected right after this, with their key
        low, high = ends
        cells = []
        for k in range(low, high + 1):
            labels = (
                [x for x in space.labels if k > 1 or x != "overlap"] if "answer" in quotas else [""]
            )
            for answer in labels:
                cell: dict[str, Any] = {"share": 1 / len(labels)}
                if "hops" in quotas:
                    least = -(-k // 2) if data.get("joined") else k
                    cell |= {"name": f"{k} hops {answer}".strip(), "support_size": (least, k)}
                    if data.get("joined"):  # a sentence may state two links
                        cell["hops"] = (k, k)
                if answer:
                    cell |= {"name": cell.get("name", answer), "answers": [answer]}
                cells.append(cell)
            if "hops" not in quotas:
                break
        return {**data, "cells": cells}

    @model_validator(mode="after")
    def _tellable(self) -> SpaceRecipe:
        if bool(self.names) == bool(self.naming):
            raise ValueError("names: give either names or naming, not both")
        asked = set(self.kinds())
        if self.wording == "phrases" and {"what-is", "what-of"} & asked:
            raise ValueError("asks: neighbours need compass words; set wording = 'compass'")
        if self.wording != "phrases" and {"which", "how-far"} & asked:
            raise ValueError("asks: 'which' and 'how-far' need wording = 'phrases'")
        if self.wording != "phrases" and self.special:
            raise ValueError("joined, steps, noise.negation: these need wording = 'phrases'")
        if self.special and self.shape != "chain":
            raise ValueError("joined, steps, noise.negation: these need shape = 'chain'")
        if self.dimensions > 2 and (self.wording != "phrases" or self.shape != "chain"):
            raise ValueError("dimensions: 3 needs wording = 'phrases' and shape = 'chain'")
        if self.dimensions > 2 and self.noise.original:
            raise ValueError("noise.original: the published noise is flat; set dimensions = 2")
        if self.dimensions > 2 and bounds(self.noise.supporting)[1] > DEEP_DETOUR:
            raise ValueError(f"noise.supporting: at most {DEEP_DETOUR} sentences if dimensions = 3")
        if "answer" in self.quotas and self.wording == "phrases" and asked != {"relation"}:
            raise ValueError(
                "quotas: 'answer' works for 'relation' questions only; drop it, or ask only these"
            )
        for cell in (self.keep, *self.cells):
            for kind in cell.asks:
                if not self.asks.get(kind):
                    raise ValueError(f"cells.asks: '{kind}' is not asked.{hint(kind, self.asks)}")
        self._check_phrases()
        self._check_room()
        self._check_names()
        return self

    def _check_phrases(self) -> None:
        tongue = language(self.native)
        known = tongue.kinds(self.dimensions)
        for kind in self.phrases:
            if kind not in known:
                raise ValueError(f"phrases: unknown '{kind}'.{hint(kind, known)}")
        bank = tongue.banks[self.dimensions].phrases
        told = {p.relation for p in bank if p.kind in self.phrases}
        missing = [relation for relation in self.space.units if relation not in told]
        if self.phrases and missing:
            raise ValueError(
                f"phrases: these kinds have no expression for {', '.join(missing)}; add a kind"
            )

    def _check_room(self) -> None:
        """Check that there are enough names for the largest story."""
        hops = bounds(self.hops)[1]
        need = hops + 1 + self.noise.most(hops)
        if self.shape == "line":
            need = 3
        elif self.shape == "map":
            need = bounds(self.entities)[1]
            if bounds(self.entities)[0] < hops + 1:
                raise ValueError(
                    "entities: too few for a path of `hops` links; raise entities, or lower hops"
                )
        if need > len(self.pool):
            raise ValueError(
                f"names: up to {need} are needed, but there are only {len(self.pool)}; "
                "add names, or ask for fewer hops or less noise"
            )

    def _check_names(self) -> None:
        """Check that every name can be told and parsed back."""
        tongue, pool = language(self.native), self.pool
        twice(self.names, "names")
        if self.naming:
            return
        for name in pool:
            other = pool[0] if name != pool[0] else pool[-1]
            said = self._probe(name, other)
            try:
                told = tongue.parse(said)
            except FabulaError:
                told = ("", "", "", "")
            if told[1:3] != (name, other):
                raise ValueError(
                    f"names: '{name}' cannot be parsed back from '{said}'; choose another name"
                )
            if self.wording == "phrases" and name.lower() in tongue.vocabulary():
                raise ValueError(
                    f"names: '{name}' is a word of the sentences themselves; choose another name"
                )

    def _probe(self, name: str, other: str) -> str:
        tongue = language(self.native)
        if self.wording == "phrases":
            return tongue.say("left", name, other, lambda: 0.0)
        return tongue.tell(self.words[0], name, other, lambda: 0.0)

    @property
    def space(self) -> Space:
        """The grid in words."""
        return SPACES[self.dimensions]

    @property
    def longest(self) -> int:
        """The maximum number of steps in a sentence."""
        return bounds(self.steps)[1]

    @cached_property
    def special(self) -> bool:
        """Whether sentences may state anything other than one step."""
        return bool(self.joined or self.longest > 1 or bounds(self.noise.negation)[1])

    @property
    def pool(self) -> tuple[str, ...]:
        """The available names."""
        return self.names or language(self.native).names[self.naming]

    @property
    def words(self) -> tuple[str, ...]:
        """The words for the relations that sentences of this recipe state."""
        if self.wording == "compass":
            return tuple(COMPASS)
        return FLAT_SIDES if self.wording == "sides" else tuple(self.space.units)
