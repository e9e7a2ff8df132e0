"""Which trivial baselines get each question right, to show next to every accuracy.

Baselines guess on the whole set of questions, the same that a model is asked: `majority` is the
most frequent answer of all, whichever subset is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.analysis.baselines import BASELINES
from fabula.core.instance import Instance
from fabula.world.base import same_answer


def right_guesses(instances: Sequence[Instance]) -> list[tuple[str, ...]]:
    """For each instance, the names of the baselines that are right."""
    found: list[list[str]] = [[] for _ in instances]
    for name, baseline in BASELINES.items():
        for each, guess, right in zip(instances, baseline(instances), found, strict=True):
            if guess is not None and same_answer(each.query, each.answer, guess):
                right.append(name)
    return [tuple(names) for names in found]
