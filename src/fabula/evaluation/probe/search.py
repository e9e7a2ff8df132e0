"""The search: which questions to ask next, when a cell is suspect, and whether it is confirmed.

    start     questions that cover all conditions evenly
    explore   half of each batch from cells that fail in a draw from the model of the pass rate
              (Thompson sampling, passrate.py), half where the remaining suspects disagree most
    confirm   fresh instances of the suspect and a fresh random sample of the recipe, compared by an
              exact test; a confirmed cell explains its failures, and the search continues

Promises:
1. A finding rests on instances that played no part in choosing it. The p-values of all tests are
   corrected by Holm's method for the maximum number of tests (TESTS), so that a model without a
   weak cell gets a finding in at most 5% of probes.
2. Later findings are tested outside earlier ones: what a stronger weakness explains is not
   reported.
3. The choice of questions depends only on the recipe, the seed and the replies: an interrupted
   probe makes the same choices again and reads the replies it has from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from fabula.core.seeds import stream
from fabula.errors import FabulaError
from fabula.evaluation.probe.conditions import Cell, Space
from fabula.evaluation.probe.evidence import Evidence, evidence, fisher
from fabula.evaluation.probe.passrate import PassRate
from fabula.evaluation.probe.pool import Pool
from fabula.evaluation.statistics import Interval, holm, wilson

BATCH, THOMPSON = 8, 4
TESTS = 4
"""Maximum number of suspects that are tested."""
LEVEL = 0.05
CONTROL = 0.12
"""Fraction of the budget for the random sample that suspects are compared with."""
LEAST = 100
"""Minimum number of questions for a confirmation."""
START = 32
FIRST_POOL, PER_QUESTION, LARGEST_POOL = 500, 2, 1_500
"""Initial number of instances, further ones per question of the budget, and the maximum."""
BOOST, RARE = 20, 0.015
"""Conditions with a smaller fraction than RARE get up to BOOST instances generated toward them."""
READY, IDENTIFIED = 0.15, 0.5
"""A suspect is tested when the chance of there being none is below READY and it, or a cell much
like it, is this likely among all cells."""
HOPEFUL = 0.5
"""At the end of the budget, the probability that there is none below which a test is worthwhile."""
ALIKE = 0.6
"""Overlap above which two cells count as one suspect."""

Ask = Callable[[Sequence[int]], Sequence[bool | None]]
"""Asks the instances of the pool at these positions; None for those without a reply."""


class Suspect(NamedTuple):
    """A cell that may be weak, by the evidence so far."""

    cell: Cell
    chance: float
    accuracy: float
    asked: int


@dataclass(frozen=True)
class Test:
    """A suspect tested on fresh instances."""

    __test__ = False

    cell: Cell
    right: int
    count: int
    elsewhere_right: int
    elsewhere_count: int
    p: float
    """Before correction."""
    asked: tuple[int, ...]
    """The positions of its fresh instances in the pool."""
    spent: int
    """Total number of questions asked when it was decided."""

    @property
    def accuracy(self) -> Interval:
        """The accuracy in the cell, with its 95% interval."""
        return wilson(self.right, self.count)

    @property
    def elsewhere(self) -> float:
        """The accuracy outside the cell and outside stronger findings."""
        return self.elsewhere_right / self.elsewhere_count if self.elsewhere_count else float("nan")


@dataclass
class Outcome:
    """The result of a search."""

    tests: list[Test]
    asked: int
    right: int
    concluded: bool
    """Whether the budget would have allowed a test."""
    cells: int
    """How many cells were searched."""
    smallest: float
    """The difference in accuracy that a test of this size detects in 8 of 10 cases."""

    @property
    def findings(self) -> list[tuple[Test, float]]:
        """The confirmed tests with their corrected p-values, the worst cell first."""
        padded = [test.p for test in self.tests] + [1.0] * (TESTS - len(self.tests))
        corrected = holm(padded)
        found = [(t, p) for t, p in zip(self.tests, corrected, strict=False) if p < LEVEL]
        return sorted(found, key=lambda each: (each[0].right / each[0].count, each[1]))


def pool_size(budget: int) -> int:
    """The initial number of instances, for this many questions."""
    return min(LARGEST_POOL, FIRST_POOL + PER_QUESTION * budget)


class Search:
    """One search for weak cells."""

    def __init__(
        self,
        pool: Pool,
        ask: Ask,
        left: Callable[[], int],
        name: str = "",
        watch: Callable[[Sequence[Suspect]], None] = lambda suspects: None,
    ) -> None:
        """`left`: the number of questions that may still be asked; `watch` is called with the
        suspects.
        """
        import numpy as np

        self.pool, self._ask, self._left, self._watch = pool, ask, left, watch
        draw = stream(f"probe {name}", pool.seed or 0, pool.split, 0, "search")
        self._random = np.random.default_rng([int(draw() * 2**32) for _ in range(4)])
        self.budget = left()
        self.control_size = min(120, max(30, round(CONTROL * self.budget)))
        pool.grow(max(0, pool_size(self.budget) - len(pool.items)))
        each = len(pool.items) / max(1, len({item.story for item in pool.items}))
        if each > 1:  # one question of each story is asked, so more stories are needed
            pool.grow(round((min(each, 8) - 1) * pool_size(self.budget)))
        self.space = Space([item.row for item in pool.items])
        if not self.space.cells:
            raise FabulaError(
                f"recipe {pool.recipe.id}: its instances do not differ in anything that a cell can "
                "select, so there is nothing to search. Probe a recipe with several kinds of "
                "question, events or lengths, or vary a setting, e.g. --vary length=10,40."
            )
        self._boost()
        self._stories: set[str] = set()
        self._used = np.zeros(len(pool.items), dtype=bool)
        self._rows: list[int] = []
        self._right: list[bool] = []
        self._control: list[tuple[int, bool]] = []
        self._model = PassRate(self.space.sizes)
        sizes = np.array(self.space.sizes)
        singles = max(1, int((sizes == 1).sum()))
        pairs = max(1, len(sizes) - singles)
        self._prior = np.where(sizes == 1, 0.5 / singles, 0.5 / pairs)
        self.tests: list[Test] = []
        self._found: list[int] = []
        self.asked = self.right = 0

    # --- the course of a search -----------------------------------------------------------------

    def run(self) -> Outcome:
        """Search until the budget is spent or there is nothing left to test."""
        self._begin()
        self.budget = self.asked + self._left()  # in tokens or dollars, better known by now
        while self._left() > self._reserve() and len(self.tests) < TESTS:
            found = self._evidence()
            self._watch(self._suspects(found))
            best = self._ready(found, READY, IDENTIFIED)
            if best is not None and self._can_test():
                self._test(best)
            elif not self._put(self._chosen(found), explore=True):
                break
        while self._can_test() and len(self.tests) < TESTS:
            best = self._ready(self._evidence(), HOPEFUL, 0.0)
            if best is None:
                break
            self._test(best)
        needed = 15 + (0 if self._control else self.control_size)
        return Outcome(
            self.tests,
            self.asked,
            self.right,
            bool(self.tests) or (self.budget >= LEAST and self._left() >= needed),
            len(self.space.cells),
            self._detectable(),
        )

    def _reserve(self) -> int:
        """The number of questions to reserve for a test."""
        return self._plan(0.4) + (0 if self._control else self.control_size)

    def _can_test(self) -> bool:
        return self._left() >= 15 + (0 if self._control else self.control_size)

    def _plan(self, effect: float) -> int:
        """The number of instances of a cell that a test of such an effect needs, within the
        budget.
        """
        level = self._level()
        low = max(0.02, level - effect)
        variance = low * (1 - low) + 0.5 * level * (1 - level)
        needed = (2.24 + 1.28) ** 2 * variance / max(effect, 0.1) ** 2
        return int(min(max(20, needed), max(20, 0.12 * self.budget)))

    def _detectable(self) -> float:
        count = max(20.0, 0.12 * self.budget)
        level = self._level()
        variance = level * (1 - level) * (1 / count + 1 / self.control_size) + 1e-9
        return min(1.0, (2.24 + 0.84) * sqrt(max(variance, 0.06 / count)))

    def _level(self) -> float:
        """The overall pass rate so far."""
        return (self.right + 4) / (self.asked + 5)

    def _boost(self) -> None:
        """Generate toward conditions that hardly occur by themselves."""
        size = len(self.pool.items)
        counts = self.space.members.sum(0)
        for at, cell in enumerate(self.space.cells):
            if len(cell.conditions) == 1 and counts[at] < RARE * size:
                self.pool.grow_toward(cell, BOOST)
        self._extended()

    def _extended(self) -> None:
        """Register the instances that were added to the pool."""
        import numpy as np

        new = self.pool.items[len(self.space.members) :]
        if new:
            self.space.extend([item.row for item in new])
        if hasattr(self, "_used"):
            more = np.zeros(len(self.pool.items) - len(self._used), dtype=bool)
            self._used = np.concatenate([self._used, more])

    # --- asking ---------------------------------------------------------------------------------

    def _put(self, chosen: Sequence[int], explore: bool) -> list[tuple[int, bool]]:
        """Ask instances, and learn from the replies unless they are for a test."""
        import numpy as np

        chosen = list(chosen)[: max(0, self._left())]
        for at in chosen:
            self._used[at] = True
            self._stories.add(self.pool.items[at].story)
        replies = self._ask(chosen) if chosen else []
        answered = [(at, right) for at, right in zip(chosen, replies, strict=True)
                    if right is not None]  # fmt: skip
        self.asked += len(answered)
        self.right += sum(right for _, right in answered)
        if explore and answered:
            rows = [at for at, _ in answered]
            self._rows += rows
            self._right += [right for _, right in answered]
            self._model.add(
                self.space.members[rows], np.array([right for _, right in answered], dtype=float)
            )
        return answered

    def _free(self, among: Any) -> list[int]:
        """Those of some positions that were not asked, one of each story, in random order."""
        import numpy as np

        found: list[int] = []
        seen: set[str] = set()
        for at in self._random.permutation(np.flatnonzero(among & ~self._used)):
            story = self.pool.items[at].story
            if story not in self._stories and story not in seen:
                seen.add(story)
                found.append(int(at))
        return found

    def _begin(self) -> None:
        """Ask questions that cover every condition about equally often."""
        import numpy as np

        singles = np.array(self.space.sizes) == 1
        columns = self.space.members[:, singles].astype(np.float32)
        covered = np.zeros(columns.shape[1])
        start = min(START, max(BATCH, self.budget // 6), self._left())
        free = self._free(np.ones(len(columns), dtype=bool))
        while start > 0 and free:
            batch = []
            for _ in range(min(BATCH, start)):
                some = free[:150]
                gain = columns[some] @ (1 / (1 + covered) ** 2)
                gain /= 1 + columns[some].sum(1)
                best = some[int(gain.argmax())]
                covered += columns[best]
                batch.append(best)
                free.remove(best)
                self._random.shuffle(free)
            start -= len(batch)
            if not self._put(batch, explore=True):
                return

    # --- choosing -------------------------------------------------------------------------------

    def _chosen(self, found: Evidence) -> list[int]:
        """The next batch: half by Thompson sampling, half where the suspects disagree."""
        drawn = self._thompson(THOMPSON)
        return drawn + self._telling(found, BATCH - len(drawn), {*drawn})

    def _outside(self) -> Any:
        """The instances of the pool that no finding explains."""
        import numpy as np

        outside = np.ones(len(self.space.members), dtype=bool)
        for at in self._found:
            outside &= ~self.space.members[:, at]
        return outside

    def _thompson(self, count: int) -> list[int]:
        """Instances of the cells that fail most in draws from the model of the pass rate."""
        import numpy as np

        weights, level = self._model.draws(count, self._random)
        sample = self._random.choice(
            np.flatnonzero(self._outside()), min(400, int(self._outside().sum())), replace=False
        )
        members = self.space.members[sample].astype(np.float32)
        failing = 1 / (1 + np.exp(np.clip(members @ weights + level, -30, 30)))
        sizes = members.sum(0)
        rates = (members.T @ failing.astype(np.float32)) / np.maximum(sizes, 1)[:, None]
        rates[sizes < 3] = 0
        chosen: list[int] = []
        free = self._outside() & ~self._used
        for draw in range(count):
            cell = int(rates[:, draw].argmax())
            there = np.flatnonzero(free & self.space.members[:, cell])
            self._pick(there, 1, chosen)
        return chosen

    def _telling(self, found: Evidence, count: int, taken: set[int]) -> list[int]:
        """Instances about which the predictions of the suspects disagree most."""
        import numpy as np

        chances, none = found.chances()
        top = np.argsort(-chances)[:200]
        weight, inside, outside = chances[top], found.inside[top], found.outside[top]
        overall = self._level()
        members = self.space.members[:, top].astype(np.float32)
        mean = members @ (weight * (inside - outside)) + weight @ outside + none * overall
        square = members @ (weight * (inside**2 - outside**2)) + weight @ outside**2
        rest = 1 - weight.sum() - none
        mean, square = mean + rest * overall, square + (none + rest) * overall**2
        spread = np.maximum(square - mean**2, 0) * (self._outside() & ~self._used)
        spread[list(taken)] = 0
        chosen: list[int] = []
        best = np.argsort(-spread)[: 4 * count]
        if not spread[best].any():
            return chosen
        share = spread[best] ** 2 / (spread[best] ** 2).sum()
        order = self._random.choice(best, min(len(best), int((share > 0).sum())), False, share)
        self._pick(order, count, chosen, shuffled=True)
        return chosen

    def _pick(self, among: Any, count: int, chosen: list[int], shuffled: bool = False) -> None:
        """Add instances whose story was not asked about."""
        stories = {self.pool.items[at].story for at in chosen}
        for at in among if shuffled else self._random.permutation(among):
            story = self.pool.items[at].story
            if count and story not in self._stories and story not in stories and at not in chosen:
                chosen.append(int(at))
                stories.add(story)
                count -= 1

    # --- suspects -------------------------------------------------------------------------------

    def _evidence(self) -> Evidence:
        """The evidence about each cell, from the replies outside the findings."""
        import numpy as np

        rows, right = np.array(self._rows, dtype=int), np.array(self._right, dtype=bool)
        kept = self._outside()[rows]
        found = evidence(self.space.members[rows[kept]], right[kept], self._prior)
        if self._found:  # a cell inside a finding has nothing left to explain
            inside = self.space.members[:, self._found].any(1)
            members = self.space.members
            covered = members[inside].sum(0) / np.maximum(members.sum(0), 1)
            found.log_odds[covered > 0.8] = -np.inf
        return found

    def _suspects(self, found: Evidence, count: int = 3) -> list[Suspect]:
        """The most likely suspects, without near-duplicates."""
        chances, _ = found.chances()
        suspects: list[Suspect] = []
        seen: list[int] = []
        for at in (-chances).argsort()[:60]:
            if all(self._overlap(at)[other] < 0.5 for other in seen):
                seen.append(int(at))
                suspects.append(
                    Suspect(self.space.cells[at], float(chances[at]), float(found.inside[at]),
                            int(found.count[at]))
                )  # fmt: skip
            if len(seen) == count:
                break
        return suspects

    def _overlap(self, at: int) -> Any:
        """The overlap of each cell with one: intersection over union in the pool."""
        import numpy as np

        members = self.space.members
        common = members[members[:, at]].sum(0)
        return common / np.maximum(members[:, at].sum() + members.sum(0) - common, 1)

    def _ready(self, found: Evidence, none: float, identified: float) -> int | None:
        """The cell to test: the most likely of similar cells that together explain the failures."""
        chances, nothing = found.chances()
        if nothing > none:
            return None
        best = int(chances.argmax())
        alike = self._overlap(best) >= ALIKE
        if chances[alike].sum() < identified * (1 - nothing) or found.count[best] < 6:
            return None
        return best

    # --- confirming -----------------------------------------------------------------------------

    def _test(self, at: int) -> None:
        """Test a cell on fresh instances."""
        import numpy as np

        found = self._evidence()
        cell = self.space.cells[at]
        effect = max(0.2, float(found.outside[at] - found.inside[at]) - 0.05)
        if not self._control:
            new = self.pool.grow(self.control_size + 20)
            self._extended()
            fresh = range(len(self.pool.items) - len(new), len(self.pool.items))
            among = np.zeros(len(self.pool.items), dtype=bool)
            among[list(fresh)] = True
            self._control = self._put(self._free(among)[: self.control_size], explore=False)
        wanted = min(self._plan(effect), self._left())
        chosen = self._fresh(at, wanted)
        first = max(8, round(0.4 * wanted))
        outside = self._outside()
        control = [(one, right) for one, right in self._control if outside[one]]
        inside = [(one, right) for one, right in control if self.space.members[one, at]]
        rest = [right for one, right in control if not self.space.members[one, at]]
        if len(rest) < self.control_size // 2:  # the cell is large: more of what lies outside
            others = self._free(outside & ~self.space.members[:, at])
            more = self.control_size // 2 - len(rest)
            rest += [right for _, right in self._put(others[:more], explore=False)]
        answered = self._put(chosen[:first], explore=True)
        level = sum(rest) / len(rest) if rest else 0.0
        if answered and sum(right for _, right in answered) / len(answered) < level - 0.08:
            answered += self._put(chosen[first:], explore=True)
        both = answered + inside
        right, count = sum(right for _, right in both), len(both)
        p = fisher(right, count, sum(rest), len(rest))
        self.tests.append(
            Test(cell, right, count, sum(rest), len(rest), p, tuple(one for one, _ in both),
                 self.asked)
        )  # fmt: skip
        if p < LEVEL / TESTS:
            self._found.append(at)
        else:
            self._prior = self._prior * (1 - 0.9 * (self._overlap(at) >= ALIKE))

    def _fresh(self, at: int, count: int) -> list[int]:
        """Instances of a cell that were not asked, generated if the pool has too few."""
        cell = self.space.cells[at]
        for attempt in range(4):
            free = self._free(self.space.members[:, at] & self._outside())
            if len(free) >= count:
                break
            missing = count - len(free) + 2
            share = self.space.members[:, at].mean()
            if share < 0.03 and attempt < 2:
                self.pool.grow_toward(cell, missing)
            else:
                self.pool.grow(min(1_000, int(missing / max(share, 0.02))))
            self._extended()
        return free[:count]
