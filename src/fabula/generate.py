"""START HERE: from a recipe to verified instances.

    Recipe -> World unfolds and is told -> Reader listens -> Question is asked -> checked -> record

Promises:
1. Instance i of a split is a pure function of (recipe, seed, split, i): the same alone, in a batch,
   on any number of workers.
2. A question is asked only if the reader can answer it; each support alone gives the answer and
   loses it without any of its sentences; the simulator agrees. All three are checked here, always.
3. A recipe that cannot be fulfilled ends in an error that says what was tried and what came.

The unit of work is a *passage*: a story with its questions. Where a story has a fixed number of
questions, passage p holds instances p*q … p*q+q-1; where it has all that can be asked, stories
fill *blocks* of 100 instances, so that any instance can be found without making all before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fabula._version import __version__
from fabula.errors import QuotaError, RecipeError, hint
from fabula.instance import Asked, Instance
from fabula.labels import numbers_of
from fabula.recipe import Cell, Recipe, load
from fabula.sampler import deal, fits_answer, misfit
from fabula.seeds import Draw, pick, pick_weighted, stream
from fabula.split import OPENING, Splitter
from fabula.worlds import WORLDS
from fabula.worlds.base import Brief, Candidate, Query, Tale, same_answer

BLOCK = 100
ANYTHING = Cell()


class Passage(NamedTuple):
    """A story with the questions put to it."""

    number: str
    first: int
    """Index of its first instance."""
    tale: Tale
    asked: list[Asked]


class Author:
    """Makes the passages of one split of one recipe."""

    def __init__(self, recipe: Recipe, split: str, seed: int | None = None) -> None:
        if split not in recipe.splits:
            raise RecipeError(
                f"recipe {recipe.id}: no split '{split}'.{hint(split, recipe.splits)}"
            )
        self.recipe = recipe.for_split(split)
        self.digest = recipe.digest
        self.split = split
        self.seed = recipe.seed if seed is None else seed
        self.world = WORLDS[recipe.world]
        self.cells = deal(self.recipe.cells)
        self.splitter = Splitter(recipe.shares, split, recipe.split_key)
        self._kinds = self.recipe.kinds()
        self._wanted = {id(cell): self._conditions(cell) for cell in self.cells}
        self._askable = {
            id(cell): [kind for kind in self._kinds if not cell.asks or kind in cell.asks]
            for cell in self.cells
        }

    def _conditions(self, cell: Cell) -> tuple[Cell, ...]:
        """What an instance of a cell must fulfil, without what asks for nothing."""
        return tuple(wanted for wanted in (self.recipe.keep, cell) if wanted != ANYTHING)

    # --- addressing -----------------------------------------------------------------------

    @property
    def block(self) -> int:
        """How many instances belong together."""
        return BLOCK if self.recipe.questions == "all" else self.recipe.questions

    def passages(self, start: int, stop: int) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these."""
        size = self.block
        for block in range(start // size, -(-stop // size)):
            for passage in self._block(block):
                low = max(0, start - passage.first)
                high = min(len(passage.asked), stop - passage.first)
                if low < high:
                    yield passage._replace(first=passage.first + low, asked=passage.asked[low:high])

    def _block(self, block: int) -> Iterator[Passage]:
        if self.recipe.questions != "all":
            yield self.passage(str(block), block * self.recipe.questions)
            return
        first, end, turn = block * BLOCK, block * BLOCK + BLOCK, 0
        while first < end:
            passage = self.passage(f"{block}.{turn}", first)
            yield passage._replace(asked=passage.asked[: end - first])
            first, turn = first + len(passage.asked), turn + 1

    # --- making ---------------------------------------------------------------------------

    def passage(self, number: str, first: int) -> Passage:
        """The passage of this number, whose first instance has the index `first`."""
        recipe = self.recipe
        unfold, tell, ask = (
            stream(recipe.id, self.seed, self.split, number, stage)
            for stage in ("unfold", "tell", "ask")
        )
        brief = Brief(self.split, first, self.cells[first % len(self.cells)])
        reasons: Counter[str] = Counter()
        for _ in range(recipe.max_tries):
            tale = self.world.begin(recipe, unfold, tell, brief)
            asked = self._compose(tale, first, ask, reasons)
            if asked:
                return Passage(number, first, tale, asked)
        raise QuotaError(self._complaint(first, reasons))

    def _compose(
        self, tale: Tale, first: int, draw: Draw, reasons: Counter[str]
    ) -> list[Asked] | None:
        """Tell a story and ask; None, with a reason counted, if it does not work out."""
        recipe = self.recipe
        low, high = recipe.lengths
        goal = low if low == high else low + int(draw() * (high - low + 1))
        if not tale.advance(goal, pause=OPENING):
            reasons[f"nothing fits after {len(tale.sentences)} sentences"] += 1
            return None
        if not self.splitter.admits_opening(tale.sentences):
            reasons["belongs to another split"] += 1
            return None
        if not tale.advance(goal):
            reasons[f"nothing fits after {len(tale.sentences)} sentences"] += 1
            return None
        if recipe.questions == "all":
            return self._ask_all(tale, self.cells[first % len(self.cells)], draw, reasons)
        asked: list[Asked] = []
        for index in range(first, first + recipe.questions):
            cell = self.cells[index % len(self.cells)]
            if asked:
                goal = len(tale.sentences) + recipe.every
                if not tale.advance(goal):
                    reasons["the story came to an end"] += 1
                    return None
            found = self._ask(tale, cell, asked, draw, reasons)
            patience = recipe.patience
            while found is None and patience and tale.advance(len(tale.sentences) + recipe.every):
                found = self._ask(tale, cell, asked, draw, reasons)
                patience -= 1
            if found is None:
                return None
            asked.append(found)
        return asked

    def _ask(
        self, tale: Tale, cell: Cell, before: list[Asked], draw: Draw, reasons: Counter[str]
    ) -> Asked | None:
        """A question of the cell, its kind drawn by weight; None if none can be asked."""
        kinds = list(self._askable[id(cell)])
        while kinds:
            kind = kinds[0]
            if len(kinds) > 1:
                kind = pick_weighted(draw, kinds, [self.recipe.asks[k] for k in kinds])
            pool = self._pool(tale, kind, cell, draw)
            if not pool:
                reasons[f"no {kind} question can be asked"] += 1
            while pool:
                candidate = self._draw(pool, kind, draw)
                asked = self._check(tale, candidate, cell, before, reasons)
                if asked:
                    return asked
                pool.remove(candidate)
            kinds.remove(kind)
        return None

    def _ask_all(self, tale: Tale, cell: Cell, draw: Draw, reasons: Counter[str]) -> list[Asked]:
        asked = []
        for kind in self._kinds:
            for candidate in self._pool(tale, kind, cell, draw):
                found = self._check(tale, candidate, cell, [], reasons)
                if found:
                    asked.append(found)
        if not asked:
            reasons["nothing can be asked"] += 1
        return asked

    def _pool(self, tale: Tale, kind: str, cell: Cell, draw: Draw) -> list[Candidate]:
        pool = tale.candidates(kind, draw)
        for wanted in self._wanted[id(cell)]:
            if wanted.answers or wanted.asks:
                pool = [found for found in pool if fits_answer(wanted, *found[:2])]
        return pool

    def _draw(self, pool: list[Candidate], kind: str, draw: Draw) -> Candidate:
        if kind in self.recipe.balance and len(pool) > 1:
            answers = list(dict.fromkeys(found.answer for found in pool))
            if len(answers) > 1:
                answer = pick(draw, answers)
                pool = [found for found in pool if found.answer == answer]
        return pick(draw, pool)

    def _check(
        self,
        tale: Tale,
        candidate: Candidate,
        cell: Cell,
        before: list[Asked],
        reasons: Counter[str],
    ) -> Asked | None:
        """The question with the supports that stand, if it belongs to the cell and the split."""
        recipe, reading = self.recipe, tale.reading
        query, answer, cited = candidate
        finding = reading.find(query)
        masks: list[int] = []
        if finding is not None and same_answer(query, finding.answer, answer):
            masks = [
                mask
                for mask in finding.masks[: recipe.max_supports]
                if reading.stands(query, finding.conclusion, mask)
            ]
            if not masks:
                reasons["no support stands alone"] += 1
                return None
            if not recipe.repeat and any(o.query == query and o.masks == masks for o in before):
                reasons["asked before, and nothing has changed"] += 1
                return None
            truth = tale.truth(query)
            if truth is not None and not same_answer(query, truth, answer):
                raise AssertionError(_disagreement(tale, query, answer, truth))
        elif not cited:  # a published label may be wrong, and is recorded as such; ours may not
            raise AssertionError(_disagreement(tale, query, answer, finding))
        best = masks[0] if masks else 0
        for wanted in self._wanted[id(cell)]:
            concepts = reading.concepts(best) if wanted.requires or wanted.forbids else ()
            problem = misfit(wanted, masks, concepts)
            if problem:
                reasons[problem] += 1
                return None
        if recipe.split_key not in ("story", "none") and not self.splitter.admits(
            self._content(tale, query, best)
        ):
            reasons["belongs to another split"] += 1
            return None
        return Asked(
            len(tale.sentences),
            query,
            self.world.ask(recipe.language, query),
            answer,
            cited or numbers_of(best),
            masks,
        )

    def _content(self, tale: Tale, query: Query, support: int) -> str:
        """What no other split may have, whatever the order in which it is told."""
        if self.recipe.split_key == "signature":
            return tale.reading.signature(query, support)
        if self.recipe.split_key == "proof":
            told = [tale.sentences[number - 1] for number in numbers_of(support)]
            return "\n".join([*sorted(told), *query])
        facts = tale.reading.facts()
        told = [
            " ".join(self.world.canonical(fact))
            for number in numbers_of(support)
            for fact in facts[number - 1]
        ]
        return "\n".join([*sorted(told), query[0], *sorted(query[1:])])

    def _complaint(self, index: int, reasons: Counter[str]) -> str:
        cell = self.cells[index % len(self.cells)]
        name = f"cell '{cell.name}'" if cell.name else "such an instance"
        top = "; ".join(f"{reason} ({count:,}×)" for reason, count in reasons.most_common(4))
        return (
            f"recipe {self.recipe.id}, split {self.split}, instance {index}: {name} did not come "
            f"up in {self.recipe.max_tries:,} stories. What came instead: {top or 'nothing'}. "
            "Loosen the cell, change the weights or length, or raise max_tries."
        )

    # --- recording ------------------------------------------------------------------------

    def instances(self, start: int, stop: int) -> Iterator[Instance]:
        """The records of instances start … stop-1."""
        for passage in self.passages(start, stop):
            for turn, asked in enumerate(passage.asked):
                yield self.record(passage, asked, passage.first + turn)

    def record(self, passage: Passage, asked: Asked, index: int) -> Instance:
        """The record of one question of a passage."""
        recipe, reading = self.recipe, passage.tale.reading
        count = asked.position
        best = asked.masks[0] if asked.masks else sum(1 << n for n in asked.support)
        facts = reading.facts()[:count]
        note = passage.tale.annotate(asked.query, best, count)
        choices = self.world.choices(recipe, asked.query)
        features: dict[str, Any] = {
            "sentences": count,
            "support_size": best.bit_count(),
            "supports": len(asked.masks),
            "hops": best.bit_count(),
            "recency": count + 1 - best.bit_length() if best else None,
            "reach": count - (best & -best).bit_length() + 1 if best else None,
            "distractors": count - best.bit_count(),
            **note.features,
        }
        if not asked.masks:
            features["defect"] = "the label follows the published data, not the text"
        return Instance(
            id=f"{recipe.id}:{self.split}:{index}",
            story=tuple(passage.tale.sentences[:count]),
            question=asked.question,
            answer=asked.answer,
            choices=None if choices is None else tuple(choices),
            support=asked.support,
            supports=tuple(numbers_of(mask) for mask in asked.masks),
            facts=tuple(facts),
            query=asked.query,
            composition=reading.concepts(best),
            roles=note.roles,
            features=features,
            signature=reading.signature(asked.query, best),
            provenance={
                "recipe": recipe.id,
                "dialect": recipe.dialect,
                "world": recipe.world,
                "language": recipe.language,
                "recipe_digest": self.digest,
                "version": __version__,
                "seed": self.seed,
                "split": self.split,
                "index": index,
                "passage": passage.number,
            },
        )


def _disagreement(tale: Tale, query: Query, answer: object, other: object) -> str:
    story = "\n".join(tale.sentences)
    return f"two routes disagree on {query}: {answer} and {other}, in\n{story}"


# --- the two functions most people need -------------------------------------------------------


@lru_cache(maxsize=64)
def _remembered(name: str, split: str, seed: int | None) -> Author:
    return Author(load(name), split, seed)


def author(
    recipe: str | Path | Recipe,
    split: str,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Author:
    """The author of a split; remembered for recipes by name, so that single look-ups are quick."""
    if isinstance(recipe, str) and not changes and not recipe.endswith(".toml"):
        return _remembered(recipe, split, seed)
    return Author(load(recipe, changes), split, seed)


def generate(
    recipe: str | Path | Recipe,
    split: str = "train",
    seed: int | None = None,
    size: int | None = None,
    **changes: Any,
) -> Iterator[Instance]:
    """The instances of a split, one after another, as many as the recipe or `size` says.

    >>> for instance in fabula.generate("babi/qa2", split="test", seed=7): ...
    """
    writer = author(recipe, split, seed, changes)
    count = writer.recipe.splits[split].size if size is None else size
    return writer.instances(0, count)


def instance(
    recipe: str | Path | Recipe,
    split: str = "train",
    index: int = 0,
    seed: int | None = None,
    **changes: Any,
) -> Instance:
    """Instance `index` of a split: the same as in the generated data set."""
    if index < 0:
        raise RecipeError(f"instance {index}: indices count from 0.")
    return next(author(recipe, split, seed, changes).instances(index, index + 1))
