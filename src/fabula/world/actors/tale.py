"""A story of the actor world in the making: it unfolds, is told, and is read as it is told."""

from __future__ import annotations

from functools import lru_cache

from fabula.core.seeds import Draw
from fabula.core.supports import numbers_of
from fabula.world.actors import release, ways
from fabula.world.actors.events import Lots, Scenario, Stage, Told
from fabula.world.actors.furnished import Furnished
from fabula.world.actors.motives import SMALL
from fabula.world.actors.past import Past, displaced
from fabula.world.actors.questions import KINDS, conclude, visits
from fabula.world.actors.reading import ActorsReading, annotation
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.relay import Relay
from fabula.world.actors.truth import NO_ANSWER, truth
from fabula.world.actors.wants import Wants
from fabula.world.base import Annotation, Candidate, Query


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
        self.language = recipe.grammar
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
