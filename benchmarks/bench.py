"""Speed and memory: figures only, never assertions.

    python benchmarks/bench.py            the whole table, some minutes
    python benchmarks/bench.py --quick    a smoke run, figures of little worth

Every row runs in a process of its own, so that its peak memory is its own. This file imports
nothing of Fabula before a row begins, because a child's peak counts that of its parent.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

BABI = [f"babi/qa{n}" for n in range(1, 21)]

LONG = "actors/mix to JSONL, long run"
TWO = "actors/mix to JSONL, long run, 2 workers"
SHARDS = "babi/qa1, shards here"
ON_RAY = "babi/qa1, shards on Ray, 1 worker"


class Figure(NamedTuple):
    """What a row measured."""

    done: int
    seconds: float


class Row(NamedTuple):
    """One line of the table."""

    title: str
    unit: str
    measure: Callable[[int], Figure]
    full: int
    """How many, in the whole table."""
    quick: int
    """How many, in a smoke run."""
    aim: int = 0
    """A second, at least; 0 if nothing is aimed at."""


# --- stories ----------------------------------------------------------------------------------


def whole(count: int) -> Figure:
    """Stories of 20 sentences: unfolded, told, read, everything askable answered and proven."""
    from fabula.core.seeds import stream
    from fabula.recipe.loading import load
    from fabula.world.actors.recipe import ActorsRecipe
    from fabula.world.actors.tale import ActorsTale

    recipe = load("actors/mix")
    assert isinstance(recipe, ActorsRecipe)
    kinds = recipe.kinds()
    gc.disable()  # as the engine does for each range of instances
    start = perf_counter()
    for number in range(count):
        unfold, tell = (stream("bench", 0, "", number, stage) for stage in ("unfold", "tell"))
        tale = ActorsTale(recipe, unfold, tell)
        tale.advance(20)
        for kind in kinds:
            for candidate in tale.candidates(kind, tell):
                tale.reading.find(candidate.query)
    return Figure(count, perf_counter() - start)


def reading(count: int, questions: bool = False) -> Figure:
    """The same on stories told before: read, and everything askable answered and proven."""
    from fabula.core.seeds import stream
    from fabula.recipe.loading import load
    from fabula.world.actors.reading import read
    from fabula.world.actors.recipe import ActorsRecipe
    from fabula.world.actors.tale import ActorsTale

    recipe = load("actors/mix")
    assert isinstance(recipe, ActorsRecipe)
    kinds, seconds, asked = recipe.kinds(), 0.0, 0
    gc.disable()  # as the engine does for each range of instances
    for number in range(count):
        unfold, tell = (stream("bench", 0, "", number, stage) for stage in ("unfold", "tell"))
        tale = ActorsTale(recipe, unfold, tell)
        tale.advance(20)
        start = perf_counter()
        tale.reading = read(recipe.language, tale.sentences)
        for kind in kinds:
            for candidate in tale.candidates(kind, tell):
                tale.reading.find(candidate.query)
                asked += 1
        seconds += perf_counter() - start
    return Figure(asked if questions else count, seconds)


def answers(count: int) -> Figure:
    """The same, counted in questions."""
    return reading(count, questions=True)


# --- data sets --------------------------------------------------------------------------------


def writing(
    name: str,
    form: str,
    workers: int = 1,
    changes: dict[str, Any] | None = None,
    split: str = "train",
) -> Callable[[int], Figure]:
    """A measure that writes a data set into a temporary folder."""

    def measure(count: int) -> Figure:
        from fabula.datasets.engines import write
        from fabula.recipe.loading import load

        recipe = load(name, changes)
        with tempfile.TemporaryDirectory() as folder:
            start = perf_counter()
            write(recipe, Path(folder) / "data", {split: count}, form, 0, workers)
            return Figure(count, perf_counter() - start)

    return measure


# --- from passages to bytes ---------------------------------------------------------------------


def parts_of_writing(name: str, part: str) -> Callable[[int], Figure]:
    """A measure of one step on the way from a recipe to a file, the steps before not counted."""

    def measure(count: int) -> Figure:
        from fabula.datasets.formats import format_named
        from fabula.generation.author import Author
        from fabula.recipe.loading import load

        author = Author(load(name), "train", 0)
        form = format_named("jsonl" if part in ("passages", "records") else part)
        form.piece(author, author.passages(0, 10))  # what is loaded on first use
        seconds = 0.0
        gc.disable()  # as the engine does for each piece
        for first in range(0, count, 1_000):
            start = perf_counter()
            passages = list(author.passages(first, min(count, first + 1_000)))
            if part != "passages":
                start = perf_counter()
                if part == "records":
                    for passage in passages:
                        author.records(passage)
                else:
                    form.piece(author, passages)
            seconds += perf_counter() - start
        return Figure(count, seconds)

    return measure


def shards(engine: str, form: str = "jsonl") -> Callable[[int], Figure]:
    """A measure of shards made one after another by one worker of an engine that has started."""

    def measure(count: int) -> Figure:
        from fabula.datasets.engines import write
        from fabula.recipe.loading import load

        recipe, ticks = load("babi/qa1"), []
        with tempfile.TemporaryDirectory() as folder:
            write(
                recipe,
                Path(folder) / "data",
                {"train": count},
                form,
                engine=engine,
                shard_size=count // 8,
                progress=lambda made: ticks.append((perf_counter(), made)),
            )
        # from the first piece on: what starting costs is not the cost of a shard
        made = [(at, size) for at, size in ticks if size]
        return Figure(sum(size for _, size in made[1:]), made[-1][0] - made[0][0])

    return measure


# --- starting ---------------------------------------------------------------------------------


SAID = (
    "The answer is {answer}.",
    "**Answer:** {answer}",
    "{first} {second} Therefore, the answer is {answer}.",
    "Let's think step by step. {first} {second} So it is {answer}.",
    "{answer}, because {first}",
    "It is not {other}, but {answer}.",
    "<think>{first} Maybe {other}.</think>\nAnswer: {answer}",
    "I do not know. {first}",
    "{other} or {answer}",
    "{first} {second}",
)
"""Replies as models give them who were not told how."""


def scoring(free: bool) -> Callable[[int], Figure]:
    """A measure of scoring replies in the form that was asked for, or of every other."""

    def measure(count: int) -> Figure:
        import fabula
        from fabula.prompting.prompt import reply
        from fabula.scoring import score

        instances = list(fabula.generate("actors/mix", "test", 7, min(count, 2_000)))
        replies = [
            SAID[number % len(SAID)].format(
                answer=", ".join(each.answer), other=(each.choices or each.answer)[0],
                first=each.story[0], second=each.story[-1],
            ) if free else reply(each)
            for number, each in enumerate(instances)
        ]  # fmt: skip
        start = perf_counter()
        for number in range(count):
            score(instances[number % len(instances)], replies[number % len(instances)])
        return Figure(count, perf_counter() - start)

    return measure


def reporting(count: int) -> Figure:
    """A report of a run: page, numbers, pictures."""
    import fabula
    from fabula.core.instance import Instance
    from fabula.evaluation.model import Reply
    from fabula.evaluation.report import build
    from fabula.evaluation.run import evaluate
    from fabula.prompting.prompt import reply

    class Guesser:
        """Right in most cases."""

        name = "guesser"

        def about(self) -> dict[str, Any]:
            return {}

        def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
            for at, (instance, _) in enumerate(asked):
                yield at, Reply("Answer: yes" if at % 5 == 0 else reply(instance))

    few = list(fabula.generate("actors/mix", "test", 7, min(count, 2_000)))
    instances = [
        replace(few[number % len(few)], id=f"case:{number}", provenance={"index": number})
        for number in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        evaluate(Guesser(), instances, run)
        start = perf_counter()
        build([run], Path(folder) / "report.html")
        return Figure(count, perf_counter() - start)


def starting(*arguments: str) -> Callable[[int], Figure]:
    """A measure of a fresh interpreter that does something and ends; the median of some."""

    def measure(count: int) -> Figure:
        times = []
        for _ in range(count):
            start = perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            times.append(perf_counter() - start)
        return Figure(1, median(times))

    return measure


NOISE = {"irrelevant": [1, 4], "supporting": [2, 4], "disconnected": [1, 3]}
CHAINS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("stepgame/clean", "stepgame", "5 hops", {"hops": 5}),
    ("stepgame/clean", "stepgame", "10 hops, noise", {"hops": 10, "noise": NOISE}),
    ("clutrr/gen-23", "jsonl", "3 facts", {"tasks": [{"k": 3}]}),
    (
        "clutrr/gen-23",
        "jsonl",
        "10 facts, noise",
        {"tasks": [{"k": 10, "noise": ["irrelevant"]}], "clauses": "any"},
    ),
]

MIX = writing("dyna/mix-t12", "jsonl", split="test")
DIVERSE = writing("dyna/diverse-t12", "jsonl")

ROWS = [
    Row("20 sentences: unfold, tell, read, prove all", "stories", whole, 4_000, 50),
    Row("20 sentences told before: read, prove all", "stories", reading, 4_000, 50),
    Row("the same, questions", "questions", answers, 4_000, 50),
    *(Row(f"{name} to bAbI text", "questions", writing(name, "babi"), 5_000, 50) for name in BABI),
    *(
        Row(f"{name}, {keys}", "stories", writing(name, form, changes=changes), 3_000, 50)
        for name, form, keys, changes in CHAINS
    ),
    Row("actors/mix to JSONL", "instances", writing("actors/mix", "jsonl"), 5_000, 50),
    Row(LONG, "instances", writing("actors/mix", "jsonl"), 60_000, 1100),
    Row(
        TWO,
        "instances",
        writing("actors/mix", "jsonl", 2),
        60_000,
        1_100,
    ),
    Row("dyna/mix-t12 to JSONL, whole", "instances", MIX, 6_000, 170),
    Row("dyna/diverse-t12 to JSONL, training", "instances", DIVERSE, 24_772, 260),
    *(
        Row(f"babi/qa1, {title}", "instances", parts_of_writing("babi/qa1", part), 20_000, 1_000)
        for title, part in (
            ("passages only", "passages"),
            ("passages to records", "records"),
            ("passages to JSONL", "jsonl"),
            ("passages to Parquet's columns", "parquet"),
        )
    ),
    *(
        Row(f"babi/qa1 to {form}", "instances", writing("babi/qa1", form.lower()), 40_000, 1_000)
        for form in ("JSONL", "Parquet")
    ),
    Row(SHARDS, "instances", shards("inline"), 80_000, 8_000),
    Row(ON_RAY, "instances", shards("ray"), 80_000, 8_000),
    Row("babi/qa2 to JSONL, 1,000", "instances", writing("babi/qa2", "jsonl"), 1_000, 100),
    Row("babi/qa2 to JSONL, 50,000", "instances", writing("babi/qa2", "jsonl"), 50_000, 1_000),
    Row("replies scored", "replies", scoring(False), 40_000, 1_000),
    Row("replies scored, free text", "replies", scoring(True), 40_000, 1_000),
    Row("report of a run, with pictures", "replies", reporting, 100_000, 1_000),
    Row("start of Python", "starts", starting("-c", ""), 9, 3),
    Row("start and import fabula", "starts", starting("-c", "import fabula"), 9, 3),
    Row(
        "start and import fabula.generation.author",
        "starts",
        starting("-c", "import fabula.generation.author"),
        9,
        3,
    ),
    Row("fabula --help", "starts", starting("-m", "fabula.cli", "--help"), 9, 3),
]


def run_row(row: Row, count: int) -> None:
    """Measure one row in this process and print what came as JSON."""
    figure = row.measure(count)
    # the starts of other interpreters count as children, workers do too
    usage = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    scale = 1 if platform.system() == "Darwin" else 1024
    memory = [use.ru_maxrss * scale for use in usage]
    print(json.dumps([figure.done, figure.seconds, *memory]))


def main(rows: Sequence[Row], *script: str) -> dict[str, float]:
    """Print the table of the rows of a script, named as Python wants it; the figures a second."""
    parser = argparse.ArgumentParser(description="Speed and memory of Fabula.")
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    parser.add_argument("--only", default="", help="rows whose title holds this text")
    parser.add_argument("--row", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        number, count = options.row
        run_row(rows[number], count)
        return {}
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{python}, {platform.machine()}, {os.cpu_count()} cores\n")
    aims = f"{'aim':>10}" if any(row.aim for row in rows) else ""
    print(f"{'':44}{'count':>8}{'seconds':>10}{'a second':>11}  {'':10}{'peak MB':>8}{aims}")
    rates = {}
    for number, row in enumerate(rows):
        if options.only not in row.title:
            continue
        size = row.quick if options.quick else row.full
        command = [sys.executable, *script, "--row", str(number), str(size)]
        child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if child.returncode:
            print(f"{row.title:44}  failed")
            continue
        done, seconds, own, children = json.loads(child.stdout.splitlines()[-1])
        rates[row.title] = done / seconds
        peak = f"{max(own, children) / 1e6:8.0f}"
        rate = f"{done / seconds:11,.0f}  {row.unit:10}"
        aim = f"{row.aim:10,}" if row.aim else ""
        print(f"{row.title:44}{done:8,}{seconds:10.3f}{rate}{peak}{aim}", flush=True)
    return rates


if __name__ == "__main__":
    rates = main(ROWS, __file__)
    if SHARDS in rates and ON_RAY in rates:
        print(f"\nA shard costs {rates[SHARDS] / rates[ON_RAY]:.2f} times as much on Ray as here.")
    if LONG in rates and TWO in rates:
        print(f"\nTwo workers are {rates[TWO] / rates[LONG]:.2f} times as fast as one.")
