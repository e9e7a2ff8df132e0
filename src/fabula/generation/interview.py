"""Asks questions about a story as it is told.

The recipe sets how many: a fixed number, with some sentences in between; all that can be asked at
the end; or one after every n sentences, throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fabula.core.instance import Asked
from fabula.core.search import ELSEWHERE, Reasons
from fabula.core.seeds import Draw, pick, pick_weighted
from fabula.core.split import OPENING
from fabula.generation.examine import (
    ANSWER,
    REWORDINGS,
    SIGNATURE,
    Examiner,
    Refusal,
    Requirement,
    Requirements,
)
from fabula.recipe.cells import UNBOUNDED, Cell
from fabula.recipe.model import Recipe
from fabula.world.base import Candidate, Tale

ALL_OF_OPENING: Final = (1 << OPENING + 1) - 2  # as a mask
HOPELESS: Final = 20_000  # rejections because the question belonged to another split
# questions asked alongside need not meet any condition
ALONG: Final = Requirement(Cell(), (), (), 0, UNBOUNDED)


class ElsewhereError(Exception):
    """The question belongs to another split, and the story must be dropped.

    Another question of the same story, now or later, cannot replace it: proportions would shift,
    and stories would be longer than in other splits.
    """


class Schedule:
    """When and what a recipe asks about its stories, as plain values: these are needed for every
    question.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.low, self.high = recipe.lengths
        self.every: int = recipe.question_interval
        self.patience: int = recipe.max_extensions
        questions = recipe.questions
        self.throughout = questions == "throughout"
        self.all = questions == "all"
        self.questions: int = questions if isinstance(questions, int) else 0
        self.along: tuple[str, ...] = recipe.also_ask
        self.weights: dict[str, float] = dict(recipe.asks)
        self.balance: tuple[str, ...] = recipe.balance
        self.one_chance = recipe.split_key == "compound-divergence"
        """Whether a story is dropped as soon as something belongs to another split."""


class Interview:
    """One story, told and asked about."""

    def __init__(
        self,
        examiner: Examiner,
        schedule: Schedule,
        requirements: Requirements,
        tale: Tale,
        first: int,
        turn: int,
        draw: Draw,
        reasons: Reasons,
        waits: bool,
        length: float | None = None,
    ) -> None:
        """Questions become instances from index `first` on; `turn` selects the first requirement,
        and `reasons` counts the rejections.

        A story continues until there is something to ask. Unless `waits` is set, it is dropped when
        a question belongs to another split: waiting would make the stories of small splits longer
        than those of large ones.
        """
        self.examiner = examiner
        self.schedule = schedule
        self.requirements = requirements
        self.tale = tale
        self.first = first
        self.turn = turn
        self.draw = draw
        self.reasons = reasons
        self.waits = waits
        self._length = length
        self.asked: list[Asked] = []
        self._settled = 0  # sentences of proofs; rephrasing them could change their split

    def run(self) -> list[Asked] | None:
        """The questions; None, with the reason counted, if the story does not work out."""
        schedule, tale = self.schedule, self.tale
        goal = low = schedule.low
        if schedule.high > low:
            drawn = self.draw() if self._length is None else self._length
            goal += int(drawn * (schedule.high - low + 1))
        if schedule.throughout:
            return self._throughout(goal)
        if self.examiner.splitter.by_opening and not (
            self._told(goal, OPENING) and self._opens_here(reword=True)
        ):
            return None
        if not self._told(goal):
            return None
        if schedule.all:
            self._ask_all(self._wanted(0), self.examiner.kinds)
            return self.asked
        for number in range(schedule.questions):
            if number and not tale.advance(len(tale.sentences) + schedule.every):
                self.reasons.note("the story ended")
                return None
            if not self._ask_patiently(self._wanted(number)):
                return None
            if schedule.along:
                self._ask_all(ALONG, schedule.along)
        return self.asked

    def _throughout(self, goal: int) -> list[Asked] | None:
        """Ask a question after every n sentences, until the story ends or is long enough."""
        tale, every = self.tale, self.schedule.every
        while len(tale.sentences) < goal and tale.advance(len(tale.sentences) + every):
            self._ask(self._wanted(len(self.asked)))
        return self.asked if self._opens_here() else None

    def _wanted(self, number: int) -> Requirement:
        """The requirement of the question with this number."""
        return self.requirements[self.turn + number]

    # --- telling --------------------------------------------------------------------------

    def _told(self, goal: int, pause: int | None = None) -> bool:
        """Tell the story up to `goal` sentences; False if that fails."""
        if self.tale.advance(goal, pause=pause):
            return True
        self.reasons.note(f"nothing fits after {len(self.tale.sentences)} sentences")
        return False

    def _opens_here(self, reword: bool = False) -> bool:
        """Whether a story that begins like this belongs to the split, rephrased if `reword` is
        set.
        """
        tale, splitter = self.tale, self.examiner.splitter
        if splitter.admits_opening(tale.sentences):
            return True
        if reword:
            for _ in range(REWORDINGS):
                if not tale.reword(ALL_OF_OPENING & ((2 << len(tale.sentences)) - 1)):
                    break
                if splitter.admits_opening(tale.sentences):
                    return True
        self.reasons.note(ELSEWHERE)
        return False

    # --- asking ---------------------------------------------------------------------------

    def _ask_patiently(self, wanted: Requirement) -> bool:
        """Ask a question that meets the requirement; tell more of the story until there is one."""
        tale, reasons = self.tale, self.reasons
        refused, patience = reasons.elsewhere, self.schedule.patience
        found = self._ask(wanted)
        while not found and patience and reasons.elsewhere <= HOPELESS and not reasons.hopeless:
            if reasons.elsewhere > refused and not self.waits:
                raise ElsewhereError
            if not tale.advance(len(tale.sentences) + self.schedule.every):
                return False
            found = self._ask(wanted)
            patience -= 1
        return found

    def _ask(self, wanted: Requirement) -> bool:
        """Ask a question that meets the requirement, its kind drawn by weight; False if there is
        none.
        """
        kinds = wanted.kinds
        while kinds:
            kind = kinds[0]
            if len(kinds) > 1:
                weights = self.schedule.weights
                kind = pick_weighted(self.draw, kinds, [weights[k] for k in kinds])
            pool = self._pool(kind, wanted)
            while pool:
                candidate = self._drawn(pool, kind)
                if self._put(candidate, wanted, self.asked):
                    return True
                pool = [other for other in pool if other is not candidate]
            kinds = [other for other in kinds if other != kind]
        return False

    def _ask_all(self, wanted: Requirement, kinds: Sequence[str]) -> None:
        """Ask all questions of these kinds that can be asked now, except the one just asked."""
        before = len(self.asked)
        last = self.asked[-1].query if self.asked else None
        for kind in kinds:
            for candidate in self._pool(kind, wanted):
                if candidate.query != last:
                    self._put(candidate, wanted, ())
        if len(self.asked) == before:
            self.reasons.note("no question can be asked")

    def _pool(self, kind: str, wanted: Requirement) -> list[Candidate]:
        found = self.tale.candidates(kind, self.draw)
        pool = wanted.fitting(found)
        if not found:
            self.reasons.note(f"no {kind} question can be asked")
        elif not pool:
            other = ",".join(found[0].answer)
            self.reasons.refuse(f"{kind} questions with other answers, e.g. '{other}'", ANSWER)
        return pool

    def _drawn(self, pool: list[Candidate], kind: str) -> Candidate:
        """One of the pool; for balanced kinds, every answer is equally likely."""
        if len(pool) > 1 and kind in self.schedule.balance:
            answers = dict.fromkeys([found.answer for found in pool])
            if len(answers) > 1:
                answer = pick(self.draw, list(answers))
                pool = [found for found in pool if found.answer == answer]
        return pool[int(self.draw() * len(pool))]

    def _put(self, candidate: Candidate, wanted: Requirement, before: Sequence[Asked]) -> bool:
        """Ask this question if it passes the checks."""
        index = self.first + len(self.asked)
        found = self.examiner.examine(self.tale, candidate, wanted, before, self._settled, index)
        if isinstance(found, Refusal):
            self.reasons.refuse(found.reason, found.depth)
            if found.depth == SIGNATURE:
                self.reasons.meet(found.signature)
            if found.reason == ELSEWHERE and self.schedule.one_chance:
                raise ElsewhereError
            return False
        self.asked.append(found)
        self._settled |= found.masks[0] if found.masks else 0
        if found.variants:  # they differ in one sentence from the story as it is told now
            self._settled = (1 << found.position + 1) - 1
        return True
