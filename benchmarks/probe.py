"""Power and false alarms of the probe, on students with planted weaknesses.

    python benchmarks/probe.py                       # one weakness, 40 points, 500 questions
    python benchmarks/probe.py --effects 0.2,0.4,0.6 --pairs 15 --nulls 60 --uniform 500,1000,2000

A student answers correctly with a base rate, and less often in its weak cells. The instances are
real; replies are simulated. A weakness counts as found if a finding selects nearly the same
instances (intersection over union of at least 0.5; 'exact': 0.9). Compared is uniform sampling:
random questions, then an exact test of every cell of the same space with Holm's correction.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import fabula
from fabula.evaluation.probe.conditions import Cell, Condition, Space
from fabula.evaluation.probe.evidence import fisher
from fabula.evaluation.probe.pool import Item, Pool
from fabula.evaluation.probe.search import Outcome, Search

WEAKNESSES: dict[str, tuple[Condition, ...]] = {
    "kind": (Condition("asks", "where-was-object"),),
    "rare kind": (Condition("asks", "who-gave-to"),),
    "event": (Condition("requires", "GIVE"),),
    "telling": (Condition("requires", "COREF"),),
    "rare telling": (Condition("requires", "INDEF"),),
    "support size": (Condition("support_size", low=3),),
    "answer": (Condition("answers", "maybe"),),
    "old support": (Condition("recency", low=12),),
    "kind and event": (Condition("asks", "where-object"), Condition("requires", "GIVE")),
    "kind and telling": (Condition("asks", "where-person"), Condition("requires", "COMPOUND")),
    "kind and size": (Condition("asks", "count"), Condition("support_size", low=2)),
    "kind and recency": (Condition("asks", "yes-no"), Condition("recency", low=8)),
    "two events": (Condition("requires", "DROP"), Condition("requires", "GRAB")),
    "event and telling": (Condition("requires", "MOVE"), Condition("requires", "COREF")),
    "telling and distractors": (
        Condition("requires", "CONJ"), Condition("related_distractors", low=5)
    ),
}  # fmt: skip
"""Fifteen kinds of weakness, for recipes of the actor world."""

Student = Callable[[Item], float]
"""The chance of a correct answer."""


class Stock(Pool):
    """A pool whose instances were generated before, so that many probes can share them."""

    def __init__(self, pool: Pool, source: Sequence[Item], seed: int = 0) -> None:
        self.recipe, self.split, self.seed = pool.recipe, pool.split, seed
        self.items = []
        self.source = source
        self._pool = pool
        self._stock = list(source)
        random.Random(seed).shuffle(self._stock)

    def grow(self, count: int) -> list[Item]:
        new, self._stock = self._stock[:count], self._stock[count:]
        self.items += new
        return new

    def grow_toward(self, cell: Cell, count: int) -> list[Item]:
        new = [item for item in self._pool.grow_toward(cell, count) if cell.holds(item.row)]
        self.items += new
        return new


def student(weak: Sequence[Cell], effect: float, base: float = 0.85) -> Student:
    """Answers at a base rate, and at a lower one in its weak cells."""
    return lambda item: base - effect * any(cell.holds(item.row) for cell in weak)


class Trial(NamedTuple):
    outcome: Outcome
    own: float
    """Seconds of processor time for each question."""
    near: list[list[float]]
    """For each finding its overlap with each weak cell."""

    def when(self, weak: int = 0, least: float = 0.5) -> float:
        """Questions until a weakness was found; infinite if it was not."""
        pairs = zip(self.outcome.findings, self.near, strict=True)
        return min([t.spent for (t, _), near in pairs if near[weak] >= least], default=float("inf"))


def trial(pool: Pool, source: Sequence[Item], weak: Sequence[Cell], effect: float, budget: int,
          seed: int, base: float = 0.85) -> Trial:  # fmt: skip
    """One probe of one student."""
    stock = Stock(pool, source, seed)
    answers = student(weak, effect, base)
    chance = random.Random(f"replies {seed}")
    spent = [0]

    def ask(chosen: Sequence[int]) -> list[bool]:
        spent[0] += len(chosen)
        return [chance.random() < answers(stock.items[at]) for at in chosen]

    begun = time.process_time()
    found = Search(stock, ask, lambda: budget - spent[0], str(seed)).run()
    own = (time.process_time() - begun) / max(1, found.asked)
    near = [[overlap(source[:1500], t.cell, cell) for cell in weak] for t, _ in found.findings]
    return Trial(found, own, near)


def overlap(items: Sequence[Item], one: Cell, other: Cell) -> float:
    """Intersection over union."""
    first = np.array([one.holds(item.row) for item in items])
    second = np.array([other.holds(item.row) for item in items])
    either = int((first | second).sum())
    return float((first & second).sum() / either) if either else 0.0


def uniform(source: Sequence[Item], space: Space, answers: Student, count: int,
            seed: int) -> Cell | None:  # fmt: skip
    """The cell that random questions and Holm's correction over all cells find, if any."""
    chance = random.Random(f"uniform {seed}")
    chosen = chance.sample(range(len(source)), count)
    right = np.array([chance.random() < answers(source[at]) for at in chosen])
    members = space.members[chosen]
    counts = members.sum(0)
    good = (right.astype(float) @ members).round().astype(int)
    best, smallest = None, 0.05 / len(space.cells)
    for at in np.flatnonzero((counts >= 5) & (good / np.maximum(counts, 1) < right.mean())):
        inside, wins = int(counts[at]), int(good[at])
        p = fisher(wins, inside, int(right.sum()) - wins, count - inside)
        if p < smallest:
            best, smallest = space.cells[at], p
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recipe", default="actors/mix")
    parser.add_argument("--repeats", type=int, default=4, help="students of each kind")
    parser.add_argument("--budget", type=int, default=500)
    parser.add_argument("--effects", default="0.4")
    parser.add_argument("--pairs", type=int, default=0, help="students with two weaknesses")
    parser.add_argument("--nulls", type=int, default=0, help="students without a weakness")
    parser.add_argument("--uniform", default="", help="sizes of uniform samples, e.g. 500,1000")
    options = parser.parse_args()
    pool = Pool(fabula.load(options.recipe), "test", None)
    source = list(pool.grow(6_000))
    kinds = {name: Cell(conditions) for name, conditions in WEAKNESSES.items()}

    for effect in map(float, filter(None, options.effects.split(","))):
        trials = {
            name: [trial(pool, source, [cell], effect, options.budget, 1000 * at + repeat)
                   for repeat in range(options.repeats)]
            for at, (name, cell) in enumerate(kinds.items())
        }  # fmt: skip
        every = [each for some in trials.values() for each in some]
        when = np.array([each.when() for each in every])
        exact = np.array([each.when(least=0.9) for each in every])
        astray = [any(max(near) < 0.1 for near in each.near) for each in every]
        print(
            f"{100 * effect:.0f} points, {options.budget} questions, {len(every)} students: "
            f"found {np.isfinite(when).mean():.0%}, exactly {np.isfinite(exact).mean():.0%}, "
            f"unrelated finding {np.mean(astray):.1%}, median {np.median(when):.0f} questions, "
            f"own work {1000 * np.mean([each.own for each in every]):.1f} ms a question"
        )
        print("   by kind:", {n: f"{np.isfinite([t.when() for t in some]).mean():.0%}"
                              for n, some in trials.items()})  # fmt: skip
        print("   within:", {n: f"{(when <= n).mean():.0%}" for n in range(150, 501, 50)},
              flush=True)  # fmt: skip

    if options.pairs:
        found, first = [], []
        for number in range(options.pairs):
            chosen = random.Random(number).sample(sorted(kinds), 2)
            each = trial(pool, source, [kinds[name] for name in chosen], 0.4, options.budget,
                         50_000 + number)  # fmt: skip
            found += [np.isfinite(each.when(weak)) for weak in (0, 1)]
            first += [max(near) >= 0.5 for near in each.near[:1]]
        print(f"two weaknesses, {options.pairs} students: {np.mean(found):.0%} of them found, "
              f"first finding is one of the two in {np.mean(first):.0%}", flush=True)  # fmt: skip

    if options.nulls:
        alarms = [
            bool(trial(pool, source, [], 0.0, options.budget, 90_000 + number,
                       random.Random(number).uniform(0.5, 0.97)).outcome.findings)
            for number in range(options.nulls)
        ]  # fmt: skip
        print(f"no weakness, {options.nulls} students: false alarms {np.mean(alarms):.1%}",
              flush=True)  # fmt: skip

    if options.uniform:
        space = Space([item.row for item in source])
        for count in map(int, options.uniform.split(",")):
            hits = []
            for at, cell in enumerate(kinds.values()):
                for repeat in range(options.repeats):
                    best = uniform(source, space, student([cell], 0.4), count, 1000 * at + repeat)
                    near = 0.0 if best is None else overlap(source[:1500], best, cell)
                    hits.append(near >= 0.5)
            print(f"uniform sampling, {count} questions: found {np.mean(hits):.0%}", flush=True)


if __name__ == "__main__":
    main()
