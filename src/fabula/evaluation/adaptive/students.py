"""Simulated students: readers with limits, for scales of recipes that no model was run on.

A student has an ability. An instance is hard for it by how much there is to combine, how far back
it lies, and how much else mentions the same. Readers either can do something or cannot, so the
probability of a right answer falls steeply around their limit. Each student has its own strengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, exp, log, pi, sqrt

from fabula.core.instance import Instance
from fabula.core.seeds import stream
from fabula.evaluation.adaptive.scale import terms_of

LAW = {"hops": 3.0, "support_size": 1.0, "reach": 1.0, "related_distractors": 0.8,
       "distractors": 0.6, "supports": -0.5}  # fmt: skip
STEEP = 2.0
OWN = 0.5


def students(
    recipe: str, instances: Sequence[Instance], count: int = 12
) -> dict[str, list[tuple[Instance, bool]]]:
    """The replies of students of all abilities to instances, by name."""
    raw = [
        sum(LAW.get(term, 0.0) * value for term, value in terms_of(one).items())
        + _kind(one, recipe)
        for one in instances
    ]
    centre = sum(raw) / len(raw)
    found = {}
    for number in range(count):
        draw = stream(f"student {recipe}", number, "", 0, "replies")
        own: dict[str, float] = {}
        ability = -2.5 + 5 * number / max(1, count - 1)
        replies = []
        for one, hard in zip(instances, raw, strict=True):
            kind = one.query[0]
            own.setdefault(kind, OWN * _normal(draw(), draw()))
            logit = STEEP * (ability - (hard - centre)) + own[kind]
            replies.append((one, draw() < 1 / (1 + exp(min(30.0, max(-30.0, -logit))))))
        found[f"student {number + 1}"] = replies
    return found


def _kind(instance: Instance, recipe: str) -> float:
    """The difficulty of a question kind and its concepts, fixed for each recipe."""
    words = (instance.query[0], *instance.composition)
    return sum(0.8 * (stream(recipe, 0, word, 0, "difficulty")() - 0.5) for word in words)


def _normal(one: float, other: float) -> float:
    return sqrt(-2 * log(max(one, 1e-12))) * cos(2 * pi * other)
