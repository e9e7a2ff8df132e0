"""The difficulty of an instance by its measured features, on a scale of logits.

A model of ability t answers an instance of difficulty d correctly with the probability
1 / (1 + e^(d-t)). The scale of a recipe is calibrated once, from runs of several models, and is
shipped as data; so the abilities of all models on a recipe are comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from math import exp, log1p
from pathlib import Path
from typing import Any

from fabula.core.files import parse_json, read_json, write_json
from fabula.core.instance import Instance
from fabula.errors import FabulaError

NUMBERS = (
    "sentences", "support_size", "hops", "recency", "reach", "distractors", "related_distractors",
    "supports", "k", "chain",
)  # fmt: skip
"""Features that enter by the logarithm of one more than their value."""
QUANTILES = 101


@dataclass(frozen=True)
class Scale:
    """The scale of one recipe."""

    recipe: str
    terms: Mapping[str, float]
    """The contribution of each term to the difficulty: 'asks where-object', 'requires GIVE', 'hops'
    …
    """
    level: float
    """The difficulty without any term."""
    spread: float
    """How much models differ in what they find hard: the standard deviation, in logits, of a
    model's own effect of a question kind or concept.
    """
    slope: float
    """How much the steepness of models differs (standard deviation; 1 is the average)."""
    quantiles: tuple[float, ...]
    """The difficulties of the recipe's instances, as quantiles."""
    made_from: tuple[str, ...] = ()
    """The models whose runs it was calibrated with."""

    def difficulty(self, instance: Instance) -> float:
        """The difficulty of an instance."""
        return self.level + sum(
            self.terms.get(name, 0.0) * value for name, value in terms_of(instance).items()
        )

    def accuracy(self, ability: float) -> float:
        """The expected accuracy on the recipe of a model with this ability."""
        return sum(1 / (1 + exp(d - ability)) for d in self.quantiles) / len(self.quantiles)

    def ability(self, accuracy: float) -> float:
        """The ability that corresponds to an accuracy on the recipe, within -12 and 12."""
        low, high = -12.0, 12.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.accuracy(middle) < accuracy else (low, middle)
        return (low + high) / 2

    def write(self, path: Path) -> None:
        """Write it to a file."""
        write_json(path, asdict(self))

    @classmethod
    def of(cls, content: Mapping[str, Any], place: str) -> Scale:
        """A scale from its content; FabulaError if it is not one."""
        try:
            return cls(
                str(content["recipe"]),
                {str(name): float(value) for name, value in content["terms"].items()},
                float(content["level"]),
                float(content["spread"]),
                float(content["slope"]),
                tuple(float(d) for d in content["quantiles"]) or (0.0,),
                tuple(map(str, content.get("made_from", ()))),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FabulaError(
                f"{place}: not a scale of `fabula calibrate` ({error}); make it again."
            ) from None


def terms_of(instance: Instance) -> dict[str, float]:
    """The terms of an instance with their values."""
    found = {f"asks {instance.query[0]}": 1.0}
    found |= {f"requires {word}": 1.0 for word in instance.composition}
    for role in sorted({*instance.roles} - {"support", "distractor", "convention"}):
        found[f"noise {role}"] = 1.0
    for key in NUMBERS:
        value = instance.features.get(key)
        if type(value) is int and value >= 0:
            found[key] = log1p(value)
    return found


def shipped_scale(recipe: str) -> Scale | None:
    """The built-in scale; None if the recipe has none."""
    file = resources.files("fabula.evaluation.adaptive") / "scales" / (
        recipe.replace("/", "-") + ".json")  # fmt: skip
    if not file.is_file():
        return None
    return Scale.of(parse_json(file.read_bytes(), recipe), f"scale of {recipe}")


def read_scale(path: Path) -> Scale:
    """A scale from a file."""
    if not path.is_file():
        raise FabulaError(f"{path}: no scale here; make one with `fabula calibrate`.")
    return Scale.of(read_json(path, "terms"), str(path))


def flat_scale(recipe: str) -> Scale:
    """The scale of a recipe that was not calibrated: all instances count as equally difficult."""
    return Scale(recipe, {}, 0.0, 1.0, 0.0, (0.0,), ())
