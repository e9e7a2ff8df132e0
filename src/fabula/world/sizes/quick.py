"""The fast path of sizes (see world/fast.py): things and comparisons as numbers."""

from __future__ import annotations

from typing import Final

from fabula.core.instance import Asked
from fabula.core.seeds import Draw, pick, pick_weighted
from fabula.core.split import Splitter, proof_content
from fabula.core.supports import minimal, numbers_of
from fabula.recipe.cells import ANYTHING, Cell
from fabula.world.base import Brief, Query
from fabula.world.fast import FastPath, Page, UncommonError, disagreement
from fabula.world.relations.amounts import bounds
from fabula.world.sizes.language import NOTHING, language
from fabula.world.sizes.reading import BIGGER
from fabula.world.sizes.recipe import SizesRecipe
from fabula.world.sizes.tale import SizesTale

YES: Final = ("yes",)
NO: Final = ("no",)
MANY: Final = 32  # maximum number of supports in a record; beyond that, the general path counts
FITTING: Final = ("smaller-fits",)

Pair = tuple[int, int, int, int, bool]
"""The thing assumed to be bigger, the other, the sentences cited (0: the proof), and the answer."""


class Told:
    """A sentence, and the result of the reader's parser."""

    def __init__(self, text: str, bigger: str, smaller: str, fits: bool) -> None:
        self.text = text
        self.bigger = bigger
        self.smaller = smaller
        self.fits = fits


class Order:
    """The reader's knowledge from sentences: which thing is bigger than which."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """Things in the order of mention, as bigger or smaller."""
        self.numbers: dict[str, int] = {}
        self.bigger: list[int] = []
        self.smaller: list[int] = []
        self.below: list[list[int]] = []
        """For each thing, the sentences that say what it is bigger than, counted from 0."""
        self.fits = 0
        """The sentences that say what fits inside what, as a mask."""
        self._supports: dict[int, list[int]] = {}

    def hear(self, told: Told) -> None:
        """Take in a sentence."""
        at = len(self.bigger)
        bigger = self._number(told.bigger)
        self.bigger.append(bigger)
        self.smaller.append(self._number(told.smaller))
        self.below[bigger].append(at)
        if told.fits:
            self.fits |= 2 << at
        if self._supports:
            self._supports = {}

    def _number(self, name: str) -> int:
        number = self.numbers.get(name, -1)
        if number < 0:
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
            self.below.append([])
        return number

    def sound(self) -> bool:
        """Whether nothing is stated to be bigger than itself."""
        above = [0] * len(self.names)
        for thing in self.smaller:
            above[thing] += 1
        free = [thing for thing, count in enumerate(above) if not count]
        for thing in free:  # grows during iteration
            for at in self.below[thing]:
                other = self.smaller[at]
                above[other] -= 1
                if not above[other]:
                    free.append(other)
        return len(free) == len(above)

    def supports(self, top: int, bottom: int) -> list[int]:
        """Every minimal support for the first being bigger than the second, best first."""
        key = top * len(self.names) + bottom
        known = self._supports.get(key)
        if known is None:
            found: list[int] = []
            self._descend(top, bottom, 0, found)
            known = [mask for mask in minimal(found) if self._stands(mask, top, bottom)]
            self._supports[key] = known
        return known

    def _descend(self, here: int, bottom: int, mask: int, found: list[int]) -> None:
        for at in self.below[here]:
            ahead = mask | 2 << at
            if self.smaller[at] == bottom:
                found.append(ahead)
            else:
                self._descend(self.smaller[at], bottom, ahead, found)

    def _stands(self, mask: int, top: int, bottom: int) -> bool:
        """Whether these sentences, and no fewer, lead down from one thing to another."""
        numbers = numbers_of(mask)
        ways = {self.bigger[number - 1]: self.smaller[number - 1] for number in numbers}
        here = top
        for _ in numbers:
            here = ways.pop(here, -1)
            if here < 0:
                return False
        return here == bottom and not ways


class QuickSizes(FastPath):
    """Stories about sizes, with one question after another."""

    def __init__(self, recipe: SizesRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self.recipe = recipe
        self.language = language(recipe.native)
        self._meanings = self.language.meanings
        self._told: list[dict[tuple[str, str], Told]] = [{} for _ in self._meanings]
        """For each wording, bigger and smaller thing: the sentence."""
        self._count = recipe.questions if isinstance(recipe.questions, int) else 0
        self._kinds = list(recipe.kinds())
        self._weights = [recipe.asks[kind] for kind in self._kinds]
        self._balance = recipe.balance
        self._repeats = recipe.allow_repeats
        self._released = recipe.labels == "release"
        self._batches = recipe.facts == "batches"
        self._length = recipe.lengths[0]
        self._more = recipe.question_interval
        self._extensions = recipe.max_extensions
        self._steps = bounds(recipe.steps)
        self._questions: dict[Query, str] = {}
        self._brief = Brief(split, 0, ANYTHING)

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        tale = SizesTale(self.recipe, unfold, tell, self._brief)
        order = Order()
        sentences: list[str] = []
        if self._batches:
            pairs = self._tell_batches(tale, order, sentences, tell, ask)
        else:
            self._tell(tale, order, sentences, tell)
            pairs = self._ordered(order)
        if not order.sound():
            raise UncommonError
        found: list[Asked] = []
        for _ in range(self._count):
            asked = self._ask(tale, order, sentences, ask, pairs, found)
            if asked is None:
                return None
            found.append(asked)
        return Page(sentences, found)

    # --- telling ------------------------------------------------------------------------------

    def _tell(self, tale: SizesTale, order: Order, sentences: list[str], draw: Draw) -> None:
        """Tell the links that were not told yet, in random wording."""
        links = tale.links
        for at in range(len(sentences), len(links)):
            subject, relation, other, _ = links[at]
            pair = (subject, other) if relation == BIGGER else (other, subject)
            way = int(draw() * len(self._meanings))
            told = self._told[way].get(pair)
            if told is None:
                told = self._told[way][pair] = self._read(self._meanings[way], pair)
            sentences.append(told.text)
            order.hear(told)

    def _read(self, meaning: str, pair: tuple[str, str]) -> Told:
        """A sentence as the reader reads it."""
        text = self.language.say_as(meaning, pair)
        bigger, smaller = self.language.parse(text)
        if (bigger, smaller) == NOTHING:
            raise UncommonError
        return Told(text, bigger, smaller, self.language.fits(text))

    def _tell_batches(
        self, tale: SizesTale, order: Order, sentences: list[str], tell: Draw, ask: Draw
    ) -> list[Pair]:
        """Tell batches of pairs until a question can be asked; returns the possible ones."""
        goal = self._length
        for _ in range(self._extensions + 1):
            while len(tale.links) < goal:
                tale.compare()
            self._tell(tale, order, sentences, tell)
            pairs = self._chains(order)
            if pairs:
                return pairs
            if len(self._kinds) > 1:  # the question kind that could not be asked was drawn
                pick_weighted(ask, self._kinds, self._weights)
            goal += self._more
        raise UncommonError

    # --- what can be asked ----------------------------------------------------------------------

    def _chains(self, order: Order) -> list[Pair]:
        """The questions that the release may ask (see release.py)."""
        bigger, smaller = order.bigger, order.smaller
        count = len(order.names)
        below, above = [-1] * count, [-1] * count
        for at in range(len(bigger) - 1, -1, -1):
            below[bigger[at]] = at
            above[smaller[at]] = at
        found: list[Pair] = []
        for at in range(len(bigger)):
            on = below[smaller[at]]
            if on >= 0:
                found.append((bigger[at], smaller[on], at + 1, on + 1, True))
            on = above[bigger[at]]
            if on >= 0:
                found.append((smaller[at], bigger[on], at + 1, on + 1, False))
        return found

    def _ordered(self, order: Order) -> list[Pair]:
        """All pairs as many steps apart as the recipe asks for."""
        low, most = self._steps
        smaller = order.smaller
        found: list[Pair] = []
        tops: dict[int, None] = dict.fromkeys(order.bigger)
        for top in tops:
            direct = [smaller[at] for at in order.below[top]]
            seen, edge = {top}, [top]
            for hops in range(1, most + 1):
                ahead: list[int] = []
                for here in edge:
                    for at in order.below[here]:
                        if smaller[at] not in seen:
                            seen.add(smaller[at])
                            ahead.append(smaller[at])
                edge = ahead
                if hops >= low:
                    for other in edge:
                        if hops == 1 or other not in direct:
                            found.append((top, other, 0, 0, True))
                            found.append((other, top, 0, 0, False))
        return found

    # --- asking ---------------------------------------------------------------------------------

    def _ask(
        self,
        tale: SizesTale,
        order: Order,
        sentences: list[str],
        draw: Draw,
        pairs: list[Pair],
        before: list[Asked],
    ) -> Asked | None:
        """A question about one of these pairs that belongs to the split; None if there is none."""
        kinds, weights = self._kinds, self._weights
        while kinds:
            kind = kinds[0] if len(kinds) == 1 else pick_weighted(draw, kinds, weights)
            pool = list(pairs)
            while pool:
                near = pool
                if kind in self._balance and len(pool) > 1:
                    same = [pair for pair in pool if pair[4] == pool[0][4]]
                    if len(same) < len(pool) and draw() < 0.5:
                        near = same
                    elif len(same) < len(pool):
                        near = [pair for pair in pool if pair[4] != pool[0][4]]
                pair = pick(draw, near)
                asked = self._asked(tale, order, sentences, kind, pair, before)
                if asked is not None:
                    return asked
                pool.remove(pair)
            at = kinds.index(kind)
            kinds = [*kinds[:at], *kinds[at + 1 :]]
            weights = [*weights[:at], *weights[at + 1 :]]
        return None

    def _asked(
        self,
        tale: SizesTale,
        order: Order,
        sentences: list[str],
        kind: str,
        pair: Pair,
        before: list[Asked],
    ) -> Asked | None:
        """A question, if it belongs to the split and is proven."""
        one, two, first, then, yes = pair
        names = order.names
        big, small = names[one], names[two]
        query = (kind, big, small) if kind == "bigger" else (kind, small, big)
        if yes != (tale.sizes[big] > tale.sizes[small]):
            raise disagreement(sentences, query)
        masks = order.supports(one, two) if yes else order.supports(two, one)
        if not masks:
            raise disagreement(sentences, query)
        if len(masks) > MANY:
            raise UncommonError
        if not self._repeats:
            for asked in before:
                if asked.query == query and asked.masks == masks:
                    return None
        support = (first, then) if first else numbers_of(masks[0])
        if self.sorted_out:
            told = [sentences[number - 1] for number in support]
            if not self.admits(proof_content(told, query)):
                return None
        relied: tuple[str, ...] = ()
        if yes and kind == "fits" and not _stated(masks, order.fits):
            relied = FITTING
        question = self._questions.get(query)
        if question is None:
            question = self._questions[query] = self.language.ask(query)
        return Asked(
            len(sentences), query, question, YES if yes else NO, support, list(masks), relied
        )


def _stated(masks: list[int], fits: int) -> bool:
    """Whether all sentences of a support say what fits inside what."""
    return any(not mask & ~fits for mask in masks)


def fast_path(recipe: SizesRecipe, seed: int, split: str, splitter: Splitter) -> FastPath | None:
    """The fast path of a plain recipe; None if only the general path applies."""
    if recipe.keep != Cell() or recipe.split_key == "facts":
        return None
    if not isinstance(recipe.questions, int) or recipe.max_supports < MANY:
        return None
    batches, released = recipe.facts == "batches", recipe.labels == "release"
    if batches != released or batches != recipe.allow_repeats:
        return None
    if batches and recipe.split_key != "none":
        return None
    if not batches and (recipe.max_extensions or bounds(recipe.noise.supporting)[1]):
        return None
    if recipe.lengths[0] != recipe.lengths[1] or not language(recipe.native).meanings:
        return None
    return QuickSizes(recipe, seed, split, splitter)
