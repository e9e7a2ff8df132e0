"""The keys that recipes of the world of kinds have besides those of every recipe."""

from __future__ import annotations

from typing import Annotated, Literal

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
    """Not used: a story here tells all there is to tell."""
    people: tuple[str, ...]
    """Names of individuals."""
    animals: tuple[str, ...]
    """Kinds, in the singular."""
    colours: tuple[str, ...] = ()
    individuals: Annotated[Amount, amount(1, "individuals")] = 4
    """How many of them a story is about."""
    species: Annotated[Amount, amount(1, "species")] = 4
    """How many kinds of animal a story knows."""
    groups: tuple[str, ...] = ()
    """Kinds above kinds, in the singular; needed for `steps`."""
    steps: Annotated[Amount, amount(0, "steps")] = 0
    """For deduction: kinds above kinds that a fear is inherited from."""
    peers: Amount = (1, 4)
    """For induction: how many of the same kind have a colour."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    unlike: float = 0.0
    """How often an individual's colour is drawn freely instead of following its kind."""
    small_names: bool = False
    """Questions write names without a capital, as task 15 of the release does."""

    @model_validator(mode="after")
    def _tellable(self) -> KindsRecipe:
        everything = (*self.people, *self.animals, *self.groups, *self.colours)
        twice(everything, "people, animals, groups, colours")
        if len(self.kinds()) > 1:
            raise ValueError("asks: a story is told for one kind of question: afraid or colour")
        species = bounds(self.species)[1]
        needs = {"people": bounds(self.individuals)[1], "animals": species}
        if self.asks.get("afraid"):
            needs["groups"] = bounds(self.steps)[1] * species
            if bounds(self.species)[0] < 2:
                raise ValueError("species: at least two are needed, one to fear the other")
        else:
            needs["colours"] = 1 if self.unlike else species
            if not 1 <= bounds(self.peers)[0] <= bounds(self.peers)[1]:
                raise ValueError("peers: at least one is needed")
            if bounds(self.peers)[0] >= bounds(self.individuals)[0]:
                raise ValueError("peers: fewer than the individuals of a story")
        for key, need in needs.items():
            if len(getattr(self, key)) < need:
                raise ValueError(f"{key}: up to {need} are needed")
        self._check_names()
        return self

    def _check_names(self) -> None:
        """Every name must survive being told and parsed back."""
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
                raise ValueError(f"names: {fact[1]} or {fact[2]} is not understood in a sentence")
