"""When a claim about a story is proven, and how failures are reported.

Two programs decide what a part of a story entails: `timeline.py`, which verification uses, and the
logic program (`rules.lp`, run by `oracle.py`). The questions both are asked, and the messages for
claims that fail, are defined here.

A support is sufficient if

- read on its own, it is consistent and leads to the same conclusion as the whole story, and
- it is not stale: the conclusion still follows in the whole story if, of the other sentences, only
  who moved is known, and likewise if it is also known how things changed hands. So 'Mary went to
  the park' does not support that Mary is in the park after she went to the school and back to the
  park.

A support is minimal if no sentence can be left out without losing one of the two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from fabula.language import Lore
from fabula.world.base import Claim

Query = tuple[str, ...]


class Sentence(NamedTuple):
    """The facts of a sentence; `refers` if its subject comes from the previous sentence."""

    facts: tuple[tuple[str, ...], ...]
    refers: bool


class Conclusion(NamedTuple):
    """An answer, with the detail that makes it comparable between a story and a part of it.

    The detail of a place is ("in", place); of 'yes' and 'no' that word; of 'maybe' all the places
    left open, ("in", place) or ("elsewhere",); of what somebody holds (object, "held" or "lost",
    sentence) for each object; of a gift or a need (sentence,).
    """

    answer: tuple[str, ...]
    detail: tuple[tuple[str, ...], ...]


FACTS: Mapping[str, int] = {
    "move": 2,
    "at": 2,
    "not-at": 2,
    "either": 3,
    "grab": 2,
    "drop": 2,
    "give": 3,
    "put": 3,
    "lay": 3,
    "take": 3,
    "colour": 2,
    "state": 2,
    "went": 3,
    "need": 2,
}
QUERIES: Mapping[str, int] = {
    "where-person": 1,
    "where-object": 1,
    "where-was-object": 2,
    "yes-no": 2,
    "list": 1,
    "count": 1,
    "what-in": 1,
    "what-on": 1,
    "what-colour": 1,
    "what-state": 1,
    "who-gave-to": 2,
    "who-gave": 1,
    "who-received": 1,
    "who-given-to": 2,
    "what-given": 2,
    "where-was-person": 2,
    "where-will-go": 1,
    "why-go": 2,
    "why-get": 2,
}
HANDLING = ("grab", "drop", "give", "put", "lay", "take")
"""Facts by which a thing changes hands."""
HOLDING = ("list", "count", "what-in", "what-on")
"""Questions about what somebody or something holds."""
REASONED = ("where-will-go", "why-go", "why-get")
"""Questions that are answered by a need."""
WHY = ("why-go", "why-get")
"""Questions about the reason for something that must have happened."""
PAST = ("where-was-object", "where-was-person")
"""Questions about where something or somebody was before coming to a place."""
NO_LORE = Lore()

PRONOUN = ""
"""The subject of a fact whose sentence has a pronoun; the rules resolve it."""
ELSEWHERE, NEVER = ("elsewhere",), ("never",)
"""A place without a name; and no place, because it never came there."""

# fmt: off
_ONES = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on


class Examination(ABC):
    """Checks claims about a story with a program that says what its parts entail."""

    _length: int

    def _numbers(self) -> range:
        return range(1, self._length + 1)

    @abstractmethod
    def conclude(self, query: Query, subset: Collection[int] | None = None) -> Conclusion | None:
        """The conclusion of the story, or of only the sentences in `subset`, for one of the
        queries.
        """

    @abstractmethod
    def stale(self, query: Query, whole: Conclusion, support: Collection[int]) -> str:
        """The alternatives left open if, of all other sentences, only who moved is known.

        In English, to follow 'which then'; empty if the conclusion still holds.
        """

    @abstractmethod
    def described(self, query: Query, subset: Collection[int] | None = None) -> str:
        """Describes what a part of the story says about a query, to follow 'the story' or 'it'."""

    def prove(self, claim: Claim) -> list[str]:
        """The objections to a claim, in English; empty if it is proven."""
        failures = []
        query, whole = claim.query, self.conclude(claim.query)
        if whole is None or sorted(claim.answer) != sorted(whole.answer):
            found = self.described(query)
            failures.append(f"{_listed(claim.answer)} is not entailed: the story {found}")
        if not claim.supports:
            failures.append("there is no support")
        seen = set()
        for support in claim.supports:
            name = f"support {list(support)}"
            if frozenset(support) in seen:
                failures.append(f"{name} is listed twice")
                continue
            seen.add(frozenset(support))
            if len(set(support)) < len(support):
                failures.append(f"{name} repeats a sentence")
            elif beyond := sorted(set(support) - set(self._numbers())):
                failures.append(
                    f"{name} is out of range: the story of {self._length} sentences "
                    f"has no sentence {', '.join(map(str, beyond))}"
                )
            elif whole is not None:
                failures += self._failures(query, whole, support, name)
        return failures

    def _failures(
        self, query: Query, whole: Conclusion, support: Sequence[int], name: str
    ) -> list[str]:
        if self.conclude(query, support) != whole:
            found = self.described(query, support)
            return [f"{name} does not suffice: it {found}; the story entails {_told(whole)}"]
        about_places = _about_places(query)
        stale = self.stale(query, whole, support) if about_places else ""
        if stale:
            return [
                f"{name} is stale: later events undo what it says in the story, which then {stale}"
            ]
        failures = []
        for number in support:
            rest = [t for t in support if t != number]
            if self.conclude(query, rest) == whole and not (
                about_places and self.stale(query, whole, rest)
            ):
                failures.append(f"{name} still suffices without sentence {number}")
        return failures


def description(
    query: Query,
    possible: bool,
    conclusion: Conclusion | None,
    places: Collection[tuple[str, ...]],
    options: int,
) -> str:
    """Describes what a reading says about a query, given its conclusion and open places."""
    if not possible:
        return "is contradictory"
    if conclusion is not None:
        return f"entails {_told(conclusion)}"
    if not _about_places(query):
        return f"says nothing about {_quoted(query)}"
    if list(places) == [NEVER]:
        return f"does not say that {query[1]} ever came to {query[2]}"
    if len(places) == options:
        return f"leaves everything open for {_quoted(query)}"
    return f"leaves {_open(places)} open"


# Words


def _about_places(query: Query) -> bool:
    return query[0] == "yes-no" or (query[0].startswith("where") and query[0] not in REASONED)


def number_word(number: int) -> str:
    """The number in words: none, one, two, up to ninety-nine."""
    if number < len(_ONES):
        return _ONES[number]
    if number > 99:
        return str(number)
    tens, ones = _TENS[number // 10 - 2], number % 10
    return f"{tens}-{_ONES[ones]}" if ones else tens


def _quoted(query: Query) -> str:
    return f"{query[0]}({', '.join(query[1:])})"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "an empty answer"


def _open(details: Iterable[tuple[str, ...]]) -> str:
    words = {ELSEWHERE[0]: "elsewhere", NEVER[0]: "no place before"}
    ordered = sorted(details, key=lambda detail: (len(detail) == 1, detail))
    return f"{{{', '.join(d[1] if len(d) == 2 else words[d[0]] for d in ordered)}}}"


def _told(conclusion: Conclusion) -> str:
    answer = _listed(conclusion.answer)
    match conclusion.detail:
        case [[_, "held" | "lost", _], *_]:
            states = (f"{thing} {state} at {t}" for thing, state, t in conclusion.detail)
            return f"{answer} ({', '.join(states)})"
        case [[number]] if number.isdigit():
            return f"{answer} (by sentence {number})"
        case _ if conclusion.answer == ("maybe",):
            return f"{answer}, with {_open(conclusion.detail)} open"
        case _:
            return answer
