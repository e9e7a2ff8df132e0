"""The reader of actor stories: sentences in, findings with their supports out.

It parses each sentence and hands it to `Knowledge` (knowledge.py), which says what follows and from
which sentences. What this file adds is what generation asks of the reader of any world.

Promises:
1. It sees sentences only. Nothing here, nor in what it imports, knows the simulator.
2. A support stands if it gives the conclusion when read alone, and also in a story of whose other
   sentences one only knows who moved; and if, without any one of its sentences, the rest does not
   do both.
3. A signature never depends on names: the same story about other people has the same signature.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from fabula.core.supports import numbers_of
from fabula.language import Language, Statement, language
from fabula.world.actors.knowledge import Knowledge
from fabula.world.actors.motives import resolved
from fabula.world.actors.questions import conclude, find
from fabula.world.base import Annotation, Fact, Finding, Query

# What a kind of sentence counts as in a composition: 'is in' is a move told another way.
CONCEPT = {"AFFIRM": "MOVE"}
MOVEMENTS = ("MOVE", "AFFIRM", "NEGATE", "INDEF")
PAST = ("where-was-object",)
# Conclusions that name no sentence: the same whatever the numbers of the sentences.
TIMELESS = ("where-person", "yes-no", "where-object", "where-was-object", "where-was-person")
SHORT = 8  # of so many sentences and movements the conclusion is remembered
TYPE = {
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
QUERY_TYPE = {
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

Numbered = tuple[int, Statement]
"""A sentence with its number."""
Walk = tuple[str, list[int]]
"""A person and the sentences by which they moved."""


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
        language = self.language
        statement = language.statements.get(sentence) or language.parse(sentence)
        self.statements.append(statement)
        number = len(self.statements)
        if statement.pronoun:
            self.pronouns.add(number)
        subjects = self.knowledge.hear(number, statement)
        if statement.kind in MOVEMENTS:
            for person in subjects:
                self._movements.setdefault(person, []).append(number)

    def find(self, query: Query) -> Finding | None:
        """What is found for a query, or None if the story does not tell."""
        return find(self.knowledge, query, self.language)

    def concluded(self, query: Query) -> Finding | None:
        """What is found for a query, with no supports listed."""
        found = conclude(self.knowledge, query, self.language)
        return Finding(found.answer, [], found.established) if found else None

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences are a minimal support of the conclusion (promise 2)."""
        if self._alone(query, mask) != conclusion:
            return False
        # questions about the past end with the support; all others with the story
        end = mask.bit_length() - 1 if query[0] in PAST else len(self.statements)
        facts = self.knowledge.facts
        numbers = numbers_of(mask)
        people = {name for number in numbers for f in facts[number] for name in (f[1], f[-1])}
        movements = self._movements
        walks = [(person, movements[person]) for person in sorted(people) if person in movements]
        if self._unread(query, mask, end, walks) != conclusion:
            return False
        # of one sentence, nothing can be dropped: nothing follows without it
        return not mask & (mask - 1) or not any(
            self._alone(query, rest) == conclusion
            and self._unread(query, rest, end, walks) == conclusion
            for rest in (mask & ~(1 << number) for number in numbers)
        )

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if only these sentences had been told, or None if none follows."""
        knowledge = Knowledge(self.language.lore, excerpt=True)
        for number in numbers_of(mask):
            knowledge.hear(number, self.statements[number - 1])
        found = conclude(knowledge, query, self.language)
        return found.answer if found else None

    def _alone(self, query: Query, mask: int) -> object:
        """The conclusion if only these sentences had been told; None if there is none."""
        return self._unread(query, mask, 0, ())

    def _unread(self, query: Query, mask: int, end: int, walks: Iterable[Walk]) -> object:
        """The conclusion if of all other sentences only is known who moved, not where to.

        Only the moves of the people named in the support can matter. Of those between two
        sentences two are as good as more: one may lead anywhere, another one back.
        """
        statements, timeless = self.statements, query[0] in TIMELESS
        course: list[Numbered | str] = []
        last = place = 0
        for number in numbers_of(mask):
            for person, moves in walks:
                between = bisect_left(moves, number) - bisect_right(moves, last)
                if between:
                    course += (person, person) if between > 1 else (person,)
            statement = statements[number - 1]
            # numbers matter to pronouns, which must follow at once, and to what is concluded
            beside = number == last + 1 or not statement.pronoun
            place = number if not timeless else place + 1 if beside else place + 2
            last = number
            course.append((place, statement))
        for person, moves in walks:
            between = bisect_right(moves, end) - bisect_right(moves, last)
            if between > 0:
                course += (person, person) if between > 1 else (person,)
        if timeless and len(course) <= SHORT:
            return _remembered(tuple(course), query, self.language)
        return _established(course, query, self.language)

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


@lru_cache(maxsize=20_000)  # the same few sentences come up again and again
def _signature(
    told: tuple[tuple[bool, tuple[Fact, ...]], ...], query: Query, times: tuple[str, ...]
) -> str:
    """Facts and question with names abstracted; a tilde marks what a pronoun tells."""
    names: dict[tuple[str, str], str] = {}

    def abstract(kind: str, types: str, args: Sequence[str]) -> str:
        slots = []
        for sort, name in zip(types, args, strict=True):
            if sort == "T":  # which of two times is the earlier is no matter of names
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
    """Roles and features of a question put after `position` sentences of a story."""
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


def _established(course: Sequence[Numbered | str], query: Query, tongue: Language) -> object:
    """What follows for a query from sentences, and from movements of which only is known whose."""
    knowledge = Knowledge(tongue.lore, excerpt=True)
    for event in course:
        if isinstance(event, str):
            knowledge.wander(event)
        else:
            knowledge.hear(*event)
    found = conclude(knowledge, query, tongue)
    return found.established if found else None


@lru_cache(maxsize=50_000)
def _remembered(course: tuple[Numbered | str, ...], query: Query, tongue: Language) -> object:
    """The same: supports are short and alike, however long and different the stories."""
    return _established(course, query, tongue)


def read(code: str, sentences: Sequence[str]) -> ActorsReading:
    """The reading of a story in a language."""
    return ActorsReading(language(code, "actors"), sentences)
