"""Adaptive evaluation, for `fabula.ability` and `fabula eval --adaptive`: a model's accuracy on a
recipe, with questions chosen by the replies so far.

Promises:
1. The estimate is of the accuracy on the recipe's own distribution, whatever questions were chosen.
2. Asking stops as soon as the standard error is reached.
3. The same call resumes an interrupted run, and nothing is asked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from fabula.core.instance import Instance, story_name
from fabula.core.progress import Stages, silent
from fabula.core.registry import need
from fabula.core.seeds import below, stream
from fabula.datasets.dataset import Dataset
from fabula.datasets.sources import is_data
from fabula.errors import RecipeError, UsageError, hint
from fabula.evaluation.adaptive.estimate import Estimator
from fabula.evaluation.adaptive.scale import Scale, flat_scale, read_scale, shipped_scale
from fabula.evaluation.evaluate import any_model, check_form, run_folder
from fabula.evaluation.model import Ask, Model
from fabula.evaluation.portions import Portions
from fabula.evaluation.run import session
from fabula.evaluation.statistics import Interval
from fabula.generation.author import Author
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe, content_digest

BATCH = 8
SMALLEST, LARGEST = 1_000, 6_000
"""Minimum and maximum size of the reference sample."""


@dataclass(frozen=True)
class Ability:
    """The result of an adaptive evaluation."""

    model: str
    recipe: str
    interval: Interval
    """Accuracy on the recipe, with its 95% interval."""
    error: float
    """Its standard error."""
    ability: Interval
    """The same on the scale of the recipe, in logits: 0 is a model that answers an instance of
    average difficulty correctly half of the time.
    """
    asked: int
    fixed: int
    """Number of questions that a random sample needs for the same standard error."""
    reached: bool
    """Whether the requested standard error was reached."""
    calibrated: bool
    """Whether the recipe has a scale; without one, all instances count as equally difficult."""
    doubted: bool
    """Whether the replies contradict the scale, so that only random questions count fully."""
    manifest: Mapping[str, Any]
    folder: Path | None = None

    @property
    def accuracy(self) -> float:
        """The expected accuracy on the recipe."""
        return self.interval.value

    def __str__(self) -> str:
        value, low, high = self.interval
        at, least, most = self.ability
        return (
            f"{self.model} on {self.recipe}: {value:.1%} ({low:.1%} to {high:.1%}), ability "
            f"{at:+.2f} ({least:+.2f} to {most:+.2f}), with {self.asked:,} questions; a random "
            f"sample needs {self.fixed:,} for the same error"
        )


def ability(
    model: str | Path | Model | Callable[..., Any],
    recipe: str | Path | Recipe,
    out: str | Path | None = None,
    *,
    se: float = 0.02,
    scale: str | Path | Scale | None = None,
    size: int | None = None,
    split: str | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    shots: int = 0,
    style: str = "direct",
    form: str = "word",
    language: str | None = None,
    max_tokens: int = 256,
    concurrency: int = 8,
    budget: int | None = None,
    price: tuple[float, float] | None = None,
    cost: float | None = None,
    cache: bool = False,
    likelihood: bool = False,
    device: str = "cpu",
    timeout: float | None = None,
    stage: Stages = silent,
) -> Ability:
    """Measure a model's accuracy on a recipe with as few questions as the error allows.

    Each question is the one that lowers the standard error most, given the replies so far and the
    calibrated difficulty of the recipe's instances; some are drawn at random, as a check.

    Args:
        model: a name, a model object or a Python function, as in `fabula.evaluate`.
        recipe: the recipe, by name, path or as an object.
        out: the folder of the run, which is resumed if it exists; by default a temporary one.
        se: the standard error of the accuracy at which to stop.
        scale: the calibrated difficulties, from `fabula.calibrate`; by default those that come
            with the package.
        size: maximum number of questions; by default as many as the error needs.
        split: the split whose instances are asked; by default 'test', or else the last.
        seed: the seed of the recipe.
        changes: keys of the recipe to change, e.g. `{"length": 30}`.
        shots: worked examples in the prompt, from the training split.
        style: how to ask: 'direct', or 'reason' to think before answering.
        form: the form of the answer: 'word', 'sentence', 'letter' or 'json'.
        language: the language of the instructions; by default that of the story.
        max_tokens: maximum tokens of a reply.
        concurrency: maximum concurrent requests, and the batch size of a batched function.
        budget: stop after this many tokens in total (API models).
        price: dollars per million tokens of prompts and of replies (API models).
        cost: stop after this many dollars; needs `price`.
        cache: allow replies from the cache of the API layer.
        likelihood: choose the most likely answer instead of generating text ('hf:' models).
        device: 'cpu', 'cuda', 'mps' (local models).
        timeout: give up if a function or a request takes longer than this many seconds.
        stage: shows progress (see `fabula.core.progress`).

    >>> import fabula
    >>> def two_hops(instance):
    ...     return instance.answer[0] if instance.features["hops"] < 3 else "no idea"
    >>> found = fabula.ability(two_hops, "dyna/mix-t7", se=0.03)
    >>> found.reached, found.asked < found.fixed
    (True, True)
    """
    np = need("numpy", "probe")
    check_form(style, form, language)
    if not 0.002 <= se <= 0.2:
        raise UsageError(f"--se {se}: give a standard error from 0.002 to 0.2, e.g. 0.02.")
    if timeout is not None and not timeout > 0:
        raise UsageError(f"--timeout {timeout:g}: expected a number of seconds above 0.")
    ask = Ask(style, shots, max_tokens, form, concurrency, language or "", budget, price, cost,
              cache, timeout)  # fmt: skip
    if isinstance(recipe, str | Path) and is_data(str(recipe)):
        raise UsageError(
            f"{recipe}: adaptive evaluation generates its questions; give a recipe, or evaluate "
            "this data set without --adaptive."
        )
    made = load(recipe, dict(changes or {}))
    chosen = split or ("test" if "test" in made.splits else list(made.splits)[-1])
    if chosen not in made.splits:
        raise RecipeError(f"recipe {made.id}: no split '{chosen}'.{hint(chosen, made.splits)}")
    found = scale if isinstance(scale, Scale) else (
        read_scale(Path(scale)) if scale is not None else shipped_scale(made.id))  # fmt: skip
    count = int(min(LARGEST, max(SMALLEST, 1 / se**2)))
    with stage(f"reference sample of {made.id}", count) as tick:
        pool = list(tick.each(reference(made, chosen, seed, count)))
    examples = list(Dataset(made, "train", seed, shots)) if shots else []
    with stage(f"loading {model if isinstance(model, str | Path) else 'the model'}"):
        named = any_model(model, ask, likelihood, device)
    rule = found or flat_scale(made.id)
    draw = stream(f"adaptive {made.id}", seed or 0, chosen, 0, "choose")
    estimator = Estimator(rule, pool, np.random.default_rng([int(draw() * 2**32) for _ in "1234"]))
    known = {
        "instances": 0,
        "digest": content_digest([made.digest, chosen, seed, "adaptive"]),
        "adaptive": {"se": se},
    }
    source = " ".join([made.id, chosen, *([] if seed is None else [f"seed={seed}"])])
    with (
        run_folder(out) as folder,
        session(named, folder, ask, examples, source, known, ("instances", "adaptive")) as run,
    ):
        portions = Portions(run, pool)
        most = min(size or len(pool), len(pool))
        with stage(f"{named.name} on {made.id}", most) as tick:
            estimate = estimator.estimate()
            while estimator.asked < most:
                batch = estimator.choose(min(BATCH, most - estimator.asked))
                if not batch:
                    break
                replies = portions.ask([pool[at] for at in batch])
                estimator.learn(batch, replies)
                estimate = estimator.estimate()
                tick.on(len(batch), f"{estimate.accuracy:.1%} ± {1.96 * estimate.error:.1%}")
                if estimator.enough(estimate, se):
                    break
        low, high = (rule.ability(bound) for bound in estimate.interval[1:])
        scaled = Interval(rule.ability(estimate.accuracy), low, high)
        rate = min(max(estimate.accuracy, 0.01), 0.99)
        said: dict[str, Any] = {
            "se": se, "accuracy": estimate.accuracy, "error": estimate.error,
            "interval": list(estimate.interval[1:]), "ability": scaled.value,
            "ability_interval": [scaled.low, scaled.high],
            "fixed": ceil(rate * (1 - rate) / estimate.error**2),
            "reached": estimate.error <= se, "calibrated": found is not None,
            "doubted": estimate.doubted,
        }  # fmt: skip
        manifest = portions.finish({"adaptive": said})
    return Ability(
        named.name, made.id, estimate.interval, estimate.error, scaled, estimator.asked,
        said["fixed"], said["reached"], said["calibrated"], said["doubted"], manifest,
        None if out is None else folder,
    )  # fmt: skip


def reference(recipe: Recipe, split: str, seed: int | None, count: int) -> list[Instance]:
    """Instances as the recipe draws them, after those of the split's own size; one of each story.

    Questions about one story are not independent; which of them is taken is random.
    """
    author = Author(recipe, split, seed)
    start = recipe.splits[split].size
    start += -start % max(1, author.block)
    draw = stream(f"reference {recipe.id}", author.seed, split, 0, "choose")
    found: list[Instance] = []
    story: list[Instance] = []
    name = ""
    while len(found) < count:
        stop = start + max(author.block, 1) * -(-256 // max(author.block, 1))
        for each in author.instances(start, stop):
            now = story_name(each.provenance, each.id)
            if story and now != name:
                found.append(story[below(draw, len(story))])
                story = []
            name = now
            story.append(each)
        start = stop
    return found[:count]
