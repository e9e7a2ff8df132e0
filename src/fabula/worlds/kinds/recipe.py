"""The keys that recipes of the world of kinds have besides those of every recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator, model_validator

from fabula.errors import FabulaError, hint
from fabula.recipe import Recipe
from fabula.relations.amounts import Amount, bounds, within
from fabula.worlds.kinds.language import language

KINDS = ("afraid", "colour")


class KindsRecipe(Recipe):
    """A recipe of the world of kinds."""

    length: Literal[1] = 1
    """Not used: a story here tells all there is to tell."""
    people: tuple[str, ...]
    """Names of individuals."""
    animals: tuple[str, ...]
    """Kinds, in the singular."""
    colours: tuple[str, ...] = ()
    individuals: Amount = 4
    """How many of them a story is about."""
    species: Amount = 4
    """How many kinds of animal a story knows."""
    groups: tuple[str, ...] = ()
    """Kinds above kinds, in the singular; needed for `steps`."""
    steps: Amount = 0
    """For deduction: kinds above kinds that a fear is inherited from."""
    peers: Amount = (1, 4)
    """For induction: how many of the same kind have a colour."""
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    unlike: float = 0.0
    """How often an individual's colour is drawn freely instead of following its kind."""
    small_names: bool = False
    """Questions write names without a capital, as task 15 of the release does."""

    @field_validator("asks")
    @classmethod
    def _known_questions(cls, weights: dict[str, float]) -> dict[str, float]:
        for kind in weights:
            if kind not in KINDS:
                raise ValueError(f"unknown question '{kind}'.{hint(kind, KINDS)}")
        if len([kind for kind, weight in weights.items() if weight]) > 1:
            raise ValueError("a story is told for one kind of question: 'afraid' or 'colour'")
        return weights

    @field_validator("individuals", "species")
    @classmethod
    def _some(cls, amount: Amount) -> Amount:
        return within(amount, 1, "individuals or species")

    @field_validator("steps")
    @classmethod
    def _few(cls, amount: Amount) -> Amount:
        return within(amount, 0, "steps")

    @model_validator(mode="after")
    def _tellable(self) -> KindsRecipe:
        everything = (*self.people, *self.animals, *self.groups, *self.colours)
        twice = sorted({name for name in everything if everything.count(name) > 1})
        if twice:
            raise ValueError(f"people, animals, groups, colours: {', '.join(twice)} named twice")
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
        tongue = language(self.language)
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
