"""Tells the facts of a path in scenes: one unit of a story.

The order of facts, who introduces each person and in which words, and the scenes are drawn at
random, within the promises of phrases.py: a unit parses back, 'his' and 'her' are unambiguous, and
the second person's gender of each fact is disclosed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.core.seeds import Draw, below, pick
from fabula.world.kinship.mentions import ENDS, Choice, Wording
from fabula.world.kinship.phrases import Person, Phrases, Pool, Scene

TRIES = 8  # random draws to find a scene or setting that was not used yet

Told = set[int | str]
"""The scenes and settings that a story has used."""


def tell(
    tongue: Phrases,
    people: Sequence[Person],
    links: Sequence[str],
    draw: Draw,
    pool: Pool,
    told: Told | None = None,
    forms: Choice | None = None,
) -> str:
    """A unit for a path: people[i + 1] is people[i]'s links[i].

    Scenes and settings in `told` are avoided, and those used are added to it. `forms` are the
    mention forms that may be used, all by default: `tongue.mentions.choose([...])`.
    """
    chosen = forms or tongue.mentions.every
    return _Teller(
        tongue, people, links, draw, pool, set() if told is None else told, chosen
    ).unit()


class _Teller:
    """Tells one unit."""

    __slots__ = (
        "disclosed", "draw", "forms", "latest", "links", "people", "phrases", "pool", "told",
    )  # fmt: skip

    def __init__(
        self,
        phrases: Phrases,
        people: Sequence[Person],
        links: Sequence[str],
        draw: Draw,
        pool: Pool,
        told: Told,
        forms: Choice,
    ) -> None:
        self.phrases, self.people, self.links = phrases, people, links
        self.draw, self.pool, self.told, self.forms = draw, pool, told, forms
        self.disclosed: set[int] = set()
        self.latest: tuple[int, ...] = ()  # the people of the previous sentence

    def unit(self) -> str:
        draw, links = self.draw, self.links
        low = below(draw, len(links))  # told so far: the links low … high - 1
        high = low + 1
        sentences: list[str] = []
        leaning: set[int] = set()
        opening = None
        if len(links) > 1 and draw() < 0.3:
            ends = [end for end in (low - 1, high + 1) if 0 <= end < len(self.people)]
            new = pick(draw, ends)
            opening = self._trio(low, high, new)
            if opening:
                low, high = min(low, new), max(high, new)
        sentences.append(opening or self._pair(low, high, opening=True))
        while high - low < len(links):
            new = low - 1 if high == len(links) or (low > 0 and draw() < 0.5) else high + 1
            known = low if new < low else high
            sentence, leans = self._more(known, new, range(low, high + 1))
            if leans:
                leaning.add(len(sentences))
            sentences.append(sentence)
            low, high = min(low, new), max(high, new)
        if self.pool.asides and draw() < 0.35:
            # never between 'his' and him: 'A vicar coughed. His wife …' would be the vicar's
            places = [n for n in range(1, len(sentences) + 1) if n not in leaning]
            place = pick(draw, places)
            sentences[place:place] = self._setting(self.pool.asides)
        return " ".join(sentences)

    # --- choosing -------------------------------------------------------------------------

    def _setting(self, groups: Sequence[Sequence[str]]) -> list[str]:
        """A lead or an aside that was not used yet, if one is found."""
        for _ in range(TRIES):
            text = pick(self.draw, pick(self.draw, groups))
            if text not in self.told:
                self.told.add(text)
                return [text]
        return []

    def _scenes(self, groups: Sequence[Sequence[Scene]]) -> Iterator[Scene]:
        """Scenes in random order, unused ones first."""
        draw, told = self.draw, self.told
        for _ in range(TRIES):
            group = groups[int(draw() * len(groups))]
            if group[0].base not in told:
                yield group[0] if len(group) == 1 else pick(draw, group)
        start = int(draw() * len(groups))
        order = [*groups[start:], *groups[:start]]
        for group in sorted(order, key=lambda each: each[0].base in told):
            yield pick(draw, group)

    def _relation(self, known: int, new: int) -> str:
        """The relation of people[new] to people[known], neighbours on the path."""
        if new > known:
            return self.links[known]
        return self.phrases.words.mirror[self.links[new]]

    def _wordings(
        self, own: bool, known: int, new: int, room: int, disclosed: bool = False
    ) -> tuple[Wording, ...]:
        """The ways to introduce people[new]; the later one's gender must be disclosed by then.

        `disclosed` says that other words of the sentence disclose the gender of people[known].
        """
        relation, people = self._relation(known, new), self.people
        if relation in self.forms.genderless:
            needs = (False, False)
        elif new > known:
            needs = (False, True)
        else:
            needs = (not disclosed and known not in self.disclosed, False)
        return self.forms.fitting(
            own, relation, people[known].gender, people[new].gender, room, needs
        )

    def _say(self, wording: Wording, known: int, new: int) -> str:
        people = self.people
        if wording.tells_known:
            self.disclosed.add(known)
        if wording.tells_new:
            self.disclosed.add(new)
        return wording.text.replace("{b}", people[new].name).replace("{a}", people[known].name)

    # --- sentences ------------------------------------------------------------------------

    def _pair(self, one: int, other: int, opening: bool) -> str:
        """A pair scene for two neighbours on the path."""
        draw, people = self.draw, self.people
        if draw() < 0.5:
            one, other = other, one  # 'one' is in the first slot
        relation = self._relation(one, other)
        # 'Ann … her uncle Bob', or the first by the second, then a pronoun: 'Ann's uncle Bob … her'
        turns = opening and people[one].gender != people[other].gender
        for scene in self._scenes(self.pool.pair):
            if scene.fits and relation not in scene.fits:
                continue
            options = self._wordings(True, one, other, scene.rooms[1])
            if turns and scene.second:
                # the first by the second, who becomes a pronoun
                options += self._wordings(False, other, one, scene.rooms[0], disclosed=True)
            if options:
                break
        else:
            raise AssertionError(f"no scene states the relation {relation}")
        wording = pick(draw, options)
        if wording.own:
            fillers = [people[one].name, self._say(wording, one, other)]
        else:
            fillers = [self._say(wording, other, one), ""]
            fillers[1] = self.phrases.pronoun(people[other].gender, scene.second)
            self.disclosed.add(other)
            if scene.second == "his":  # "Bob's hair", but 'his hair'
                scene = scene._replace(parts=(*scene.parts[:2], scene.parts[2].removeprefix("'s")))
        return self._sentence(scene, fillers, (one, other), pronouns=True)

    def _trio(self, low: int, high: int, new: int) -> str | None:
        """A scene with three people, if one fits."""
        draw, people = self.draw, self.people
        known = low if new < low else high
        one, other = (low, high) if draw() < 0.5 else (high, low)
        relation = self._relation(one, other)
        for scene in self._scenes(self.pool.trio):
            if scene.base in self.told or (scene.fits and relation not in scene.fits):
                continue
            seconds = self._wordings(True, one, other, scene.rooms[1])
            if not seconds:
                continue
            before = set(self.disclosed)
            second = self._say(pick(draw, seconds), one, other)
            thirds = self._wordings(False, known, new, scene.rooms[2])
            if thirds:
                third = self._say(pick(draw, thirds), known, new)
                fillers = [people[one].name, second, third]
                return self._sentence(scene, fillers, (one, other, new), pronouns=True)
            self.disclosed = before
        return None

    def _more(self, known: int, new: int, told: range) -> tuple[str, bool]:
        """A scene that introduces one more person; also whether 'his' or 'her' refers outside
        it.
        """
        draw, people = self.draw, self.people
        if draw() < 0.45:
            return self._pair(known, new, opening=False), False
        clear = known in self.latest and all(
            p in self.disclosed and people[p].gender != people[known].gender
            for p in told
            if p != known
        )
        for scene in self._scenes(self.pool.solo):
            if scene.base in self.told:
                continue
            options = self._wordings(False, known, new, scene.rooms[0])
            if clear:
                options += self._wordings(True, known, new, scene.rooms[0])
            if options:
                wording = pick(draw, options)
                filler = self._say(wording, known, new)
                sentence = self._sentence(scene, [filler], (known, new), pronouns=wording.own)
                return sentence, wording.own
        return self._pair(known, new, opening=False), False

    def _sentence(
        self, scene: Scene, fillers: Sequence[str], people: tuple[int, ...], pronouns: bool
    ) -> str:
        self.told.add(scene.base)
        self.latest = people
        parts = scene.parts
        text = parts[0]
        for filler, part in zip(fillers, parts[1:], strict=True):
            closed = filler[-1] == "," and part[:1] in ENDS
            text += (filler[:-1] if closed else filler) + part
        leads = self.pool.leads if pronouns else self.pool.leads + self.pool.peopled
        if scene.leads and leads and self.draw() < self.pool.led:
            for lead in self._setting(leads):
                return f"{lead}, {text}"
        return text if parts[0] else text[0].upper() + text[1:]
