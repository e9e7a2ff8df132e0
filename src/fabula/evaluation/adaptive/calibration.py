"""Fits a scale to runs: the implementation of `fabula calibrate`.

The difficulty is a weighted sum of measured features. The weights and the abilities of all models
are fitted together by regularised logistic regression on every reply (a Rasch model whose item
difficulties are explained by features, also called a linear logistic test model).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fabula.core.instance import Instance
from fabula.core.registry import need
from fabula.datasets.dataset import Dataset
from fabula.errors import UsageError
from fabula.evaluation.adaptive.scale import QUANTILES, Scale, terms_of
from fabula.evaluation.adaptive.students import students
from fabula.evaluation.run import kept_record, read_manifest, read_run
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe

Replies = Sequence[tuple[Instance, bool]]
LEAST = 100
"""Minimum number of replies."""
PRIOR = 1.5
"""Prior standard deviation of a weight, for values of unit spread."""
STEPS = 26


def calibrate(
    runs: Iterable[str | Path] = (),
    out: str | Path | None = None,
    *,
    recipe: str | Path | Recipe | None = None,
    size: int = 600,
) -> Scale:
    """Calibrate the difficulty of a recipe's instances from runs of several models.

    Args:
        runs: run folders of `fabula.evaluate` on one recipe.
        out: the file to write; it is read by `fabula eval --adaptive --scale`.
        recipe: add simulated models of limited skill, run on this recipe.
        size: how many questions the students are asked.

    >>> import fabula
    >>> scale = fabula.calibrate(recipe="babi/qa2", size=100)
    >>> scale.recipe, len(scale.made_from)
    ('babi/qa2', 12)
    """
    folders = [Path(run) for run in runs]
    if not folders and recipe is None:
        raise UsageError("calibrate: give at least one run of `fabula eval`, or a --recipe.")
    known: dict[str, Replies] = {}
    recipes: set[str] = set()
    reference: list[Instance] = []
    if recipe is not None:
        made = load(recipe)
        split = "test" if "test" in made.splits else list(made.splits)[-1]
        reference = list(Dataset(made, split, size=size))
        known |= students(made.id, reference)
        recipes.add(made.id)
    for folder in folders:
        name = str(read_manifest(folder)["model"])
        replies = [
            (kept_record(said["instance"]), said["outcome"] == "correct")
            for said in read_run(folder)
        ]
        recipes |= {str(one.provenance.get("recipe", "")) for one, _ in replies}
        known[name if name not in known else str(folder)] = replies
    if len(recipes) > 1:
        raise UsageError(
            f"calibrate: the runs are of several recipes: {', '.join(sorted(recipes))}."
        )
    if sum(map(len, known.values())) < LEAST:
        raise UsageError(
            f"calibrate: at least {LEAST} replies are needed; evaluate more questions."
        )
    scale = fit(recipes.pop(), known, reference)
    if out is not None:
        scale.write(Path(out))
    return scale


def fit(recipe: str, known: dict[str, Replies], reference: Sequence[Instance] = ()) -> Scale:
    """The scale that fits the replies of models, by name.

    `reference`: instances as the recipe draws them, if the replies are to chosen ones.
    """
    np = need("numpy", "probe")
    tables = {name: [terms_of(one) for one, _ in replies] for name, replies in known.items()}
    terms = sorted({term for rows in tables.values() for row in rows for term in row})
    at = {term: number for number, term in enumerate(terms)}
    count = sum(map(len, tables.values()))
    values = np.zeros((count, len(terms)))
    models = np.zeros((count, len(known)))
    right = np.zeros(count)
    groups: list[tuple[int, str]] = []
    row = 0
    for number, (name, replies) in enumerate(known.items()):
        for found, (instance, good) in zip(tables[name], replies, strict=True):
            for term, value in found.items():
                values[row, at[term]] = value
            models[row, number], right[row] = 1, good
            groups.append((number, instance.query[0]))
            row += 1
    centre, size = values.mean(0), np.maximum(values.std(0), 1e-6)
    varied = values.std(0) > 1e-6
    design = np.concatenate([models, -((values - centre) / size)[:, varied]], axis=1)
    plain = design.copy()
    precision = np.array([1 / 9] * len(known) + [1 / PRIOR**2] * int(varied.sum()))
    weights = np.zeros(design.shape[1])
    steep = np.ones(len(known))
    for turn in range(STEPS):
        if turn in (8, 14, 20):  # a model that is not steep says less about what is difficult
            hard = -(plain[:, len(known) :] @ weights[len(known) :])
            steep = _slopes(models, hard, right, weights[: len(known)])
            steep = np.clip(steep / np.median(steep), 0.05, 3)
            design[:, len(known) :] = plain[:, len(known) :] * (models @ steep)[:, None]
        rate = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (right - rate) - precision * weights
        curve = (design * (rate * (1 - rate))[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curve, slope)
        weights = weights + step * min(1.0, 3 / max(np.abs(step).max(), 1e-9))
    rate = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
    scaled = np.zeros(len(terms))
    scaled[varied] = weights[len(known) :] / size[varied]
    level = -float(scaled @ centre)
    difficulty = values @ scaled + level
    shift = float(difficulty.mean())  # 0 is the average difficulty
    sample = np.array([_sum(one, scaled, at) for one in reference]) + level if (
        reference) else difficulty  # fmt: skip
    return Scale(
        recipe,
        {term: round(float(scaled[at[term]]), 4) for term in terms if scaled[at[term]]},
        round(level - shift, 4),
        round(_spread(groups, right, rate), 3),
        round(float(np.clip(np.std(steep), 0.1, 0.6)) if len(known) > 1 else 0.3, 3),
        tuple(round(float(q), 3) for q in
              np.quantile(sample - shift, np.linspace(0.005, 0.995, QUANTILES))),
        tuple(known),
    )  # fmt: skip


def _sum(instance: Instance, scaled: Any, at: dict[str, int]) -> float:
    return sum(float(scaled[at[t]]) * v for t, v in terms_of(instance).items() if t in at)


def _spread(groups: Sequence[tuple[int, str]], right: Any, rate: Any) -> float:
    """How much models differ in what they find hard, by the method of moments."""
    np = need("numpy", "probe")
    excess: dict[tuple[int, str], list[float]] = {}
    for group, good, p in zip(groups, right, rate, strict=True):
        sums = excess.setdefault(group, [0.0, 0.0])
        sums[0] += good - p
        sums[1] += p * (1 - p)
    gain = sum(a * a - b for a, b in excess.values())
    return float(np.sqrt(min(max(gain / max(sum(b * b for _, b in excess.values()), 1e-9), 0.01),
                             4.0)))  # fmt: skip


def _slopes(models: Any, difficulty: Any, right: Any, abilities: Any) -> Any:
    """How steeply the pass rate of each model falls with the difficulty."""
    np = need("numpy", "probe")
    found = []
    for number in range(models.shape[1]):
        mine = models[:, number] > 0
        ability, slope = float(abilities[number]), 1.0
        for _ in range(20):
            logit = np.clip(ability - slope * difficulty[mine], -30, 30)
            rate = 1 / (1 + np.exp(-logit))
            design = np.stack([np.ones(mine.sum()), -difficulty[mine]], axis=1)
            curve = (design * (rate * (1 - rate))[:, None]).T @ design + np.diag([0.1, 4.0])
            move = design.T @ (right[mine] - rate) - np.array([0.0, 4.0 * (slope - 1)])
            step = np.linalg.solve(curve, move)
            ability, slope = ability + float(step[0]), slope + float(step[1])
        found.append(slope)
    return np.maximum(np.array(found), 0.05)
