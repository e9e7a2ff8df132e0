"""A story is told, and questions are put to it.

A recipe says how many: a number, with some sentences between them; all that can be asked at the
end; or one after every so many sentences, throughout.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.instance import Asked
from fabula.core.search import Reasons
from fabula.core.seeds import Draw, pick, pick_weighted
from fabula.core.split import OPENING
from fabula.generation.examine import (
    ANSWER,
    ELSEWHERE,
    LANE,
    Examiner,
    Refusal,
    Requirement,
    Requirements,
)
from fabula.recipe.cells import UNBOUNDED, Cell
from fabula.world.base import Candidate, Tale

HOPELESS = 20_000  # so often what could be asked belonged to another split
ALONG = Requirement(Cell(), (), (), 0, UNBOUNDED)  # what is passed along need not fulfil anything


class ElsewhereError(Exception):
    """What was asked belongs to another split, and another question of the story, now or later, is
    no substitute: what remains must be in proportion, and stories as long as in other splits."""


class Interview:
    """One story, told and asked about."""

    def __init__(
        self,
        examiner: Examiner,
        requirements: Requirements,
        tale: Tale,
        first: int,
        turn: int,
        draw: Draw,
        reasons: Reasons,
        waits: bool,
    ) -> None:
        """Its questions are instances from `first` on; `turn` says which requirement is the first,
        and `reasons` counts what stood in the way.

        A story is told on until there is something to ask. Unless it `waits` for its split too, it
        is given up where something was asked that another split has: waiting would make the
        stories of small splits longer than those of large ones.
        """
        self.examiner = examiner
        self.recipe = examiner.recipe
        self.requirements = requirements
        self.tale = tale
        self.first = first
        self.turn = turn
        self.draw = draw
        self.reasons = reasons
        self.waits = waits
        self.asked: list[Asked] = []
        self._settled = 0  # the sentences of proofs, which belong to the split as they are told

    def held(self) -> list[Asked] | None:
        """The questions; None, with a reason counted, if it does not work out."""
        recipe = self.recipe
        low, high = recipe.lengths
        goal = low if low == high else low + int(self.draw() * (high - low + 1))
        if recipe.questions == "throughout":
            return self._throughout(goal)
        if not self._told(goal, OPENING) or not self._opens_here() or not self._told(goal):
            return None
        if recipe.questions == "all":
            self._ask_all(self._wanted(0), self.examiner.kinds)
            return self.asked
        for number in range(recipe.questions):
            if number and not self.tale.advance(len(self.tale.sentences) + recipe.every):
                self.reasons["the story came to an end"] += 1
                return None
            if not self._ask_patiently(self._wanted(number)):
                return None
            if recipe.along:
                self._ask_all(ALONG, recipe.along)
        return self.asked

    def _throughout(self, goal: int) -> list[Asked] | None:
        """A question every so many sentences, until the story ends or is long enough."""
        tale, every = self.tale, self.recipe.every
        while len(tale.sentences) < goal and tale.advance(len(tale.sentences) + every):
            self._ask(self._wanted(len(self.asked)))
        return self.asked if self._opens_here() else None

    def _wanted(self, number: int) -> Requirement:
        """What the question of this number is to be."""
        return self.requirements[self.turn + number]

    # --- telling --------------------------------------------------------------------------

    def _told(self, goal: int, pause: int | None = None) -> bool:
        """Whether the story could be told so far."""
        if self.tale.advance(goal, pause=pause):
            return True
        self.reasons[f"nothing fits after {len(self.tale.sentences)} sentences"] += 1
        return False

    def _opens_here(self) -> bool:
        """Whether a story that begins so belongs to the split."""
        if self.examiner.splitter.admits_opening(self.tale.sentences):
            return True
        self.reasons[ELSEWHERE] += 1
        return False

    # --- asking ---------------------------------------------------------------------------

    def _ask_patiently(self, wanted: Requirement) -> bool:
        """Ask what is required, and tell on until it can be asked."""
        tale, reasons = self.tale, self.reasons
        refused, patience = reasons[ELSEWHERE], self.recipe.patience
        found = self._ask(wanted)
        while not found and patience and reasons[ELSEWHERE] <= HOPELESS and not reasons.hopeless:
            if reasons[ELSEWHERE] > refused and not self.waits:
                raise ElsewhereError
            if not tale.advance(len(tale.sentences) + self.recipe.every):
                return False
            found = self._ask(wanted)
            patience -= 1
        return found

    def _ask(self, wanted: Requirement) -> bool:
        """Ask what is required, its kind drawn by weight; False if nothing can be asked."""
        kinds = list(wanted.kinds)
        while kinds:
            kind = kinds[0]
            if len(kinds) > 1:
                kind = pick_weighted(self.draw, kinds, [self.recipe.asks[k] for k in kinds])
            pool = self._pool(kind, wanted)
            while pool:
                candidate = self._drawn(pool, kind)
                if self._put(candidate, wanted, self.asked):
                    return True
                pool.remove(candidate)
            kinds.remove(kind)
        return False

    def _ask_all(self, wanted: Requirement, kinds: Sequence[str]) -> None:
        """Ask all questions of these kinds that can be asked now, but for the one just asked."""
        before = len(self.asked)
        last = self.asked[-1].query if self.asked else None
        for kind in kinds:
            for candidate in self._pool(kind, wanted):
                if candidate.query != last:
                    self._put(candidate, wanted, ())
        if len(self.asked) == before:
            self.reasons["nothing can be asked"] += 1

    def _pool(self, kind: str, wanted: Requirement) -> list[Candidate]:
        found = self.tale.candidates(kind, self.draw)
        pool = wanted.fitting(found)
        if not found:
            self.reasons[f"no {kind} question can be asked"] += 1
        elif not pool:
            other = ",".join(found[0].answer)
            self.reasons.refuse(f"{kind} questions with other answers, e.g. '{other}'", ANSWER)
        return pool

    def _drawn(self, pool: list[Candidate], kind: str) -> Candidate:
        """One of the pool; of a kind that is balanced, every answer is as likely."""
        if kind in self.recipe.balance and len(pool) > 1:
            answers = list(dict.fromkeys(found.answer for found in pool))
            if len(answers) > 1:
                answer = pick(self.draw, answers)
                pool = [found for found in pool if found.answer == answer]
        return pick(self.draw, pool)

    def _put(self, candidate: Candidate, wanted: Requirement, before: Sequence[Asked]) -> bool:
        """Ask this, if it passes the examination."""
        index = self.first + len(self.asked)
        found = self.examiner.examine(self.tale, candidate, wanted, before, self._settled, index)
        if isinstance(found, Refusal):
            self.reasons.refuse(found.reason, found.depth)
            if found.depth == LANE:
                self.reasons.meet(found.signature)
            if found.reason == ELSEWHERE and self.recipe.split_key == "compound-divergence":
                raise ElsewhereError
            return False
        self.asked.append(found)
        self._settled |= found.masks[0] if found.masks else 0
        return True
