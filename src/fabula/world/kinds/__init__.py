"""Individuals and their kinds; bAbI tasks 15 (deduction) and 16 (induction).

    1 Wolves are afraid of cats.
    2 Winona is a wolf.
    3 Emily is a sheep.

    What is Winona afraid of?  cat: sentences 1, 2.

Members of a kind, and of every kind below it, fear whatever the kind fears. That is deduction.
Induction is not entailed and relies on a convention (`induction`): an individual whose colour is
not stated has the colour of the others of its kind, if they all have the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.core.split import Splitter
from fabula.world.base import Brief, Citation, Claim, Fact, Query, Witness
from fabula.world.fast import FastPath
from fabula.world.kinds import quick, release, witness
from fabula.world.kinds.language import language
from fabula.world.kinds.reading import KindsReading, read
from fabula.world.kinds.recipe import KindsRecipe
from fabula.world.kinds.tale import KindsTale
from fabula.world.small import SmallWorld


class Kinds(SmallWorld):
    """Individuals and their kinds."""

    name = "kinds"
    recipe = KindsRecipe
    open_kinds = witness.OPEN_KINDS
    language = staticmethod(language)

    def begin(self, recipe: KindsRecipe, unfold: Draw, tell: Draw, brief: Brief) -> KindsTale:
        """Begin a story."""
        return KindsTale(recipe, unfold, tell, brief)

    def fast_path(
        self, recipe: KindsRecipe, seed: int, split: str, splitter: Splitter
    ) -> FastPath | None:
        """The fast path of plain recipes."""
        return quick.fast_path(recipe, seed, split, splitter)

    def read(self, code: str, sentences: Sequence[str]) -> KindsReading:
        """The reading of the sentences."""
        return read(code, sentences)

    def choices(self, recipe: KindsRecipe, query: Query) -> list[str]:
        """All answers that this kind of question can have in the recipe."""
        return list(recipe.animals if query[0] == "afraid" else recipe.colours)

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A sentence that tells just this fact."""
        return language(code).say(facts[0]) if len(facts) == 1 else None

    def conventions(self, recipe: KindsRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return ("induction",) if "colour" in recipe.kinds() else ()

    def relies(
        self, reading: KindsReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The convention of induction, if the colour is not stated."""
        return ("induction",) if query[0] == "colour" and masks[0].bit_count() > 1 else ()

    def citations(self, reading: KindsReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        return release.citations(reading, query)

    def plausible(self, facts: Sequence[Sequence[Fact]]) -> bool:
        """Whether nobody is of two kinds or colours, and no kind afraid of two others or itself."""
        told = [fact for each in facts for fact in each]
        return len({fact[:2] for fact in told}) == len(told) and all(f[1] != f[2] for f in told)

    def spellings(self, code: str, word: str) -> tuple[str, ...]:
        """A word by itself, at the beginning of a sentence, and in the plural, likewise."""
        several = language(code).plural(word)
        return (word, _capital(word), several, _capital(several))

    def state(self, reading: KindsReading) -> dict[str, Any]:
        """The kind and colour of everybody, and what is above a kind and feared by it."""
        names = {"member": "kind", "subkind": "above", "fear": "fear", "colour": "colour"}
        return {f"{names[f[0]]}({f[1]})": f[2] for f in reading.told if f}

    def resume(self, code: str, state: Mapping[str, Any]) -> KindsReading:
        """A reading that knows just what a state says."""
        kinds = {"kind": "member", "above": "subkind", "fear": "fear", "colour": "colour"}
        reading = KindsReading(language(code))
        for name, value in state.items():
            kind, _, one = name.rstrip(")").partition("(")
            reading.hear(language(code).say((kinds[kind], one, value)))
        return reading

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: Any,
        claim: Claim,
    ) -> bool:
        """The reader finds every contradiction itself."""
        return True

    def witnesses(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query
    ) -> list[Witness] | None:
        """Two worlds that fit the facts and answer a query differently."""
        return witness.worlds(facts, query)

    def fits(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
    ) -> tuple[str, ...] | None:
        """The answer in a complete world; None if some fact does not hold in it."""
        return witness.answer_in(facts, query, whole)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


KINDS = Kinds()
