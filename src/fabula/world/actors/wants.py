"""The needs of the simulated people, and the reasons for what they do.

Promises:
1. A person has one need at a time. It only befalls people who are not where the need leads and do
   not have what it is for, and it lasts until they have the thing, however they got it.
2. A need forces nobody to go anywhere: SEEK and SATISFY are events like the others, and whoever
   happens to come to the place or to take the thing also does so because of the need.
3. At the start, the things people may want are where people go for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.language import Need
from fabula.world.actors.events import Stage, Told


class Wants:
    """Who wants what, and the reasons for past events."""

    def __init__(
        self, stage: Stage, moods: Sequence[str], needs: Mapping[str, Need], limit: int
    ) -> None:
        self._stage = stage
        self._needs = needs
        self._moods = moods
        self._limit = limit
        """Maximum number of needs per person; 0: any number."""
        self._counts = dict.fromkeys(stage.persons, 0)
        self.mood: dict[str, str] = {}
        """The moods in force."""
        self.reasons: dict[tuple[str, str, str], str | None] = {}
        """(question kind, person, place or thing) to the mood behind the latest such event."""
        for mood in moods:
            need = needs[mood]
            stage.spot[need.thing] = need.place
            stage.trail[need.thing] = [need.place]

    def options(self, kind: str, person: str | None = None) -> list[tuple[str, ...]]:
        """The valid arguments of NEED, SEEK or SATISFY, for one person or for anyone."""
        stage, needs = self._stage, self._needs
        people = stage.persons if person is None else (person,)
        if kind == "NEED":
            return [
                (who, mood)
                for who in people
                if who not in self.mood and not 0 < self._limit <= self._counts[who]
                for mood in self._moods
                if stage.place[who] != needs[mood].place and stage.holder[needs[mood].thing] != who
            ]
        wanting = [(who, needs[self.mood[who]]) for who in people if who in self.mood]
        if kind == "SEEK":
            return [(who, need.place) for who, need in wanting if stage.place[who] != need.place]
        return [
            (who, need.thing)
            for who, need in wanting
            if stage.holder[need.thing] is None and stage.spot[need.thing] == stage.place[who]
        ]

    def note(self, told: Told) -> None:
        """Record something that has happened and is told."""
        kind, subjects, args = told.kind, told.subjects, told.args
        if kind == "NEED":
            self.mood[subjects[0]] = args[0]
            self._counts[subjects[0]] += 1
        elif kind == "GRAB" or kind == "TAKE":
            self._explain("why-get", subjects[0], args[0])
            self._content(subjects[0], args[0])
        elif kind == "GIVE":
            self._content(args[1], args[0])
        elif kind in ("MOVE", "AFFIRM") or (kind == "INDEF" and args[0] == args[1]):
            for person in subjects:
                self._explain("why-go", person, args[0])

    def _explain(self, kind: str, person: str, goal: str) -> None:
        mood = self.mood.get(person)
        need = self._needs[mood] if mood else None
        wanted = need and (need.place if kind == "why-go" else need.thing)
        self.reasons[kind, person, goal] = mood if wanted == goal else None

    def _content(self, person: str, thing: str) -> None:
        mood = self.mood.get(person)
        if mood and self._needs[mood].thing == thing:
            del self.mood[person]

    def truth(self, query: tuple[str, ...]) -> tuple[str, ...]:
        """The answer to a question about what a person will do or why they did it."""
        asked = query[1].lower()  # questions may write names without a capital
        person = next(name for name in self._stage.persons if name.lower() == asked)
        if query[0] == "where-will-go":
            mood = self.mood.get(person)
            place = self._needs[mood].place if mood else None
            return (place,) if place and self._stage.place[person] != place else ()
        mood = self.reasons.get((query[0], person, query[2]))
        return (mood,) if mood else ()
