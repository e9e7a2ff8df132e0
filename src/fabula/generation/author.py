"""START HERE: from a recipe to verified instances.

    Recipe -> World unfolds and is told -> Reader listens -> Question is asked -> checked -> record
    recipe    worlds/*/tale                worlds/*/reading  interview            examine    record

Promises:
1. Instance i of a split is a pure function of (recipe, seed, split, i): the same alone, in a batch,
   on any number of workers.
2. Every question passes the examination (examine.py): reader and simulator agree, supports stand.
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
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.core.instance import Asked, Instance
from fabula.core.search import Reasons
from fabula.core.seeds import stream
from fabula.core.split import CompoundSplitter, Splitter
from fabula.errors import QuotaError, RecipeError, hint
from fabula.generation.composition import composition_name
from fabula.generation.divergence import PILOT, partition
from fabula.generation.examine import (
    ELSEWHERE,
    Examiner,
    Order,
    Orders,
    condition_at,
    lanes_of,
)
from fabula.generation.interview import HOPELESS, ElsewhereError, Interview
from fabula.generation.record import Recorder
from fabula.language.catalogue import tongue
from fabula.language.conventions import sentences
from fabula.language.tongue import Tongue
from fabula.recipe.collection import Collection
from fabula.recipe.loading import build, load
from fabula.recipe.model import Cell, Recipe
from fabula.recipe.quotas import Rota, deal
from fabula.world import WORLDS
from fabula.world.base import ORDERED, Brief, Tale

BLOCK = 100
LONG_BLOCK = 1_000
IMPATIENT = 200  # times a story is begun anew rather than told on until its split has a question


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
    preface: Sequence[str] = ()
    """Sentences that state conventions before the story, in the language of the recipe. Questions
    and their supports count without them."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences in the language of the recipe."""
        told = self.told if self.tongue else self.tale.sentences
        return [*self.preface, *told] if self.preface else told


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
        self.orders = Orders(self.recipe)
        self.tongue = tongue(
            recipe.world,
            recipe.language,
            recipe.cipher,
            self.seed,
            getattr(recipe, "pronouns", None),
        )
        self.conventions = conventions_of(self.recipe)
        """The conventions that its answers may rely on, by name."""
        in_story = self.recipe.conventions == "story"
        of_all = conventions_of(self.whole) if member and not in_story else ()
        self.stated = tuple(dict.fromkeys((*of_all, *self.conventions)))
        """Those that are stated; a prompt states the same for all parts of a recipe."""
        self.preface = sentences(recipe.native, recipe.world, self.stated) if in_story else []
        compositional = self.whole.compositional
        training = compositional is not None and split not in compositional.test
        self.examiner = Examiner(
            self.recipe,
            self.world,
            splitter_of(recipe, split, self.seed),
            compositional.held_out if compositional and training else (),
            lanes_of(self.recipe, split),
        )

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
        order = self.orders[turn]
        brief = Brief(self.split, first, order.cell, self.examiner.splitter.admits)
        reasons = Reasons()
        for attempt in range(recipe.max_tries):
            if reasons[ELSEWHERE] > HOPELESS:
                raise QuotaError(
                    f"recipe {self.whole.id}, split '{self.split}': what was asked belonged to "
                    f"another split {HOPELESS:,} times. Give '{self.split}' a larger share."
                )
            tale = self.world.begin(recipe, unfold, tell, brief._replace(attempt=attempt))
            waits = attempt >= IMPATIENT
            interview = Interview(
                self.examiner, self.orders, tale, first, turn, ask, reasons, waits
            )
            try:
                asked = interview.held()
            except ElsewhereError:
                continue
            if asked:
                passage = Passage(number, first, tale, asked, preface=self.preface)
                return self._in_other_words(passage) if self.tongue else passage
            if reasons.hopeless:
                raise QuotaError(self._hopeless(first, order, reasons, attempt + 1))
        raise QuotaError(self._complaint(first, order.cell, reasons))

    def _in_other_words(self, passage: Passage) -> Passage:
        """The passage in another language than the world's own."""
        assert self.tongue is not None
        tongue = self.tongue.begin()
        try:
            return self._told_by(tongue, passage)
        except RecipeError as error:
            raise RecipeError(f"recipe {self.whole.id}, language: {error}") from None

    def _told_by(self, tongue: Tongue, passage: Passage) -> Passage:
        preface = tongue.tell(passage.preface)
        told = tongue.tell(passage.tale.sentences)
        published = getattr(self.recipe, "labels", "") == "release"  # lists have its order then
        asked = [
            question._replace(
                question=tongue.ask(question.question),
                answer=tongue.say(
                    question.answer,
                    question.query,
                    listed=not published and question.query[0] not in ORDERED,
                ),
            )
            for question in passage.asked
        ]
        if tongue.letters is not None:  # names that only choices have, the same for every question
            for question in passage.asked:
                tongue.say(self.world.choices(self.recipe, question.query) or ())
            tongue.tell(sentences(self.recipe.native, self.recipe.world, self.stated))
            heard = tongue.hear(told)
            if heard != list(passage.tale.sentences):
                asked = [
                    said._replace(conventions=self._relied(heard, meant))
                    for said, meant in zip(asked, passage.asked, strict=True)
                ]
        return passage._replace(asked=asked, tongue=tongue, told=told, preface=preface)

    def _relied(self, heard: Sequence[str], asked: Asked) -> tuple[str, ...]:
        """The conventions that an answer relies on in the story as it is told.

        Symbols tell less than words: what fits inside something is only smaller there.
        """
        if not asked.masks:
            return ()
        reading = self.world.read(self.recipe.native, heard[: asked.position])
        return self.world.relies(reading, asked.query, asked.answer, asked.masks)

    def _complaint(self, index: int, cell: Cell, reasons: Reasons) -> str:
        name = f"cell '{cell.name}'" if cell.name else "such an instance"
        return (
            f"recipe {self.recipe.id}, split {self.split}, instance {index}: {name} did not come "
            f"up in {self.recipe.max_tries:,} stories. What came instead: {_top(reasons)}. "
            "Loosen the cell, change the weights or length, or raise max_tries."
        )

    def _hopeless(self, index: int, order: Order, reasons: Reasons, stories: int) -> str:
        """Names the condition that no question met."""
        place = f"recipe {self.recipe.id}, split {self.split}, instance {index}"
        if reasons.crowded:
            size, found = self.recipe.splits[self.split].size, len(reasons.signatures)
            return (
                f"{place}: max_per_signature = {self.recipe.max_per_signature} is too low: {found} "
                f"different signatures came up for the {size:,} instances of the split. Raise it "
                f"to {-(-size // found):,} or more, or lower the size of the split."
            )
        return (
            f"{place}: no question meets {condition_at(reasons.depth, order, self.recipe)}; "
            f"{reasons.chances:,} failed it in {stories:,} stories. What came instead: "
            f"{_top(reasons)}. Loosen this condition, or change what stories are made of: "
            "entities, events, length."
        )

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


def conventions_of(recipe: Recipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe, or of any of its parts, may rely on, by name."""
    if isinstance(recipe, Collection):
        parts = recipe.members.values()
        return tuple(dict.fromkeys(name for part in parts for name in conventions_of(part)))
    return WORLDS[recipe.world].conventions(recipe)


def _top(reasons: Reasons) -> str:
    """The commonest reasons."""
    top = "; ".join(f"{reason} ({count:,}×)" for reason, count in reasons.most_common(4))
    return top or "nothing"


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

    >>> import fabula
    >>> [each.answer for each in fabula.generate("babi/qa6", split="test", seed=7, size=2)]
    [('no',), ('yes',)]
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
    """Instance `index` of a split: the same as in the generated data set.

    >>> import fabula
    >>> fabula.instance("babi/qa2", "test", 3).question
    'Where is the milk?'
    """
    if index < 0:
        raise RecipeError(f"instance {index}: indices count from 0.")
    return next(author(recipe, split, seed, changes).instances(index, index + 1))
