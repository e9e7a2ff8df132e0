"""verifiers (v1): a task set of any recipe, whose ground truth is checked by our proof.

    vf-validate fabula-taskset --taskset.recipe babi/qa2 -n 100 --runtime.type subprocess
    vf-eval fabula-taskset --env.taskset.recipe actors/mix --env.taskset.seed 7 -m MODEL

`validate` parses the sentences of a task again and checks the record with reader and logic program,
as `fabula verify` does: a task is valid if its answer and every support are proven. One question,
one reply: the task set uses the null harness, which has no tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.core.registry import need
from fabula.integrations import from_data, instances, to_data
from fabula.prompting.prompt import CITE, DEFAULT_STYLE, prompt
from fabula.scoring import Outcome, Score, score

need("verifiers", "verifiers")

import verifiers.v1 as vf  # noqa: E402
from verifiers.v1.harnesses.null import NullHarness  # noqa: E402

__all__ = ["FabulaTaskset", "NullHarness"]


class FabulaTasksetConfig(vf.TasksetConfig):
    """Which instances of which recipe."""

    recipe: str = "actors/mix"
    """A recipe's name, a .toml file, or a folder written by `fabula generate`."""
    split: str = "train"
    seed: int | None = None
    size: int | None = None
    """Number of tasks; None: as many as the split has."""
    style: str = DEFAULT_STYLE
    """The style of the reply: direct, after reasoning, or with the sentences it cites."""
    settings: dict[str, Any] = {}
    """Other keys of the recipe, as with `--set`."""


class FabulaData(vf.TaskData):
    """The data of a task: the prompt, and the record that scores and proves it."""

    record: dict[str, Any]
    answer: str
    style: str = DEFAULT_STYLE

    @property
    def instance(self) -> Instance:
        """The record."""
        return from_data(self.record)


class FabulaTask(vf.Task[FabulaData, vf.State, vf.TaskConfig]):
    """One question about one story."""

    @property
    def key(self) -> str:
        """The instance's id with its seed: the same wherever it is generated."""
        made = self.data.record["provenance"]
        return f"{self.data.id}:{made.get('seed', '')}:{made.get('recipe_digest', '')}"

    def _score(self, trace: vf.Trace) -> Score:
        cites = self.data.style == CITE
        return score(self.data.instance, trace.last_reply, trace.is_truncated, evidence=cites)

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        """1 for the right answer, else 0."""
        return float(self._score(trace).correct)

    @vf.reward(weight=1.0)
    async def evidence(self, trace: vf.Trace) -> float:
        """In the style 'cite', up to 1 for sentences that prove the answer; else 0."""
        found = self._score(trace).evidence
        return found.score if found else 0.0

    @vf.metric
    async def outcome(self, trace: vf.Trace) -> dict[str, float]:
        """The outcome, as a 0/1 value for each."""
        found = self._score(trace).outcome
        return {str(kind): float(kind is found) for kind in Outcome if kind is not Outcome.CORRECT}

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether answer and supports are proven by reader and logic program."""
        return not objections(self.data.instance)


class FabulaTaskset(vf.Taskset[FabulaTask, FabulaTasksetConfig]):
    """The instances of a recipe or a data set as tasks."""

    def load(self) -> Iterator[FabulaTask]:
        """The tasks, generated one after another on demand."""
        config = self.config
        made = instances(config.recipe, config.split, config.seed, config.size, config.settings)
        for instance in made:
            yield FabulaTask(
                FabulaData(
                    id=instance.id,
                    name=instance.id,
                    prompt=prompt(instance, config.style),
                    record=to_data(instance),
                    answer=", ".join(instance.answer),
                    style=config.style,
                ),
                config.task,
            )
