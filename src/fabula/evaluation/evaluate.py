"""Evaluates any model on any data set: the implementation of `fabula.evaluate` and `fabula eval`.

Promises:
1. The model can be a name, a model object or a Python function; the data a recipe, data on disk, a
   `Dataset` or a list of instances. Mistakes in the request are reported before anything is asked.
2. With `out`, replies are written there as they arrive, and the same call resumes an interrupted
   run. Without, the run is temporary; if it fails, the replies are kept and the error says where.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.instance import Instance
from fabula.core.progress import Stages, Tick, silent
from fabula.datasets.dataset import Dataset, Generated
from fabula.datasets.sources import evaluation_split, instances, is_data
from fabula.errors import FabulaError, UsageError
from fabula.evaluation.function import model_of
from fabula.evaluation.model import Ask, Model
from fabula.evaluation.models import model_named
from fabula.evaluation.run import REPLIES, read_run, stories_of
from fabula.evaluation.run import evaluate as ask_all
from fabula.evaluation.seen import FILE, keep_seen, seen_in
from fabula.evaluation.statistics import Interval, share
from fabula.prompting.prompt import forms, languages, styles
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe


class ScoredReply(NamedTuple):
    """A reply with its score."""

    id: str
    reply: str
    answer: tuple[str, ...]
    """The answer found in the reply."""
    outcome: str
    """correct, wrong, unparsed, truncated or another outcome of `fabula.score`."""
    reason: str | None = None
    """With the style 'cite': right for the right reason, and so on."""
    cited: tuple[int, ...] = ()
    """With the style 'cite': the sentences that the reply cites."""


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation."""

    model: str
    data: str
    asked: int
    """Number of questions that got a reply."""
    interval: Interval
    """Accuracy with its 95% interval; questions about one story are not independent."""
    outcomes: Mapping[str, int]
    """Number of replies with each outcome."""
    manifest: Mapping[str, Any]
    """The description of the run, as in `evaluation.json`."""
    folder: Path | None = None
    """The run on disk, for `fabula.report`; None if it was temporary."""
    notes: tuple[str, ...] = ()
    """Remarks for the user."""
    _replies: tuple[ScoredReply, ...] = field(default=(), repr=False)

    @property
    def accuracy(self) -> float:
        """The fraction of correct replies."""
        return self.interval.value

    @property
    def replies(self) -> Iterator[ScoredReply]:
        """The scored replies, in the order of arrival."""
        return iter(self._replies) if self.folder is None else _scored(self.folder)

    @property
    def evidence(self) -> Mapping[str, Any] | None:
        """With the style 'cite': how many replies are right for the right reason, and so on."""
        found: Mapping[str, Any] | None = self.manifest.get("evidence")
        return found

    @property
    def best_baseline(self) -> tuple[str, float] | None:
        """The trivial baseline that does best on these questions, with its accuracy."""
        total: Counter[str] = Counter()
        for scored in self.manifest["baselines"].values():
            total.update(scored)
        if not total:
            return None
        ((name, right),) = total.most_common(1)
        return name, right / int(self.manifest["instances"])

    def __str__(self) -> str:
        value, low, high = self.interval
        return (
            f"{self.model} on {self.data}: {value:.1%} of {self.asked:,} right "
            f"({low:.1%} to {high:.1%})"
        )


def evaluate(
    model: str | Path | Model | Callable[..., Any],
    data: str | Path | Recipe | Dataset | Iterable[Instance],
    out: str | Path | None = None,
    *,
    split: str | None = None,
    seed: int | None = None,
    size: int | None = None,
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
    timeout: float | None = None,
    likelihood: bool = False,
    device: str = "cpu",
    trained_on: str | None = None,
    track: str | None = None,
    stage: Stages = silent,
) -> Evaluation:
    """Ask a model every question of a data set and score the replies.

    Args:
        model: a name as on the command line (a run folder, 'hf:NAME', 'PROVIDER/MODEL',
            'py:FILE.py:FUNCTION'), a model object, or a Python function from prompts (or
            instances) to replies; with a parameter named `prompts` or `instances`, or annotated
            as a list, it is called with batches.
        data: a recipe, data on disk, a `Dataset`, or instances.
        out: the folder of the run, which is resumed if it exists; by default a temporary one.
        split: the split of a recipe or data set; by default 'test', or else the last.
        seed: the seed of a recipe.
        size: number of questions; by default all.
        changes: keys of the recipe to change, e.g. `{"length": 30}`.
        shots: number of few-shot examples in the prompt, from the training split.
        style: 'direct', 'reason' to think before answering, or 'cite' to name the sentences that
            the answer follows from, which are then judged by the reader.
        form: the form of the answer: 'word', 'sentence', 'letter' or 'json'.
        language: the language of the instructions; by default that of the story.
        max_tokens: maximum number of tokens per reply.
        concurrency: maximum concurrent requests, and the batch size of a batched function.
        budget: stop after this many tokens in total (API models).
        price: dollars per million tokens of prompts and of replies (API models).
        cost: stop after this many dollars; needs `price`.
        cache: allow replies from the cache of the API layer.
        timeout: give up if a function or a request takes longer than this many seconds.
        likelihood: choose the most likely answer instead of generating text ('hf:' models).
        device: 'cpu', 'cuda', 'mps' (local models).
        trained_on: the data that the model was trained on, so that the report can tell seen from
            unseen; known for models of `fabula.train`.
        track: a trackio project to log the metrics to.
        stage: shows progress (see `fabula.core.progress`).

    >>> import fabula
    >>> data = fabula.Dataset("babi/qa1", split="test", size=20)
    >>> def last_place(instance):
    ...     return instance.story[-1].rstrip(".").split()[-1]
    >>> found = fabula.evaluate(last_place, data)
    >>> found.asked, 0 <= found.interval.low <= found.accuracy <= found.interval.high <= 1
    (20, True)
    >>> sorted(found.outcomes)
    ['correct', 'wrong']
    """
    check_form(style, form, language)
    if track:
        from fabula.evaluation.tracking import check_tracking

        check_tracking(track)
    if timeout is not None and not timeout > 0:
        raise UsageError(f"--timeout {timeout:g}: expected a number of seconds above 0.")
    ask = Ask(
        style, shots, max_tokens, form, concurrency, language or "", budget, price, cost, cache,
        timeout,
    )  # fmt: skip
    questions = _Questions.of(data, split, seed, size, changes)
    with stage(f"questions of {questions.name}", questions.total) as tick:
        asked = list(tick.each(questions.asked))
    examples = list(questions.examples(shots)) if shots else []
    if len(examples) < shots:
        raise UsageError(
            f"--shots {shots}: {questions.name} has {len(examples)} training examples."
        )
    title = str(model) if isinstance(model, str | Path) else "the model"
    with stage(f"loading {title}"):
        named = any_model(model, ask, likelihood, device)
        if check := getattr(named, "check", None):
            check(asked)
    notes: list[str] = []
    with run_folder(out) as folder:

        def at_start() -> None:
            notes.extend(_keep_seen(named, trained_on, folder, stage))

        with stage(title, len(asked)) as tick:
            manifest = ask_all(
                named, asked, folder, ask, examples, questions.said, _share(tick), at_start,
                str(model) if isinstance(model, str | Path) else "",
            )  # fmt: skip
        if track:
            from fabula.evaluation.tracking import log_run

            log_run(track, folder, manifest)
        return Evaluation(
            model=manifest["model"],
            data=manifest["data"],
            asked=manifest["asked"],
            interval=share(stories_of(folder)),
            outcomes=manifest["outcomes"],
            manifest=manifest,
            folder=None if out is None else folder,
            notes=tuple(notes),
            _replies=tuple(_scored(folder)) if out is None else (),
        )


def check_form(style: str, form: str, language: str | None) -> None:
    """UsageError unless models can be asked in this style, form and language."""
    for option, value, known in (
        ("style", style, styles()),
        ("form", form, forms()),
        ("language", language or "en", languages()),
    ):
        if value not in known:
            raise UsageError(f"--{option} {value}: choose one of {', '.join(known)}.")


def any_model(
    model: str | Path | Model | Callable[..., Any],
    ask: Ask,
    likelihood: bool = False,
    device: str = "cpu",
) -> Model:
    """The model that a name, a model object or a function stands for."""
    if isinstance(model, str | Path):
        return model_named(str(model), ask, likelihood, device)
    return model_of(model, ask)


class _Questions(NamedTuple):
    """The questions of an evaluation."""

    name: str
    said: str
    """Data, split and settings, for the manifest."""
    total: int | None
    asked: Iterator[Instance]
    examples: Callable[[int], Iterable[Instance]]
    """The first n training examples."""

    @classmethod
    def of(
        cls,
        data: str | Path | Recipe | Dataset | Iterable[Instance],
        split: str | None,
        seed: int | None,
        size: int | None,
        changes: Mapping[str, Any] | None,
    ) -> _Questions:
        """The questions of a source."""
        if isinstance(data, Recipe):
            recipe = load(data, changes)
            chosen = split or ("test" if "test" in recipe.splits else list(recipe.splits)[-1])
            data = Dataset(recipe, chosen, seed)
            split = seed = changes = None
        if isinstance(data, str | Path):
            return cls._by_name(str(data), split, seed, size, changes)
        given = data if isinstance(data, Dataset) else Dataset(data)
        for name, value in (("split", split), ("seed", seed), ("changes", changes)):
            if value is not None:
                raise UsageError(
                    f"{name}: only applies to recipes and data on disk, given by name."
                )
        if given.endless and size is None:
            raise UsageError("this data set is endless: set size, or take a part of it.")
        made = given._source

        def examples(count: int) -> Iterable[Instance]:
            if not isinstance(made, Generated) or "train" not in made.recipe.splits:
                return ()
            return Dataset(made.recipe, "train", made.seed, count)

        name = repr(made)
        return cls(name, name, size, iter(given) if size is None else given.first(size), examples)

    @classmethod
    def _by_name(
        cls,
        data: str,
        split: str | None,
        seed: int | None,
        size: int | None,
        changes: Mapping[str, Any] | None,
    ) -> _Questions:
        chosen = split or evaluation_split(data, changes)
        asked = instances(data, chosen, seed, size, changes)
        total = size
        if size is None and not is_data(data):
            total = load(data, changes).splits[chosen].size
        settings = [f"{key}={_typed(value)}" for key, value in (changes or {}).items()]
        seeds = [] if seed is None else [f"seed={seed}"]
        return cls(
            data,
            " ".join([data, chosen, *settings, *seeds]),
            total,
            asked,
            lambda count: instances(data, "train", seed, count, changes),
        )


def _typed(value: Any) -> str:
    """A setting as the user would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


@contextmanager
def run_folder(out: str | Path | None) -> Iterator[Path]:
    """The folder of a run; a temporary one is removed, unless an error would lose replies."""
    if out is not None:
        yield Path(out)
        return
    folder = Path(tempfile.mkdtemp(prefix="fabula-run-"))
    try:
        yield folder
    except BaseException as error:
        replies = folder / REPLIES
        count = replies.read_bytes().count(b"\n") if replies.is_file() else 0
        if count:
            error.add_note(
                f"{count:,} replies are in {folder}: the same call with out={str(folder)!r} "
                "resumes from there."
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _scored(folder: Path) -> Iterator[ScoredReply]:
    for said in read_run(folder):
        cited = tuple(said.get("evidence", {}).get("cited", ()))
        answer, outcome = tuple(said["answer"]), said["outcome"]
        yield ScoredReply(said["id"], said["reply"], answer, outcome, said.get("reason"), cited)


def _keep_seen(model: Model, trained_on: str | None, folder: Path, stage: Stages) -> Sequence[str]:
    """Store a summary of the model's training data, if known, next to its replies."""
    if (folder / FILE).is_file():
        return ()
    lessons = getattr(model, "lessons", None)
    known = ", ".join(model.about().get("trained_on", ()))
    if trained_on is not None:
        source, examples = trained_on, partial(instances, trained_on, "train")
    elif known and lessons is not None:
        source, examples = known, lessons
    else:
        return ()
    try:
        with stage(f"training data: {source}") as tick:
            seen = seen_in(tick.each(examples()), source)
    except FabulaError as error:
        if trained_on is not None:
            raise
        return (f"The training data of the model cannot be read, so the report cannot tell seen "
                f"from unseen: {error}",)  # fmt: skip
    keep_seen(folder, seen)
    return ()


def _share(tick: Tick) -> Callable[[int, int], None]:
    """Counts questions, and shows how many are right so far."""
    counted = [0, 0]

    def count(asked: int, right: int) -> None:
        counted[0] += asked
        counted[1] += right
        tick.on(asked, f"{counted[1] / counted[0]:.1%} right" if counted[0] else "")

    return count
