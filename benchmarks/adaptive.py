"""Adaptive evaluation on simulated abilities: bias, error, and questions against random sampling.

    python benchmarks/adaptive.py --recipe actors/mix --se 0.02 --repeats 12

Students follow the calibrated difficulties of the recipe (abilities from low to high), or do not:
one is equally good at everything, one much steeper, one fails on a single feature.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import fabula
from fabula.core.instance import Instance
from fabula.evaluation.adaptive.ability import reference
from fabula.evaluation.adaptive.estimate import Estimate, Estimator
from fabula.evaluation.adaptive.scale import Scale, shipped_scale


def students(scale: Scale, pool: list[Instance]) -> dict[str, Any]:
    """The chance of a correct answer to each instance, by student."""
    hard = np.array([scale.difficulty(one) for one in pool])
    levels = np.quantile(hard, (0.2, 0.4, 0.6, 0.8))
    found = {f"ability {level:+.1f}": 1 / (1 + np.exp(hard - level)) for level in levels}
    old = np.array([(one.features.get("recency") or 0) > 3 for one in pool])
    return {
        **found,
        "steeper": 1 / (1 + np.exp(1.7 * (hard - levels[1]))),
        "equally good at everything": np.full(len(pool), 0.7),
        "fails on old supports": np.where(old, 0.2, 0.9),
    }


def run(
    scale: Scale, pool: list[Instance], chances: Any, se: float, seed: int
) -> tuple[Estimate, int]:
    """One adaptive evaluation: the estimate, and the questions that it took."""
    random = np.random.default_rng(seed)
    estimator = Estimator(scale, pool, random)
    while True:
        batch = estimator.choose(8)
        estimator.learn(batch, [bool(random.random() < chances[at]) for at in batch])
        found = estimator.estimate()
        if not batch or estimator.enough(found, se):
            return found, estimator.asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recipe", default="actors/mix")
    parser.add_argument("--se", type=float, default=0.02)
    parser.add_argument("--repeats", type=int, default=12)
    options = parser.parse_args()
    recipe = fabula.load(options.recipe)
    scale = shipped_scale(recipe.id)
    assert scale is not None, f"{recipe.id} has no scale"
    pool = reference(recipe, "test", None, int(max(1_500, 1 / options.se**2)))
    for at, (name, chances) in enumerate(students(scale, pool).items()):
        truth = float(chances.mean())
        found = [run(scale, pool, chances, options.se, 1000 * at + seed)
                 for seed in range(options.repeats)]  # fmt: skip
        values = np.array([each.accuracy for each, _ in found])
        asked = float(np.mean([count for _, count in found]))
        error = float(np.sqrt(((values - truth) ** 2).mean()))
        covered = np.mean([i.low <= truth <= i.high for i in (e.interval for e, _ in found)])
        print(
            f"{name:28} accuracy {truth:.3f}  bias {values.mean() - truth:+.4f}  "
            f"error {error:.4f}  interval holds it {covered:.0%}  asked {asked:.0f}, at random "
            f"{truth * (1 - truth) / options.se**2:.0f}; for the same error "
            f"{truth * (1 - truth) / error**2 / asked:.1f} times as many",
            flush=True,
        )


if __name__ == "__main__":
    main()
