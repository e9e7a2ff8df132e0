"""Which questions may be asked.

Promises:
1. A question is asked only if the reader can answer it; each support alone gives the answer and
   loses it without any of its sentences; the simulator's own answer is the same. All three are
   checked here, for every question.
2. It meets its requirement, measured on the proof, and its proof belongs to the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from fabula.core.instance import Asked
from fabula.core.search import HOME
from fabula.core.seeds import fingerprint
from fabula.core.soundness import shown
from fabula.core.split import Splitter, content, proof_content
from fabula.core.supports import numbers_of
from fabula.generation.composition import composition_name
from fabula.generation.shortcuts import misled
from fabula.recipe.cells import ANY, ANYTHING, UNBOUNDED, Cell, HeldOut
from fabula.recipe.model import Recipe
from fabula.recipe.quotas import CONDITIONS, Proof, fits_answer, misfit
from fabula.world.base import Candidate, Query, Reading, Tale, World, same_answer

REWORDINGS = 60  # before a proof is left to another split
ELSEWHERE = "belongs to another split"
ASKED_BEFORE = "asked before, and nothing has changed"


# how far a question came before it was refused: see search.py
ANSWER, GUESS, SIZE, STANDS, FIRST, NEXT, HELD_OUT, LANE = 1, 2, 3, 4, 10, 20, 900, 910


class Refusal(NamedTuple):
    """Why a question may not be asked, and how far it came."""

    reason: str
    depth: int = 0
    signature: int = 0
    """What other instances have, if that is the reason."""


class Requirement(NamedTuple):
    """What an instance is to be."""

    cell: Cell
    kinds: Sequence[str]
    """The kinds of question that may be asked."""
    conditions: tuple[Cell, ...]
    """What the question and its proof must fulfil."""
    least: int
    """Sentences of its support."""
    most: int
    misleads: tuple[str, ...] = ()
    """Trivial guesses that must be wrong."""

    @classmethod
    def of(cls, cell: Cell, recipe: Recipe) -> Requirement:
        """What a cell of a recipe wants."""
        kinds = [kind for kind in recipe.kinds() if not cell.asks or kind in cell.asks]
        conditions = tuple(wanted for wanted in (recipe.keep, cell) if wanted != ANYTHING)
        sizes = [wanted.support_size for wanted in conditions]
        least = max([0, *(low for low, _ in sizes)])
        most = min([UNBOUNDED, *(high for _, high in sizes)])
        misleads = {guess for wanted in conditions for guess in wanted.misleads}
        return cls(cell, kinds, conditions, least, most, tuple(sorted(misleads)))

    def fitting(self, pool: list[Candidate]) -> list[Candidate]:
        """The candidates that are as required, as far as question and answer tell."""
        for wanted in self.conditions:
            if wanted.answers or wanted.asks:
                pool = [found for found in pool if fits_answer(wanted, *found[:2])]
        return pool


class Requirements:
    """What each instance of a recipe is to be, by its turn."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._made: dict[int, Requirement] = {}  # by the id of the cell, which it keeps alive

    def __getitem__(self, turn: int) -> Requirement:
        """The requirement of the cell whose turn it is."""
        cell = self._recipe.cell_at(turn)
        wanted = self._made.get(id(cell))
        if wanted is None:
            wanted = self._made[id(cell)] = Requirement.of(cell, self._recipe)
        return wanted


class Examiner:
    """Examines the questions of one split of one recipe."""

    def __init__(
        self,
        recipe: Recipe,
        world: World,
        splitter: Splitter,
        held_out: Sequence[HeldOut] = (),
        lanes: int = 0,
    ) -> None:
        """`held_out`: combinations that this split must not have; `lanes`: see `_misfit`."""
        self.recipe = recipe
        self.kinds = recipe.kinds()
        self.world = world
        self.splitter = splitter
        self._held_out = held_out
        self._lanes = lanes

    def examine(
        self,
        tale: Tale,
        candidate: Candidate,
        wanted: Requirement,
        before: Sequence[Asked],
        settled: int,
        index: int,
    ) -> Asked | Refusal:
        """The question as instance `index`, with the supports that stand; or what is wrong.

        It is not one of those before, unless something has changed; sentences that are `settled`
        stay as they are told.
        """
        query, answer, cited = candidate
        if wanted.misleads and not self._misleads(tale, query, answer, wanted.misleads):
            return Refusal("a trivial guess is right", GUESS)
        finding = tale.reading.find(query)
        masks: list[int] = []
        if finding is not None and same_answer(query, finding.answer, answer):
            if self._repeats(query, finding.masks, before):
                return Refusal(ASKED_BEFORE)
            for mask in finding.masks[: self.recipe.max_supports]:
                # most questions are dropped for their size: that of the first support is enough
                if not masks and mask.bit_count() > wanted.most:
                    return Refusal(f"support of {mask.bit_count()}", SIZE)
                if tale.reading.stands(query, finding.conclusion, mask):
                    masks.append(mask)
                    if mask.bit_count() < wanted.least and len(masks) == 1:
                        return Refusal(f"support of {mask.bit_count()}", SIZE)
            if not masks:
                return Refusal("no support stands alone", STANDS)
            if self._repeats(query, masks, before):
                return Refusal(ASKED_BEFORE)
            truth = tale.truth(query)
            if not same_answer(query, truth, answer):
                raise AssertionError(_disagreement(tale, query, answer, truth))
        elif not cited:  # a published label may be wrong, and is recorded as such; ours may not
            raise AssertionError(_disagreement(tale, query, answer, finding))
        problem = self._misfit(tale, query, masks, wanted, index)
        if problem is not None:
            return problem
        best = masks[0] if masks else 0
        if not self._belongs(tale, query, best, settled):
            return Refusal(ELSEWHERE, HOME)
        question = self.world.ask(self.recipe.native, query)
        support = cited or numbers_of(best)
        relied = self.world.relies(tale.reading, query, answer, masks) if masks else ()
        return Asked(len(tale.sentences), query, question, answer, support, masks, relied)

    def _misleads(
        self, tale: Tale, query: Query, answer: tuple[str, ...], guesses: Sequence[str]
    ) -> bool:
        """Whether all of these guesses are wrong."""
        facts, choices = tale.reading.facts(), self.world.choices(self.recipe, query)
        return all(misled(guess, facts, query, choices, answer) for guess in guesses)

    def _repeats(self, query: Query, masks: list[int], before: Sequence[Asked]) -> bool:
        """Whether it was asked before, and follows from the same sentences as then."""
        if self.recipe.repeat:
            return False
        return any(one.query == query and one.masks == masks for one in before)

    def _misfit(
        self, tale: Tale, query: Query, masks: list[int], wanted: Requirement, index: int
    ) -> Refusal | None:
        """What about its proof keeps a question out; None if nothing does."""
        reading = tale.reading
        if wanted.conditions:
            proof = Proof(
                masks,
                len(tale.sentences),
                reading.concepts,
                lambda best: self.world.hops(reading, query, best),
                lambda best: related(reading, query, best),
            )
            for number, condition in enumerate(wanted.conditions):
                problem = misfit(condition, proof)
                if problem is not None:
                    return Refusal(problem.reason, FIRST + NEXT * number + problem.key)
        if self._held_out:
            for mask in masks:
                composition = reading.concepts(mask)
                if any(held.matches(query[0], composition) for held in self._held_out):
                    return Refusal("a combination that is held out", HELD_OUT)
        if self._lanes:
            # only every n-th instance may have a given signature: no count is kept, and yet it
            # comes at most as often as allowed
            found = fingerprint(reading.signature(query, masks[0] if masks else 0))
            if (found - index) % self._lanes:
                return Refusal("a signature for other instances", LANE, found)
        return None

    def _belongs(self, tale: Tale, query: Query, support: int, settled: int) -> bool:
        """Whether this split may have a proof, if need be in other words of the same meaning."""
        key = self.recipe.split_key
        if key in ("story", "none"):
            return True
        admits = self.splitter.admits
        if admits(self._content(tale, query, support)):
            return True
        if key != "proof":
            return False
        for _ in range(REWORDINGS):
            if not tale.reword(support & ~settled):
                return False
            if admits(self._content(tale, query, support)):
                return True
        return False

    def _content(self, tale: Tale, query: Query, support: int) -> str:
        """What no other split may have, whatever the order in which it is told."""
        key = self.recipe.split_key
        if key == "signature":
            return tale.reading.signature(query, support)
        if key == "compound-divergence":
            return composition_name(query[0], tale.reading.concepts(support))
        if key == "proof":
            told = [tale.sentences[number - 1] for number in numbers_of(support)]
            return proof_content(told, query)
        return content(self.world.canon(tale.reading, support), query)


def condition_at(depth: int, wanted: Requirement, recipe: Recipe) -> str:
    """The condition at which questions failed their requirement, as the recipe writes it."""
    if depth >= HELD_OUT:
        return "compositional.held_out" if depth < LANE else "max_per_signature"
    if depth < FIRST:
        key = {ANSWER: "answers", GUESS: "misleads", SIZE: "support_size"}.get(depth, "")
        cells = [cell for cell in wanted.conditions if key and getattr(cell, key) not in (ANY, ())]
    else:
        number, at = divmod(depth - FIRST, NEXT)
        cells, key = [wanted.conditions[number]], CONDITIONS[at]
    if not cells:
        return "the rule that a support stands alone"
    said = [
        f"{key} = {shown(getattr(cell, key))} of "
        + ("keep" if cell == recipe.keep else f"cell '{cell.name}'" if cell.name else "its cell")
        for cell in cells
    ]
    return f"the condition {' and '.join(said)}"


def lanes_of(recipe: Recipe, split: str) -> int:
    """Of how many instances one may have a given signature; 0: any may."""
    if not recipe.max_per_signature:
        return 0
    return ceil(recipe.splits[split].size / recipe.max_per_signature)


def related(reading: Reading, query: Query, support: int) -> int:
    """How many sentences outside a support name whom or what the question is about."""
    asked = query[1]
    return sum(
        not support >> number & 1 and any(asked in fact for fact in facts)
        for number, facts in enumerate(reading.facts(), 1)
    )


def _disagreement(tale: Tale, query: Query, answer: object, other: object) -> str:
    story = "\n".join(tale.sentences)
    return f"two routes disagree on {query}: {answer} and {other}, in\n{story}"
