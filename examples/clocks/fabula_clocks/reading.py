"""The reader: what follows from the sentences of a timetable, and from which of them.

Promises:
1. An answer follows if it is the same in every timetable that fits the sentences. A departure that
   is not stated can be any time, a duration or walk that is not stated anything from five minutes.
2. `find` lists every minimal support: each yields the answer, and no proper part of it does.
3. A story that contradicts itself, or states the same time twice, answers nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fabula.core.supports import mask_of, numbers_of, preference
from fabula.world.base import Fact, Finding, Query
from fabula_clocks.words import STEP, Words, clock, minutes_of

SORT = dict.fromkeys(("leaves", "leaves-after", "follows"), "departure") | dict.fromkeys(
    ("takes", "takes-more", "takes-less"), "duration"
)
Time = tuple[str, str]
"""A time by sort and trip, e.g. ('duration', 'bus')."""
Sum = dict[Time, int]
"""A constant (under NUMBER) plus unknown times, each with its factor."""
NUMBER = ("", "")


class ContradictionError(Exception):
    """Sentences that cannot all be true, or that state the same time twice."""


class ClocksReading:
    """The reader's view of a timetable."""

    def __init__(self, language: Words, sentences: Sequence[str] = ()) -> None:
        self.language = language
        self.told: list[Fact] = []
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        self.told.append(self.language.parse(sentence))

    def value(self, query: Query, numbers: Collection[int] | None = None) -> str | None:
        """The answer that follows from these sentences (default: all), or None."""
        told = self.told if numbers is None else [self.told[number - 1] for number in numbers]
        try:
            return _Times(told).answer(query)
        except ContradictionError:
            return None

    def find(self, query: Query) -> Finding | None:
        """The answer with every minimal support, or None if none follows."""
        answer = self.value(query)
        if answer is None:
            return None
        found, tried, todo = set[int](), set[int](), [mask_of(range(1, len(self.told) + 1))]
        for mask in todo:  # grows: any further support lacks a sentence of each one found
            if mask in tried or self.value(query, numbers_of(mask)) != answer:
                continue
            tried.add(mask)
            support = mask
            for number in numbers_of(mask):
                rest = support & ~(1 << number)
                if self.value(query, numbers_of(rest)) == answer:
                    support = rest
            found.add(support)
            todo += [mask & ~(1 << number) for number in numbers_of(support)]
        return Finding((answer,), sorted(found, key=preference), answer)

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences are a minimal support of the conclusion."""
        numbers = numbers_of(mask)
        return self.value(query, numbers) == conclusion and not any(
            self.value(query, [n for n in numbers if n != dropped]) == conclusion
            for dropped in numbers
        )

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if only these sentences had been told, or None."""
        answer = self.value(query, numbers_of(mask))
        return None if answer is None else (answer,)

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(fact,) for fact in self.told]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The kinds of fact in these sentences."""
        return tuple(sorted({self.told[number - 1][0] for number in numbers_of(mask)}))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names and numbers abstracted."""
        names: dict[str, str] = {}

        def abstract(fact: Sequence[str]) -> str:
            words = ("#" if word[0].isdigit() else names.setdefault(word, f"T{len(names) + 1}")
                     for word in fact[1:])  # fmt: skip
            return f"{fact[0]}({','.join(words)})"

        told = [abstract(self.told[number - 1]) for number in numbers_of(mask)]
        return f"{' '.join(told)} ? {abstract(query)}"


class _Times:
    """The times that follow from some facts."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._told: dict[Time, Fact] = {}
        for fact in facts:
            key = SORT.get(fact[0], fact[0]), fact[1]
            if key in self._told:
                raise ContradictionError
            self._told[key] = fact
        self._least: dict[Time, int] = {}
        """Lower bounds of durations that are not stated: 'the tram takes 20 minutes less than
        the bus' says that the bus takes at least 25."""
        for sort, trip in self._told:
            if sort == "duration":
                total = self.time(sort, trip)
                unknown, least = total.keys() - {NUMBER}, STEP - total.get(NUMBER, 0)
                if not unknown and least > 0:
                    raise ContradictionError
                for key in unknown:
                    self._least[key] = max(least, self._least.get(key, STEP))

    def time(self, sort: str, trip: str, above: tuple[Time, ...] = ()) -> Sum:
        """A departure, duration, arrival or walk; `above` are the times it is needed for."""
        key = (sort, trip)
        if key in above:
            raise ContradictionError  # stated relative to itself
        above = (*above, key)
        if sort == "arrival":
            return _plus(self.time("departure", trip, above), self.time("duration", trip, above))
        if key not in self._told:
            return {key: 1}
        kind, _, *other, amount = self._told[key]
        minutes = -minutes_of(amount) if kind == "takes-less" else minutes_of(amount)
        if not other:
            return {NUMBER: minutes}
        base = "arrival" if kind == "follows" else sort
        return _plus(self.time(base, other[0], above), {NUMBER: minutes})

    def answer(self, query: Query) -> str | None:
        """The answer to a query, or None if none follows."""
        kind, trip, *rest = query
        if not rest:
            sort = {"arrive": "arrival", "how-long": "duration"}.get(kind, "departure")
            walk = self.time("walk", trip) if kind == "set-off" else {}
            total = _plus(self.time(sort, trip), walk, -1)
            minutes = total.get(NUMBER, 0)
            if total.keys() - {NUMBER}:
                return None
            return str(minutes) if kind == "how-long" else clock(minutes)
        sort = "departure" if kind == "leaves-first" else "arrival"
        gap = _plus(self.time(sort, trip), self.time(sort, rest[0]), -1)
        low, high = self._range(gap)
        if kind == "minutes-after":
            return str(int(low)) if low == high and low > 0 else None
        if kind == "arrives-before":
            return "yes" if high < 0 else "no" if low >= 0 else None
        return trip if high < 0 else rest[0] if low > 0 else None

    def _range(self, total: Sum) -> tuple[float, float]:
        """The least and the greatest value of a sum."""
        low = high = float(total.get(NUMBER, 0))
        for key in total.keys() - {NUMBER}:
            bound = total[key] * self._least.get(key, STEP)
            free = key[0] == "departure"
            low = low + bound if total[key] > 0 and not free else float("-inf")
            high = high + bound if total[key] < 0 and not free else float("inf")
        return low, high


def _plus(first: Sum, second: Sum, factor: int = 1) -> Sum:
    keys = {**first, **second}
    found = {key: first.get(key, 0) + factor * second.get(key, 0) for key in keys}
    return {key: count for key, count in found.items() if count}
