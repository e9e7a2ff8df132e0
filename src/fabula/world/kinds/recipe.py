"""The recipe keys of the world of kinds, in addition to those of every recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import model_validator

from fabula.errors import FabulaError
from fabula.recipe.model import Recipe, Weight
from fabula.world.keys import among, amount, twice
from fabula.world.kinds.language import language
from fabula.world.relations.amounts import Amount, bounds

KINDS = ("afraid", "colour")


class KindsRecipe(Recipe):
    """A recipe of the world of kinds."""

    asks: Annotated[dict[str, Weight], among(KINDS)]
    length: Literal[1] = 1
    """Not used: the length of a story follows from its content."""
    people: tuple[str, ...]
    """Names of individuals."""
    animals: tuple[str, ...]
    """Kinds, in the singular."""
    colours: tuple[str, ...] = ()
    individuals: Annotated[Amount, amount(1, "individuals")] = 4
    """The number of individuals in a story."""
    species: Annotated[Amount, amount(1, "species")] = 4
    """The number of kinds of animal in a story."""
    groups: tuple[str, ...] = ()
    """Kinds above kinds, in the singular; needed for `steps`."""
    steps: Annotated[Amount, amount(0, "steps")] = 0
    """For deduction: the number of levels above a kind through which a fear is inherited."""
    peers: Amount = (1, 4)
    """For induction: the number of others of the same kind with a colour."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    exception_rate: float = 0.0
    """How often an individual's colour is drawn freely instead of following its kind."""
    lowercase_names: bool = False
    """Whether questions write names without a capital, as in task 15 of the release."""
    renamed: ClassVar[Mapping[str, str]] = {
        **Recipe.renamed,
        "unlike": "exception_rate",
        "small_names": "lowercase_names",
    }

    @model_validator(mode="after")
    def _tellable(self) -> KindsRecipe:
        everything = (*self.people, *self.animals, *self.groups, *self.colours)
        twice(everything, "people, animals, groups, colours")
        if len(self.kinds()) > 1:
            raise ValueError("asks: a story has one kind of question; ask either afraid or colour")
        species = bounds(self.species)[1]
        needs = {"people": bounds(self.individuals)[1], "animals": species}
        if self.asks.get("afraid"):
            needs["groups"] = bounds(self.steps)[1] * species
            if bounds(self.species)[0] < 2:
                raise ValueError("species: at least two are needed, so that one can fear the other")
        else:
            needs["colours"] = 1 if self.exception_rate else species
            if not 1 <= bounds(self.peers)[0] <= bounds(self.peers)[1]:
                raise ValueError("peers: at least one is needed")
            if bounds(self.peers)[0] >= bounds(self.individuals)[0]:
                raise ValueError("peers: must be fewer than the individuals of a story")
        for key, need in needs.items():
            if len(getattr(self, key)) < need:
                raise ValueError(f"{key}: up to {need} are needed; add some")
        self._check_names()
        return self

    def _check_names(self) -> None:
        """Check that every name can be told and parsed back."""
        tongue = language(self.native)
        probes = [("member", name, self.animals[0]) for name in self.people]
        probes += [("member", self.people[0], name) for name in (*self.animals, *self.groups)]
        probes += [("fear", name, self.animals[0]) for name in (*self.animals, *self.groups)]
        probes += [("colour", self.people[0], name) for name in self.colours]
        for fact in probes:
            try:
                understood = tongue.parse(tongue.say(fact)) == fact
            except FabulaError:
                understood = False
            if not understood:
                raise ValueError(
                    f"names: {fact[1]} or {fact[2]} cannot be parsed back; choose another name"
                )
