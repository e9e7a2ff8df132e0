"""Asks a model every question of a benchmark, scores the replies, and writes them as they arrive.

Promises:
1. An interrupted run can be resumed: questions with a reply are not asked again.
2. A line of `replies.jsonl` is complete or is asked again; `evaluation.json` says what was asked,
   of which data (by digest) and how. A folder holds one run, and one process writes it.
3. Replies are scored by `fabula.score`, the one scorer; a reply cut off by the limit on tokens
   counts as truncated, and an error does not count as a reply.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO

import orjson

from fabula._version import __version__
from fabula.analysis.baselines import BASELINES
from fabula.core.files import (
    appending,
    exclusive,
    make_folder,
    read_json,
    write_json,
    writing,
)
from fabula.core.instance import Instance, story_name
from fabula.core.soundness import shown
from fabula.errors import FabulaError, ParseError
from fabula.evaluation.contrast import contrast_scores
from fabula.evaluation.guesses import right_guesses
from fabula.evaluation.model import Ask, Model, Reply, Usage
from fabula.evaluation.statistics import Story
from fabula.prompting.prompt import CITE, case, lettered, prompt, worked_example
from fabula.scoring import CitedScore, Outcome, Score, closed_score, score
from fabula.scoring.clean import clean, without_reasoning
from fabula.scoring.evidence import Reason, Verdict, citation
from fabula.scoring.evidence import judge as judge_cited

REPLIES, MANIFEST = "replies.jsonl", "evaluation.json"
WRITTEN = {"id", "outcome", "usage"}  # fields of every reply, among others
DEFAULT = Ask()
PORTION = 64  # instances passed to a model at a time
MAY_CHANGE = ("version", "about", "named", "examples", "ask.concurrency", "ask.budget", "ask.price",
              "ask.cost", "ask.cache", "ask.timeout")  # fmt: skip

Report = Callable[[int, int], None]
"""Called with the number of questions asked and the number of correct replies among them."""


def evaluate(
    model: Model,
    instances: Sequence[Instance],
    folder: Path,
    ask: Ask = DEFAULT,
    examples: Sequence[Instance] = (),
    source: str = "",
    report: Report = lambda asked, right: None,
    at_start: Callable[[], None] = lambda: None,
    named: str = "",
) -> dict[str, Any]:
    """Ask, score and write; returns the manifest of the run.

    `at_start` is called once the folder is known to belong to this run, before anything is asked;
    `named` is the name by which the model can be found again.
    """
    if not instances:
        raise FabulaError(f"{source or 'the data'}: there are no questions.")
    make_folder(folder)
    known = {"instances": len(instances), "digest": digest(instances)}
    with session(model, folder, ask, examples, source, known, named=named) as run:
        at_start()
        report(len(run.done), sum(outcome == "correct" for outcome in run.done.values()))
        guessed = dict(zip((each.id for each in instances), right_guesses(instances), strict=True))
        left = [found for found in instances if found.id not in run.done]
        for portion in _portions(left, max(PORTION, ask.concurrency * 4)):
            run.ask(portion, guessed, report)
    found = {"baselines": baselines_of(instances, guessed), **_contrasts(instances, folder)}
    return run.finish(found)


class Session:
    """A run that is being written: asks instances, scores the replies and keeps them."""

    def __init__(
        self, model: Model, folder: Path, ask: Ask, examples: Sequence[Instance], file: BinaryIO
    ) -> None:
        self.model, self.folder, self.how = model, folder, ask
        self.plan: dict[str, Any] = {}
        """The manifest of the run before anything is asked."""
        self.done, self.used = _done(folder / REPLIES)
        """The outcome of each answered instance, by id, and the usage so far."""
        self.failures: Counter[str] = Counter()
        self._examples, self._file = examples[: ask.shots], file
        self._begun = perf_counter()

    def ask(
        self,
        portion: Sequence[Instance],
        guessed: Mapping[str, Sequence[str]],
        report: Report = lambda asked, right: None,
    ) -> None:
        """Ask instances that have no reply yet; `guessed`: the baselines that are right, by id."""
        how, folder = self.how, self.folder
        asked = [
            (found, prompt(found, how.style, self._examples, how.form, how.language))
            for found in portion
        ]
        answered = 0
        for at, reply in self.model.replies(asked):
            if reply.error:
                self.failures[reply.error] += 1
                continue
            answered += 1
            self.used = self.used.plus(reply.usage)
            line = _line(portion[at], reply, how, guessed[portion[at].id])
            with writing(folder / REPLIES):
                self._file.write(orjson.dumps(line) + b"\n")
                self._file.flush()
            self.done[line["id"]] = line["outcome"]
            report(1, int(line["outcome"] == "correct"))
        if not answered:
            raise FabulaError(
                f"{self.model.name}: no reply to {len(portion)} questions: "
                f"{_commonest(self.failures)} Earlier replies are kept in {folder}; the "
                "same command resumes from there."
            )

    def finish(self, more: Mapping[str, Any]) -> dict[str, Any]:
        """Write the manifest, and return it."""
        written = {
            **self.plan,
            "asked": len(self.done),
            "failed": sum(self.failures.values()),
            **({"failures": dict(self.failures.most_common(5))} if self.failures else {}),
            "usage": self.used._asdict(),
            "outcomes": dict(sorted(Counter(self.done.values()).items())),
            **({"evidence": evidence_of(read_run(self.folder))} if self.how.style == CITE else {}),
            **more,
            "seconds": round(perf_counter() - self._begun, 3),
        }
        write_json(self.folder / MANIFEST, written)
        return written


@contextmanager
def session(
    model: Model,
    folder: Path,
    ask: Ask,
    examples: Sequence[Instance] = (),
    source: str = "",
    known: Mapping[str, Any] | None = None,
    may_change: Sequence[str] = (),
    named: str = "",
) -> Iterator[Session]:
    """A run that is begun or resumed, for one process at a time.

    `known` has further keys that identify the run; a folder with another run is rejected, unless
    only keys in `may_change` differ. `named` is the name by which the model can be found again.
    """
    make_folder(folder)
    about = model.about()
    plan = {
        "model": model.name,
        **({"named": named} if named else {}),
        "about": about,
        "weights": about.get("weights", ""),  # a retrained model is another model
        "data": source,
        **(known or {}),
        **{f"ask.{name}": value for name, value in ask._asdict().items()},
        "examples": [
            worked_example(each, ask.style, ask.form, ask.language)
            for each in examples[: ask.shots]
        ],
        "version": __version__,
    }
    with exclusive(folder), appending(folder / REPLIES) as file:
        _agree(folder / MANIFEST, plan, may_change)
        made = Session(model, folder, ask, examples, file)
        made.plan = plan
        yield made


def read_run(folder: Path) -> Iterator[dict[str, Any]]:
    """The scored replies of a run, in the order of arrival."""
    return (said for _, said in read_placed(folder))


def evidence_of(replies: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts of verdicts and reasons over scored replies, with mean precision and recall."""
    judged = [said for said in replies if "evidence" in said]
    verdicts = Counter(said["evidence"]["verdict"] for said in judged)
    reasons = Counter(said["reason"] for said in judged)
    found: dict[str, Any] = {
        "judged": len(judged),
        "reasons": {str(reason): reasons[reason] for reason in Reason},
        "verdicts": {str(verdict): verdicts[verdict] for verdict in Verdict},
    }
    for name in ("precision", "recall"):
        total = sum(said["evidence"][name] for said in judged)
        found[name] = total / len(judged) if judged else None
    return found


def stories_of(folder: Path) -> list[Story]:
    """For each story of a run, the number of correct replies."""
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for said in read_run(folder):
        name = story_name(said["instance"]["provenance"], said["id"])
        right[name] += said["outcome"] == "correct"
        count[name] += 1
    return [Story(right[name], questions) for name, questions in count.items()]


def read_placed(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same, each with its offset in the file, for `read_at`."""
    path = folder / REPLIES
    if not path.is_file():
        raise _no_run(folder)
    return _placed(path)


def _placed(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    place = 0
    for number, (size, said) in enumerate(_lines(path), 1):
        _check_reply(said, path, number)
        yield place, said
        place += size


def asked_as(manifest: Mapping[str, Any], instance: Instance) -> str:
    """The prompt of a run for an instance."""
    form, language = manifest.get("ask.form", "word"), manifest.get("ask.language", "")
    style = manifest.get("ask.style", "direct")
    alone = prompt(instance, style, (), form, language)
    last = case(instance, form, language, style)
    examples = "".join(f"{each}\n\n" for each in manifest.get("examples", ()))
    return f"{alone.removesuffix(last)}{examples}{last}"


def read_at(folder: Path, places: Iterable[int]) -> list[dict[str, Any]]:
    """The scored replies at some offsets of a run."""
    found = []
    with (folder / REPLIES).open("rb") as file:
        for place in places:
            file.seek(place)
            found.append(orjson.loads(file.readline()))
    return found


def kept_record(record: Mapping[str, Any], place: str = "record") -> Instance:
    """The record of a reply; runs store records without their facts."""
    story = record.get("story")
    facts: list[Any] = [[]] * len(story) if isinstance(story, list) else []
    return Instance.from_fields({"facts": facts, **record}, place)


OUTCOMES = frozenset(map(str, Outcome))


def _check_reply(said: dict[str, Any], path: Path, number: int) -> None:
    """Raise ParseError if a line is not a scored reply to a record."""
    place = f"{path}, reply {number}"
    record, answer = said.get("instance"), said.get("answer")
    if not isinstance(record, dict):
        raise ParseError(f"{place}, field 'instance': expected a record, found {shown(record)}.")
    kept_record(record, f"{place}, instance")
    if said["outcome"] not in OUTCOMES:
        raise ParseError(f"{place}, field 'outcome': unknown {shown(said['outcome'])}.")
    if not isinstance(answer, list) or not all(isinstance(word, str) for word in answer):
        raise ParseError(f"{place}, field 'answer': expected a list of texts.")
    if not isinstance(said.get("reply"), str):
        raise ParseError(f"{place}, field 'reply': expected a text.")
    if "evidence" in said:
        _check_evidence(said, place)


def _check_evidence(said: dict[str, Any], place: str) -> None:
    """ParseError if the evidence of a reply is not as `fabula eval` writes it."""
    evidence = said["evidence"]
    shares = [evidence.get(name) for name in ("precision", "recall")] if (
        isinstance(evidence, dict)) else [None]  # fmt: skip
    if (
        not all(type(share) in (int, float) for share in shares)
        or evidence.get("verdict") not in [str(verdict) for verdict in Verdict]
        or not isinstance(evidence.get("cited"), list)
        or said.get("reason") not in [str(reason) for reason in Reason]
    ):
        raise ParseError(
            f"{place}, field 'evidence': expected cited, verdict, precision and recall, with a "
            f"reason beside it; found {shown(evidence)}."
        )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The summary of a run."""
    found = read_json(folder / MANIFEST, "model", "about")
    if not found:
        raise _no_run(folder)
    return found


def _no_run(folder: Path) -> FabulaError:
    inside = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
    if inside:
        return FabulaError(
            f"{folder}: contains runs, choose some: {folder}/* ({', '.join(inside[:4])}"
            f"{', …' * (len(inside) > 4)})."
        )
    if (folder / "plan.json").is_file():
        return FabulaError(
            f"{folder}: a run of `fabula train`; evaluate it first: `fabula eval {folder} DATA`."
        )
    return FabulaError(f"{folder}: no run here; make one with `fabula eval`.")


def judge(
    instance: Instance,
    text: str,
    form: str = "word",
    truncated: bool = False,
    style: str = "direct",
) -> Score:
    """Score a reply in a form; a model asked for a letter may also give the word.

    In the style 'cite', the cited sentences are judged too.
    """
    if style == CITE:
        said = citation(without_reasoning(clean(text)), len(instance.story))
        answered = judge(instance, said.rest, form, truncated)
        return CitedScore.of(answered, judge_cited(instance, said.numbers))
    choices = lettered(instance)
    if form != "letter" or choices is instance:
        return score(instance, text, truncated)
    found = closed_score(choices, text, truncated)
    if found.outcome in (Outcome.UNPARSED, Outcome.TRUNCATED):
        return score(instance, text, truncated)
    words = dict(zip(choices.choices or (), instance.choices or (), strict=True))
    return Score(found.outcome, tuple(words.get(letter, letter) for letter in found.answer))


def digest(instances: Sequence[Instance]) -> str:
    """A digest of these instances in this order: what was read and the right answers."""
    found = sha256()
    for each in instances:
        found.update(orjson.dumps((each.id, each.story, each.question, each.answer)))
    return found.hexdigest()[:16]


def _contrasts(instances: Sequence[Instance], folder: Path) -> dict[str, Any]:
    """The figures of contrast pairs and of open questions, if there are any."""
    if not any(each.variant or "answerable" in each.features for each in instances):
        return {}
    found = contrast_scores(read_run(folder))
    return {"contrast": found} if found else {}


def baselines_of(
    instances: Sequence[Instance], guessed: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, int]]:
    """For every question kind, the number that each baseline gets right."""
    found: dict[str, dict[str, int]] = {
        kind: dict.fromkeys(BASELINES, 0) for kind in sorted({each.query[0] for each in instances})
    }
    for each in instances:
        for name in guessed[each.id]:
            found[each.query[0]][name] += 1
    return found


def _line(instance: Instance, reply: Reply, ask: Ask, guessed: Sequence[str]) -> dict[str, Any]:
    scored = judge(instance, reply.text, ask.form, reply.truncated, ask.style)
    record = orjson.loads(instance.to_json())
    for name in ("facts", "variables", "spans"):  # long, and made again from the story
        record.pop(name, None)
    return {
        "id": instance.id,
        "outcome": str(scored.outcome),
        "answer": scored.answer,
        "reply": reply.text,
        "truncated": reply.truncated,
        "usage": reply.usage._asdict(),
        **({"evidence": scored.evidence._asdict(), "reason": scored.reason}
           if scored.evidence is not None else {}),
        "baselines": guessed,
        "instance": record,
    }  # fmt: skip


def _commonest(failures: Counter[str]) -> str:
    said = failures.most_common(1)[0][0].strip() if failures else "the model gave no reason"
    return said if said.endswith((".", "!")) else f"{said}."


def _portions(items: Sequence[Instance], size: int) -> Iterator[list[Instance]]:
    left = iter(items)
    while portion := list(islice(left, size)):
        yield portion


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(bytes, content) of the complete lines."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                said = orjson.loads(line)
                problem = "" if dict(said).keys() >= WRITTEN and _typed(said) else "no reply"
            except (TypeError, ValueError) as error:
                problem = f"not valid JSON: {error}"
            if problem:
                raise FabulaError(
                    f"{path}:{number}: {problem}. Remove the line; its question is asked again "
                    "by the same `fabula eval`."
                )
            yield len(line), said


def _typed(said: dict[str, Any]) -> bool:
    """Whether the fields needed to resume a run have the right types."""
    usage = said["usage"]
    return (
        isinstance(said["id"], str)
        and isinstance(said["outcome"], str)
        and isinstance(usage, dict)
        and usage.keys() <= set(Usage._fields)
        and all(type(spent) in (int, float) for spent in usage.values())
    )


def _done(path: Path) -> tuple[dict[str, str], Usage]:
    """The outcomes by id so far, and the usage; an incomplete last line is removed."""
    whole, done, used = 0, {}, Usage()
    for size, said in _lines(path):
        whole += size
        done[said["id"]] = said["outcome"]
        used = used.plus(Usage(**said["usage"]))
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return done, used


def _agree(path: Path, plan: dict[str, Any], may_change: Sequence[str] = ()) -> None:
    """Raise an error unless this folder's run is the same as this one."""
    if not path.is_file():
        write_json(path, plan)
        return
    before = read_json(path)
    said = orjson.loads(orjson.dumps(plan))
    for key, value in said.items():
        if key not in (*MAY_CHANGE, *may_change) and before.get(key) != value:
            raise FabulaError(
                f"{path.parent}: contains another run ({key} was {before.get(key)!r}, now "
                f"{value!r}); choose another folder or remove it."
            )
