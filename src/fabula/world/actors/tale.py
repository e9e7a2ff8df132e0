"""A story of the actor world in the making, and the reading of one by whomever."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from fabula.core.seeds import Draw
from fabula.core.supports import numbers_of
from fabula.language import Language, Statement, language
from fabula.world.actors import release, ways
from fabula.world.actors.events import Lots, Scenario, Stage, Told
from fabula.world.actors.furnished import Furnished
from fabula.world.actors.motives import SMALL, resolved
from fabula.world.actors.past import Past, displaced
from fabula.world.actors.questions import KINDS, conclude, find, visits
from fabula.world.actors.reading import Knowledge
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.relay import Relay
from fabula.world.actors.truth import NO_ANSWER, truth
from fabula.world.actors.wants import Wants
from fabula.world.base import Annotation, Candidate, Fact, Finding, Query

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
        return find(self.knowledge, query, self.language)

    def concluded(self, query: Query) -> Finding | None:
        found = conclude(self.knowledge, query, self.language)
        return Finding(found.answer, [], found.established) if found else None

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
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
        facts = self.knowledge.facts
        return [facts.get(number, ()) for number in range(1, len(self.statements) + 1)]

    def concepts(self, mask: int) -> tuple[str, ...]:
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


@lru_cache(maxsize=64)
def lots_of(recipe: ActorsRecipe) -> Lots:
    """What may be drawn in a recipe, made ready once."""
    return Lots(
        recipe.beats,
        recipe.coref,
        len(recipe.entities.persons),
        len(recipe.entities.places),
        recipe.draw == "person",
        recipe.repeat_either,
    )


class ActorsTale:
    """A story that unfolds, is told, and is listened to sentence by sentence."""

    def __init__(self, recipe: ActorsRecipe, unfold: Draw, tell: Draw) -> None:
        self.recipe = recipe
        self.language = recipe.tongue
        self._cast = recipe.cast
        self.stage = self._stage(unfold)
        self.past, self.wants = self._prepare(unfold)
        relay = Relay(self.stage) if recipe.gives == "release" else None
        self.scenario = Scenario(self.stage, lots_of(recipe), unfold, self.past, self.wants, relay)
        self.aim = ""
        """Whom or what a plot wants to be asked about (see steer.py)."""
        self.sentences: list[str] = []
        self._told: list[Told] = []
        self.reading = ActorsReading(self.language)
        self._there = recipe.there_chances
        self._frames = self.language.frames
        self._tell = tell
        self._rearranges = recipe.times == "release" and self.past is not None
        self._waiting: list[Told] = []
        """What has happened and is told next, where the order of the telling is another."""

    def _stage(self, unfold: Draw) -> Stage:
        """The world before anything happens, with or without furniture."""
        persons, places, things = self._cast[:3]
        entities = self.recipe.entities
        if not entities.furniture:
            return Stage(persons, places, things, unfold)
        return Furnished(persons, places, things, unfold, entities.furniture, entities.fixed)

    def _prepare(self, unfold: Draw) -> tuple[Past | None, Wants | None]:
        """What was before the story, and what people will want, where the recipe has any."""
        recipe, stage, lore = self.recipe, self.stage, self.language.lore
        past, wants = None, None
        if recipe.outside:
            stage.place = dict.fromkeys(stage.persons, "")
        if recipe.tellings.get("TIME"):
            past = Past(stage, lore.times, recipe.times == "release", unfold)
        if recipe.events.get("NEED"):
            wants = Wants(stage, self._cast.moods, lore.needs, recipe.needs_each)
        return past, wants

    def advance(self, goal: int, pause: int | None = None) -> bool:
        sentences, enough = self.sentences, goal if pause is None else min(goal, pause)
        if self._rearranges:
            return self._advance_rearranged(goal, enough)
        while len(sentences) < enough:
            beat = self.scenario.beat(goal - len(sentences))
            if not beat:
                return False
            for told in beat:
                sentence = self._say(told)
                sentences.append(sentence)
                self._told.append(told)
                self.reading.hear(sentence)
        return True

    def _advance_rearranged(self, goal: int, enough: int) -> bool:
        """As the release does: what is told up to the next question is told in another order.

        It goes on until there is something to ask about one of the last events.
        """
        sentences = self.sentences
        while len(sentences) < enough:
            if not self._waiting:
                block: list[Told] = []
                size = goal - len(sentences)
                while len(block) < size:
                    beat = self.scenario.beat(1)
                    if not beat:
                        return False
                    block += beat
                    if len(block) == size and not self._recalled():
                        size += self.recipe.every
                self._waiting = displaced(block, self._tell)
            told = self._waiting.pop(0)
            sentence = self._say(told)
            sentences.append(sentence)
            self._told.append(told)
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
        said = frames[int(draw() * len(frames))].format(who, *args)
        return said if kind != "TIME" else said[0].upper() + said[1:]

    def reword(self, mask: int) -> bool:
        can = False
        for number in numbers_of(mask):
            told = self._told[number - 1]
            if told.anaphor or len(self._frames[told.kind]) > 1 or told.kind in self._there:
                can = True
                self.sentences[number - 1] = self._say(told)
        return can

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        reading, recipe = self.reading, self.recipe
        if self._waiting:
            return []
        if recipe.window:
            found = self._recent(kind, draw)
        elif kind == "where-was-person":
            found = ways.survey(reading.knowledge, self._cast, recipe.single_visit)
        else:
            found = KINDS[kind].survey(reading.knowledge, self._cast, self.language)
            if kind == "where-was-object" and recipe.single_visit:
                once = (c for c in found if visits(reading.knowledge, *c.query[1:]) == 1)
                found = list(once)
        if self.aim:
            found = [c for c in found if c.query[1] == self.aim] or found
        if (recipe.labels == "release") != bool(recipe.window):
            found = [c for c in map(self._relabelled, found) if c]
        if recipe.small_names and kind in SMALL:
            found = [c._replace(query=(kind, c.query[1].lower(), *c.query[2:])) for c in found]
        return found

    def _recalled(self) -> list[Query]:
        """What the release may ask of the past: about one of the last memories that came up."""
        past = self.past
        if past is None:
            return []
        recent = past.told[-self.recipe.window :]
        return [("where-was-person", m.person, past.place(m)) for m in recent if m.part]

    def _recent(self, kind: str, draw: Draw) -> list[Candidate]:
        """What the release would ask, with its own labels."""
        if kind == "where-was-person":
            found = [self._relabelled(Candidate(query, ())) for query in self._recalled()]
            return [candidate for candidate in found if candidate]
        targets = release.targets(
            self.reading.knowledge.facts,
            self.reading.pronouns,
            kind,
            self.recipe.window,
            self.recipe.entities.places,
            self.stage.place,
            draw,
            self.language.lore,
        )
        return [Candidate(query, cited.answer, cited.numbers) for query, cited in targets]

    def _relabelled(self, candidate: Candidate) -> Candidate | None:
        """The same question with the other kind of label: the release's, or that of the proof."""
        query = candidate.query
        if candidate.cited:
            found = conclude(self.reading.knowledge, query, self.language)
            return Candidate(query, found.answer) if found else None
        cited = release.cite(
            self.reading.knowledge.facts, self.reading.pronouns, query, self.language.lore
        )
        return Candidate(query, cited.answer, cited.numbers) if cited else None

    def truth(self, query: Query) -> tuple[str, ...]:
        if self.wants is not None and query[0] in SMALL:
            return self.wants.truth(query)
        found = truth(self.stage, self.language, query, self._told)
        if not found and self.past is not None and query[0] == "where-was-person":
            before = self.past.before(query[1], query[2])
            return (before,) if before else NO_ANSWER
        return found

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        return annotation(self.reading, query, mask, position)


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


Numbered = tuple[int, Statement]
"""A sentence with its number."""
Walk = tuple[str, list[int]]
"""A person and the sentences by which they moved."""


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
