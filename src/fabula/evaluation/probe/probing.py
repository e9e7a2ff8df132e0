"""The implementation of `fabula.probe`: searches for the cells in which a model fails, and stores
the findings.

Promises:
1. Replies are written to the run as they arrive, by the same code as `fabula eval`. The same call
   resumes an interrupted probe, one with a larger budget continues it, and nothing is asked twice.
2. `probe.json` in the run has the findings; a recipe for each of them is in `findings/`.
3. A budget that is too small to confirm anything gives no findings and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from fabula.core.files import make_folder, write_json, write_whole
from fabula.core.instance import Instance
from fabula.core.progress import Stages, Tick, silent
from fabula.core.registry import need
from fabula.datasets.dataset import Dataset
from fabula.datasets.sources import is_data
from fabula.errors import FabulaError, UsageError
from fabula.evaluation.evaluate import any_model, check_form, run_folder
from fabula.evaluation.model import Ask, Model, Usage
from fabula.evaluation.portions import Portions
from fabula.evaluation.probe.budget import Budget
from fabula.evaluation.probe.narrowed import recipe_for
from fabula.evaluation.probe.pool import Pool
from fabula.evaluation.probe.search import (
    LEAST,
    Outcome,
    Search,
    Suspect,
    Test,
    pool_size,
)
from fabula.evaluation.probe.wording import described, sentence
from fabula.evaluation.run import read_run, session
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe, content_digest

FILE, FOLDER = "probe.json", "findings"
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """A cell in which the model fails more often than elsewhere, confirmed on fresh instances."""

    cell: Mapping[str, Any]
    """The keys of a recipe cell that select it."""
    changes: Mapping[str, Any]
    """Settings of the recipe that select it, if these were varied."""
    accuracy: float
    elsewhere: float
    """Accuracy outside this cell and outside stronger findings."""
    interval: tuple[float, float]
    """The 95% interval of the accuracy in the cell."""
    p: float
    """The p-value of the difference from elsewhere, with Holm's correction."""
    n: int
    """Number of fresh instances of the cell that were asked."""
    sentence: str
    recipe: str
    """A recipe file that generates more of it, as text; empty if none could be made."""
    file: str
    """Its place in the folder of the run."""
    examples: tuple[Mapping[str, Any], ...]
    """Up to three wrong replies: id, story, question, answer, reply."""
    shrunk: Mapping[str, Any] | None
    """One of them as the smallest story that the model still fails on."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class Probe:
    """The result of a probe."""

    model: str
    recipe: str
    asked: int
    right: int
    concluded: bool
    """Whether the budget was large enough to confirm a weakness."""
    message: str
    """The conclusion, in a sentence or two."""
    cells: int
    """How many cells were searched."""
    findings: tuple[Finding, ...]
    """Confirmed weaknesses, the worst first."""
    rejected: tuple[str, ...]
    """Suspects that were tested and not confirmed."""
    folder: Path | None = None
    """The run on disk; None if it was temporary."""

    def to_dict(self) -> dict[str, Any]:
        """The content of `probe.json`."""
        return {
            "model": self.model, "recipe": self.recipe, "asked": self.asked, "right": self.right,
            "concluded": self.concluded, "message": self.message, "cells": self.cells,
            "findings": [found.to_dict() for found in self.findings],
            "rejected": list(self.rejected),
        }  # fmt: skip


def probe(
    model: str | Path | Model | Callable[..., Any],
    recipe: str | Path | Recipe,
    out: str | Path | None = None,
    *,
    budget: int | str = 500,
    split: str | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    shrink: bool = True,
    shots: int = 0,
    style: str = "direct",
    form: str = "word",
    language: str | None = None,
    max_tokens: int = 256,
    concurrency: int = 8,
    price: tuple[float, float] | None = None,
    cache: bool = False,
    likelihood: bool = False,
    device: str = "cpu",
    stage: Stages = silent,
) -> Probe:
    """Search for the kinds of question that a model fails on.

    Questions are chosen by the replies to earlier ones; what looks weak is confirmed on fresh
    instances, with a correction for the number of tests, before it is called a finding.

    Args:
        model: a name, a model object or a Python function, as in `fabula.evaluate`.
        recipe: the recipe to probe, by name, path or as an object.
        out: the folder of the run, which is resumed if it exists; by default a temporary one.
        budget: the most questions (500), tokens ('200000tokens') or dollars ('$2').
        split: the split whose instances are asked; by default 'test', or else the last.
        seed: the seed of the recipe.
        changes: keys of the recipe to change, e.g. `{"length": 30}`.
        vary: settings of the recipe to search over, e.g. `{"language": ["en", "hi"]}`.
        shrink: also look for the smallest story that shows each finding; its questions come on
            top of the budget.
        shots: worked examples in the prompt, from the training split.
        style: how to ask: 'direct', or 'reason' to think before answering.
        form: the form of the answer: 'word', 'sentence', 'letter' or 'json'.
        language: the language of the instructions; by default that of the story.
        max_tokens: maximum tokens of a reply.
        concurrency: maximum concurrent requests, and the batch size of a batched function.
        price: dollars per million tokens of prompts and of replies (API models).
        cache: allow replies from the cache of the API layer.
        likelihood: choose the most likely answer instead of generating text ('hf:' models).
        device: 'cpu', 'cuda', 'mps' (local models).
        stage: shows progress (see `fabula.core.progress`).

    >>> import fabula
    >>> def forgetful(instance):
    ...     if instance.features["recency"] >= 3:
    ...         return "I have forgotten."
    ...     return instance.answer[0]
    >>> found = fabula.probe(forgetful, "babi/qa2", budget=200, shrink=False)
    >>> found.findings[0].cell
    {'recency': [3, 1000000]}
    """
    need("numpy", "probe")
    check_form(style, form, language)
    limit = Budget.of(budget)
    dollars = limit.amount if limit.unit == "dollars" and price else None
    tokens = int(limit.amount) if limit.unit == "tokens" else None
    ask = Ask(style, shots, max_tokens, form, concurrency, language or "", tokens, price,
              dollars, cache)  # fmt: skip
    if isinstance(recipe, str | Path) and is_data(str(recipe)):
        raise UsageError(f"{recipe}: a probe generates its own questions; give a recipe, not data.")
    made = load(recipe, dict(changes or {}))
    chosen = split or ("test" if "test" in made.splits else list(made.splits)[-1])
    variants = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())] if (
        vary) else [{}]  # fmt: skip
    pool = Pool(made, chosen, seed, variants)
    examples = list(Dataset(made, "train", seed, shots)) if shots else []
    with stage(f"loading {model if isinstance(model, str | Path) else 'the model'}"):
        named = any_model(model, ask, likelihood, device)
    known = {
        "instances": 0,
        "digest": content_digest([made.digest, chosen, seed, variants]),
        "probe": {"split": chosen, "seed": seed, "vary": vary or {}},
    }
    source = " ".join([made.id, chosen, *([] if seed is None else [f"seed={seed}"])])
    with (
        run_folder(out) as folder,
        session(named, folder, ask, examples, source, known, ("instances",)) as run,
    ):
        with stage(f"probing {made.id}", limit.left(0, Usage())) as tick:
            pool.grow(pool_size(limit.left(0, Usage())))
            asking = _Asking(pool, Portions(run, [i.instance for i in pool.items]), limit, tick)
            found = Search(pool, asking.ask, asking.left, made.id, asking.watch).run()
        asking.portions.finish({})
        with stage("findings"):
            replies = {said["id"]: said for said in read_run(folder)}
            written = _Writer(pool, named, ask, folder, shrink, replies)
            findings = tuple(written.finding(test, p) for test, p in found.findings)
        confirmed = {test.cell for test, _ in found.findings}
        result = Probe(
            named.name, made.id, found.asked, found.right, found.concluded,
            _message(found, limit), found.cells, findings,
            tuple(described(test.cell.keys, test.cell.settings) for test in found.tests
                  if test.cell not in confirmed),
            None if out is None else folder,
        )  # fmt: skip
        write_json(folder / FILE, result.to_dict())
    return result


class _Asking:
    """Asks the questions of a search within the budget, and shows progress."""

    def __init__(self, pool: Pool, portions: Portions, limit: Budget, tick: Tick) -> None:
        self.pool, self.portions, self.limit, self.tick = pool, portions, limit, tick
        self._right = 0

    def ask(self, chosen: Sequence[int]) -> list[bool | None]:
        """Whether the replies to these instances of the pool are right."""
        replies = self.portions.ask([self.pool.items[at].instance for at in chosen])
        self._right += replies.count(True)
        self.tick.on(len(replies) - replies.count(None), "")
        self.limit.check(len(self.portions.asked), self.portions.used, self.name)
        return replies

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.portions.session.model.name

    def left(self) -> int:
        """The number of questions that the budget still allows."""
        return self.limit.left(len(self.portions.asked), self.portions.used)

    def watch(self, suspects: Sequence[Suspect]) -> None:
        """Show the current suspects."""
        asked = max(1, len(self.portions.asked))
        named = "; ".join(f"{each.cell} ({each.chance:.0%})" for each in suspects[:2])
        self.tick.on(0, f"{self._right / asked:.0%} right; suspects: {named}")


class _Writer:
    """Turns confirmed tests into findings."""

    def __init__(
        self,
        pool: Pool,
        model: Model,
        ask: Ask,
        folder: Path,
        shrink: bool,
        replies: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.pool, self.model, self.ask, self.folder = pool, model, ask, folder
        self.shrink, self.replies = shrink, replies
        self._count = 0

    def finding(self, test: Test, p: float) -> Finding:
        """The finding of a confirmed test, with a recipe and examples."""
        self._count += 1
        cell, accuracy = test.cell, test.accuracy
        interval = (accuracy.low, accuracy.high)
        said = sentence(cell.keys, cell.settings, accuracy.value, test.elsewhere, interval, p)
        note = f"{self.model.name} {said}."
        recipe = recipe_for(self.pool.recipe, cell, self.pool.items, self.pool.split, note)
        file = ""
        if recipe:
            name = re.sub(r"[^a-z0-9]+", "-", str(cell).lower()).strip("-")[:50]
            file = f"{FOLDER}/{self._count}-{name}.toml"
            make_folder(self.folder / FOLDER)
            write_whole(self.folder / file, recipe)
        wrong = [
            self.pool.items[at].instance
            for at in test.asked
            if self.replies[self.pool.items[at].instance.id]["outcome"] != "correct"
        ]
        return Finding(
            cell=cell.keys,
            changes=cell.settings,
            accuracy=accuracy.value,
            elsewhere=test.elsewhere,
            interval=interval,
            p=p,
            n=test.count,
            sentence=said,
            recipe=recipe,
            file=file,
            examples=tuple(self._example(each) for each in wrong[:EXAMPLES]),
            shrunk=self._shrunk(wrong) if self.shrink else None,
        )

    def _example(self, instance: Instance) -> dict[str, Any]:
        return {
            "id": instance.id, "story": list(instance.story), "question": instance.question,
            "answer": list(instance.answer), "reply": self.replies[instance.id]["reply"],
        }  # fmt: skip

    def _shrunk(self, wrong: Sequence[Instance]) -> dict[str, Any] | None:
        """The smallest story that still fails, from the first example that can be shrunk."""
        try:
            shrinking = import_module("fabula.evaluation.shrink").shrink
        except ModuleNotFoundError:
            return None
        for number, instance in enumerate(wrong[:EXAMPLES]):
            folder = self.folder / "shrink" / f"{self._count}-{number}"
            try:
                found = shrinking(
                    self.model, instance, folder, style=self.ask.style, form=self.ask.form
                ).failures
            except FabulaError:
                continue
            if found:
                least = found[0]
                return {
                    "id": instance.id, "story": list(least.story),
                    "question": least.instance.question, "answer": list(least.instance.answer),
                    "reply": least.reply,
                }  # fmt: skip
        return None


def _message(found: Outcome, limit: Budget) -> str:
    """The conclusion of a probe, in a sentence or two."""
    asked = f"{found.asked:,} questions"
    if found.findings:
        count = len(found.findings)
        return (
            f"{count} weakness{'es' * (count > 1)} confirmed with {asked}, among "
            f"{found.cells:,} cells."
        )
    if not found.concluded:
        return (
            f"The budget of {limit!r} is too small to conclude anything: {asked} were asked, and "
            f"at least {LEAST} are needed, better 300 to 500. The replies are kept; the same "
            "command with a larger budget continues from here."
        )
    if found.tests:
        return (
            f"No weakness confirmed: {len(found.tests)} of {found.cells:,} cells looked weak and "
            f"were tested on fresh instances, with {asked} in all."
        )
    return (
        f"No cell of {found.cells:,} stood out in {asked}. A test of this size finds a cell whose "
        f"accuracy is about {100 * found.smallest:.0f} points below the rest; smaller weaknesses "
        "need a larger budget."
    )
