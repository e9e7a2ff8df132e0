"""An actor story in progress: it unfolds, is told, and is read sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fabula.core.seeds import Draw, pick_weighted
from fabula.core.supports import numbers_of
from fabula.world.actors import release, ways
from fabula.world.actors.disclosure import Disclosure
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

THERE: Final = {"GRAB": "GRAB-there", "DROP": "DROP-there"}
THERE_NUMBER: Final = 1_000  # larger than the number of frames of any kind of sentence
MOST: Final = 2 * THERE_NUMBER


class Setting:
    """The values that all stories of a recipe share, looked up once."""

    def __init__(self, recipe: ActorsRecipe) -> None:
        self.recipe = recipe
        self.language = recipe.grammar
        self.cast = recipe.cast
        self.lots = Lots(
            recipe.beats,
            recipe.coref,
            len(recipe.entities.persons),
            len(recipe.entities.places),
            recipe.event_sampling == "person",
            recipe.repeat_either,
        )
        self.there: dict[str, float] = recipe.there_chances
        self.frames = self.language.frames
        self.leads = len(self.language.leads)
        self.lore = self.language.lore
        self.present = self.lore.times[-1] if self.lore.times else ""
        self.furniture: dict[str, str] = recipe.entities.furniture
        self.fixed: tuple[str, ...] = recipe.entities.fixed
        self.outside: bool = recipe.start_outside
        self.past = bool(recipe.tellings.get("TIME"))
        self.needs = bool(recipe.events.get("NEED"))
        self.needs_each: int = recipe.max_needs
        self.relay = recipe.gives == "release"
        self.in_turn = recipe.time_order == "release"
        self.window: int = recipe.recent_events
        self.relabels = (recipe.labels == "release") != bool(recipe.recent_events)
        self.single_visit: bool = recipe.single_visit
        self.small_names: bool = recipe.lowercase_names


_settings: Final[dict[int, Setting]] = {}
MOST_SETTINGS: Final = 64


def setting_of(recipe: ActorsRecipe) -> Setting:
    """The setting of a recipe; cached."""
    setting = _settings.get(id(recipe))  # the setting keeps the recipe alive
    if setting is None:
        if len(_settings) >= MOST_SETTINGS:
            _settings.clear()
        setting = _settings[id(recipe)] = Setting(recipe)
    return setting


class ActorsTale:
    """A story that unfolds, is told, and is read sentence by sentence."""

    def __init__(self, recipe: ActorsRecipe, unfold: Draw, tell: Draw) -> None:
        self.recipe = recipe
        setting = self._setting = setting_of(recipe)
        self.language = setting.language
        cast = self._cast = setting.cast
        if setting.furniture:
            self.stage: Stage = Furnished(
                cast.persons, cast.places, cast.objects, unfold, setting.furniture, setting.fixed
            )
        else:
            self.stage = Stage(cast.persons, cast.places, cast.objects, unfold)
        self.past, self.wants = self._prepare(unfold)
        relay = Relay(self.stage) if setting.relay else None
        self.scenario = Scenario(self.stage, setting.lots, unfold, self.past, self.wants, relay)
        self.aim = ""
        """The intended subject of the question, if there is a plot (see steer.py)."""
        self.sentences: list[str] = []
        self._told: list[Told] = []
        self.reading = ActorsReading(self.language)
        self._tell = tell
        self._rearranges = setting.in_turn and self.past is not None
        self._disclosure: Disclosure | None = None
        self._noted = 0
        """The number of sentences that the disclosure has processed."""
        self._waiting: list[Told] = []
        """Events that have happened and are told next, if the telling has its own order."""

    def _prepare(self, unfold: Draw) -> tuple[Past | None, Wants | None]:
        """The past and the needs of people, if the recipe has any."""
        setting, stage = self._setting, self.stage
        past, wants = None, None
        if setting.outside:
            stage.place = dict.fromkeys(stage.persons, "")
        if setting.past:
            past = Past(stage, setting.lore.times, setting.in_turn, unfold)
        if setting.needs:
            moods, needs = setting.cast.moods, setting.lore.needs
            wants = Wants(stage, moods, needs, setting.needs_each)
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
        """Advance as the release does: shuffle the sentences up to the next question.

        Continues until there is something to ask about one of the last events.
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
                        size += self.recipe.question_interval
                self._waiting = displaced(block, self._tell)
            told = self._waiting.pop(0)
            sentence = self._say(told)
            sentences.append(sentence)
            self._told.append(told)
            self.reading.hear(sentence)
        return True

    def _say(self, told: Told) -> str:
        """A sentence for it: the words before a pronoun, 'there' at the end and the frame are
        drawn; their numbers together identify the sentence.
        """
        draw, kind, setting = self._tell, told.kind, self._setting
        number = int(draw() * setting.leads) * MOST if told.anaphor else 0
        there = setting.there.get(kind)
        if there and draw() < there:
            kind = THERE[kind]
            number += THERE_NUMBER
        number += int(draw() * len(setting.frames[kind]))
        said = told.words.get(number)
        if said is None:
            said = told.words[number] = self._worded(told, kind, number)
        return said

    def _worded(self, told: Told, kind: str, number: int) -> str:
        """The sentence with this number."""
        subjects, lead = told.subjects, number // MOST
        if told.anaphor:
            who = self.language.anaphor(self.recipe.pronoun(subjects) or "", lead)
        else:
            who = subjects[0] if len(subjects) == 1 else self.language.pair(*subjects)
        said = self._setting.frames[kind][number % THERE_NUMBER].format(who, *told.args)
        return said if kind != "TIME" else said[0].upper() + said[1:]

    def reword(self, mask: int) -> bool:
        can, setting = False, self._setting
        for number in numbers_of(mask):
            told = self._told[number - 1]
            if told.anaphor or len(setting.frames[told.kind]) > 1 or told.kind in setting.there:
                can = True
                self._retell(number, self._say(told))
        return can

    def _retell(self, number: int, sentence: str) -> None:
        self.sentences[number - 1] = sentence
        self.reading.hear_again(number, sentence)

    def reword_so(self, number: int, fits: Callable[[str], bool]) -> bool:
        told, setting = self._told[number - 1], self._setting
        kind, chance = told.kind, setting.there.get(told.kind, 0.0)
        words, weights = [], []
        for lead in range(setting.leads if told.anaphor else 1):
            for ends, weight in (("", 1 - chance), ("-there", chance)):
                frames = len(setting.frames[kind + ends]) if weight else 0
                for frame in range(frames):
                    code = lead * MOST + (THERE_NUMBER if ends else 0) + frame
                    said = told.words.get(code)
                    if said is None:
                        said = told.words[code] = self._worded(told, kind + ends, code)
                    if fits(said):
                        words.append(said)
                        weights.append(weight / frames)
        if not words:
            return False
        self._retell(number, pick_weighted(self._tell, words, weights))
        return True

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        knowledge, setting = self.reading.knowledge, self._setting
        if self._waiting:
            return []
        if setting.window:
            found = self._recent(kind, draw)
        elif kind == "where-was-person":
            found = ways.survey(knowledge, self._cast, setting.single_visit)
        else:
            found = KINDS[kind].survey(knowledge, self._cast, self.language)
            if kind == "where-was-object" and setting.single_visit:
                found = [c for c in found if visits(knowledge, c.query[1], c.query[2]) == 1]
        if self.aim:
            found = [c for c in found if c.query[1] == self.aim] or found
        if setting.relabels:
            found = [c for c in map(self._relabelled, found) if c]
        if setting.small_names and kind in SMALL:
            found = [c._replace((kind, c.query[1].lower(), *c.query[2:])) for c in found]
        return found

    def _recalled(self) -> list[Query]:
        """The questions about the past that the release may ask: about one of the last moments
        told.
        """
        past = self.past
        if past is None:
            return []
        recent = past.told[-self._setting.window :]
        return [("where-was-person", m.person, past.place(m)) for m in recent if m.part]

    def _recent(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions that the release would ask, with its own labels."""
        if kind == "where-was-person":
            found = [self._relabelled(Candidate(query, ())) for query in self._recalled()]
            return [candidate for candidate in found if candidate]
        return release.targets(
            self.reading.knowledge.facts,
            self.reading.pronouns,
            kind,
            self._setting.window,
            self._cast.places,
            self.stage.place,
            draw,
            self.language.lore,
        )

    def _relabelled(self, candidate: Candidate) -> Candidate | None:
        """The same question with the other kind of label: the release's, or the proof."""
        query = candidate.query
        if candidate.cited:
            found = conclude(self.reading.knowledge, query, self.language)
            return Candidate(query, found.answer) if found else None
        knowledge, pronouns = self.reading.knowledge, self.reading.pronouns
        return release.labelled(knowledge.facts, pronouns, query, self.language.lore)

    def truth(self, query: Query) -> tuple[str, ...]:
        if self.wants is not None and query[0] in SMALL:
            return self.wants.truth(query)
        found = truth(self.stage, self.language, query, self._disclosed)
        if not found and self.past is not None and query[0] == "where-was-person":
            before = self.past.before(query[1], query[2])
            return (before,) if before else NO_ANSWER
        return found

    def _disclosed(self) -> Disclosure:
        """The disclosure of the sentences so far."""
        disclosed = self._disclosure
        if disclosed is None:
            disclosed = self._disclosure = Disclosure((), self._setting.present)
        for event in self._told[self._noted :]:
            disclosed.note(event)
        self._noted = len(self._told)
        return disclosed

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        return annotation(self.reading, query, mask, position)
