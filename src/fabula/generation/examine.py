"""Which questions may be asked.

Promises:
1. A question is asked only if the reader can answer it, each support alone gives the answer and
   loses it without any one of its sentences, and the simulator's own answer is the same. All three
   are checked here, for every question.
2. It meets its requirement, measured on the proof, and its proof belongs to the split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, NamedTuple

from fabula.core.instance import Asked
from fabula.core.search import ELSEWHERE, HOME
from fabula.core.seeds import fingerprint, pick_weighted, stream
from fabula.core.soundness import shown
from fabula.core.split import Splitter, content, proof_content
from fabula.core.supports import numbers_of
from fabula.generation.composition import composition_name
from fabula.generation.family import Family
from fabula.generation.shortcuts import misled
from fabula.generation.variants import Contraster
from fabula.recipe.cells import ANY, ANYTHING, UNBOUNDED, Cell, HeldOut
from fabula.recipe.model import Contrast, Recipe
from fabula.recipe.quotas import CONDITIONS, SOME, Proof, beyond_size, fits_answer, misfit
from fabula.world.base import Candidate, Query, Reading, Tale, World, same_answer

MEMO_LIMIT: Final = 10_000  # questions whose words are cached
REWORDINGS: Final = 60  # tried before a proof is left to another split
ASKED_BEFORE: Final = "asked before, and nothing has changed"


# how far a question got before it was rejected: see search.py
UNEXAMINED: Final = -1  # it says nothing about the conditions
ANSWER: Final = 1
GUESS: Final = 2
SIZE: Final = 3
STANDS: Final = 4
FIRST: Final = 10
NEXT: Final = 20
HELD_OUT: Final = 900
SIGNATURE: Final = 910
CONTRAST: Final = 915


class Refusal(NamedTuple):
    """Why a question was rejected, and how far it got."""

    reason: str
    depth: int = 0
    signature: int = 0
    """The signature, if it is reserved for other instances."""


class Requirement(NamedTuple):
    """The conditions that an instance has to meet."""

    cell: Cell
    kinds: Sequence[str]
    """The kinds of question that may be asked."""
    conditions: tuple[Cell, ...]
    """Conditions on the question and its proof."""
    least: int
    """Minimum size of the support, in sentences."""
    most: int
    misleads: tuple[str, ...] = ()
    """Trivial guesses that must be wrong."""
    by_answer: tuple[Cell, ...] = ()
    """The conditions on question and answer alone."""
    by_proof: tuple[Cell, ...] = ()
    """The conditions on more of the proof than its size."""

    @classmethod
    def of(cls, cell: Cell, recipe: Recipe) -> Requirement:
        """The requirement of a cell of a recipe."""
        kinds = [kind for kind in recipe.kinds() if not cell.asks or kind in cell.asks]
        conditions = tuple(wanted for wanted in (recipe.keep, cell) if wanted != ANYTHING)
        sizes = [wanted.support_size for wanted in conditions]
        least = max([0, *(low for low, _ in sizes)])
        most = min([UNBOUNDED, *(high for _, high in sizes)])
        misleads = {guess for wanted in conditions for guess in wanted.misleads}
        by_answer = tuple(wanted for wanted in conditions if wanted.answers or wanted.asks)
        by_proof = tuple(wanted for wanted in conditions if beyond_size(wanted))
        guesses = tuple(sorted(misleads))
        return cls(cell, kinds, conditions, least, most, guesses, by_answer, by_proof)

    def fitting(self, pool: list[Candidate]) -> list[Candidate]:
        """The candidates that meet the requirement, judging by question and answer."""
        for wanted in self.by_answer:
            fits: dict[tuple[str, ...], bool] = {}
            for found in pool:
                if found.answer not in fits:
                    fits[found.answer] = fits_answer(wanted, found.query, found.answer)
            pool = [found for found in pool if fits[found.answer]]
        return pool


class Requirements:
    """The requirement of each instance of a recipe, by its turn."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._made: dict[int, Requirement] = {}  # by id of the cell, which the value keeps alive
        self._only: Requirement | None = None
        """The requirement of all instances, if they share one."""
        if not recipe.quota_cells and type(recipe).cell_at is Recipe.cell_at:
            self._only = Requirement.of(recipe.cell_at(0), recipe)

    def __getitem__(self, turn: int) -> Requirement:
        """The requirement of the cell at this turn."""
        if self._only is not None:
            return self._only
        cell = self._recipe.cell_at(turn)
        wanted = self._made.get(id(cell))
        if wanted is None:
            wanted = self._made[id(cell)] = Requirement.of(cell, self._recipe)
        return wanted


class Settled(Requirements):
    """Requirements with one question kind each, drawn before anything is told (see unknown.py)."""

    def __init__(self, recipe: Recipe, seed: int, split: str) -> None:
        super().__init__(recipe)
        self._seed = seed
        self._split = split

    def __getitem__(self, turn: int) -> Requirement:
        """The requirement of the cell at this turn, for the question kind drawn for it."""
        wanted = super().__getitem__(turn)
        if len(wanted.kinds) < 2:
            return wanted
        drawn = stream(self._recipe.id, self._seed, self._split, turn, "kind")
        weights = [self._recipe.asks[kind] for kind in wanted.kinds]
        return wanted._replace(kinds=(pick_weighted(drawn, wanted.kinds, weights),))


class Examiner:
    """Checks the questions of one split of one recipe."""

    def __init__(
        self,
        recipe: Recipe,
        world: World,
        splitter: Splitter,
        held_out: Sequence[HeldOut] = (),
        stride: int = 0,
        only_best: bool = False,
    ) -> None:
        """`held_out`: combinations that must not occur in this split; `stride`: see
        `signature_stride`; `only_best`: skip the alternative supports.
        """
        self.recipe = recipe
        self.kinds = recipe.kinds()
        self.world = world
        self.splitter = splitter
        self._held_out = held_out
        self._stride = stride
        conditions = (recipe.keep, *recipe.quota_cells)
        counted = any(cell.supports != SOME for cell in conditions)
        related = recipe.unknown or recipe.contrast != Contrast()
        self._only_best = only_best and not held_out and not counted and not related
        self._repeats_matter = not recipe.allow_repeats
        self._most_supports = recipe.max_supports
        self._key: str = recipe.split_key
        self._native: str = recipe.native
        self._admitted: dict[tuple[Query, tuple[str, ...], str], bool] = {}
        """Whether a proof with a sentence in this wording belongs to the split."""
        self._questions: dict[Query, str] = {}
        """Questions in words."""
        self._contraster: Contraster | None = None

    def contrast(
        self, family: Family, seed: int, split: str, donors: Callable[[], Sequence[Reading]]
    ) -> None:
        """Accept only questions for which the variants of the recipe can be found."""
        self._contraster = Contraster(
            self.recipe, self.world, family, seed, split, self.keeps, donors
        )

    def examine(
        self,
        tale: Tale,
        candidate: Candidate,
        wanted: Requirement,
        before: Sequence[Asked],
        settled: int,
        index: int,
    ) -> Asked | Refusal:
        """The question as instance `index`, with the supports that hold; or why it is rejected.

        A question that was asked before is rejected unless its support has changed. Sentences in
        the mask `settled` may no longer be rephrased.
        """
        query, answer, cited = candidate.query, candidate.answer, candidate.cited
        proven = False  # whether the proof decides the split
        if wanted.misleads and not self._misleads(tale, query, answer, wanted.misleads):
            return Refusal("a trivial guess gets it right", GUESS)
        finding = tale.reading.find(query)
        masks: list[int] = []
        if finding is not None and same_answer(query, finding.answer, answer):
            best = finding.masks[0] if finding.masks else 0
            # most are rejected for their size, by the first support
            if best.bit_count() > wanted.most:
                return Refusal(f"support of {best.bit_count()}", SIZE)
            if self._repeats(query, best, before):
                return Refusal(ASKED_BEFORE)
            # cached, so it comes before the proof
            if not self._belongs(tale, query, best, settled):
                return Refusal(ELSEWHERE, UNEXAMINED)
            for mask in finding.masks[: self._most_supports]:
                if not masks and mask.bit_count() > wanted.most:
                    return Refusal(f"support of {mask.bit_count()}", SIZE)
                if tale.reading.stands(query, finding.conclusion, mask):
                    masks.append(mask)
                    if mask.bit_count() < wanted.least and len(masks) == 1:
                        return Refusal(f"support of {mask.bit_count()}", SIZE)
                    if self._only_best:
                        break
            if not masks:
                return Refusal("no support is sufficient on its own", STANDS)
            proven = masks[0] == best
            if not proven and self._repeats(query, masks[0], before):
                return Refusal(ASKED_BEFORE)
            truth = tale.truth(query)
            if not same_answer(query, truth, answer):
                raise AssertionError(_disagreement(tale, query, answer, truth))
        elif not cited:  # published labels may be wrong, and are recorded as such; ours may not
            raise AssertionError(_disagreement(tale, query, answer, finding))
        problem = self._misfit(tale, query, masks, wanted, index)
        if problem is not None:
            return problem
        best = masks[0] if masks else 0
        if not proven and not self._belongs(tale, query, best, settled):
            return Refusal(ELSEWHERE, HOME)
        question = self._questions.get(query)
        if question is None:
            if len(self._questions) >= MEMO_LIMIT:
                self._questions.clear()
            question = self._questions[query] = self.world.ask(self._native, query)
        support = cited or numbers_of(best)
        relied = self.world.relies(tale.reading, query, answer, masks) if masks else ()
        asked = Asked(len(tale.sentences), query, question, answer, support, masks, relied)
        if self._contraster is None:
            return asked
        variants = self._contraster.variants(tale, asked, index)
        if isinstance(variants, str):
            return Refusal(variants, CONTRAST)
        return asked._replace(variants=variants)

    def keeps(
        self, sentences: Sequence[str], reading: Reading, query: Query, masks: list[int]
    ) -> bool:
        """Whether an edited story belongs to this split and combines nothing held out."""
        for mask in masks if self._held_out else ():
            composition = reading.concepts(mask)
            if any(held.matches(query[0], composition) for held in self._held_out):
                return False
        if not self.world.permits(self.recipe, reading, query, masks):
            return False
        if self.recipe.split_key in ("story", "none"):
            return self.splitter.admits_opening(sentences)
        return self.splitter.admits(self._content(sentences, reading, query, masks[0]))

    def _misleads(
        self, tale: Tale, query: Query, answer: tuple[str, ...], guesses: Sequence[str]
    ) -> bool:
        """Whether all of these guesses are wrong."""
        facts, choices = tale.reading.facts(), self.world.choices(self.recipe, query)
        return all(misled(guess, facts, query, choices, answer) for guess in guesses)

    def _repeats(self, query: Query, best: int, before: Sequence[Asked]) -> bool:
        """Whether the question was asked before and has the same supports as then."""
        if not self._repeats_matter or not before:
            return False
        return any(one.query == query and one.masks and one.masks[0] == best for one in before)

    def _misfit(
        self, tale: Tale, query: Query, masks: list[int], wanted: Requirement, index: int
    ) -> Refusal | None:
        """The reason why a proof rules a question out, or None."""
        reading = tale.reading
        if wanted.by_proof or (wanted.conditions and not masks):
            proof = Proof(
                masks,
                len(tale.sentences),
                reading.concepts,
                lambda best: self.world.hops(reading, query, best),
                lambda best: related(reading, query, best),
                lambda best: tale.annotate(query, best, len(tale.sentences)).roles,
            )
            for number, condition in enumerate(wanted.conditions):
                problem = misfit(condition, proof)
                if problem is not None:
                    return Refusal(problem.reason, FIRST + NEXT * number + problem.key)
        if self._held_out:
            for mask in masks:
                composition = reading.concepts(mask)
                if any(held.matches(query[0], composition) for held in self._held_out):
                    return Refusal("a held-out combination", HELD_OUT)
        if self._stride:
            # Only every n-th instance may have a given signature. That limits how often it occurs
            # without keeping a count.
            found = fingerprint(reading.signature(query, masks[0] if masks else 0))
            if (found - index) % self._stride:
                return Refusal("a signature reserved for other instances", SIGNATURE, found)
        return None

    def _belongs(self, tale: Tale, query: Query, support: int, settled: int) -> bool:
        """Whether this split may have the proof, rephrased if necessary."""
        key = self._key
        if key == "story" or key == "none":
            return True
        if self.splitter.admits(self._content(tale.sentences, tale.reading, query, support)):
            return True
        return key == "proof" and self._reworded(tale, query, support, settled)

    def _reworded(self, tale: Tale, query: Query, support: int, settled: int) -> bool:
        """Whether a proof can be rephrased so that it belongs to the split."""
        free = support & ~settled
        if not free & (free - 1):  # for a single sentence, all wordings are tried
            return bool(free) and self._reworded_one(tale, query, support, free.bit_length() - 1)
        for _ in range(REWORDINGS):
            if not tale.reword(free):
                return False
            if self.splitter.admits(self._content(tale.sentences, tale.reading, query, support)):
                return True
        return False

    def _reworded_one(self, tale: Tale, query: Query, support: int, number: int) -> bool:
        """The same if only one sentence can be rephrased."""
        rest = [tale.sentences[other - 1] for other in numbers_of(support) if other != number]
        found = tuple(rest)
        known = self._admitted

        def fits(sentence: str) -> bool:
            key = (query, found, sentence)
            if key not in known:
                if len(known) >= MEMO_LIMIT:
                    known.clear()
                known[key] = self.splitter.admits(proof_content([*rest, sentence], query))
            return known[key]

        return tale.reword_so(number, fits)

    def _content(
        self, sentences: Sequence[str], reading: Reading, query: Query, support: int
    ) -> str:
        """The content that other splits must not have, whatever the order of its sentences."""
        key = self._key
        if key == "signature":
            return reading.signature(query, support)
        if key == "compound-divergence":
            return composition_name(query[0], reading.concepts(support))
        if key == "proof":
            told = [sentences[number - 1] for number in numbers_of(support)]
            return proof_content(told, query)
        return content(self.world.canon(reading, support), query)


def condition_at(depth: int, wanted: Requirement, recipe: Recipe) -> str:
    """The condition that questions failed, as written in the recipe."""
    if depth == CONTRAST:
        return _contrasts(recipe)
    if depth >= HELD_OUT:
        return "compositional.held_out" if depth < SIGNATURE else "max_per_signature"
    if depth < FIRST:
        key = {ANSWER: "answers", GUESS: "misleads", SIZE: "support_size"}.get(depth, "")
        cells = [cell for cell in wanted.conditions if key and getattr(cell, key) not in (ANY, ())]
    else:
        number, at = divmod(depth - FIRST, NEXT)
        cells, key = [wanted.conditions[number]], CONDITIONS[at]
    if not cells:
        return "the rule that a support is sufficient on its own"
    said = [
        f"{key} = {shown(getattr(cell, key))} of "
        + ("keep" if cell == recipe.keep else f"cell '{cell.name}'" if cell.name else "its cell")
        for cell in cells
    ]
    return f"the condition {' and '.join(said)}"


def _contrasts(recipe: Recipe) -> str:
    """The keys that require variants, as written in the recipe."""
    wanted = recipe.contrast.model_dump(exclude_defaults=True)
    said = [f"contrast = {shown(wanted)}"] if wanted else []
    said += [f"unknown = {recipe.unknown:g}"] if recipe.unknown else []
    return " and ".join(said)


def signature_stride(recipe: Recipe, split: str) -> int:
    """The stride of signatures: one in n instances may have a given one; 0: any may."""
    if not recipe.max_per_signature:
        return 0
    return ceil(recipe.splits[split].size / recipe.max_per_signature)


def related(reading: Reading, query: Query, support: int) -> int:
    """The number of sentences outside a support that mention the subject of the question."""
    asked = query[1]
    return sum(
        not support >> number & 1 and any(asked in fact for fact in facts)
        for number, facts in enumerate(reading.facts(), 1)
    )


def _disagreement(tale: Tale, query: Query, answer: object, other: object) -> str:
    story = "\n".join(tale.sentences)
    return f"reader and simulator disagree on {query}: {answer} and {other}, in\n{story}"
