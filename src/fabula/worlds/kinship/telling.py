"""Tells the facts of a path in scenes: one unit of a story.

Which fact comes first, who is introduced by whom and with which words, and which scenes carry them
is drawn at random, so that what phrases.py promises of a unit holds: it parses back, 'his' and
'her' are clear, and the second person's gender of each fact is disclosed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.seeds import Draw, below, pick
from fabula.worlds.kinship.phrases import ENDS, Person, Phrases, Pool, Scene


def tell(
    tongue: Phrases,
    people: Sequence[Person],
    links: Sequence[str],
    draw: Draw,
    pool: Pool,
    told: set[int] | None = None,
) -> str:
    """A unit for a path: people[i + 1] is people[i]'s links[i].

    Scenes whose numbers are in `told` are avoided, and those used are added to it.
    """
    return _Teller(tongue, people, links, draw, pool, set() if told is None else told).unit()


class _Teller:
    """Tells one unit."""

    def __init__(
        self,
        phrases: Phrases,
        people: Sequence[Person],
        links: Sequence[str],
        draw: Draw,
        pool: Pool,
        told: set[int],
    ) -> None:
        self.phrases, self.people, self.links = phrases, people, links
        self.draw, self.pool, self.told = draw, pool, told
        self.disclosed: set[int] = set()

    def unit(self) -> str:
        draw, links = self.draw, self.links
        low = below(draw, len(links))  # told so far: the links low … high - 1
        high = low + 1
        sentences: list[str] = []
        leaning: set[int] = set()
        chance = draw()
        if len(links) > 1 and chance < 0.3:
            ends = [end for end in (low - 1, high + 1) if 0 <= end < len(self.people)]
            new = pick(draw, ends)
            sentences.append(self._trio(low, high, new))
            low, high = min(low, new), max(high, new)
        else:
            sentences.append(self._pair(low, high, opening=True))
        while high - low < len(links):
            new = low - 1 if high == len(links) or (low > 0 and draw() < 0.5) else high + 1
            known = low if new < low else high
            sentence, leans = self._more(known, new, range(low, high + 1))
            if leans:
                leaning.add(len(sentences))
            sentences.append(sentence)
            low, high = min(low, new), max(high, new)
        if draw() < 0.35:
            # never between 'his' and him: 'A vicar coughed. His wife …' would be the vicar's
            places = [n for n in range(1, len(sentences) + 1) if n not in leaning]
            sentences.insert(pick(draw, places), pick(draw, pick(draw, self.pool.asides)))
        return " ".join(sentences)

    def _pick(self, groups: Sequence[Sequence[Scene]]) -> Scene:
        """A scene that was not told yet, unless nearly all were."""
        draw = self.draw
        for _ in range(8):
            group = groups[int(draw() * len(groups))]
            if group[0].base not in self.told:
                break
        self.told.add(group[0].base)
        return group[0] if len(group) == 1 else pick(draw, group)

    def _kin(self, known: int, new: int) -> str:
        word = self.phrases.kin(self.people, self.links, known, new)
        if self.phrases.words.relation_of[word][1]:
            self.disclosed.add(new)
        return word

    def _mention(self, form: str, known: int, new: int) -> str:
        people = self.people
        return form.format(
            a=people[known].name,
            b=people[new].name,
            kin=self._kin(known, new),
            his=self.phrases.pronoun(people[known].gender, "possessive"),
        )

    def _pair(self, one: int, other: int, opening: bool) -> str:
        """A pair scene for two neighbours on the path."""
        draw, people = self.draw, self.people
        scene = self._pick(self.pool.pair)
        if draw() < 0.5:
            one, other = other, one  # 'one' stands in the first slot
        # 'Ann … her uncle Bob', or the first by the second, then a pronoun: 'Ann's uncle Bob … her'
        turned = opening and people[one].gender != people[other].gender
        form = pick(draw, scene.either if turned else scene.by_pronoun)
        if "{his}" in form:
            fillers = [people[one].name, self._mention(form, one, other)]
            self.disclosed.add(one)
        else:
            pronoun = self.phrases.pronoun(people[other].gender, scene.second)
            fillers = [self._mention(form, other, one), pronoun]
            self.disclosed.add(other)
        return self._sentence(scene, fillers)

    def _trio(self, low: int, high: int, new: int) -> str:
        draw, people = self.draw, self.people
        scene = self._pick(self.pool.trio)
        known = low if new < low else high
        one, other = (low, high) if draw() < 0.5 else (high, low)
        if not self.phrases.words.relation_of[self._kin(one, other)][1]:
            # 'his cousin' tells the first one's gender only
            one, other = known, low + high - known
        fillers = [people[one].name, self._mention(pick(draw, scene.by_pronoun), one, other)]
        self.disclosed.add(one)
        fillers.append(self._mention(pick(draw, scene.by_name), known, new))
        return self._sentence(scene, fillers)

    def _more(self, known: int, new: int, told: range) -> tuple[str, bool]:
        """A scene that introduces one more person; whether 'his' or 'her' points out of it."""
        draw, people = self.draw, self.people
        # a fact worded from its second person needs that person's gender, by a pronoun if not yet
        worded_back = new < known and known not in self.disclosed
        if worded_back or draw() < 0.45:
            return self._pair(known, new, opening=False), False
        scene = self._pick(self.pool.solo)
        clear = all(
            p in self.disclosed and people[p].gender != people[known].gender
            for p in told
            if p != known
        )
        form = pick(draw, scene.either if clear else scene.by_name)
        mention = self._mention(form, known, new)
        leans = "{his}" in form
        if leans:
            self.disclosed.add(known)
        return self._sentence(scene, [mention]), leans

    def _sentence(self, scene: Scene, fillers: Sequence[str]) -> str:
        parts = scene.parts
        text = parts[0]
        for filler, part in zip(fillers, parts[1:], strict=True):
            closed = filler[-1] == "," and part[:1] in ENDS
            text += (filler[:-1] if closed else filler) + part
        if scene.leads and self.draw() < 0.5:
            return f"{pick(self.draw, pick(self.draw, self.pool.leads))}, {text}"
        return text if parts[0] else text[0].upper() + text[1:]
