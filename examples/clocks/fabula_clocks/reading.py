"""The reader of timetables: what follows from sentences, and from which.

Promises:
1. A time is a sum of what is told and of what is not: an untold departure is any time, an untold
   duration or walk anything from five minutes on. An answer follows if it is the same for all.
2. The minimal supports are all sets of sentences from which the answer follows and from no part of
   which it does.
3. A story that contradicts itself, or tells the same thing twice, answers nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from fabula.core.supports import mask_of, numbers_of, preference
from fabula.world.base import Fact, Finding, Query
from fabula_clocks.words import STEP, Words, clock, minutes_of

DEPARTURE = ("leaves", "leaves-after", "follows")
COMPARED = ("takes-more", "takes-less")
DURATION = ("takes", *COMPARED)
SORT = dict.fromkeys(DEPARTURE, "departure") | dict.fromkeys(DURATION, "duration")

Sum = dict[tuple[str, str], int]
"""A time as a sum: ('', '') is the number of minutes, ('duration', 'bus') an untold duration."""
NUMBER = ("", "")


class ContradictionError(Exception):
    """Sentences that cannot all be true, or say the same thing twice."""


class ClocksReading:
    """The reader's view of a timetable."""

    def __init__(self, tongue: Words, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.told: list[Fact] = []
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        self.told.append(self.language.parse(sentence))

    # --- what follows ---------------------------------------------------------------------------

    def value(self, query: Query, numbers: Collection[int]) -> str | None:
        """The answer that follows from some sentences; None if none does."""
        try:
            return _Times([self.told[number - 1] for number in numbers]).answer(query)
        except ContradictionError:
            return None

    def find(self, query: Query) -> Finding | None:
        """What is found for a query, or None if the story does not tell."""
        answer = self.value(query, range(1, len(self.told) + 1))
        if answer is None:
            return None
        relevant, found = self._relevant(query), list[int]()
        for size in range(1, len(relevant) + 1):
            for numbers in combinations(relevant, size):
                mask = mask_of(numbers)
                if any(not other & ~mask for other in found):
                    continue
                if self.value(query, numbers) == answer:
                    found.append(mask)
        return Finding((answer,), sorted(found, key=preference), answer)

    def _relevant(self, query: Query) -> list[int]:
        """The sentences about what is asked, about the trips they refer to, and so on."""
        names, found, before = set(query[1:]), set[int](), -1
        while len(found) > before:
            before = len(found)
            for number, (kind, trip, *rest) in enumerate(self.told, 1):
                # that another trip takes 30 minutes less says that this one takes longer than that
                if trip in names or (kind in COMPARED and rest[0] in names):
                    found.add(number)
                    names |= {trip, *rest[:-1]}
        return sorted(found)

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences give the conclusion, and none can be dropped."""
        numbers = numbers_of(mask)
        return self.value(query, numbers) == conclusion and not any(
            self.value(query, [n for n in numbers if n != dropped]) == conclusion
            for dropped in numbers
        )

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if only these sentences had been told, or None if none follows."""
        answer = self.value(query, numbers_of(mask))
        return None if answer is None else (answer,)

    # --- what is measured -----------------------------------------------------------------------

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(fact,) for fact in self.told]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The kinds of sentence among these."""
        return tuple(sorted({self.told[number - 1][0] for number in numbers_of(mask)}))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names and numbers abstracted."""
        names: dict[str, str] = {}

        def short(word: str) -> str:
            return "#" if word[0].isdigit() else names.setdefault(word, f"T{len(names) + 1}")

        def written(fact: Sequence[str]) -> str:
            return f"{fact[0]}({','.join(map(short, fact[1:]))})"

        told = [written(self.told[number - 1]) for number in numbers_of(mask)]
        return f"{' '.join(told)} ? {written(query)}"


class _Times:
    """The times that some sentences give."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._told: dict[tuple[str, str], Fact] = {}
        for fact in facts:
            key = SORT.get(fact[0], fact[0]), fact[1]
            if key in self._told:
                raise ContradictionError
            self._told[key] = fact
        self._least: dict[tuple[str, str], int] = {}
        for sort, trip in list(self._told):
            if sort == "duration":
                self._bound(self.time("duration", trip))

    def _bound(self, duration: Sum) -> None:
        """Every duration is at least a step; that may say something of another one."""
        unknown = [key for key in duration if key != NUMBER]
        least = STEP - duration.get(NUMBER, 0)
        if not unknown and least > 0:
            raise ContradictionError
        for key in unknown:
            self._least[key] = max(least, self._least.get(key, STEP))

    def time(self, sort: str, trip: str, above: tuple[tuple[str, str], ...] = ()) -> Sum:
        """A departure, duration, arrival or walk as a sum."""
        key = (sort, trip)
        if key in above:
            raise ContradictionError  # it is told by way of itself
        above = (*above, key)
        if sort == "arrival":
            return _plus(self.time("departure", trip, above), self.time("duration", trip, above))
        fact = self._told.get(key)
        if fact is None:
            return {key: 1}
        kind, _, *rest = fact
        if kind in ("leaves", "takes", "walk"):
            return {NUMBER: minutes_of(rest[0]) if kind == "leaves" else int(rest[0])}
        base = {"follows": "arrival", "leaves-after": "departure"}.get(kind, "duration")
        shift = -int(rest[1]) if kind == "takes-less" else int(rest[1])
        return _plus(self.time(base, rest[0], above), {NUMBER: shift})

    def answer(self, query: Query) -> str | None:
        """The answer to a query, if it follows."""
        kind, trip, *rest = query
        if kind in ("leave", "arrive", "set-off", "how-long"):
            sort = {"arrive": "arrival", "how-long": "duration"}.get(kind, "departure")
            found = self.time(sort, trip)
            if kind == "set-off":
                found = _plus(found, self.time("walk", trip), -1)
            if not found.keys() <= {NUMBER}:
                return None
            minutes = found.get(NUMBER, 0)
            return str(minutes) if kind == "how-long" else clock(minutes)
        sort = "departure" if kind == "leaves-first" else "arrival"
        later = _plus(self.time(sort, trip), self.time(sort, rest[0]), -1)
        if kind == "minutes-after":
            exact = later.keys() <= {NUMBER} and later.get(NUMBER, 0) > 0
            return str(later[NUMBER]) if exact else None
        low, high = self._range(later)
        if high is not None and high < 0:
            return "yes" if kind == "arrives-before" else trip
        if low is not None and low >= 0 and kind == "arrives-before":
            return "no"
        return rest[0] if low is not None and low > 0 else None

    def _range(self, sum: Sum) -> tuple[int | None, int | None]:
        """The least and the greatest value of a sum; None where there is no bound."""
        if any(sort == "departure" for sort, _ in sum):
            return None, None
        value = sum.get(NUMBER, 0)
        factors = []
        for key, factor in sum.items():
            if key != NUMBER:
                value += factor * self._least.get(key, STEP)
                factors.append(factor)
        low = value if all(factor > 0 for factor in factors) else None
        return low, value if all(factor < 0 for factor in factors) else None


def _plus(first: Sum, second: Sum, factor: int = 1) -> Sum:
    found = dict(first)
    for key, count in second.items():
        found[key] = found.get(key, 0) + factor * count
    return {key: count for key, count in found.items() if count}
