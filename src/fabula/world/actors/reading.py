"""The reader of actor stories: sentences in, answers with their supports out.

It parses each sentence and passes it to `Knowledge` (knowledge.py), which derives what follows and
from which sentences. This file adds what generation needs from the reader of any world.

Promises:
1. It sees sentences only. Neither this module nor its imports know the simulator.
2. A support holds if it gives the conclusion when read alone, and also in the full story when, of
   the other sentences, only who moved is known; and if, without any one of its sentences, at least
   one of the two fails.
3. A signature never depends on names: the same story about other people has the same signature.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from fabula.core.supports import numbers_of
from fabula.language import Language, Statement, language
from fabula.world.actors.knowledge import Knowledge
from fabula.world.actors.motives import resolved
from fabula.world.actors.questions import conclude, find
from fabula.world.base import Annotation, Fact, Finding, Query

# How a kind of sentence counts in a composition: 'is in' is another telling of a move.
CONCEPT: Final = {"AFFIRM": "MOVE"}
MOVEMENTS: Final = ("MOVE", "AFFIRM", "NEGATE", "INDEF")
PAST: Final = ("where-was-object",)
MOVING: Final = ("move", "at", "not-at", "either")
HANDLED: Final = {"grab": 0, "take": 0, "give": 2, "drop": -1}
"""Facts by which a thing changes hands, and which argument has it then; -1: nobody."""
# Conclusions that name no sentence, so that the numbers of the sentences do not matter.
TIMELESS: Final = ("where-person", "yes-no", "where-object", "where-was-object", "where-was-person")
LENGTH: Final = {"where-will-go": 0, "why-go": 0, "why-get": 0}
"""Conclusions that are the number of a sentence; others are the length of its mask, one more."""
SHORT: Final = 4  # maximum number of sentences in a support whose conclusions are cached
MEMO_LIMIT: Final = 50_000
TYPE: Final = {
    "move": "PL",
    "at": "PL",
    "not-at": "PL",
    "either": "PLL",
    "grab": "PO",
    "drop": "PO",
    "give": "POP",
    "put": "POO",
    "lay": "POO",
    "take": "POO",
    "colour": "OC",
    "state": "OS",
    "went": "PLT",
    "need": "PM",
}
QUERY_TYPE: Final = {
    "where-was-person": "PL",
    "where-will-go": "P",
    "why-go": "PL",
    "why-get": "PO",
    "where-person": "P",
    "where-object": "O",
    "where-was-object": "OL",
    "yes-no": "PL",
    "count": "P",
    "list": "P",
    "what-in": "O",
    "what-on": "O",
    "what-colour": "O",
    "what-state": "O",
    "who-gave-to": "OP",
    "who-gave": "O",
    "who-received": "O",
    "who-given-to": "PO",
    "what-given": "PP",
}


class ActorsReading:
    """The reader's view of a story: parsed statements and what follows from them."""

    def __init__(self, tongue: Language, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.statements: list[Statement] = []
        self.knowledge = Knowledge(tongue.lore)
        self.pronouns: set[int] = set()
        """The numbers of the sentences with a pronoun."""
        self._movements: dict[str, list[int]] = {}
        """Person to the sentences by which they moved."""
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        statement = self.language.statements.get(sentence)
        if statement is None:
            statement = self.language.parse(sentence)
        statements = self.statements
        statements.append(statement)
        number = len(statements)
        if statement.pronoun:
            self.pronouns.add(number)
        subjects = self.knowledge.hear(number, statement)
        if subjects and statement.domain:  # a movement
            movements = self._movements
            for person in subjects:
                known = movements.get(person)
                if known is None:
                    movements[person] = [number]
                else:
                    known.append(number)

    def hear_again(self, number: int, sentence: str) -> None:
        """Read a sentence again that was rephrased; it must mean the same."""
        statement = self.language.parse(sentence)
        if statement != self.statements[number - 1]:
            raise AssertionError(f"sentence {number} no longer says the same: {sentence}")
        self.statements[number - 1] = statement

    def find(self, query: Query) -> Finding | None:
        """The answer to a query with its supports, or None if the story does not settle it."""
        return find(self.knowledge, query, self.language)

    def concluded(self, query: Query) -> Finding | None:
        """The answer to a query, without its supports."""
        found = conclude(self.knowledge, query, self.language)
        return Finding(found.answer, [], found.established) if found else None

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences are a minimal support of the conclusion (promise 2)."""
        kind, numbers, statements = query[0], numbers_of(mask), self.statements
        facts, movements = self.knowledge.facts, self._movements
        walkers: list[str] = []
        for number in numbers:
            for fact in facts[number]:
                for name in (fact[1], fact[-1]):
                    if name in movements and name not in walkers:
                        walkers.append(name)
        if len(walkers) > 1:
            walkers.sort()
        # questions about the past end with the support; all others with the story
        end = numbers[-1] if kind in PAST else len(statements)
        walks: list[list[int]] = []
        places: list[int] = []
        last = 0
        key: list[object] = [query, *walkers]
        coherent = len(numbers) <= SHORT
        for number in numbers:
            statement = statements[number - 1]
            walked = [_between(movements[person], last, number - 1) for person in walkers]
            place = places[-1] + 1 if places else 1
            # the sentence before it must not be missing
            if statement.pronoun and number != last + 1:
                place += 1
                coherent = False
            walks.append(walked)
            places.append(place)
            key += walked
            key.append(statement.serial)
            last = number
        walked = [_between(movements[person], last, end) for person in walkers]
        walks.append(walked)
        key += walked
        known_as = tuple(key)
        if coherent and known_as in _standing:
            found = _standing[known_as]
        else:
            told = [statements[number - 1] for number in numbers]
            course = Course(told, [facts[number] for number in numbers], places, walkers, walks)
            found = course.established(query, self.language)
            if coherent:
                if len(_standing) >= MEMO_LIMIT:
                    _standing.clear()
                _standing[known_as] = found
        if found is None:
            return False
        if kind in TIMELESS:
            return found == conclusion
        return found == _renumbered(kind, conclusion, dict(zip(numbers, places, strict=True)))

    def follows(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences give the conclusion when read alone."""
        knowledge = Knowledge(self.language.lore, excerpt=True)
        for number in numbers_of(mask):
            knowledge.hear(number, self.statements[number - 1])
        found = conclude(knowledge, query, self.language)
        return (found.established if found else None) == conclusion

    def stale(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether it no longer follows once one knows what else happened, but not where.

        As for claims.py: of the other sentences one knows whom they moved, and then also how things
        changed hands.
        """
        if query[0] not in TIMELESS:  # these conclusions name the sentences they follow from
            return False
        ends = {len(self.statements)}
        if query[0] in PAST:
            # what happens after the last arrival does not matter: each support ends with it
            found = self.find(query)
            ends = {support.bit_length() - 1 for support in found.masks} if found else set()
            ends &= set(numbers_of(mask))
        return not any(
            all(self._lasts(query, conclusion, mask, end, handling) for handling in (False, True))
            for end in ends
        )

    def _lasts(self, query: Query, conclusion: object, mask: int, end: int, handling: bool) -> bool:
        """Whether it still follows from these sentences, given everything up to one of them."""
        knowledge, told = Knowledge(self.language.lore, excerpt=True), 0
        for number in range(1, end + 1):
            statement = self.statements[number - 1]
            if mask >> number & 1 and (not statement.pronoun or told == number - 1):
                knowledge.hear(number, statement)
                told = number
                continue
            for kind, *args in self.knowledge.facts.get(number, ()):
                if kind in MOVING:
                    knowledge.wander(args[0])
                elif handling and kind in HANDLED:
                    at, thing = HANDLED[kind], args[1]
                    knowledge.pass_on(thing, args[at] if at >= 0 else None)
                elif handling and kind in ("put", "lay"):
                    knowledge.pass_on(args[1], ("in" if kind == "put" else "on", args[2]))
        if not knowledge.consistent:
            return True
        found = conclude(knowledge, query, self.language)
        return (found.established if found else None) == conclusion

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if the story had only these sentences, or None if none follows."""
        knowledge = Knowledge(self.language.lore, excerpt=True)
        for number in numbers_of(mask):
            knowledge.hear(number, self.statements[number - 1])
        found = conclude(knowledge, query, self.language)
        return found.answer if found else None

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""
        facts = self.knowledge.facts
        return [facts.get(number, ()) for number in range(1, len(self.statements) + 1)]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The events and tellings in these sentences, sorted."""
        found, facts = set(), self.knowledge.facts
        for number in numbers_of(mask):
            statement = self.statements[number - 1]
            found.add(CONCEPT.get(statement.kind, statement.kind))
            people = facts.get(number, ())
            if statement.pronoun:
                found.add("COMPOUND" if len(people) > 1 else "COREF")
            elif len(people) > 1:
                found.add("CONJ")
        return tuple(sorted(found))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""
        facts = self.knowledge.facts
        told = [
            (bool(self.statements[number - 1].pronoun), facts.get(number, ()))
            for number in numbers_of(mask)
        ]
        query = resolved(self.knowledge, query)
        return _signature(tuple(told), query, tuple(self.language.lore.times))


@lru_cache(maxsize=20_000)  # the same few sentences occur again and again
def _signature(
    told: tuple[tuple[bool, tuple[Fact, ...]], ...], query: Query, times: tuple[str, ...]
) -> str:
    """Facts and question with names abstracted; a tilde marks facts stated with a pronoun."""
    names: dict[tuple[str, str], str] = {}

    def abstract(kind: str, types: str, args: Sequence[str]) -> str:
        slots = []
        for sort, name in zip(types, args, strict=True):
            if sort == "T":  # the order of two times is not a matter of names
                slots.append(str(times.index(name) + 1))
                continue
            key = (sort, name)
            if key not in names:
                names[key] = f"{sort}{sum(k[0] == sort for k in names) + 1}"
            slots.append(names[key])
        return f"{kind}({','.join(slots)})"

    parts = []
    for pronoun, facts in told:
        text = "+".join(abstract(fact[0], TYPE[fact[0]], fact[1:]) for fact in facts)
        parts.append(f"~{text}" if pronoun else text)
    return f"{' '.join(parts)} ? {abstract(query[0], QUERY_TYPE[query[0]], query[1:])}"


def annotation(reading: ActorsReading, query: Query, mask: int, position: int) -> Annotation:
    """Roles and features of a question asked after `position` sentences of a story."""
    asked = resolved(reading.knowledge, query)[1]
    facts = reading.knowledge.facts
    roles = ["support"] * position
    related, times = 0, []
    for number in range(1, position + 1):  # a plain loop: it runs for every record
        if mask >> number & 1:
            times += [fact[3] for fact in facts.get(number, ()) if fact[0] == "went"]
            continue
        roles[number - 1] = "distractor"
        for fact in facts.get(number, ()):
            if asked in fact:
                related += 1
                break
    features: dict[str, object] = {"related_distractors": related}
    if times:
        told = [reading.language.lore.times.index(time) for time in times]
        features["told_in_order"] = told == sorted(told)
    return Annotation(tuple(roles), features)


_standing: Final[dict[tuple[object, ...], object]] = {}
"""Cache of the conclusions of short courses: supports are short and alike, however long and
different the stories.
"""


def _between(moves: list[int], first: int, last: int) -> int:
    """The number of movements after one sentence and up to another, at most two."""
    if not moves or moves[-1] <= first:
        return 0
    return min(2, bisect_right(moves, last) - bisect_right(moves, first))


class Course:
    """The sentences of a support in order, with the movements of its people in between.

    Of these movements only the person is known, not the destination. Only moves of people named in
    the support can matter; and between two sentences, two moves are as good as more: one may lead
    anywhere, another one back. Sentences are renumbered, since the old numbers matter only for
    pronouns, which must follow directly.
    """

    def __init__(
        self,
        statements: list[Statement],
        facts: list[tuple[Fact, ...]],
        places: list[int],
        walkers: list[str],
        walks: list[list[int]],
    ) -> None:
        self.statements = statements
        self.facts = facts
        self.places = places
        """The new number of each sentence."""
        self.walkers = walkers
        self.walks = walks
        """How often each walker moved before each sentence, and after the last."""

    def established(self, query: Query, tongue: Language) -> object:
        """The conclusion of the sentences both alone and among the movements, if each sentence is
        needed for it; else None. Sentence numbers in it are the new ones.
        """
        whole = (1 << len(self.statements)) - 1
        found = self._follows(query, tongue, whole, False)
        if found is None or (
            any(map(any, self.walks)) and self._follows(query, tongue, whole, True) != found
        ):
            return None
        # a single sentence is always minimal: nothing follows without it
        if len(self.statements) > 1:
            for at in range(len(self.statements)):
                rest = whole & ~(1 << at)
                if (
                    self._follows(query, tongue, rest, False) == found
                    and self._follows(query, tongue, rest, True) == found
                ):
                    return None
        if query[0] in TIMELESS:
            return found
        if isinstance(found, frozenset):
            return frozenset([(thing, has, at - 1) for thing, has, at in found])
        return found - LENGTH.get(query[0], 1) if isinstance(found, int) else None

    def _follows(self, query: Query, tongue: Language, kept: int, walking: bool) -> object:
        """The conclusion of some of the sentences, alone or among the movements."""
        knowledge = Knowledge(tongue.lore, excerpt=True)
        walkers = self.walkers if walking else []
        walked = [0] * len(walkers)
        for at, statement in enumerate(self.statements):
            if walking:
                walked = [n + m for n, m in zip(walked, self.walks[at], strict=True)]
            if not kept >> at & 1:
                if walking and statement.kind in MOVEMENTS:
                    movers = [fact[1] for fact in self.facts[at]]
                    walked = [
                        n + movers.count(person) for n, person in zip(walked, walkers, strict=True)
                    ]
                continue
            _wander(knowledge, walkers, walked)
            walked = [0] * len(walkers)
            knowledge.hear(self.places[at], statement)
        if walking:
            walked = [n + m for n, m in zip(walked, self.walks[-1], strict=True)]
            _wander(knowledge, walkers, walked)
        found = conclude(knowledge, query, tongue)
        return found.established if found else None


def _renumbered(kind: str, conclusion: object, places: dict[int, int]) -> object:
    """A conclusion that names sentences, with their new numbers."""
    if isinstance(conclusion, frozenset):  # the fate of things: the lengths of masks
        return frozenset([(what, has, places.get(at - 1, -1)) for what, has, at in conclusion])
    if not isinstance(conclusion, int):
        return None
    return places.get(conclusion - LENGTH.get(kind, 1), -1)


def _wander(knowledge: Knowledge, walkers: list[str], walked: list[int]) -> None:
    """Let people move to unknown places; two movements are as good as more."""
    for person, times in zip(walkers, walked, strict=True):
        for _ in range(min(2, times)):
            knowledge.wander(person)


def read(code: str, sentences: Sequence[str]) -> ActorsReading:
    """The reading of a story in a language."""
    return ActorsReading(language(code, "actors"), sentences)
