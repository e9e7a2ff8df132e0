"""START HERE: from a recipe to verified instances.

    Recipe -> World unfolds and is told -> Reader listens -> Question is asked -> checked -> record
    recipe    world/*/tale                 world/*/reading   interview            examine    record

`generate` and `instance` are what most people need; both ask an `Author`, who finds the passages of
instance i (address.py), makes each (here: `passage`), tells it in the language of the recipe
(translate.py), and writes down its questions (record.py).

Promises:
1. Instance i of a split is a pure function of (recipe, seed, split, i): the same alone, in a batch,
   on any number of workers.
2. Every question passes the examination (examine.py): reader and simulator agree, supports stand.
3. A recipe that cannot be fulfilled ends in an error that says what was tried and what came
   (shortfall.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fabula.core.instance import Instance
from fabula.core.search import Reasons
from fabula.core.seeds import stream
from fabula.errors import RecipeError, hint
from fabula.generation import shortfall
from fabula.generation.address import Blocks, rota_of, spans
from fabula.generation.examine import ELSEWHERE, Examiner, Requirements, lanes_of
from fabula.generation.interview import HOPELESS, ElsewhereError, Interview
from fabula.generation.passage import Assignment, Passage
from fabula.generation.record import Recorder
from fabula.generation.splitting import splitter_of
from fabula.generation.translate import Translator
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe
from fabula.world import WORLDS
from fabula.world.base import Brief

__all__ = ["Author", "Passage", "author", "generate", "instance"]

IMPATIENT = 200  # times a story is begun anew rather than told on until its split has a question


# --- the two functions most people need -------------------------------------------------------


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


@lru_cache(maxsize=64)
def _remembered(name: str, split: str, seed: int | None) -> Author:
    return Author(load(name), split, seed)


# --- the author -------------------------------------------------------------------------------


class Author:
    """Makes the passages of one split of one recipe, and their records.

    A recipe made of recipes, a collection, has one author for each part.
    """

    def __init__(
        self,
        recipe: Recipe,
        split: str,
        seed: int | None = None,
        whole: Collection | None = None,
        part: str = "",
    ) -> None:
        """`whole` is the collection that the recipe is a part of, under the name `part`."""
        if split not in recipe.splits:
            raise RecipeError(
                f"recipe {recipe.id}: no split '{split}'.{hint(split, recipe.splits)}"
            )
        self.recipe = recipe.for_split(split)
        self.split = split
        self.seed = recipe.seed if seed is None else seed
        self.whole = whole or recipe
        """The recipe that its records name: its own, or the collection that it is a part of."""
        self.parts: dict[str, Author] = {}
        self.block = 0
        """How many instances belong together: work is best cut into multiples of it."""
        if isinstance(recipe, Collection):
            self._deal_to_parts(recipe)
        else:
            self._prepare(recipe, part)

    def _deal_to_parts(self, recipe: Collection) -> None:
        parts = [part for part in recipe.parts_of(self.split) if part.share]
        for part in parts:
            member = recipe.members[part.name]
            self.parts[part.name] = Author(member, self.split, self.seed, recipe, part.name)
        self._rota = rota_of(parts, {name: made.block for name, made in self.parts.items()})
        self.block = self._rota.unit

    def _prepare(self, recipe: Recipe, part: str) -> None:
        self.world = WORLDS[recipe.world]
        self.assignment = Assignment(self.recipe, self.split, self.seed, self.whole, part)
        self._blocks = Blocks(self.recipe)
        self.block = self._blocks.size
        self.requirements = Requirements(self.recipe)
        compositional = self.whole.compositional
        training = compositional is not None and self.split not in compositional.test
        self._examiner = Examiner(
            self.recipe,
            self.world,
            splitter_of(recipe, self.split, self.seed, _sample),
            compositional.held_out if compositional and training else (),
            lanes_of(self.recipe, self.split),
        )
        self._translator = Translator(self.assignment, self.world)
        self._recorder = Recorder(self.assignment, self.world)

    def instances(self, start: int, stop: int) -> Iterator[Instance]:
        """The records of instances start … stop-1."""
        for passage in self.passages(start, stop):
            yield from self.records(passage)

    def passages(self, start: int, stop: int) -> Iterator[Passage]:
        """The passages of instances start … stop-1, trimmed to exactly these."""
        if not self.parts:
            yield from self._blocks.passages(start, stop, self.passage)
            return
        for part, low, high, shift in spans(self._rota, start, stop):
            for passage in self.parts[part].passages(low, high):
                yield passage._replace(first=passage.first + shift, part=part)

    def passage(self, number: str, first: int, turn: int) -> Passage:
        """The passage of this number, whose first instance has the index `first`.

        The cell of its first question goes by `turn`; the next question has the next cell.
        """
        recipe = self.recipe
        unfold, tell, ask = (
            stream(recipe.id, self.seed, self.split, number, stage)
            for stage in ("unfold", "tell", "ask")
        )
        wanted = self.requirements[turn]
        brief = Brief(self.split, first, wanted.cell, self._examiner.splitter.admits)
        reasons = Reasons()
        for attempt in range(recipe.max_tries):
            if reasons[ELSEWHERE] > HOPELESS:
                raise shortfall.belongs_elsewhere(self.assignment)
            tale = self.world.begin(recipe, unfold, tell, brief._replace(attempt=attempt))
            waits = attempt >= IMPATIENT
            interview = Interview(
                self._examiner, self.requirements, tale, first, turn, ask, reasons, waits
            )
            try:
                asked = interview.held()
            except ElsewhereError:
                continue
            if asked:
                return self._translator.told(Passage(number, first, tale, asked))
            if reasons.hopeless:
                raise shortfall.never_met(self.assignment, first, wanted, reasons, attempt + 1)
        raise shortfall.out_of_tries(self.assignment, first, wanted.cell, reasons)

    def records(self, passage: Passage) -> list[Instance]:
        """The records of a passage, in order."""
        return [Instance(**fields) for fields in self.fields(passage)]

    def fields(self, passage: Passage) -> list[dict[str, Any]]:
        """The fields of the records of a passage; what writes them needs nothing more."""
        author = self.parts[passage.part] if self.parts else self
        return author._recorder.fields(passage)


def _sample(recipe: Recipe, split: str, seed: int, size: int) -> Iterator[Passage]:
    """The passages that decide which split has which composition (see splitting.py)."""
    return Author(recipe, split, seed).passages(0, size)
