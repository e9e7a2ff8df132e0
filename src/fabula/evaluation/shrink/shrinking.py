"""Shrinks the failures of a run, or of a model on some instances: what `fabula.shrink` does."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.core.files import write_json
from fabula.core.instance import Instance
from fabula.core.progress import Stages, silent
from fabula.datasets.sources import instances as read_instances
from fabula.datasets.sources import splits_of
from fabula.errors import FabulaError, UsageError
from fabula.evaluation.evaluate import Evaluation
from fabula.evaluation.function import model_of
from fabula.evaluation.model import Ask, Model
from fabula.evaluation.models import model_named
from fabula.evaluation.run import MANIFEST, asked_as, judge, kept_record, read_manifest, read_run
from fabula.evaluation.shrink.asking import Answer, Desk, Found, shrinking
from fabula.evaluation.shrink.steps import Form
from fabula.generation.author import instance as instance_at
from fabula.prompting.prompt import prompt
from fabula.scoring import Outcome

FOLDER, SMALLEST = "shrink", "smallest.json"
FAILURES = 50
"""Failures of a run that are shrunk, unless told otherwise."""
LETTERS = {"places": "L"}
"""Letters for sorts of names that do not begin with them."""


class Smallest(NamedTuple):
    """A failure in its smallest form."""

    id: str
    """The instance that the model failed on first."""
    instance: Instance
    """The smallest story, a proven record."""
    reply: str
    """The wrong reply of the model to it."""
    group: str
    """Its form with names abstracted; the same for failures of the same kind."""
    sentences: int
    """Sentences of the story before."""
    asked: int
    """Different questions that the search needed."""
    steady: bool
    """Whether the model always replied the same; if not, it was asked several times."""

    @property
    def story(self) -> tuple[str, ...]:
        """The sentences of the smallest story."""
        return self.instance.story

    @property
    def question(self) -> str:
        """The question about it."""
        return self.instance.question

    @property
    def answer(self) -> tuple[str, ...]:
        """The right answer to it."""
        return self.instance.answer

    def to_dict(self) -> dict[str, Any]:
        """As `fabula shrink --json` lists it."""
        return {
            "id": self.id,
            "story": list(self.story),
            "question": self.question,
            "answer": list(self.answer),
            "reply": self.reply,
            "group": self.group,
            "support": list(self.instance.support),
            "sentences": self.sentences,
            "asked": self.asked,
            "steady": self.steady,
        }


@dataclass(frozen=True)
class Shrunk:
    """The failures of a model in their smallest form."""

    model: str
    failures: tuple[Smallest, ...]
    asked: int
    """Questions put to the model in all, also before the search was resumed."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Instances that were not shrunk, and why."""
    total: int = 0
    """Failures there are; only some of them may have been shrunk."""
    folder: Path | None = None

    @property
    def groups(self) -> dict[str, list[Smallest]]:
        """The failures of each group, the largest group first."""
        found: dict[str, list[Smallest]] = defaultdict(list)
        for each in self.failures:
            found[each.group].append(each)
        return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def shrink(
    source: str | Path | Evaluation | Model | Callable[..., Any],
    instances: str | Instance | Iterable[str | Instance] | None = None,
    out: str | Path | None = None,
    *,
    model: str | Path | Model | Callable[..., Any] | None = None,
    data: str | Path | None = None,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    most: int = FAILURES,
    style: str = "direct",
    form: str = "word",
    max_tokens: int = 256,
    concurrency: int = 8,
    device: str = "cpu",
    stage: Stages = silent,
) -> Shrunk:
    """Find the smallest story that a model still fails on, for each of its failures.

    Args:
        source: a run of `fabula.evaluate`, whose wrong replies are shrunk; or a model, with
            `instances`.
        instances: instances, or their ids ('babi/qa2:test:17'); of a run, only these.
        out: the folder that keeps all replies, so that the same call resumes; by default `shrink`
            in the folder of the run, or a temporary one.
        model: the model of a run, if it cannot be found by its name.
        data: a data set on disk that holds the instances given by id.
        seed: the seed of instances given by id.
        changes: keys of the recipe that were changed, for instances given by id.
        most: how many failures of a run to shrink, of all kinds.
        style: how a model is asked (see `fabula.evaluate`); a run knows it.
        form: the form of the answer; a run knows it.
        max_tokens: maximum tokens of a reply; a run knows it.
        concurrency: failures shrunk at a time, and requests at a time.
        device: 'cpu', 'cuda', 'mps' (local models).
        stage: shows progress (see `fabula.core.progress`).

    >>> import fabula
    >>> def last_place(instance):
    ...     return instance.story[-1].rstrip(".").split()[-1]
    >>> found = fabula.shrink(last_place, "babi/qa1:test:4")
    >>> [len(each.story) for each in found.failures]
    [2]
    """
    if most < 1:
        raise UsageError(f"most {most}: at least one failure is needed.")
    work = _of_run(source, model, concurrency) if _is_run(source) else None
    if work is None:
        if model is not None:
            raise UsageError("model: only with a run; here the first argument is the model.")
        ask = Ask(style, 0, max_tokens, form, concurrency)
        work = _Work(_model(source, ask, device), ask, partial(prompt, style=style, form=form))
    named = [instances] if isinstance(instances, str | Instance) else list(instances or ())
    if data is not None and work.folder is None:
        named = _in_data(named, data)
    work.choose(named, seed, changes, most)
    if not work.failures:
        raise UsageError(
            "name the instances to shrink, e.g. --instance babi/qa2:test:17."
            if work.folder is None
            else f"{work.folder}: the run has no wrong replies to shrink."
        )
    if check := getattr(work.model, "check", None):
        check([instance for instance, _ in work.failures])
    with _folder(out, work.folder) as folder:
        return _shrunk(work, folder, stage, temporary=out is None and work.folder is None)


class _Work:
    """The failures to shrink, and the model to ask."""

    def __init__(
        self,
        model: Model,
        ask: Ask,
        prompted: Callable[[Instance], str],
        run: Path | None = None,
    ) -> None:
        self.model, self.ask, self.prompted, self.folder = model, ask, prompted, run
        self.failures: list[tuple[Instance, Answer | None]] = []
        self.total = 0

    def choose(
        self,
        named: Sequence[str | Instance],
        seed: int | None,
        changes: Mapping[str, Any] | None,
        most: int,
    ) -> None:
        """Take the instances by name, or the wrong replies of the run."""
        if self.folder is None:
            self.failures = [
                (each if isinstance(each, Instance) else _instance(each, seed, changes), None)
                for each in named
            ]
            self.total = len(self.failures)
            return
        wanted = {each if isinstance(each, str) else each.id for each in named}
        wrong = []
        for said in read_run(self.folder):
            if said["outcome"] == Outcome.CORRECT or (wanted and said["id"] not in wanted):
                wanted -= {said["id"]} if wanted and said["outcome"] == Outcome.CORRECT else set()
                continue
            wrong.append((kept_record(said["instance"]), Answer(said["reply"], False)))
        for missing in sorted(wanted - {instance.id for instance, _ in wrong}):
            raise UsageError(f"--instance {missing}: not a question of the run {self.folder}.")
        self.total = len(wrong)
        self.failures = _sample(wrong, most)


def _sample(
    failures: Sequence[tuple[Instance, Answer | None]], most: int
) -> list[tuple[Instance, Answer | None]]:
    """Some failures: first one of each kind of question and composition, then a second, …"""
    seen: Counter[tuple[str, ...]] = Counter()
    ranked = []
    for at, (instance, answer) in enumerate(failures):
        key = (instance.query[0], *instance.composition)
        ranked.append((seen[key], at, (instance, answer)))
        seen[key] += 1
    return [failure for _, _, failure in sorted(ranked, key=lambda each: each[:2])[:most]]


def _shrunk(work: _Work, folder: Path, stage: Stages, temporary: bool) -> Shrunk:
    ask, about = work.ask, work.model.about()
    plan = {
        "model": work.model.name,
        "weights": about.get("weights", about.get("sha256", "")),
        "ask.style": ask.style,
        "ask.form": ask.form,
        "ask.language": ask.language,
        "ask.tokens": ask.tokens,
    }

    def right(instance: Instance, text: str, truncated: bool) -> bool:
        return judge(instance, text, ask.form, truncated, ask.style).correct

    done: dict[int, Smallest] = {}
    skipped: dict[str, str] = {}
    with stage("shrinking", len(work.failures)) as tick:
        desk = Desk(work.model, folder, work.prompted, right, max(1, ask.concurrency))
        with desk.open(plan):
            jobs = [shrinking(instance, answer) for instance, answer in work.failures]
            for number, found, asked in desk.run(jobs):
                original = work.failures[number][0]
                if isinstance(found, Found) and found.form is not None:
                    done[number] = _smallest(original, found, found.form, asked)
                else:
                    skipped[original.id] = _why(found)
                tick.on(1, f"{len({each.group for each in done.values()})} groups")
    shrunk = Shrunk(
        work.model.name,
        tuple(done[number] for number in sorted(done)),
        desk.asked,
        skipped,
        work.total,
        None if temporary else folder,
    )
    write_json(folder / SMALLEST, _written(shrunk))
    return shrunk


def _why(found: Found | FabulaError) -> str:
    if isinstance(found, FabulaError):
        return str(found)
    if found.steady:
        return "the model gets it right"
    return "the model fails on it only sometimes, and not more often than not"


def _smallest(original: Instance, found: Found, form: Form, asked: int) -> Smallest:
    before = sum(role != "convention" for role in original.roles)
    return Smallest(
        original.id, form.asked, found.answer.reply, signature(form), before, asked, found.steady
    )


def signature(form: Form) -> str:
    """The whole story and the question with names abstracted, as facts."""
    facts = [fact for told in form.record.facts for fact in told if len(fact) > 2]
    sorts = {
        name: LETTERS.get(sort, sort[0].upper())
        for sort, names in (form.frame.world.entities(form.record.facts) or {}).items()
        for name in names
    }
    letters: dict[str, str] = {}
    counts: Counter[str] = Counter()

    def short(word: str) -> str:
        if word not in letters:
            sort = sorts.get(word, "N")
            counts[sort] += 1
            letters[word] = f"{sort}{counts[sort]}"
        return letters[word]

    def abstract(fact: Sequence[str]) -> str:
        words = [word if word.isdecimal() or word in kept else short(word) for word in fact[1:]]
        return f"{fact[0]}({', '.join(words)})"

    named = {word for fact in facts for word in fact[1:]}
    kept = {fact[1] for fact in facts if fact[0] == "not"}  # the region that is denied
    kept |= set(form.record.query[1:]) - named  # 'east' in 'What is east of the hall?'
    told = "; ".join(abstract(fact) for fact in facts)
    return f"{told} ? {abstract(form.record.query)}"


def _written(shrunk: Shrunk) -> dict[str, Any]:
    return {
        "model": shrunk.model,
        "asked": shrunk.asked,
        "total": shrunk.total,
        "failures": [
            {**each.to_dict(), "instance": orjson.loads(each.instance.to_json())}
            for each in shrunk.failures
        ],
        "skipped": dict(shrunk.skipped),
    }


# --- who is asked ---------------------------------------------------------------------------------


def _is_run(source: Any) -> bool:
    if isinstance(source, Evaluation):
        return True
    return isinstance(source, str | Path) and (Path(source) / MANIFEST).is_file()


def _of_run(source: Any, model: Any, concurrency: int) -> _Work:
    """The run with its model, asked as it was."""
    folder = source.folder if isinstance(source, Evaluation) else Path(source)
    if folder is None:
        raise UsageError(
            "this evaluation was temporary; evaluate with out='FOLDER' to keep the run."
        )
    manifest = read_manifest(folder)
    ask = Ask(
        manifest.get("ask.style", "direct"),
        manifest.get("ask.shots", 0),
        manifest.get("ask.tokens", 256),
        manifest.get("ask.form", "word"),
        concurrency,
        manifest.get("ask.language", ""),
    )
    asked = _model(model if model is not None else _named(manifest, folder), ask, "cpu")
    if asked.name != manifest["model"]:
        raise UsageError(
            f"{folder}: its replies are of {manifest['model']}, not of {asked.name}; name the "
            "same model."
        )
    return _Work(asked, ask, partial(asked_as, manifest), folder)


def _named(manifest: Mapping[str, Any], folder: Path) -> str:
    """The name of the model of a run."""
    about, name = manifest.get("about", {}), str(manifest["model"])
    if "named" in manifest:
        return str(manifest["named"])
    if about.get("kind") == "function":
        function, file = str(about.get("function")).rpartition(":")[2], str(about.get("file"))
        if function.isidentifier() and function != "lambda" and file.endswith(".py"):
            return f"py:{file}:{function}"
    elif "/" in name:
        return name
    raise UsageError(
        f"{folder}: the run does not say how to find its model '{name}'. Give it: "
        "`fabula shrink RUN --model MODEL`, or fabula.shrink(run, model=…)."
    )


def _model(given: Any, ask: Ask, device: str) -> Model:
    if isinstance(given, str | Path):
        return model_named(str(given), ask, False, device)
    return model_of(given, ask)


def _in_data(named: Sequence[str | Instance], data: str | Path) -> list[str | Instance]:
    """The instances of a data set on disk with these ids."""
    wanted = {each for each in named if isinstance(each, str)}
    found: dict[str, Instance] = {}
    for split in splits_of(str(data)) if wanted else ():
        found |= {each.id: each for each in read_instances(str(data), split) if each.id in wanted}
    for missing in sorted(wanted - found.keys()):
        raise UsageError(f"--instance {missing}: not in {data}.")
    return [found[each] if isinstance(each, str) else each for each in named]


def _instance(name: str, seed: int | None, changes: Mapping[str, Any] | None) -> Instance:
    """The instance of an id: recipe, split and index."""
    recipe, split, index = [*name.rsplit(":", 2), "", ""][:3]
    if not (recipe and split and index.isdecimal()):
        raise UsageError(
            f"--instance {name}: write RECIPE:SPLIT:INDEX, e.g. --instance babi/qa2:test:17."
        )
    return instance_at(recipe, split, int(index), seed, **(changes or {}))


@contextmanager
def _folder(out: str | Path | None, run: Path | None) -> Iterator[Path]:
    """Where replies are kept; a temporary folder is removed, unless an error would lose them."""
    if out is not None or run is not None:
        yield Path(out) if out is not None else Path(run or "") / FOLDER
        return
    folder = Path(tempfile.mkdtemp(prefix="fabula-shrink-"))
    try:
        yield folder
    except BaseException as error:
        error.add_note(f"Replies so far are in {folder}: out={str(folder)!r} continues from there.")
        raise
    shutil.rmtree(folder, ignore_errors=True)
