"""Asks a model every question of a benchmark, scores the replies, and writes them as they come.

Promises:
1. An interrupted run resumes: nothing that was answered is asked again.
2. A line of `replies.jsonl` is whole or is asked again; `evaluation.json` says what was asked, of
   which data (by digest) and how. A folder holds one run, and one process writes it.
3. Replies are scored by `fabula.score`, the one scorer; a reply cut off by the limit on tokens is
   counted as truncated, an error does not count as a reply.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

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
from fabula.evaluation.guesses import right_guesses
from fabula.evaluation.model import Ask, Model, Reply, Usage
from fabula.evaluation.statistics import Story
from fabula.prompting.prompt import case, lettered, prompt
from fabula.prompting.prompt import reply as right_reply
from fabula.scoring import Outcome, Score, closed_score, score

REPLIES, MANIFEST = "replies.jsonl", "evaluation.json"
WRITTEN = {"id", "outcome", "usage"}  # of every reply, besides others
DEFAULT = Ask()
PORTION = 64  # instances handed to a model at a time
MAY_CHANGE = ("version", "about", "examples", "ask.concurrency", "ask.budget", "ask.price",
              "ask.cost", "ask.cache")  # fmt: skip

Report = Callable[[int, int], None]
"""Called with how many were asked and how many of these were right."""


def evaluate(
    model: Model,
    instances: Sequence[Instance],
    folder: Path,
    ask: Ask = DEFAULT,
    examples: Sequence[Instance] = (),
    source: str = "",
    report: Report = lambda asked, right: None,
    at_start: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Ask, score and write; the manifest of the run.

    `at_start` is called when the folder is known to be for this run, before anything is asked.
    """
    if not instances:
        raise FabulaError(f"{source or 'the data'}: there is nothing to ask.")
    make_folder(folder)
    about = model.about()
    plan = {
        "model": model.name,
        "about": about,
        "weights": about.get("weights", ""),  # a retrained model is another model
        "data": source,
        "instances": len(instances),
        "digest": digest(instances),
        **{f"ask.{name}": value for name, value in ask._asdict().items()},
        "examples": [
            f"{case(each, ask.form, ask.language)}\n{right_reply(each, ask.form, ask.language)}"
            for each in examples[: ask.shots]
        ],
        "version": __version__,
    }
    begun = perf_counter()
    with exclusive(folder), appending(folder / REPLIES) as file:
        _agree(folder / MANIFEST, plan)
        at_start()
        done, used = _done(folder / REPLIES)
        report(len(done), sum(outcome == "correct" for outcome in done.values()))
        guessed = dict(zip((each.id for each in instances), right_guesses(instances), strict=True))
        left = [found for found in instances if found.id not in done]
        failures: Counter[str] = Counter()
        for portion in _portions(left, max(PORTION, ask.concurrency * 4)):
            asked = [
                (found, prompt(found, ask.style, examples[: ask.shots], ask.form, ask.language))
                for found in portion
            ]
            answered = 0
            for at, reply in model.replies(asked):
                if reply.error:
                    failures[reply.error] += 1
                    continue
                answered += 1
                used = used.plus(reply.usage)
                line = _line(portion[at], reply, ask.form, guessed[portion[at].id])
                with writing(folder / REPLIES):
                    file.write(orjson.dumps(line) + b"\n")
                    file.flush()
                done[line["id"]] = line["outcome"]
                report(1, int(line["outcome"] == "correct"))
            if not answered:
                raise FabulaError(
                    f"{model.name}: no reply came to {len(portion)} questions: "
                    f"{_commonest(failures)} What was answered before is kept in {folder}; the "
                    "same command goes on from there."
                )
    written = {
        **plan,
        "asked": len(done),
        "failed": sum(failures.values()),
        **({"failures": dict(failures.most_common(5))} if failures else {}),
        "usage": used._asdict(),
        "outcomes": dict(sorted(Counter(done.values()).items())),
        "baselines": _baselines(instances, guessed),
        "seconds": round(perf_counter() - begun, 3),
    }
    write_json(folder / MANIFEST, written)
    return written


def read_run(folder: Path) -> Iterator[dict[str, Any]]:
    """The scored replies of a run, in the order in which they came."""
    return (said for _, said in read_placed(folder))


def stories_of(folder: Path) -> list[Story]:
    """How many questions of each story a run has right."""
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for said in read_run(folder):
        name = story_name(said["instance"]["provenance"], said["id"])
        right[name] += said["outcome"] == "correct"
        count[name] += 1
    return [Story(right[name], questions) for name, questions in count.items()]


def read_placed(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same, each with its place in the file, to be read again by `read_at`."""
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
    """The prompt that a run put to its model for an instance."""
    form, language = manifest.get("ask.form", "word"), manifest.get("ask.language", "")
    alone = prompt(instance, manifest.get("ask.style", "direct"), (), form, language)
    last = case(instance, form, language)
    examples = "".join(f"{each}\n\n" for each in manifest.get("examples", ()))
    return f"{alone.removesuffix(last)}{examples}{last}"


def read_at(folder: Path, places: Iterable[int]) -> list[dict[str, Any]]:
    """The scored replies at some places of a run."""
    found = []
    with (folder / REPLIES).open("rb") as file:
        for place in places:
            file.seek(place)
            found.append(orjson.loads(file.readline()))
    return found


def kept_record(record: Mapping[str, Any], place: str = "record") -> Instance:
    """The record of a reply; runs keep records without their facts."""
    story = record.get("story")
    facts: list[Any] = [[]] * len(story) if isinstance(story, list) else []
    return Instance.from_fields({"facts": facts, **record}, place)


OUTCOMES = frozenset(map(str, Outcome))


def _check_reply(said: dict[str, Any], path: Path, number: int) -> None:
    """ParseError if a line is not a scored reply to a record."""
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
            f"{folder}: holds runs and is none; name them: {folder}/* ({', '.join(inside[:4])}"
            f"{', …' * (len(inside) > 4)})."
        )
    if (folder / "plan.json").is_file():
        return FabulaError(
            f"{folder}: a run of `fabula train`; evaluate it first: `fabula eval {folder} DATA`."
        )
    return FabulaError(f"{folder}: no run is here; make one with `fabula eval`.")


def judge(instance: Instance, text: str, form: str = "word", truncated: bool = False) -> Score:
    """How a reply in a form is scored; who is asked for a letter may also say the word."""
    choices = lettered(instance)
    if form != "letter" or choices is instance:
        return score(instance, text, truncated)
    found = closed_score(choices, text, truncated)
    if found.outcome in (Outcome.UNPARSED, Outcome.TRUNCATED):
        return score(instance, text, truncated)
    words = dict(zip(choices.choices or (), instance.choices or (), strict=True))
    return Score(found.outcome, tuple(words.get(letter, letter) for letter in found.answer))


def digest(instances: Sequence[Instance]) -> str:
    """A name for just these instances in this order: what was read and what would be right."""
    found = sha256()
    for each in instances:
        found.update(orjson.dumps((each.id, each.story, each.question, each.answer)))
    return found.hexdigest()[:16]


def _baselines(
    instances: Sequence[Instance], guessed: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, int]]:
    """How many questions of each kind every baseline gets right."""
    found: dict[str, dict[str, int]] = {
        kind: dict.fromkeys(BASELINES, 0) for kind in sorted({each.query[0] for each in instances})
    }
    for each in instances:
        for name in guessed[each.id]:
            found[each.query[0]][name] += 1
    return found


def _line(instance: Instance, reply: Reply, form: str, guessed: Sequence[str]) -> dict[str, Any]:
    scored = judge(instance, reply.text, form, reply.truncated)
    record = orjson.loads(instance.to_json())
    del record["facts"]
    return {
        "id": instance.id,
        "outcome": str(scored.outcome),
        "answer": scored.answer,
        "reply": reply.text,
        "truncated": reply.truncated,
        "usage": reply.usage._asdict(),
        "baselines": guessed,
        "instance": record,
    }


def _commonest(failures: Counter[str]) -> str:
    said = failures.most_common(1)[0][0].strip() if failures else "the model said nothing"
    return said if said.endswith((".", "!")) else f"{said}."


def _portions(items: Sequence[Instance], size: int) -> Iterator[list[Instance]]:
    left = iter(items)
    while portion := list(islice(left, size)):
        yield portion


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(bytes, content) of the whole lines."""
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
                    f"{path}:{number}: {problem}. Remove the line; what it answered is asked again "
                    "by the same `fabula eval`."
                )
            yield len(line), said


def _typed(said: dict[str, Any]) -> bool:
    """Whether what is needed to go on with a run has its types."""
    usage = said["usage"]
    return (
        isinstance(said["id"], str)
        and isinstance(said["outcome"], str)
        and isinstance(usage, dict)
        and usage.keys() <= set(Usage._fields)
        and all(type(spent) in (int, float) for spent in usage.values())
    )


def _done(path: Path) -> tuple[dict[str, str], Usage]:
    """Outcome by id of what was answered, and what it took; half a line is taken away."""
    whole, done, used = 0, {}, Usage()
    for size, said in _lines(path):
        whole += size
        done[said["id"]] = said["outcome"]
        used = used.plus(Usage(**said["usage"]))
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return done, used


def _agree(path: Path, plan: dict[str, Any]) -> None:
    """A folder holds one run: what was asked before must be what is asked now."""
    if not path.is_file():
        write_json(path, plan)
        return
    before = read_json(path)
    said = orjson.loads(orjson.dumps(plan))
    for key, value in said.items():
        if key not in MAY_CHANGE and before.get(key) != value:
            raise FabulaError(
                f"{path.parent}: holds another run ({key} was {before.get(key)!r}, now "
                f"{value!r}); choose another folder or remove it."
            )
