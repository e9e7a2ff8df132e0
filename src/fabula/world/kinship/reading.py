"""The reader of kin: a graph of facts, and what follows along its paths.

Promises:
1. Sound: an answer holds in every family that fits the sentences of its support (see algebra.py).
2. A set of sentences that does not connect the two people says nothing about them, since the
   families of its parts need not be related. So the support along a simple path is minimal as a set
   of facts; as a set of sentences this is checked (`stands`).
3. It never sees the family, nor which fact is noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import orjson

from fabula.core.supports import minimal, numbers_of
from fabula.errors import ParseError
from fabula.world.base import Fact, Finding, Query
from fabula.world.kinship.algebra import MALE, OPTIONS, Vocabulary, fold, vocabulary
from fabula.world.kinship.phrases import Meaning, phrases
from fabula.world.kinship.templates import book

BY_MARRIAGE = "kin-by-marriage"
KINDS = ("kin", BY_MARRIAGE)
"""For 'kin' an uncle is a parent's brother; for 'kin-by-marriage' also an aunt's husband."""
MOST_PATHS = 512

BLOOD = vocabulary(frozenset(OPTIONS) - {"by-marriage"})
MARRIAGE = vocabulary(frozenset(OPTIONS))


def words_of(kind: str) -> Vocabulary:
    """The vocabulary of the answers to a kind of question."""
    return MARRIAGE if kind == BY_MARRIAGE else BLOOD


class UnitParser(Protocol):
    """A parser of units: the phrases of a language, or a book of templates on top of them."""

    def parse(self, unit: str) -> Meaning:
        """The facts that a unit states."""


class Edge(NamedTuple):
    """A fact seen from one of its people."""

    other: str
    relation: str
    """The relation of the other to this person."""
    bit: int


class Route(NamedTuple):
    """A simple path between two people."""

    path: list[Edge]
    steps: tuple[int, ...]
    """Where each person on it may be, seen from the one before (see algebra.py)."""
    used: int
    """Its sentences."""
    relation: str | None
    """The relation of the second person to the first, if it follows."""


class KinReading:
    """The reader's view of a story."""

    def __init__(self, tongue: UnitParser, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self._facts: list[tuple[Fact, ...]] = []
        self._near: dict[str, list[Edge]] = {}
        self._gender: dict[str, tuple[str, int]] = {}
        """For each person, the gender and the sentences that disclose it."""
        self._routes: dict[Query, list[Route]] = {}
        self._paths: dict[tuple[str, str], list[list[Edge]]] = {}
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next unit."""
        kin, genders = self.language.parse(sentence)
        bit = 2 << len(self._facts)
        facts: list[Fact] = list(kin)
        near, known_words, mirror = self._near, BLOOD.relation_of, BLOOD.mirror
        worded = set()
        for word, first, second in kin:
            relation, gender = known_words[word]
            if gender:
                worded.add(second)
            near.setdefault(first, []).append(Edge(second, relation, bit))
            near.setdefault(second, []).append(Edge(first, mirror[relation], bit))
        for person, gender in genders:
            if person not in worded:
                facts.append((gender, person))
            known = self._gender.get(person)
            self._gender[person] = (gender, bit | known[1]) if known else (gender, bit)
        self._facts.append(tuple(facts))
        if self._paths:
            self._routes.clear()
            self._paths.clear()

    # --- answers --------------------------------------------------------------------------

    def routes(self, query: Query) -> list[Route]:
        """The simple paths between the two people of a query, with what follows along them."""
        known = self._routes.get(query)
        if known is None:
            words = words_of(query[0])
            known = []
            ends = query[1], query[2]
            paths = self._paths.get(ends)
            if paths is None:
                paths = self._paths[ends] = list(self._walk(query[1], query[2]))
            for path in paths:
                used = 0
                for edge in path:
                    used |= edge.bit
                steps = tuple([words.mask[edge.relation] for edge in path])
                known.append(Route(path, steps, used, words.named(fold(steps))))
            self._routes[query] = known
        return known

    def _walk(self, first: str, second: str) -> Iterator[list[Edge]]:
        near = self._near
        if first not in near or second not in near or first == second:
            return
        path: list[Edge] = []
        seen = {first}
        left = [iter(near[first])]
        found = 0
        while left:
            for edge in left[-1]:
                if edge.other in seen:
                    continue
                if edge.other == second:
                    yield [*path, edge]
                    found += 1
                    if found == MOST_PATHS:
                        return
                    continue
                path.append(edge)
                seen.add(edge.other)
                left.append(iter(near[edge.other]))
                break
            else:
                left.pop()
                if path:
                    seen.discard(path.pop().other)

    def find(self, query: Query) -> Finding | None:
        """The word for the second person's relation to the first, with every minimal support."""
        found = self._answers(query, -1)
        if len(found) != 1:
            return None
        ((word, masks),) = found.items()
        kept = minimal(masks)
        if len(kept) > 1:  # among supports of one size, the one with the fewest facts comes first
            facts = {mask: self._hops(query, mask) for mask in kept}
            kept.sort(key=lambda mask: (mask.bit_count(), facts[mask]))
        return Finding((word,), kept, word)

    def _hops(self, query: Query, mask: int) -> int:
        """The number of facts on the shortest path within these sentences."""
        return min(len(route.path) for route in self.routes(query) if not route.used & ~mask)

    def _answers(self, query: Query, mask: int) -> dict[str, list[int]]:
        """All words that follow along some path, with the sentences; one, unless contradictory."""
        words = words_of(query[0])
        found: dict[str, list[int]] = {}
        for _, _, used, relation in self.routes(query):
            if relation is not None and not used & ~mask:
                for word, more in self._worded(words, relation, query[2], used, mask):
                    found.setdefault(word, []).append(used | more)
        return found

    def _worded(
        self, words: Vocabulary, relation: str, person: str, used: int, mask: int
    ) -> Iterator[tuple[str, int]]:
        """The word for a relation, and what else must be read for the gender in it."""
        named = words.relations[relation]
        if named.male == named.female:
            yield named.male, 0
            return
        gender, told = self._gender.get(person, ("", 0))
        told &= mask
        if told:
            word = words.word(relation, gender)
            if told & used:
                yield word, 0
            else:
                yield from ((word, 1 << number) for number in numbers_of(told))

    def _only_word(self, query: Query, routes: list[Route], mask: int) -> str:
        """The word that follows from these sentences; '' if there is none, or several."""
        words = words_of(query[0])
        gender, told = self._gender.get(query[2], ("", 0))
        only = ""
        for route in routes:
            relation = route.relation
            if relation is None or route.used & ~mask:
                continue
            named = words.relations[relation]
            if named.male != named.female and not told & mask:
                continue
            word = named.male if gender == MALE else named.female
            if only and word != only:
                return ""
            only = word
        return only

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences alone give the word, and none of them can be dropped."""
        routes = self.routes(query)
        if self._only_word(query, routes, mask) != conclusion:
            return False
        rest = mask
        while rest:
            low = rest & -rest
            rest ^= low
            if self._only_word(query, routes, mask & ~low) == conclusion:
                return False
        return True

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The word if the story had only these sentences, or None."""
        word = self._only_word(query, self.routes(query), mask)
        return (word,) if word else None

    # --- descriptions ---------------------------------------------------------------------

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each unit as worded, with the genders that its pronouns disclose."""
        return self._facts

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The relations stated in these units, seen either way."""
        found = set()
        for number in numbers_of(mask):
            for fact in self._facts[number - 1]:
                if len(fact) == 3:
                    relation = BLOOD.relation_of[fact[0]][0]
                    found.add(min(relation, BLOOD.mirror[relation]))
        return tuple(sorted(found))

    def signature(self, query: Query, mask: int) -> str:
        """The kind of question and the clause of the support, e.g. 'kin:mother-brother'."""
        paths = [route.path for route in self.routes(query) if not route.used & ~mask]
        if not paths:
            return query[0]
        words = []
        for edge in min(paths, key=len):
            gender = self._gender.get(edge.other, ("", 0))[0]
            words.append(BLOOD.word(edge.relation, gender) if gender else edge.relation)
        return f"{query[0]}:{'-'.join(words)}"


def read(code: str, sentences: Sequence[str]) -> KinReading:
    """The reading of a story in a language, which may include templates (see `idiom`)."""
    plain, _, templates = code.partition("+")
    tongue = book(plain, templates.encode()) if templates else phrases(plain)
    return KinReading(tongue, sentences)


def idiom(code: str, features: Mapping[str, Any]) -> str:
    """The language of a record: its code, followed by '+' and the record's templates in JSON."""
    templates = features.get("templates")
    if not templates:
        return code
    try:
        data = orjson.dumps(templates)
        book(code, data)
    except (ValueError, TypeError) as error:
        raise ParseError(f"invalid templates in the record: {error}") from None
    return f"{code}+{data.decode()}"
