"""A recipe made of recipes: several parts that share splits, in proportion to their shares.

    [common]                       keys of every part that names no recipe of its own
    recipe = "actors/mix"
    tellings = {}

    [[parts]]                      a part: its name, its share, and any keys of a recipe
    name = "take"
    share = 2
    events = {MOVE = 1, GRAB = 1}

    [[parts]]                      another recipe as it is, only for the test
    recipe = "dyna/mix-t12"
    splits = ["test"]

Promises:
1. A key in a part (or in `common`) overrides that key of its recipe, as `--set` does; a misspelt
   one is rejected with its place.
2. A part that is another recipe, unchanged, has that recipe's instances in every collection.
3. Parts that name no splits are in every split that no other part names.
4. If the benchmark is compositional, the concepts of the test are those of all training parts
   together, and differ from those of each part.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import Field, PrivateAttr, model_validator

from fabula.core.files import unfit_name
from fabula.errors import RecipeError, hint
from fabula.recipe.cells import Strict, Weight
from fabula.recipe.model import Recipe, content_digest

KEYS = {
    "id", "title", "about", "world", "dialect", "seed", "splits", "compositional", "parts",
    "common", "space_before_tab", "language", "cipher", "contrast", "unknown",
}  # fmt: skip
TELLING = ("language", "cipher", "contrast", "unknown")
"""Keys that all parts inherit from the collection: how stories are told, and which variants of them
are made.
"""


class Part(Strict):
    """One part."""

    name: str
    recipe: str = ""
    """A recipe by name or path; empty: that of `common`."""
    share: Weight = 1.0
    """Relative number of instances."""
    splits: tuple[str, ...] = ()
    """The splits it is in; empty: all that no part names."""
    changes: dict[str, Any] = {}
    """Keys of its recipe that it overrides; written as keys of the part."""

    @model_validator(mode="before")
    @classmethod
    def _changes(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        own = {key: value for key, value in data.items() if key in cls.model_fields}
        rest = {key: value for key, value in data.items() if key not in cls.model_fields}
        given = own.get("changes", {})
        own["changes"] = {**given, **rest} if isinstance(given, dict) else given
        own.setdefault("name", str(own.get("recipe", "")).rpartition("/")[2])
        return own


class Collection(Recipe):
    """A recipe made of recipes."""

    world: str = ""
    """The worlds of its parts; derived, not given."""
    asks: dict[str, Weight] = {}
    common: dict[str, Any] = {}
    """Keys of the recipe of every part that names none of its own."""
    parts: tuple[Part, ...] = Field(min_length=1)
    _members: dict[str, Recipe] = PrivateAttr(default={})

    @model_validator(mode="after")
    def _whole(self) -> Collection:
        stray = sorted(self.model_fields_set - KEYS)
        if stray:
            raise ValueError(
                f"{stray[0]}: in a recipe made of parts, set this key in [common] or in a part"
            )
        names = [part.name for part in self.parts]
        for number, part in enumerate(self.parts):
            if not part.name:
                raise ValueError(f"parts[{number}]: give it a name")
            if reason := unfit_name(part.name):
                raise ValueError(f"parts[{number}].name: {reason}")
            if names.count(part.name) > 1:
                raise ValueError(f"parts: two have the name '{part.name}'; rename one")
            for split in part.splits:
                if split not in self.splits:
                    raise ValueError(
                        f"parts.{part.name}.splits: no '{split}'.{hint(split, self.splits)}"
                    )
        if self.common and all(part.recipe for part in self.parts):
            raise ValueError("common: every part names a recipe of its own; set its keys in a part")
        for split in self.splits:
            if not any(part.share for part in self.parts_of(split)):
                raise ValueError(
                    f"parts: split '{split}' has no part with a positive share; add one"
                )
        return self

    @property
    def composed(self) -> bool:
        """Always True: it is made of other recipes."""
        return True

    def kinds(self) -> tuple[str, ...]:
        """The question kinds of all its parts."""
        asked = (kind for member in self.members.values() for kind in member.kinds())
        return tuple(dict.fromkeys(asked))

    def parts_of(self, split: str) -> list[Part]:
        """The parts of a split."""
        named = [part for part in self.parts if split in part.splits]
        return named or [part for part in self.parts if not part.splits]

    @property
    def members(self) -> dict[str, Recipe]:
        """The recipe of each part, with the splits of the collection."""
        return self._members

    def gathered(self, members: Mapping[str, Recipe]) -> Collection:
        """The collection with the recipe of each part (see loading.py)."""
        worlds = "+".join(sorted({member.world for member in members.values()}))
        whole = self.model_copy(update={"world": worlds})
        whole._members = dict(members)
        return whole

    @cached_property
    def digest(self) -> str:
        """A short hash of the content of the recipe and its parts."""
        parts = [
            [part.name, part.share, part.splits, self.members[part.name].digest]
            for part in self.parts
        ]
        held_out = self.compositional.model_dump(mode="json") if self.compositional else None
        return content_digest([self.id, parts, held_out, self.space_before_tab])

    def concept_sets(self, split: str) -> dict[str, frozenset[str]]:
        """The concepts of each part of a split."""
        return {
            part.name: self.members[part.name].for_split(split).concepts()
            for part in self.parts_of(split)
            if part.share
        }

    def check(self) -> None:
        """Raise RecipeError unless the test combines exactly the concepts of the training parts."""
        if self.compositional is None:
            return
        place = f"recipe {self.id}, compositional"
        training = [split for split in self.splits if split not in self.compositional.test]
        if not training:
            raise RecipeError(f"{place}: there is no training split; add one.")
        apart = {name: c for split in training for name, c in self.concept_sets(split).items()}
        everything = frozenset().union(*apart.values())
        for split in self.compositional.test:
            tested: frozenset[str] = frozenset().union(*self.concept_sets(split).values())
            untested, untaught = sorted(everything - tested), sorted(tested - everything)
            if untaught:
                raise RecipeError(
                    f"{place}: {split} has {', '.join(untaught)}, but no training part does."
                )
            if untested:
                raise RecipeError(
                    f"{place}: training has {', '.join(untested)}, but {split} does not."
                )
            for name, concepts in apart.items():
                if concepts == tested:
                    raise RecipeError(
                        f"{place}: part '{name}' alone has all concepts of {split}, so there is no "
                        "new combination."
                    )
