"""Inspect AI: every recipe is a task, registered by entry point.

    inspect eval fabula/babi_qa2 --model openai/gpt-5 -T seed=7 -T size=200
    inspect eval fabula/benchmark --model openai/gpt-5 -T source=out/rooms

A score has the value C (correct), I (wrong) or N (no answer); `reason` says why there is no answer,
and `metadata["outcome"]` which of the five outcomes it is. Questions about the same story are not
independent, so the standard error is clustered by story.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabula.core.instance import Instance
from fabula.core.registry import need
from fabula.errors import FabulaError, hint
from fabula.integrations import (
    evaluation_split,
    from_data,
    instances,
    story_of,
    task_names,
    to_data,
    traits,
)
from fabula.prompting.prompt import CITE, DEFAULT_STYLE, prompt
from fabula.recipe.loading import load
from fabula.scoring import Outcome, score

need("inspect_ai", "inspect")

from inspect_ai import Task, task  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.scorer import (  # noqa: E402
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState  # noqa: E402

GROUP_BY = "kind,support_size"

REASONS = {
    Outcome.UNPARSED: "invalid_response_format",
    Outcome.REFUSAL: "refusal",
    Outcome.TRUNCATED: "truncated",
}
"""Why there is no answer, in Inspect's terms if it has one."""

VALUES = {Outcome.CORRECT: CORRECT, Outcome.WRONG: INCORRECT}


# --- samples ----------------------------------------------------------------------------------


def sample(instance: Instance, style: str, examples: list[Instance]) -> Sample:
    """An instance as an Inspect sample: keys to group by, and the whole record."""
    return Sample(
        id=instance.id,
        input=prompt(instance, style, examples),
        target=", ".join(instance.answer),
        metadata={
            **traits(instance),
            "story": story_of(instance),
            "record": to_data(instance),
            **({"style": style} if style == CITE else {}),
        },
    )


def build(
    source: str,
    split: str | None = None,
    seed: int | None = None,
    size: int | None = None,
    style: str = DEFAULT_STYLE,
    shots: int = 0,
    group_by: str | list[str] = GROUP_BY,
    settings: dict[str, Any] | None = None,
) -> Task:
    """A task on a recipe, a recipe file, or a generated data set."""
    chosen = split or evaluation_split(source, settings)
    examples = list(instances(source, "train", seed, shots, settings)) if shots else []
    samples = [
        sample(instance, style, examples)
        for instance in instances(source, chosen, seed, size, settings)
    ]
    keys = _keys(group_by, samples)
    for one in samples:  # Inspect needs every sample in a group
        assert one.metadata is not None
        one.metadata |= {key: "none" for key in keys if one.metadata.get(key) is None}
    return Task(
        dataset=MemoryDataset(samples, name=source),
        scorer=fabula_scorer(),
        metrics=[
            accuracy(),
            stderr(cluster="story"),
            outcomes(),
            *(
                grouped(accuracy(), key, all=False, name_template=f"{key}={{group_name}}")
                for key in keys
            ),
        ],
    )


def _keys(group_by: str | list[str], samples: list[Sample]) -> list[str]:
    known = {key for one in samples for key in (one.metadata or {})} - {"record"}
    named = group_by.split(",") if isinstance(group_by, str) else map(str, group_by)
    keys = [key.strip() for key in named if key.strip()]
    for key in keys:
        if key not in known:
            raise FabulaError(f"group_by: no feature '{key}'.{hint(key, known)}")
    return keys


# --- scoring ----------------------------------------------------------------------------------


@metric
def outcomes() -> Metric:
    """The fraction of each of the five outcomes."""

    def share(scores: list[SampleScore]) -> dict[str, str | int | float | bool | None]:
        found = [(one.score.metadata or {}).get("outcome") for one in scores]
        return {str(kind): found.count(kind) / max(len(found), 1) for kind in Outcome}

    return share


@scorer(metrics=[accuracy(), stderr(cluster="story"), outcomes()])
def fabula_scorer() -> Scorer:
    """Scores a reply with `fabula.score`: five outcomes, over the closed set of answers."""

    async def judge(state: TaskState, target: Target) -> Score:
        given = score(
            from_data(state.metadata["record"]),
            state.output.completion,
            truncated=state.output.stop_reason in ("max_tokens", "model_length"),
            evidence=state.metadata.get("style") == CITE,
        )
        cited = {} if given.evidence is None else {
            "reason": str(given.reason), "evidence": given.evidence._asdict()
        }  # fmt: skip
        empty = not state.output.completion.strip() and given.outcome is Outcome.UNPARSED
        return Score(
            value=VALUES.get(given.outcome, NOANSWER),
            answer=", ".join(given.answer) or None,
            explanation=f"{given.outcome}: {state.output.completion}",
            reason="no_response" if empty else REASONS.get(given.outcome),
            metadata={"outcome": str(given.outcome), **cited},
        )

    return judge


# --- tasks ------------------------------------------------------------------------------------


@task
def benchmark(
    source: str,
    split: str | None = None,
    seed: int | None = None,
    size: int | None = None,
    style: str = DEFAULT_STYLE,
    shots: int = 0,
    group_by: str | list[str] = GROUP_BY,
    settings: dict[str, Any] | None = None,
) -> Task:
    """Your own recipe (a .toml file), or a folder written by `fabula generate`."""
    return build(source, split, seed, size, style, shots, group_by, settings)


def _task_of(name: str, recipe: str) -> Callable[..., Task]:
    def made(
        split: str | None = None,
        seed: int | None = None,
        size: int | None = None,
        style: str = DEFAULT_STYLE,
        shots: int = 0,
        group_by: str | list[str] = GROUP_BY,
        settings: dict[str, Any] | None = None,
    ) -> Task:
        return build(recipe, split, seed, size, style, shots, group_by, settings)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = load(recipe).title or recipe
    return task(name=name)(made)


TASKS: dict[str, Callable[..., Task]] = {
    name: _task_of(name, recipe) for name, recipe in task_names().items()
}
