"""Puts the questions of many searches to a model, in batches, and remembers every reply.

Promises:
1. A reply is written before it is used; a line is whole or is asked again; nothing is asked twice.
2. What a search does depends on replies alone, so a resumed one takes the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.core.files import appending, exclusive, make_folder, read_json, write_json, writing
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.evaluation.model import Model
from fabula.evaluation.shrink.search import search
from fabula.evaluation.shrink.steps import Form, Frame

ASKED, PLAN = "asked.jsonl", "plan.json"
LEAD = 4
"""A sequential test ends when one outcome leads by this number of replies. It is Wald's test of a
failure rate of 70% against 30%: with a lead of 4, either error is below (3/7)**4 = 3.4%."""
MOST = 25
"""Without a lead after this number of replies, the story does not count as a failure."""


class Answer(NamedTuple):
    """A reply and whether it is right."""

    reply: str
    right: bool


class Request(NamedTuple):
    """The n-th time that a story is put to the model."""

    form: Form
    turn: int = 0


class Found(NamedTuple):
    """The end of a search."""

    form: Form | None
    """The smallest story; None if the failure does not occur again."""
    answer: Answer
    """A wrong reply to it."""
    steady: bool
    """Whether the model always replied the same."""


Asking = Generator[Request, Answer, Found]
Judge = Callable[[Instance, str, bool], bool]
"""Whether a reply to an instance is right; it may be truncated."""


# --- one failure ----------------------------------------------------------------------------------


def shrinking(original: Instance, known: Answer | None = None) -> Asking:
    """Shrink one failure; `known` is the wrong reply that was given before."""
    start = Frame(original).begin()
    first = known or (yield Request(start))
    if first.right:
        return Found(None, first, True)
    again = yield Request(start, 1)
    if again == first:
        form = yield from _steady(start)
        answer = yield Request(form)
        last = yield Request(form, 1)  # the model may have replied the same by chance before
        if not last.right and not answer.right:
            return Found(form, answer, True)
    return (yield from _unsteady(start))


def _steady(start: Form) -> Generator[Request, Answer, Form]:
    """The search with one question for each story."""
    way = search(start)
    try:
        form = next(way)
        while True:
            answer = yield Request(form)
            form = way.send(not answer.right)
    except StopIteration as end:
        found: Form = end.value
        return found


def _unsteady(start: Form) -> Asking:
    """The search with a sequential test for each story."""
    fails, answer = yield from _test(start)
    if not fails:
        return Found(None, answer, False)
    way = search(start)
    try:
        form = next(way)
        while True:
            fails, _ = yield from _test(form)
            form = way.send(fails)
    except StopIteration as end:
        found: Form = end.value
        _, answer = yield from _test(found)
        return Found(found, answer, False)


def _test(form: Form) -> Generator[Request, Answer, tuple[bool, Answer]]:
    """Whether the model fails on a story more often than not, and its last wrong reply."""
    lead, wrong = 0, Answer("", True)
    for turn in range(MOST):
        answer = yield Request(form, turn)
        wrong = wrong if answer.right else answer
        lead += -1 if answer.right else 1
        if abs(lead) >= LEAD:
            return lead > 0, wrong
    return False, wrong


# --- many at a time -------------------------------------------------------------------------------


class Desk:
    """Asks a model for many searches at a time, and keeps all replies in a folder."""

    def __init__(
        self,
        model: Model,
        folder: Path,
        prompt: Callable[[Instance], str],
        judge: Judge,
        batch: int = 8,
        tick: Callable[[int], None] = lambda count: None,
    ) -> None:
        self._model, self._folder = model, folder
        self._prompt, self._judge, self._batch, self._tick = prompt, judge, batch, tick
        self._known: dict[tuple[str, int], Answer] = {}
        self._file: Any = None
        self.asked = 0
        """Questions put to the model, also before the search was resumed."""

    @contextmanager
    def open(self, plan: Mapping[str, Any]) -> Iterator[Desk]:
        """Hold the folder, and read what was asked before; FabulaError if it is for other work."""
        make_folder(self._folder)
        with exclusive(self._folder), appending(self._folder / ASKED) as self._file:
            _agree(self._folder / PLAN, plan)
            self._remember()
            yield self

    def know(self, form: Form, answer: Answer) -> None:
        """A reply that the model gave before, elsewhere."""
        self._known.setdefault((self._key(form), 0), answer)

    def run(self, jobs: Sequence[Asking]) -> Iterator[tuple[int, Found | FabulaError, int]]:
        """(number, end, questions) of each job, as they end; several are open at a time."""
        waiting = list(enumerate(jobs))[::-1]
        open_: dict[int, tuple[Asking, Request, set[tuple[str, int]]]] = {}
        while waiting or open_:
            while waiting and len(open_) < self._batch:
                number, job = waiting.pop()
                try:
                    open_[number] = (job, next(job), set())
                except StopIteration as end:
                    yield number, end.value, 0
                except FabulaError as error:  # nothing to shrink
                    yield number, error, 0
            for number in list(open_):
                job, request, seen = open_[number]
                try:
                    while (answer := self._answer(request)) is not None:
                        seen.add((self._key(request.form), request.turn))
                        request = job.send(answer)
                except StopIteration as end:
                    del open_[number]
                    yield number, end.value, len(seen)
                else:
                    open_[number] = (job, request, seen)
            self._ask([request for _, request, _ in open_.values()])

    def _answer(self, request: Request) -> Answer | None:
        return self._known.get((self._key(request.form), request.turn))

    def _ask(self, requests: Sequence[Request]) -> None:
        """Put questions to the model, each story and turn once."""
        wanted = {(self._key(request.form), request.turn): request.form for request in requests}
        keys = list(wanted)
        asked = [(form.asked, self._prompt(form.asked)) for form in wanted.values()]
        if not asked:
            return
        failures = []
        for at, reply in self._model.replies(asked):
            if reply.error:
                failures.append(reply.error)
                continue
            right = self._judge(asked[at][0], reply.text, reply.truncated)
            key, turn = keys[at]
            line = {"key": key, "turn": turn, "right": right, "reply": reply.text}
            with writing(self._folder / ASKED):
                self._file.write(orjson.dumps(line) + b"\n")
                self._file.flush()
            self._known[keys[at]] = Answer(reply.text, right)
            self.asked += 1
            self._tick(1)
        if failures or not all(key in self._known for key in keys):
            why = failures[0].strip().rstrip(".") if failures else "it gave no reply"
            raise FabulaError(
                f"{self._model.name}: no reply came to {len(failures) or 'some'} of {len(asked)} "
                f"questions: {why}. Replies so far are kept; the same command continues."
            )

    def _key(self, form: Form) -> str:
        """Names a story and question as the model sees them."""
        asked = form.asked
        content = (asked.story, asked.question, asked.choices, self._prompt(asked))
        return sha256(orjson.dumps(content)).hexdigest()[:24]

    def _remember(self) -> None:
        """Take in the replies of before; half a line is taken away."""
        path, whole = self._folder / ASKED, 0
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                try:
                    said = orjson.loads(line)
                    answer = Answer(str(said["reply"]), bool(said["right"]))
                    self._known[str(said["key"]), int(said["turn"])] = answer
                except (LookupError, TypeError, ValueError):
                    raise FabulaError(
                        f"{path}:{number}: not a reply; remove the line, and it is asked again."
                    ) from None
                self.asked += 1
        if whole < path.stat().st_size:
            os.truncate(path, whole)


def _agree(path: Path, plan: Mapping[str, Any]) -> None:
    """A folder holds replies of one model to one way of asking."""
    said = orjson.loads(orjson.dumps(plan))
    if not path.is_file():
        write_json(path, said)
        return
    before = read_json(path)
    for key, value in said.items():
        if before.get(key) != value:
            raise FabulaError(
                f"{path.parent}: has replies from a different search ({key} was "
                f"{before.get(key)!r}, now {value!r}); choose another folder with --out, or delete "
                "this one."
            )
