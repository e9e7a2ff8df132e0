"""A story of the actor world in the making, and the reading of one by whomever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fabula.labels import numbers_of
from fabula.language import Language, Statement, language
from fabula.seeds import Draw
from fabula.worlds.actors import release
from fabula.worlds.actors.events import Scenario, Stage, Told
from fabula.worlds.actors.questions import KINDS, conclude, find, sweep, visits
from fabula.worlds.actors.reading import Knowledge
from fabula.worlds.actors.recipe import ActorsRecipe
from fabula.worlds.base import Annotation, Candidate, Fact, Finding, Query

# What a kind of sentence counts as in a composition: 'is in' is a move told another way.
CONCEPT = {"AFFIRM": "MOVE"}
MOVEMENTS = ("MOVE", "AFFIRM", "NEGATE", "INDEF")
PAST = ("where-was-object",)
TIMELESS = ("where-person", "yes-no")  # conclusions that name no sentence
TYPE = {"move": "PL", "at": "PL", "not-at": "PL", "either": "PLL", "grab": "PO", "drop": "PO"}
QUERY_TYPE = {
    "where-person": "P",
    "where-object": "O",
    "where-was-object": "OL",
    "yes-no": "PL",
    "count": "P",
    "list": "P",
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
        self.knowledge = Knowledge()
        self.pronouns: set[int] = set()
        """The numbers of the sentences with a pronoun."""
        self._movements: list[tuple[int, tuple[str, ...]]] = []
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        language = self.language
        statement = language.statements.get(sentence) or language.parse(sentence)
        self.statements.append(statement)
        number = len(self.statements)
        if statement.pronoun:
            self.pronouns.add(number)
        subjects = self.knowledge.hear(number, statement)
        if subjects and statement.kind in MOVEMENTS:
            self._movements.append((number, subjects))

    def find(self, query: Query) -> Finding | None:
        return find(self.knowledge, query, self.language)

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        if not mask & (mask - 1):  # one sentence: nothing follows without it
            if query[0] in TIMELESS:
                return _said(self.statements[mask.bit_length() - 2], query, self.language) == (
                    conclusion
                )
            return self._alone(query, mask) == conclusion
        if self._alone(query, mask) != conclusion:
            return False
        # questions about the past end with the support; all others with the story
        end = mask.bit_length() - 1 if query[0] in PAST else len(self.statements)
        facts = self.knowledge.facts
        people = {n for number in numbers_of(mask) for f in facts[number] for n in (f[1], f[-1])}
        if self._unread(query, mask, end, people) != conclusion:
            return False
        return not any(
            self._alone(query, rest) == conclusion
            and self._unread(query, rest, end, people) == conclusion
            for rest in (mask & ~(1 << number) for number in numbers_of(mask))
        )

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        found = conclude(self._only(mask), query, self.language)
        return found.answer if found else None

    def _only(self, mask: int) -> Knowledge:
        """What follows if only these sentences had been told."""
        statements = self.statements
        knowledge = Knowledge()
        for number in numbers_of(mask):
            knowledge.hear(number, statements[number - 1])
        return knowledge

    def _alone(self, query: Query, mask: int) -> object:
        """The conclusion if only these sentences had been told; None if there is none."""
        found = conclude(self._only(mask), query, self.language)
        return found.established if found else None

    def _unread(self, query: Query, mask: int, end: int, people: set[str]) -> object:
        """The conclusion if of all other sentences only is known who moved, not where to.

        Only the moves of the people named in the support can matter.
        """
        statements = self.statements
        knowledge = Knowledge()
        numbers = iter(numbers_of(mask))
        number = next(numbers, 0)
        for at, movers in self._movements:
            if at > end:
                break
            while number and number < at:
                knowledge.hear(number, statements[number - 1])
                number = next(numbers, 0)
            if at != number:
                for person in movers:
                    if person in people:
                        knowledge.wander(person)
        while number:
            knowledge.hear(number, statements[number - 1])
            number = next(numbers, 0)
        found = conclude(knowledge, query, self.language)
        return found.established if found else None

    def facts(self) -> list[tuple[Fact, ...]]:
        facts = self.knowledge.facts
        return [facts.get(number, ()) for number in range(1, len(self.statements) + 1)]

    def concepts(self, mask: int) -> tuple[str, ...]:
        found = set()
        for number in numbers_of(mask):
            statement = self.statements[number - 1]
            found.add(CONCEPT.get(statement.kind, statement.kind))
            people = self.knowledge.facts.get(number, ())
            if statement.pronoun:
                found.add("COMPOUND" if len(people) > 1 else "COREF")
            elif len(people) > 1:
                found.add("CONJ")
        return tuple(sorted(found))

    def signature(self, query: Query, mask: int) -> str:
        names: dict[tuple[str, str], str] = {}

        def abstract(kind: str, types: str, args: Sequence[str]) -> str:
            slots = []
            for sort, name in zip(types, args, strict=True):
                key = (sort, name)
                if key not in names:
                    names[key] = f"{sort}{sum(k[0] == sort for k in names) + 1}"
                slots.append(names[key])
            return f"{kind}({','.join(slots)})"

        parts = []
        for number in numbers_of(mask):
            told = "+".join(
                abstract(fact[0], TYPE.get(fact[0], "POP"), fact[1:])
                for fact in self.knowledge.facts.get(number, ())
            )
            parts.append(f"~{told}" if self.statements[number - 1].pronoun else told)
        return f"{' '.join(parts)} ? {abstract(query[0], QUERY_TYPE[query[0]], query[1:])}"


class ActorsTale:
    """A story that unfolds, is told, and is listened to sentence by sentence."""

    def __init__(self, recipe: ActorsRecipe, unfold: Draw, tell: Draw) -> None:
        self.recipe = recipe
        self.language = recipe.tongue
        self._cast = recipe.cast
        self.stage = Stage(*self._cast, unfold)
        self.scenario = Scenario(self.stage, recipe.lots, unfold)
        self.sentences: list[str] = []
        self.reading = ActorsReading(self.language)
        self._there = recipe.there_chances
        self._frames = self.language.frames
        self._tell = tell

    def advance(self, goal: int, pause: int | None = None) -> bool:
        sentences, enough = self.sentences, goal if pause is None else min(goal, pause)
        while len(sentences) < enough:
            beat = self.scenario.beat(goal - len(sentences))
            if not beat:
                return False
            for told in beat:
                sentence = self._say(told)
                sentences.append(sentence)
                self.reading.hear(sentence)
        return True

    def _say(self, told: Told) -> str:
        kind, subjects, args, anaphor = told
        draw = self._tell
        if anaphor:
            who = self.language.anaphor(self.recipe.pronoun(subjects) or "", draw)
        else:
            who = subjects[0] if len(subjects) == 1 else self.language.pair(*subjects)
        there = self._there.get(kind)
        if there and draw() < there:
            kind += "-there"
        frames = self._frames[kind]
        return frames[int(draw() * len(frames))].format(who, *args)

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        reading, recipe = self.reading, self.recipe
        if recipe.window:
            found = self._recent(kind, draw)
        else:
            found = KINDS[kind].survey(reading.knowledge, self._cast, self.language)
            if kind == "where-was-object" and recipe.single_visit:
                once = (c for c in found if visits(reading.knowledge, *c.query[1:]) == 1)
                found = list(once)
        if (recipe.labels == "release") != bool(recipe.window):
            found = [c for c in map(self._relabelled, found) if c]
        return found

    def _recent(self, kind: str, draw: Draw) -> list[Candidate]:
        """What the release would ask, with its own labels."""
        targets = release.targets(
            self.reading.knowledge.facts,
            self.reading.pronouns,
            kind,
            self.recipe.window,
            self.recipe.entities.places,
            self.stage.place,
            draw,
        )
        return [Candidate(query, cited.answer, cited.numbers) for query, cited in targets]

    def _relabelled(self, candidate: Candidate) -> Candidate | None:
        """The same question with the other kind of label: the release's, or that of the proof."""
        query = candidate.query
        if candidate.cited:
            found = conclude(self.reading.knowledge, query, self.language)
            return Candidate(query, found.answer) if found else None
        cited = release.cite(self.reading.knowledge.facts, self.reading.pronouns, query)
        return Candidate(query, cited.answer, cited.numbers) if cited else None

    def findings(self, kind: str) -> list[tuple[Query, Finding]]:
        return sweep(self.reading.knowledge, self._cast, self.language, kind)

    def truth(self, query: Query) -> tuple[str, ...] | None:
        kind, name = query[0], query[1]
        stage = self.stage
        if kind == "where-person":
            return (stage.place[name],)
        if kind == "where-object":
            return (stage.spot[name],)
        if kind == "where-was-object":
            way = stage.trail[name]
            at = max((i for i, place in enumerate(way) if place == query[2]), default=0)
            return (way[at - 1],) if at else None
        if kind in ("list", "count"):
            held = tuple(sorted(o for o, who in stage.holder.items() if who == name))
            if kind == "count":
                return (self.language.number(len(held)),)
            return held or (self.language.answers["nothing"],)
        return None

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        asked = query[1]
        facts = self.reading.knowledge.facts
        others = [n for n in range(1, position + 1) if not mask >> n & 1]
        related = sum(any(asked in fact for fact in facts.get(n, ())) for n in others)
        roles = ["support"] * position
        for number in others:
            roles[number - 1] = "distractor"
        return Annotation(tuple(roles), {"related_distractors": related})


@lru_cache(maxsize=50_000)
def _said(statement: Statement, query: Query, tongue: Language) -> object:
    """What one sentence alone says to a query."""
    knowledge = Knowledge()
    knowledge.hear(1, statement)
    found = conclude(knowledge, query, tongue)
    return found.established if found else None


def read(code: str, sentences: Sequence[str]) -> ActorsReading:
    """The reading of a story in a language."""
    return ActorsReading(language(code, "actors"), sentences)
