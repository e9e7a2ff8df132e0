"""Which trivial baselines get each question right, so that they stand beside every accuracy.

Baselines guess on the whole set of questions, as a model is asked it: `majority` is the commonest
answer of all, on whatever part of the questions it is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.analysis.baselines import BASELINES
from fabula.core.instance import Instance
from fabula.world.base import same_answer


def right_guesses(instances: Sequence[Instance]) -> list[tuple[str, ...]]:
    """For each instance the baselines that are right, by name."""
    found: list[list[str]] = [[] for _ in instances]
    for name, baseline in BASELINES.items():
        for each, guess, right in zip(instances, baseline(instances), found, strict=True):
            if guess is not None and same_answer(each.query, each.answer, guess):
                right.append(name)
    return [tuple(names) for names in found]
