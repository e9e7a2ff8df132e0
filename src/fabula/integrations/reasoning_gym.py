"""reasoning_gym: procedural data sets with a curriculum, registered when this module is imported.

    import fabula.integrations.reasoning_gym
    data = reasoning_gym.create_dataset("fabula", recipe="babi/qa2", seed=7, size=500)

| data set          | stories                     | what its curriculum raises           |
|-------------------|-----------------------------|--------------------------------------|
| `fabula`          | `actors/mix`, or any recipe | sentences, and those of the proof    |
| `fabula_stepgame` | `stepgame/noise`            | steps between the two agents         |
| `fabula_clutrr`   | `clutrr/gen-23`             | relations in the chain               |

Item i is instance i of the recipe under the data set's seed: the same alone and in a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fabula.core.registry import need
from fabula.errors import FabulaError
from fabula.generation.author import Author, author
from fabula.integrations import from_data, to_data, traits
from fabula.prompting.prompt import CITE, DEFAULT_STYLE, prompt
from fabula.recipe.loading import read_recipe
from fabula.scoring import score
from fabula.scoring.evidence import reward

need("reasoning_gym", "reasoning-gym")

from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition  # noqa: E402
from reasoning_gym.dataset import ProceduralDataset  # noqa: E402
from reasoning_gym.factory import register_dataset  # noqa: E402


@dataclass
class FabulaConfig:
    """Which instances of which recipe."""

    recipe: str = "actors/mix"
    split: str = "train"
    style: str = DEFAULT_STYLE
    min_sentences: int | None = None
    """Number of sentences in a story; None: as in the recipe."""
    max_sentences: int | None = None
    min_hops: int | None = None
    """Number of steps in the proof; None: as in the recipe."""
    max_hops: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """Other keys of the recipe, as with `--set`."""
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        """Raise FabulaError for invalid values; reasoning_gym calls this."""
        for low, high, name in (
            (self.min_sentences, self.max_sentences, "sentences"),
            (self.min_hops, self.max_hops, "hops"),
        ):
            if (low is None) != (high is None):
                raise FabulaError(f"min_{name} and max_{name}: give both or neither.")
            if low is not None and high is not None and not 1 <= low <= high:
                raise FabulaError(
                    f"min_{name} {low}, max_{name} {high}: not a range of positive numbers."
                )
        if self.size < 1:
            raise FabulaError(f"size {self.size}: at least one item is needed.")

    @property
    def changes(self) -> dict[str, Any]:
        """The ranges as keys of the recipe, also where the split has its own values."""
        own = read_recipe(self.recipe).get("split_overrides", {}).get(self.split, {})
        asked = {
            f"split_overrides.{self.split}.{key}" if key.partition(".")[0] in own else key: value
            for key, value in self._difficulty().items()
        }
        return {**asked, **self.settings}

    def _difficulty(self) -> dict[str, Any]:
        changes: dict[str, Any] = {}
        if self.min_sentences is not None:
            changes["length"] = [self.min_sentences, self.max_sentences]
        if self.min_hops is not None:
            changes["keep.hops"] = [self.min_hops, self.max_hops]
        return changes


@dataclass
class StepGameConfig(FabulaConfig):
    """Chains on a grid: the number of steps is a key of the recipe."""

    recipe: str = "stepgame/noise"

    def _difficulty(self) -> dict[str, Any]:
        if self.min_hops is None:
            return {}
        # no quota on the steps: these are dealt out in order, and a batch should contain all of
        # them
        return {"hops": [self.min_hops, self.max_hops], "quotas": ["answer"]}


@dataclass
class ClutrrConfig(FabulaConfig):
    """Chains of kinship: each length is a kind of task."""

    recipe: str = "clutrr/gen-23"

    def _difficulty(self) -> dict[str, Any]:
        if self.min_hops is None or self.max_hops is None:
            return {}
        return {"tasks": [{"k": k} for k in range(self.min_hops, self.max_hops + 1)]}


class FabulaDataset(ProceduralDataset):
    """The instances of a recipe as reasoning_gym's items."""

    name = "fabula"

    def __init__(self, config: FabulaConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self.author: Author = author(config.recipe, config.split, self.seed, config.changes)

    @property
    def category(self) -> str:
        """The category in reasoning_gym."""
        return "stories"

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not idx >= 0:
            raise IndexError(idx)
        instance = next(self.author.instances(idx, idx + 1))
        measured = traits(instance)
        return {
            "question": prompt(instance, self.config.style),
            "answer": ", ".join(instance.answer),
            "metadata": {
                "source_dataset": self.name,
                "source_index": idx,
                **measured,
                "record": to_data(instance),
                "difficulty": {
                    "sentences": measured["sentences"],
                    "hops": measured["hops"],
                },
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """1 for the right answer, 0 for any other: with a proof there is nothing in between.

        In the style 'cite', half for the answer and half for sentences that prove it.
        """
        record = from_data(entry["metadata"]["record"])
        if self.config.style == CITE:
            return reward(record, answer or "")
        return float(score(record, answer or "").correct)


class StepGameDataset(FabulaDataset):
    """Chains on a grid."""

    name = "fabula_stepgame"


class ClutrrDataset(FabulaDataset):
    """Chains of kinship."""

    name = "fabula_clutrr"


# --- curricula --------------------------------------------------------------------------------


def _curriculum(
    config: type[FabulaConfig], hops: list[int], sentences: list[int] | None = None
) -> Callable[[], BaseCurriculum]:
    """A curriculum over the ranges of a config; the first levels are the easiest."""
    raised = {"hops": hops} | ({"sentences": sentences} if sentences else {})

    class FabulaCurriculum(BaseCurriculum):
        def __init__(self) -> None:
            super().__init__(f"{config.__name__.removesuffix('Config')}Curriculum", config)
            self._define_attributes(
                *(
                    RangeAttributeDefinition(
                        name=name,
                        levels=levels,
                        lower_field_name=f"min_{name}",
                        upper_field_name=f"max_{name}",
                        description=f"{name} of a story",
                        ensure_interval=True,
                    )
                    for name, levels in raised.items()
                )
            )

    return FabulaCurriculum


for _data, _config, _levels in (
    (FabulaDataset, FabulaConfig, {"hops": [1, 2, 3, 4, 5], "sentences": [4, 8, 12, 20, 32]}),
    (StepGameDataset, StepGameConfig, {"hops": [1, 2, 3, 5, 7, 10]}),
    (ClutrrDataset, ClutrrConfig, {"hops": [2, 3, 4, 6, 8, 10]}),
):
    register_dataset(_data.name, _data, _config, _curriculum(_config, **_levels))
