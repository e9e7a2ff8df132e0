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
Stories asked throughout fill blocks of 1,000, since the last one of a block is cut short.
A recipe made of recipes has one author for each part, and deals its instances out to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil, lcm
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.cells import UNBOUNDED
from fabula.collection import Collection
from fabula.compose import composition_name
from fabula.divergence import PILOT, partition
from fabula.errors import QuotaError, RecipeError, hint
from fabula.instance import Asked, Instance
from fabula.labels import numbers_of
from fabula.language.catalogue import tongue
from fabula.language.tongue import Tongue
from fabula.recipe import Cell, Recipe, build, load
from fabula.record import Recorder
from fabula.sampler import Proof, Rota, deal, fits_answer, misfit
from fabula.seeds import Draw, fingerprint, pick, pick_weighted, stream
from fabula.split import OPENING, CompoundSplitter, Splitter, content, proof_content
from fabula.worlds import WORLDS
from fabula.worlds.base import Brief, Candidate, Query, Reading, Tale, same_answer

BLOCK = 100
LONG_BLOCK = 1_000
REWORDINGS = 60  # before a proof is left to another split
IMPATIENT = 200  # times a story is begun anew rather than told on until its split has a question
HOPELESS = 20_000  # so often what could be asked belonged to another split
ELSEWHERE = "belongs to another split"
ANYTHING = Cell()
ALONG = Cell(name="along")  # what is passed along need not fulfil anything


class Passage(NamedTuple):
    """A story with the questions put to it."""

    number: str
    first: int
    """Index of its first instance."""
    tale: Tale
    asked: list[Asked]
    tongue: Tongue | None = None
    """What tells it in another language than the world's own."""
    told: Sequence[str] = ()
    """Its sentences in that language."""

    part: str = ""
    """The part it belongs to, in a recipe made of recipes."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences in the language of the recipe."""
        return self.told if self.tongue else self.tale.sentences


class _ElsewhereError(Exception):
    """What was asked belongs to another split, and another question of the story, now or later, is
    no substitute: what remains must be in proportion, and stories as long as in other splits."""


class Member(NamedTuple):
    """What a part of a recipe made of recipes is a part of."""

    whole: Collection
    name: str


class Author:
    """Makes the passages of one split of one recipe."""

    def __init__(
        self, recipe: Recipe, split: str, seed: int | None = None, member: Member | None = None
    ) -> None:
        if split not in recipe.splits:
            raise RecipeError(
                f"recipe {recipe.id}: no split '{split}'.{hint(split, recipe.splits)}"
            )
        self.recipe = recipe.for_split(split)
        self.split = split
        self.seed = recipe.seed if seed is None else seed
        self.member = member
        self.whole = member.whole if member else recipe
        """The recipe that its records name: its own, or that which it is a part of."""
        self.digest = self.whole.digest
        self.recorder: Recorder | None = None
        """What writes down the questions of its passages."""
        self.parts: dict[str, Author] = {}
        if isinstance(recipe, Collection):
            parts = [part for part in recipe.parts_of(split) if part.share]
            for part in parts:
                of = Member(recipe, part.name)
                self.parts[part.name] = Author(recipe.members[part.name], split, self.seed, of)
            unit = lcm(*(author.block for author in self.parts.values()))
            self.rota = Rota([part.name for part in deal(parts)], unit)
            return
        self.world = WORLDS[recipe.world]
        self.cells = deal(self.recipe.quota_cells) or [ANYTHING]
        self.splitter = splitter_of(recipe, split, self.seed)
        self.tongue = tongue(
            recipe.world,
            recipe.language,
            recipe.cipher,
            self.seed,
            getattr(recipe, "pronouns", None),
        )
        self._kinds = self.recipe.kinds()
        self._wanted = {id(cell): self._conditions(cell) for cell in self.cells}
        self._wanted[id(ALONG)] = ()
        self._askable = {
            id(cell): [kind for kind in self._kinds if not cell.asks or kind in cell.asks]
            for cell in self.cells
        }
        self._sizes = {
            key: (
                max([0, *(wanted.support_size[0] for wanted in conditions)]),
                min([UNBOUNDED, *(wanted.support_size[1] for wanted in conditions)]),
            )
            for key, conditions in self._wanted.items()
        }
        compositional = self.whole.compositional
        training = compositional is not None and split not in compositional.test
        self._held_out = compositional.held_out if compositional and training else ()
        self._lanes = 0
        if self.recipe.max_per_signature:
            self._lanes = ceil(self.recipe.splits[split].size / self.recipe.max_per_signature)

    def _conditions(self, cell: Cell) -> tuple[Cell, ...]:
        """What an instance of a cell must fulfil, without what asks for nothing."""
        return tuple(wanted for wanted in (self.recipe.keep, cell) if wanted != ANYTHING)

    # --- addressing -----------------------------------------------------------------------

    @property
    def block(self) -> int:
        """How many instances belong together."""
        if self.parts:
            return self.rota.unit
        if self.recipe.questions == "throughout":
            return LONG_BLOCK
        if self.recipe.questions == "all" or self.recipe.along:
            return BLOCK
        return self.recipe.questions

    def passages(self, start: int, stop: int) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these."""
        if self.parts:
            yield from self._passages_of_parts(start, stop)
            return
        size = self.block
        for block in range(start // size, -(-stop // size)):
            for passage in self._block(block):
                if passage.first >= stop:
                    break
                low = max(0, start - passage.first)
                high = min(len(passage.asked), stop - passage.first)
                if low < high:
                    yield passage._replace(first=passage.first + low, asked=passage.asked[low:high])

    def _passages_of_parts(self, start: int, stop: int) -> Iterator[Passage]:
        while start < stop:
            end = min(stop, start - start % self.rota.unit + self.rota.unit)
            name, index = self.rota.locate(start)
            shift = start - index
            for passage in self.parts[name].passages(index, end - shift):
                yield passage._replace(first=passage.first + shift, part=name)
            start = end

    def _block(self, block: int) -> Iterator[Passage]:
        if self.block == self.recipe.questions:
            yield self.passage(str(block), block * self.recipe.questions)
            return
        size = self.block
        first, end, turn = block * size, block * size + size, 0
        while first < end:
            passage = self.passage(f"{block}.{turn}", first, block * size + turn)
            yield passage._replace(asked=passage.asked[: end - first])
            first, turn = first + len(passage.asked), turn + 1

    # --- making ---------------------------------------------------------------------------

    def passage(self, number: str, first: int, turn: int | None = None) -> Passage:
        """The passage of this number, whose first instance has the index `first`.

        Where stories have as many questions as come, `turn` counts the stories instead, and the
        cell of a question goes by that.
        """
        recipe = self.recipe
        unfold, tell, ask = (
            stream(recipe.id, self.seed, self.split, number, stage)
            for stage in ("unfold", "tell", "ask")
        )
        turn = first if turn is None else turn
        brief = Brief(self.split, first, self.cells[turn % len(self.cells)], self.splitter.admits)
        reasons: Counter[str] = Counter()
        for attempt in range(recipe.max_tries):
            if reasons[ELSEWHERE] > HOPELESS:
                raise QuotaError(
                    f"recipe {self.whole.id}, split '{self.split}': what was asked belonged to "
                    f"another split {HOPELESS:,} times. Give '{self.split}' a larger share."
                )
            tale = self.world.begin(recipe, unfold, tell, brief._replace(attempt=attempt))
            try:
                waits = attempt >= IMPATIENT
                asked = self._compose(tale, first, turn, ask, reasons, waits)
            except _ElsewhereError:
                continue
            if asked:
                passage = Passage(number, first, tale, asked)
                return self._in_other_words(passage) if self.tongue else passage
        raise QuotaError(self._complaint(first, turn, reasons))

    def _in_other_words(self, passage: Passage) -> Passage:
        """The passage in another language than the world's own."""
        assert self.tongue is not None
        tongue = self.tongue.begin()
        try:
            return self._told_by(tongue, passage)
        except RecipeError as error:
            raise RecipeError(f"recipe {self.whole.id}, language: {error}") from None

    def _told_by(self, tongue: Tongue, passage: Passage) -> Passage:
        told = tongue.tell(passage.tale.sentences)
        asked = [
            question._replace(
                question=tongue.ask(question.question), answer=tongue.say(question.answer)
            )
            for question in passage.asked
        ]
        if tongue.letters is not None:  # names that only choices have, the same for every question
            for question in passage.asked:
                tongue.say(self.world.choices(self.recipe, question.query) or ())
        return passage._replace(asked=asked, tongue=tongue, told=told)

    def _compose(
        self,
        tale: Tale,
        first: int,
        turn: int,
        draw: Draw,
        reasons: Counter[str],
        waits: bool,
    ) -> list[Asked] | None:
        """Tell a story and ask; None, with a reason counted, if it does not work out.

        A story is told on until there is something to ask. Unless it `waits` for its split too, it
        is given up where something was asked that another split has: waiting would make the
        stories of small splits longer than those of large ones.
        """
        recipe = self.recipe
        low, high = recipe.lengths
        goal = low if low == high else low + int(draw() * (high - low + 1))
        if recipe.questions == "throughout":
            return self._ask_throughout(tale, goal, first, turn, draw, reasons)
        if not tale.advance(goal, pause=OPENING):
            reasons[f"nothing fits after {len(tale.sentences)} sentences"] += 1
            return None
        if not self.splitter.admits_opening(tale.sentences):
            reasons[ELSEWHERE] += 1
            return None
        if not tale.advance(goal):
            reasons[f"nothing fits after {len(tale.sentences)} sentences"] += 1
            return None
        if recipe.questions == "all":
            cell = self.cells[turn % len(self.cells)]
            return self._ask_all(tale, cell, first, self._kinds, draw, reasons)
        asked: list[Asked] = []
        for number in range(recipe.questions):
            cell = self.cells[(turn + number) % len(self.cells)]
            if asked:
                goal = len(tale.sentences) + recipe.every
                if not tale.advance(goal):
                    reasons["the story came to an end"] += 1
                    return None
            refused = reasons[ELSEWHERE]
            found = self._ask(tale, cell, asked, first + len(asked), draw, reasons)
            patience = recipe.patience
            while found is None and patience and reasons[ELSEWHERE] <= HOPELESS:
                if reasons[ELSEWHERE] > refused and not waits:
                    raise _ElsewhereError
                if not tale.advance(len(tale.sentences) + recipe.every):
                    return None
                found = self._ask(tale, cell, asked, first + len(asked), draw, reasons)
                patience -= 1
            if found is None:
                return None
            asked.append(found)
            if recipe.along:
                start = first + len(asked)
                asked += self._ask_all(tale, ALONG, start, recipe.along, draw, reasons, asked)
        return asked

    def _ask(
        self,
        tale: Tale,
        cell: Cell,
        before: list[Asked],
        index: int,
        draw: Draw,
        reasons: Counter[str],
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
                asked = self._check(tale, candidate, cell, before, _settled(before), index, reasons)
                if asked:
                    return asked
                pool.remove(candidate)
            kinds.remove(kind)
        return None

    def _ask_all(
        self,
        tale: Tale,
        cell: Cell,
        first: int,
        kinds: Sequence[str],
        draw: Draw,
        reasons: Counter[str],
        before: Sequence[Asked] = (),
    ) -> list[Asked]:
        """All questions of these kinds that can be asked now, the first as instance `first`; but
        for the last of those asked before."""
        asked: list[Asked] = []
        last = before[-1].query if before else None
        settled = _settled(before)
        for kind in kinds:
            for candidate in self._pool(tale, kind, cell, draw):
                if candidate.query == last:
                    continue
                index = first + len(asked)
                found = self._check(tale, candidate, cell, (), settled, index, reasons)
                if found:
                    asked.append(found)
                    settled |= _settled([found])
        if not asked:
            reasons["nothing can be asked"] += 1
        return asked

    def _ask_throughout(
        self, tale: Tale, goal: int, first: int, turn: int, draw: Draw, reasons: Counter[str]
    ) -> list[Asked] | None:
        """A question every so many sentences, until the story ends or is long enough."""
        asked: list[Asked] = []
        while len(tale.sentences) < goal and tale.advance(len(tale.sentences) + self.recipe.every):
            cell = self.cells[(turn + len(asked)) % len(self.cells)]
            found = self._ask(tale, cell, asked, first + len(asked), draw, reasons)
            if found:
                asked.append(found)
        if not self.splitter.admits_opening(tale.sentences):
            reasons[ELSEWHERE] += 1
            return None
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
        before: Sequence[Asked],
        settled: int,
        index: int,
        reasons: Counter[str],
    ) -> Asked | None:
        """The question with the supports that stand, if it belongs to the cell and the split.

        It is not one of those before, unless something has changed; sentences that are `settled`
        stay as they are told.
        """
        recipe, reading = self.recipe, tale.reading
        query, answer, cited = candidate
        finding = reading.find(query)
        masks: list[int] = []
        if finding is not None and same_answer(query, finding.answer, answer):
            if not recipe.repeat and any(
                o.query == query and o.masks == finding.masks for o in before
            ):
                reasons["asked before, and nothing has changed"] += 1
                return None
            low, high = self._sizes[id(cell)]
            for mask in finding.masks[: recipe.max_supports]:
                # most questions are dropped for their size: that of the first support is enough
                if not masks and mask.bit_count() > high:
                    reasons[f"support of {mask.bit_count()}"] += 1
                    return None
                if reading.stands(query, finding.conclusion, mask):
                    masks.append(mask)
                    if mask.bit_count() < low and len(masks) == 1:
                        reasons[f"support of {mask.bit_count()}"] += 1
                        return None
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
        problem = self._misfit(tale, query, masks, cell, index)
        if problem:
            reasons[problem] += 1
            return None
        if recipe.split_key not in ("story", "none") and not self._belongs(
            tale, query, best, settled
        ):
            reasons[ELSEWHERE] += 1
            if recipe.split_key == "compound-divergence":
                raise _ElsewhereError
            return None
        return Asked(
            len(tale.sentences),
            query,
            self.world.ask(recipe.native, query),
            answer,
            cited or numbers_of(best),
            masks,
        )

    def _belongs(self, tale: Tale, query: Query, support: int, settled: int) -> bool:
        """Whether this split may have a proof, if need be in other words of the same meaning."""
        admits = self.splitter.admits
        if admits(self._content(tale, query, support)):
            return True
        if self.recipe.split_key != "proof":
            return False
        for _ in range(REWORDINGS):
            if not tale.reword(support & ~settled):
                return False
            if admits(self._content(tale, query, support)):
                return True
        return False

    def _misfit(self, tale: Tale, query: Query, masks: list[int], cell: Cell, index: int) -> str:
        """What about its proof keeps a question out; empty if nothing does."""
        reading = tale.reading
        wanted = self._wanted[id(cell)]
        if wanted:
            proof = Proof(
                masks,
                len(tale.sentences),
                reading.concepts,
                lambda best: related(reading, query, best),
            )
            for condition in wanted:
                problem = misfit(condition, proof)
                if problem:
                    return problem
        if self._held_out:
            for mask in masks:
                composition = reading.concepts(mask)
                if any(held.matches(query[0], composition) for held in self._held_out):
                    return "a combination that is held out"
        if self._lanes:
            # a signature may only be had by every so-manieth instance: no count is kept, and yet
            # it comes at most as often as allowed
            signature = reading.signature(query, masks[0] if masks else 0)
            if (fingerprint(signature) - index) % self._lanes:
                return "a signature for other instances"
        return ""

    def _content(self, tale: Tale, query: Query, support: int) -> str:
        """What no other split may have, whatever the order in which it is told."""
        if self.recipe.split_key == "signature":
            return tale.reading.signature(query, support)
        if self.recipe.split_key == "compound-divergence":
            return composition_name(query[0], tale.reading.concepts(support))
        if self.recipe.split_key == "proof":
            told = [tale.sentences[number - 1] for number in numbers_of(support)]
            return proof_content(told, query)
        if self.world.canon is not None:
            return content(self.world.canon(tale.reading, support), query)
        facts = tale.reading.facts()
        told = [
            " ".join(self.world.canonical(fact))
            for number in numbers_of(support)
            for fact in facts[number - 1]
        ]
        return content(told, query)

    def _complaint(self, index: int, turn: int, reasons: Counter[str]) -> str:
        cell = self.cells[turn % len(self.cells)]
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
            yield from self.records(passage)

    def records(self, passage: Passage) -> list[Instance]:
        """The records of a passage, in order."""
        return [Instance(**fields) for fields in self.fields(passage)]

    def fields(self, passage: Passage) -> list[dict[str, Any]]:
        """The fields of the records of a passage; what writes them needs nothing more."""
        author = self.parts[passage.part] if self.parts else self
        if author.recorder is None:
            author.recorder = Recorder(author)
        return author.recorder.fields(passage)


def splitter_of(recipe: Recipe, split: str, seed: int) -> Splitter:
    """What tells the content of a split from that of others."""
    if recipe.split_key != "compound-divergence":
        return Splitter(recipe.shares, split, recipe.split_key)
    homes = _homes(recipe.model_dump_json(exclude_unset=True), seed)
    return CompoundSplitter(recipe.shares, split, homes, next(iter(recipe.splits)))


@lru_cache(maxsize=8)
def _homes(content: str, seed: int) -> dict[str, str]:
    """The split of every composition that a sample of the recipe has."""
    recipe = build(orjson.loads(content))
    sample = {"splits": {"pilot": PILOT}, "split_key": "none", "split_overrides": {}}
    pilot = Author(load(recipe, sample), "pilot", seed)
    counts = Counter(
        composition_name(asked.query[0], passage.tale.reading.concepts(asked.masks[0]))
        for passage in pilot.passages(0, PILOT)
        for asked in passage.asked
        if asked.masks
    )
    parts = partition(counts, list(recipe.shares.values()))
    return {
        name: split for split, names in zip(recipe.shares, parts, strict=True) for name in names
    }


def related(reading: Reading, query: Query, support: int) -> int:
    """How many sentences outside a support name whom or what the question is about."""
    asked = query[1]
    return sum(
        not support >> number & 1 and any(asked in fact for fact in facts)
        for number, facts in enumerate(reading.facts(), 1)
    )


def _settled(asked: Sequence[Asked]) -> int:
    """The sentences of their proofs, which belong to the split as they are told."""
    mask = 0
    for one in asked:
        mask |= one.masks[0] if one.masks else 0
    return mask


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
