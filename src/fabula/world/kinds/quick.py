"""The fast path of kinds (see world/fast.py): one pass over the facts that the reader has read."""

from __future__ import annotations

from typing import Final

from fabula.core.instance import Asked
from fabula.core.seeds import Draw
from fabula.core.split import Splitter, proof_content
from fabula.core.supports import numbers_of, preference
from fabula.recipe.cells import ANYTHING, Cell
from fabula.world.base import Brief, Fact, Query
from fabula.world.fast import FastPath, Page, UncommonError, disagreement
from fabula.world.kinds.language import language
from fabula.world.kinds.recipe import KindsRecipe
from fabula.world.kinds.tale import KindsTale
from fabula.world.relations.amounts import bounds

INDUCTION: Final = ("induction",)


class QuickKinds(FastPath):
    """Stories in which everybody is of one kind, and asked about by name."""

    def __init__(self, recipe: KindsRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self.recipe = recipe
        self.language = language(recipe.native)
        self.released = recipe.labels == "release"
        self.lowercase = recipe.lowercase_names
        self._count = recipe.questions if isinstance(recipe.questions, int) else 0
        """Questions per story; 0: all."""
        self._inductive = bool(recipe.asks.get("colour"))
        self._questions: dict[Query, str] = {}
        self._brief = Brief(split, 0, ANYTHING, splitter.admits)

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        tale = KindsTale(self.recipe, unfold, tell, self._brief)
        say, parse = self.language.say, self.language.parse
        sentences = [say(fact) for fact in tale.facts]
        read = [parse(sentence) for sentence in sentences]
        if self._inductive:
            found = self._colour(tale, sentences, read)
        else:
            found = self._fears(tale, sentences, read)
        if not found:
            return None
        if self._count and not self._inductive:
            found = [found[int(ask() * len(found))] for _ in range(self._count)]
        return Page(sentences, found)

    def _question(self, query: Query) -> str:
        known = self._questions.get(query)
        if known is None:
            known = self._questions[query] = self.language.ask(query)
        return known

    def _belongs(self, sentences: list[str], numbers: tuple[int, ...], query: Query) -> bool:
        if not self.sorted_out:
            return True
        return self.admits(proof_content([sentences[number - 1] for number in numbers], query))

    def _fears(self, tale: KindsTale, sentences: list[str], read: list[Fact]) -> list[Asked]:
        """The fear of each individual, from its kind: two sentences each."""
        members: dict[str, tuple[str, int]] = {}
        fears: dict[str, tuple[str, int]] = {}
        for number, (kind, first, second) in enumerate(read, 1):
            table = members if kind == "member" else fears
            if first in table or kind not in ("member", "fear"):
                raise UncommonError
            table[first] = (second, number)
        found = []
        for name, truth in tale.answers.items():
            kind, member = members[name]
            feared, fear = fears[kind]
            query = ("afraid", name.lower() if self.lowercase else name)
            if feared != truth:
                raise disagreement(sentences, query)
            numbers = (member, fear) if self.released or member < fear else (fear, member)
            if not self._belongs(sentences, numbers, query):
                continue
            # neither sentence alone says what an individual is afraid of
            masks = [1 << member | 1 << fear]
            question = self._question(query)
            found.append(Asked(len(sentences), query, question, (feared,), numbers, masks))
        return found

    def _colour(self, tale: KindsTale, sentences: list[str], read: list[Fact]) -> list[Asked]:
        """The colour of the individual in the question, from those of the same kind."""
        members: dict[str, tuple[str, int]] = {}
        colours: dict[str, tuple[str, int]] = {}
        for number, (kind, first, second) in enumerate(read, 1):
            table = members if kind == "member" else colours
            if first in table or kind not in ("member", "colour"):
                raise UncommonError
            table[first] = (second, number)
        ((name, truth),) = tale.answers.items()
        if name in colours:
            raise UncommonError
        query = ("colour", name.lower() if self.lowercase else name)
        own, mine = members[name]
        masks: list[int] = []
        answers: list[str] = []
        last, answer = 0, truth
        cited: tuple[int, ...] = ()
        for peer, (kind, member) in members.items():
            if kind != own or member == mine or peer not in colours:
                continue
            colour, told = colours[peer]
            masks.append(1 << mine | 1 << member | 1 << told)
            if colour not in answers:
                answers.append(colour)
            if self.released and member > last:
                last, answer, cited = member, colour, (mine, member, told)
        if not masks:
            raise UncommonError
        position, question = len(sentences), self._question(query)
        if answers != [answer]:
            if not self.released:
                raise disagreement(sentences, query)
            return [Asked(position, query, question, (answer,), cited, [])]
        if truth != answer:
            raise disagreement(sentences, query)
        masks.sort(key=preference)
        numbers = cited or numbers_of(masks[0])
        if not self._belongs(sentences, numbers, query):
            return []
        return [Asked(position, query, question, (answer,), numbers, masks, INDUCTION)]


def fast_path(recipe: KindsRecipe, seed: int, split: str, splitter: Splitter) -> FastPath | None:
    """The fast path of a plain recipe; None if only the general path applies."""
    kind = recipe.kinds()[0]
    if recipe.keep != Cell() or recipe.split_key == "facts" or recipe.max_extensions:
        return None
    if kind in recipe.balance or not (recipe.allow_repeats or recipe.questions in ("all", 1)):
        return None
    if kind == "colour" and recipe.questions != 1:
        return None
    if recipe.max_supports < bounds(recipe.individuals)[1]:
        return None
    return QuickKinds(recipe, seed, split, splitter)
