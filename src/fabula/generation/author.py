"""START HERE: from a recipe to verified instances.

    Recipe -> World unfolds and is told -> Reader listens -> Question is asked -> checked -> record
    recipe    world/*/tale                 world/*/reading   interview            examine    record

`generate` and `instance` are all most users need. Both use an `Author`, which finds the passages of
instance i (address.py), makes each of them (`passage`, below), renders it in the language of the
recipe (translate.py), and turns its questions into records (record.py).

Promises:
1. Instance i of a split is a pure function of (recipe, seed, split, i): the same alone, in a batch,
   on any number of workers.
2. Every question is checked (examine.py): reader and simulator agree, and each support is
   sufficient and minimal.
3. A recipe that cannot be fulfilled raises an error that says what was tried and why it failed
   (shortfall.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from fabula.core.instance import Instance
from fabula.core.search import Reasons
from fabula.core.seeds import stream, streams
from fabula.errors import RecipeError, hint
from fabula.generation import shortfall
from fabula.generation.address import Blocks, rota_of, spans
from fabula.generation.examine import Examiner, Requirements, Settled, signature_stride
from fabula.generation.family import Family
from fabula.generation.interview import HOPELESS, ElsewhereError, Interview, Schedule
from fabula.generation.passage import Assignment, Passage, ToldTale
from fabula.generation.record import Recorder
from fabula.generation.splitting import splitter_of
from fabula.generation.translate import Translator
from fabula.generation.unknown import check_open
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe
from fabula.world import WORLDS
from fabula.world.base import Brief, Query, Reading
from fabula.world.fast import FastPath, plain

__all__ = ["Author", "Passage", "author", "generate", "instance"]

DONORS = 24  # stories whose words edits may use
CEDING = 12  # stories without a question that can be left open, before another cell is tried
IMPATIENT = 200  # restarts before a story may instead grow until its split has a question


# --- the two functions most users need --------------------------------------------------------


def generate(
    recipe: str | Path | Recipe,
    split: str = "train",
    seed: int | None = None,
    size: int | None = None,
    **changes: Any,
) -> Iterator[Instance]:
    """The instances of a split, in order; as many as the recipe or `size` says.

    Keyword arguments change keys of the recipe.

    >>> import fabula
    >>> [each.answer for each in fabula.generate("babi/qa6", split="test", seed=7, size=2)]
    [('yes',), ('no',)]
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
    """Instance `index` of a split, identical to the one in the generated data set.

    >>> import fabula
    >>> fabula.instance("babi/qa2", "test", 3).question
    'Where is the football?'
    """
    if index < 0:
        raise RecipeError(f"instance {index}: indices start at 0.")
    return next(author(recipe, split, seed, changes).instances(index, index + 1))


def author(
    recipe: str | Path | Recipe,
    split: str,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Author:
    """The author of a split; cached for recipes given by name, so that single look-ups are fast."""
    if isinstance(recipe, str) and not changes and not recipe.endswith(".toml"):
        return _remembered(recipe, split, seed)
    return Author(load(recipe, changes), split, seed)


@lru_cache(maxsize=64)
def _remembered(name: str, split: str, seed: int | None) -> Author:
    return Author(load(name), split, seed)


# --- the author -------------------------------------------------------------------------------


class Author:
    """Makes the passages of one split of one recipe, and their records.

    A collection (a recipe made of recipes) has one author per part.
    """

    def __init__(
        self,
        recipe: Recipe,
        split: str,
        seed: int | None = None,
        whole: Collection | None = None,
        part: str = "",
        only_best: bool = False,
    ) -> None:
        """`whole` is the collection that the recipe is a part of, under the name `part`.

        With `only_best`, questions come without their alternative supports, for formats that do not
        need them; the questions are the same.
        """
        if split not in recipe.splits:
            raise RecipeError(
                f"recipe {recipe.id}: no split '{split}'.{hint(split, recipe.splits)}"
            )
        self.recipe = recipe.for_split(split)
        self.split = split
        self.seed = recipe.seed if seed is None else seed
        self.whole = whole or recipe
        """The recipe named in the records: this one, or the collection it is part of."""
        self._only_best = only_best
        self.parts: dict[str, Author] = {}
        self.block = 0
        """Number of instances that are made together; divide work into multiples of it."""
        if isinstance(recipe, Collection):
            self._deal_to_parts(recipe)
        else:
            self._prepare(recipe, part)

    def _deal_to_parts(self, recipe: Collection) -> None:
        parts = [part for part in recipe.parts_of(self.split) if part.share]
        for part in parts:
            member = recipe.members[part.name]
            self.parts[part.name] = Author(
                member, self.split, self.seed, recipe, part.name, self._only_best
            )
        self._rota = rota_of(parts, {name: made.block for name, made in self.parts.items()})
        self.block = self._rota.unit

    def _prepare(self, recipe: Recipe, part: str) -> None:
        self.world = WORLDS[recipe.world]
        if self.recipe.unknown:
            check_open(self.recipe, self.world)
            self.recipe = self.world.opened(self.recipe)
        self.assignment = Assignment(self.recipe, self.split, self.seed, self.whole, part)
        self._blocks = Blocks(self.recipe)
        self._family = Family(self.recipe)
        self.block = self._family.block(self._blocks.size)
        self.requirements = Requirements(self.recipe)
        self._schedule = Schedule(self.recipe)
        self._tries: int = recipe.max_tries
        self._name: str = self.recipe.id
        self._unknown = bool(self.recipe.unknown)
        if self.recipe.unknown:
            self.requirements = Settled(self.recipe, self.seed, self.split)
        compositional = self.whole.compositional
        training = compositional is not None and self.split not in compositional.test
        self._examiner = Examiner(
            self.recipe,
            self.world,
            splitter_of(recipe, self.split, self.seed, _sample),
            compositional.held_out if compositional and training else (),
            signature_stride(self.recipe, self.split),
            self._only_best,
        )
        if self._family:
            self._examiner.contrast(self._family, self.seed, self.split, self.donors)
        self._translator = Translator(self.assignment, self.world)
        self._preface = self._translator.preface
        self._recorder = Recorder(self.assignment, self.world)
        self._fast: FastPath | None = None
        if plain(self.recipe) and self._translator.native:
            splitter = self._examiner.splitter
            self._fast = self.world.fast_path(self.recipe, self.seed, self.split, splitter)

    def instances(self, start: int, stop: int) -> Iterator[Instance]:
        """The records of instances start … stop-1."""
        for passage in self.passages(start, stop):
            yield from self.records(passage)

    def passages(self, start: int, stop: int, text: bool = False) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these.

        With `text`, only sentences, questions, answers and supports are needed: that is quicker.
        """
        if not self.parts:
            if self._family:
                yield from self._related(start, stop)
            else:
                make = self.page if text and self._fast is not None else self.passage
                yield from self._blocks.passages(start, stop, make)
            return
        for part, low, high, shift in spans(self._rota, start, stop):
            for passage in self.parts[part].passages(low, high, text):
                yield passage._replace(first=passage.first + shift, part=part)

    def page(self, number: str, first: int, turn: int) -> Passage:
        """The passage that `passage` makes, by the fast path of the world (see world/fast.py)."""
        assert self._fast is not None
        page = self._fast.page(number)
        if page is None:
            return self.passage(number, first, turn)
        tale = ToldTale(page, lambda: self.passage(number, first, turn).tale)
        return Passage(number, first, tale, page.asked, preface=self._preface)

    def _related(self, start: int, stop: int) -> Iterator[Passage]:
        """The passages of instances start … stop-1 with their variants."""
        family, size = self._family, self._blocks.size
        low = family.base_at(start) // size * size
        high = -(-(family.base_at(max(start, stop - 1)) + 1) // size) * size
        bases = self._blocks.passages(low, high, self.passage)
        return family.numbered(bases, start, stop, self._translator.told)

    def keeps(
        self, sentences: Sequence[str], reading: Reading, query: Query, masks: list[int]
    ) -> bool:
        """Whether an edited story belongs to the split."""
        return self._examiner.keeps(sentences, reading, query, masks)

    def donors(self) -> list[Reading]:
        """Readings of some stories of the split: a source of words for edits."""
        recipe, found = self.recipe, []
        for number in range(DONORS):
            unfold, tell = (
                stream(recipe.id, self.seed, self.split, f"donor{number}", stage)
                for stage in ("unfold", "tell")
            )
            cell = self.requirements[number].cell
            brief = Brief(self.split, number, cell, self._examiner.splitter.admits)
            tale = self.world.begin(recipe, unfold, tell, brief)
            tale.advance(recipe.lengths[1])
            found.append(tale.reading)
        return found

    def passage(self, number: str, first: int, turn: int) -> Passage:
        """The passage of this number, whose first instance has the index `first`.

        `turn` selects the cell of its first question; each further question has the next cell.
        """
        recipe = self.recipe
        unfold, tell, ask = streams(self._name, self.seed, self.split, number)
        due = turn
        reasons = Reasons()
        length = None  # drawn for each story
        unknown = self._unknown
        if unknown:
            length = stream(recipe.id, self.seed, self.split, number, "length")()
        admits = self._examiner.splitter.admits
        for attempt in range(self._tries):
            if reasons.elsewhere > HOPELESS:
                raise shortfall.belongs_elsewhere(self.assignment)
            if unknown:  # a cell that leaves nothing open yields to the next
                turn = due + attempt // CEDING
            wanted = self.requirements[turn]
            brief = Brief(self.split, first, wanted.cell, admits, attempt)
            tale = self.world.begin(recipe, unfold, tell, brief)
            interview = Interview(
                self._examiner,
                self._schedule,
                self.requirements,
                tale,
                first,
                turn,
                ask,
                reasons,
                attempt >= IMPATIENT,
                length,
            )
            try:
                asked = interview.run()
            except ElsewhereError:
                continue
            if asked:
                return self._translator.told(Passage(number, first, tale, asked))
            if reasons.hopeless:
                raise shortfall.never_met(self.assignment, first, wanted, reasons, attempt + 1)
        raise shortfall.out_of_tries(self.assignment, first, wanted.cell, reasons)

    def records(self, passage: Passage) -> list[Instance]:
        """The records of a passage, in order."""
        return [Instance.made(fields) for fields in self.fields(passage)]

    def fields(self, passage: Passage) -> list[dict[str, Any]]:
        """The fields of a passage's records, for formats that write them without building
        instances.
        """
        author = self.parts[passage.part] if self.parts else self
        return author._recorder.fields(passage)


def _sample(recipe: Recipe, split: str, seed: int, size: int) -> Iterator[Passage]:
    """The sample that decides the split of each composition (see splitting.py)."""
    return Author(recipe, split, seed).passages(0, size)
