"""The reader of positions: from the sentences alone, what lies where, and why.

Promises:
1. Every stated relation is one step on the grid, or the stated number. So the relation of two
   entities is settled exactly if a chain of sentences links them, and the minimal supports are the
   simple chains.
2. 'What is north of X?' asks for the thing one step north; if there are several, there is no
   answer.
3. 'How do you go from X to Y?' uses stated neighbours only, and asks for the shortest path; if
   several shortest paths differ, there is no answer. A longer path with the same steps is a support
   too.
4. A story that contradicts itself has no answers.
5. A denial excludes a region (see grid.py), by itself or shifted along chains ('A is not directly
   to the left of B. B is to the right of C.' So A is not directly to the left of C.), and several
   may settle something together. If a region is half of space, its denial proves a 'yes' as well.
   `find` returns every minimal support of this kind too (see denials.py). Distances and paths rest
   on links only.
6. 'Which agents are left of X?' asks for all who certainly lie in that region (see grid.py); a
   support proves it for each. An empty list does not count as an answer.
7. A sentence that states two links counts as one: supports are sets of sentences. Hops count links:
   two for such a sentence if the proof uses both.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.supports import minimal, numbers_of, product
from fabula.world.base import Fact, Finding, Query
from fabula.world.space.chart import Chart
from fabula.world.space.denials import Denial, Refuter, inside, outside
from fabula.world.space.grid import (
    LETTERS,
    PLANE,
    REGIONS,
    ROOM,
    SPACES,
    WAYS,
    WORDS,
    Region,
    label,
    length,
    lies,
    parted,
    xyz,
)
from fabula.world.space.language import SpaceLanguage, Statement, Told

NOTHING: Told = ("", "", "", "")


class SpaceReading:
    """The reader's view of a story about positions."""

    def __init__(self, tongue: SpaceLanguage, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.told: list[Told] = []
        """For each sentence: relation, figure, ground, kind of expression."""
        self.more: dict[int, tuple[Statement, ...]] = {}
        """Facts of sentences that do not just state one step; `told` has NOTHING for them."""
        self.denials: list[tuple[int, Statement]] = []
        """Denials with the numbers of their sentences."""
        self.deep = False
        """Whether the story that this is an excerpt of mentions depth."""
        self.chart = Chart()
        self._consistent = 0
        """The number of sentences known to be consistent, denials included."""
        if sentences:
            self.hear_all(sentences)

    def hear_all(self, sentences: Sequence[str]) -> None:
        """Take in the next sentences: the same as one after another, but faster."""
        steps = self.language.steps(sentences)
        if steps is None:
            for sentence in sentences:
                self.hear(sentence)
            return
        add, bit = self.chart.add, 1 << len(self.told)
        self.told += steps
        for relation, figure, ground, _ in steps:
            bit <<= 1
            add(bit, figure, WORDS[relation], ground)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        told = self.language.step(sentence)
        if told is None:
            statements = self.language.statements(sentence)
            if len(statements) != 1 or statements[0].steps != 1:
                self.take(statements)
                return
            told = statements[0][:4]
        self.told.append(told)
        self.chart.add(1 << len(self.told), told[1], WORDS[told[0]], told[2])

    def take(self, statements: tuple[Statement, ...]) -> None:
        """Take in all statements of one sentence."""
        self.told.append(NOTHING)
        number = len(self.told)
        self.more[number] = statements
        for told in statements:
            if told.steps:
                vector = WORDS[told.relation] * told.steps
                self.chart.add(1 << number, told.figure, vector, told.ground)
            else:
                self.denials.append((number, told))

    # --- questions ------------------------------------------------------------------------

    def find(self, query: Query) -> Finding | None:
        """The answer to a query with its supports, or None if the story does not settle it."""
        if not self.chart.sound:
            return None
        refuter = self._refuter(query)
        if refuter is not None and self._consistent < len(self.told):
            if refuter.refutations([()]):
                return None
            self._consistent = len(self.told)
        kind = query[0]
        if kind == "relation":
            return self._relation(query[1], query[2], refuter)
        if kind == "yes-no":
            return self._yes_no(query[1], query[2], query[3], refuter)
        if kind == "path":
            if len(query) > 3:
                return self._ways(query[2], query[3])
            return self._path(query[1], query[2])
        if kind == "which":
            return self._which(query[1], query[2], refuter)
        if kind == "how-far":
            return self._how_far(query[1], query[2])
        if kind == "what-is":
            return self._neighbour(query[2], WORDS[query[1]])
        return self._neighbour(query[1], -WORDS[query[2]])

    def _relation(self, first: str, second: str, refuter: Refuter | None) -> Finding | None:
        gap = self.chart.gap(first, second)
        if refuter is None:
            if gap is None:
                return None
            answer = label(gap)
            return Finding((answer,), self.chart.ways(first, second), answer)
        for answer in SPACES[refuter.axes].labels if gap is None else (label(gap),):
            signs = xyz(WORDS.get(answer, 0))
            found = self._lies(signs, first, second, refuter)
            if found is not None and found[0]:
                return Finding((answer,), found[1], answer)
        return None

    def _yes_no(
        self, relation: str, figure: str, ground: str, refuter: Refuter | None
    ) -> Finding | None:
        found = self._lies(REGIONS[relation], figure, ground, refuter)
        if found is None:
            return None
        answer = "yes" if found[0] else "no"
        return Finding((answer,), found[1], answer)

    def _lies(
        self, region: Region, figure: str, ground: str, refuter: Refuter | None
    ) -> tuple[bool, list[int]] | None:
        """Whether the figure lies in a region of the ground, with every minimal support.

        None if neither follows.
        """
        gap, masks = self.chart.gap(figure, ground), self.chart.ways(figure, ground)
        if refuter is None:
            return None if gap is None else (lies(gap, region), masks)
        if gap is None or lies(gap, region):
            proofs = refuter.refutations(outside(region, figure, ground, refuter.axes))
            if gap is not None or proofs:
                return True, minimal([*masks, *proofs])
        proofs = refuter.refutations(inside(region, figure, ground))
        return (False, minimal([*masks, *proofs])) if masks or proofs else None

    def _refuter(self, query: Query) -> Refuter | None:
        """The solver for contradictions to an answer, if there are denials."""
        if not self.denials:
            return None
        denials = [
            Denial(1 << number, REGIONS[told.relation], told.figure, told.ground)
            for number, told in self.denials
        ]
        deep = self.deep or self._speaks_of_depth() or bool(REGIONS.get(query[1], (0,) * 3)[2])
        return Refuter(self.chart, denials, ROOM.dimensions if deep else PLANE.dimensions)

    def _speaks_of_depth(self) -> bool:
        return any(REGIONS[told.relation][2] for _, told in self.denials) or any(
            xyz(vector)[2] for _, _, vector, _ in self.chart.told
        )

    def _which(self, relation: str, ground: str, refuter: Refuter | None) -> Finding | None:
        region = REGIONS[relation]
        found = []
        masks = [0]
        for name in self._names(ground):
            lying = self._lies(region, name, ground, refuter)
            if lying is not None and lying[0]:
                found.append(name)
                masks = product(masks, lying[1])
        answer = tuple(sorted(found))
        return Finding(answer, masks, answer) if answer else None

    def _names(self, ground: str) -> list[str]:
        """Entities whose position relative to an entity the story may settle."""
        names = list(self.chart.parts.get(ground, ()))
        if self.denials:
            denied = (name for _, told in self.denials for name in (told.figure, told.ground))
            names = list(dict.fromkeys((*self.chart.places, *denied)))
        return [name for name in names if name != ground]

    def _how_far(self, first: str, second: str) -> Finding | None:
        gap = self.chart.gap(first, second)
        if gap is None:
            return None
        answer = str(length(gap))
        return Finding((answer,), self.chart.ways(first, second), answer)

    def _ways(self, start: str, goal: str) -> Finding | None:
        """The steps of the path over the fewest stated links, if all such paths agree."""
        words = _shortest(self.chart, start, goal)
        if words is None:
            return None
        masks = minimal(self._walks(start, goal, words))
        return Finding(words, masks, words)

    def _walks(self, start: str, goal: str, words: tuple[str, ...]) -> list[int]:
        """The sentences of every path with these steps that do not also state a shorter one."""
        near, found = self.chart.near(), []
        stack: list[tuple[str, int, tuple[str, ...], frozenset[str]]] = [
            (start, 0, (), frozenset([start]))
        ]
        while stack:
            node, mask, done, seen = stack.pop()
            for other, step, bit in near[node]:
                ahead = (*done, *_words((-step,)))
                if other in seen or ahead != words[: len(ahead)]:
                    continue
                if other != goal:
                    stack.append((other, mask | bit, ahead, seen | {other}))
                elif ahead == words:
                    found.append(mask | bit)
        # a sentence may state a second link, and with it a shorter path
        return [m for m in found if _shortest(self.chart.only(m), start, goal) == words]

    def around(self, ground: str, direction: int) -> list[str]:
        """Entities at exactly this position relative to an entity, as far as the story says."""
        chart = self.chart
        if not chart.sound or ground not in chart.places:
            return []
        spot, places, part = chart.places[ground] + direction, chart.places, chart.parts
        mine = part[ground]
        return [name for name, here in places.items() if here == spot and part[name] is mine]

    def _neighbour(self, ground: str, direction: int) -> Finding | None:
        """Entities one step in a direction from the ground."""
        found = self.around(ground, direction)
        if len(found) != 1:
            return None
        return Finding((found[0],), self.chart.ways(found[0], ground), found[0])

    def _path(self, start: str, goal: str) -> Finding | None:
        ways = self.chart.ways(start, goal)
        if not ways:
            return None
        size = ways[0].bit_count()
        masks = [mask for mask in ways if mask.bit_count() == size]
        letters = self.letters(masks[0], start, goal)
        if letters is None or any(self.letters(m, start, goal) != letters for m in masks[1:]):
            return None
        return Finding(letters, masks, letters)

    def letters(self, mask: int, start: str, goal: str) -> tuple[str, ...] | None:
        """The path that these sentences state, as letters."""
        steps = self.chart.path(mask, start, goal)
        letters = [LETTERS.get(-step) for _, step in steps or ()]
        return tuple(x for x in letters if x) if letters and None not in letters else None

    # --- checks ---------------------------------------------------------------------------

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences alone give the conclusion and none can be dropped."""
        kind = query[0]
        if self.more or kind == "which" or (len(query) > 3 and kind == "path"):
            return self._concludes(query, mask) == conclusion and all(
                self._concludes(query, mask ^ 1 << number) != conclusion
                for number in numbers_of(mask)
            )
        if kind == "relation":
            alone = self.chart.alone(mask, query[1], query[2])
            return alone is not None and label(alone) == conclusion
        if kind == "yes-no":
            alone = self.chart.alone(mask, query[2], query[3])
            if alone is None:
                return False
            return ("yes" if lies(alone, REGIONS[query[1]]) else "no") == conclusion
        if kind == "how-far":
            alone = self.chart.alone(mask, query[1], query[2])
            return alone is not None and str(length(alone)) == conclusion
        if kind == "path":
            return self.letters(mask, query[1], query[2]) == conclusion
        ground, direction = (
            (query[2], WORDS[query[1]]) if kind == "what-is" else (query[1], -WORDS[query[2]])
        )
        return self.chart.alone(mask, str(conclusion), ground) == direction

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if the story had only these sentences, or None if none follows."""
        finding = self._part(mask).find(query)
        return None if finding is None else finding.answer

    def _concludes(self, query: Query, mask: int) -> object:
        finding = self._part(mask).find(query)
        return None if finding is None else finding.conclusion

    def _part(self, mask: int) -> SpaceReading:
        """The reading of these sentences alone."""
        part = SpaceReading(self.language)
        part.deep = self.deep or (bool(self.denials) and self._speaks_of_depth())
        for number in numbers_of(mask):
            if number in self.more:
                part.take(self.more[number])
                continue
            told = self.told[number - 1]
            part.told.append(told)
            part.chart.add(1 << len(part.told), told[1], WORDS[told[0]], told[2])
        if self._consistent == len(self.told):
            part._consistent = len(part.told)
        return part

    # --- descriptions ---------------------------------------------------------------------

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence."""
        if not self.more:
            return [(told[:3],) for told in self.told]
        return [
            tuple(map(_fact, self.more[number])) if number in self.more else (told[:3],)
            for number, told in enumerate(self.told, 1)
        ]

    def hops(self, query: Query, mask: int) -> int:
        """The minimum number of links and denials of these sentences that the proof uses.

        If a sentence states two links, the proof may use both, or one.
        """
        if all(len(self.more.get(number, (1,))) == 1 for number in numbers_of(mask)):
            return mask.bit_count()
        single = SpaceReading(self.language)
        single.deep = self.deep or (bool(self.denials) and self._speaks_of_depth())
        for number in numbers_of(mask):
            for told in self.more.get(number) or (Statement(*self.told[number - 1]),):
                single.take((told,))
        if self._consistent == len(self.told):
            single._consistent = len(single.told)
        finding = single.find(query)
        return finding.masks[0].bit_count() if finding is not None else mask.bit_count()

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The kinds of expression in these sentences, sorted."""
        if not self.more:
            return tuple(sorted({self.told[number - 1][3] for number in numbers_of(mask)}))
        found = set()
        for number in numbers_of(mask):
            said = self.more.get(number) or (Statement(*self.told[number - 1]),)
            found |= {told.kind for told in said} | ({"joined"} if len(said) > 1 else set())
        return tuple(sorted(found))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""
        names: dict[str, str] = {}

        def short(word: str) -> str:
            if word in REGIONS or word == "steps":
                return word
            return names.setdefault(word, f"E{len(names) + 1}")

        parts = []
        if not self.more:
            for number in numbers_of(mask):
                relation, figure, ground, _ = self.told[number - 1]
                parts.append(f"{relation}({short(figure)},{short(ground)})")
            return f"{' '.join(parts)} ? {query[0]}({','.join(map(short, query[1:]))})"
        facts = self.facts()
        for number in numbers_of(mask):
            for fact in facts[number - 1]:
                if fact[0] == "not":
                    parts.append(f"not-{fact[1]}({short(fact[2])},{short(fact[3])})")
                else:
                    steps = "".join(fact[3:])
                    parts.append(f"{fact[0]}{steps}({short(fact[1])},{short(fact[2])})")
        return f"{' '.join(parts)} ? {query[0]}({','.join(map(short, query[1:]))})"


def _fact(told: Statement) -> Fact:
    if not told.steps:
        return ("not", *told[:3])
    return told[:3] if told.steps == 1 else (*told[:3], str(told.steps))


def _shortest(chart: Chart, start: str, goal: str) -> tuple[str, ...] | None:
    """The steps of the path over the fewest links; None if there are several, or none."""
    if chart.gap(start, goal) is None:
        return None
    near, seen = chart.near(), {start}
    edge: list[tuple[str, tuple[int, ...]]] = [(start, ())]
    while goal not in seen:
        edge = [
            (other, (*way, -step))
            for node, way in edge
            for other, step, _ in near[node]
            if other not in seen
        ]
        seen.update(node for node, _ in edge)
    ways = {_words(way) for node, way in edge if node == goal}
    return ways.pop() if len(ways) == 1 else None


def _words(way: Sequence[int]) -> tuple[str, ...]:
    """The single steps of a path, in words."""
    return tuple(WAYS[unit] for unit, count in map(parted, way) for _ in range(count))


def read(code: str, sentences: Sequence[str]) -> SpaceReading:
    """The reading of a story in a language."""
    from fabula.world.space.language import language

    return SpaceReading(language(code), sentences)
