"""Steps of plots about gives (see steer.py): a give, and then something that leads a guess astray.

The question will be about the give. What comes next names the giver or the thing once more, beside
another possible answer, so that the last mention beside the name asked is wrong:

    What did A give to B?     A takes another thing
    Who did A give the O to?  A gives another thing to somebody else
    Who gave the O (to B)?    B drops it and somebody else takes it
    Who received the O?       the same
"""

from __future__ import annotations

from fabula.seeds import pick
from fabula.worlds.actors.events import Told
from fabula.worlds.actors.steps import Steps


class Handing(Steps):
    """Draws beats, and knows how to bring gives about."""

    _receiver = ""
    """Who was given the thing that will be asked about."""

    def _hand(self) -> list[Told] | None:
        """Somebody takes a thing and gives it to somebody else."""
        stage = self._stage
        giver = pick(self.draw, stage.persons)
        stage.keep(giver)
        thing = self._thing_at(stage.place[giver])
        receiver = self._beside(giver) if thing else None
        if thing is None or receiver is None:
            return None
        self._who, self._asked, self._receiver = giver, thing, receiver
        stage.keep(thing, receiver)
        return [self._happen("GRAB", giver, thing), self._happen("GIVE", giver, thing, receiver)]

    def _take_another(self) -> list[Told] | None:
        """The giver takes another thing."""
        thing = self._thing_at(self._stage.place[self._who])
        if thing is None:
            return None
        self._stage.free(self._receiver)
        return [self._happen("GRAB", self._who, thing)]

    def _hand_another(self) -> list[Told] | None:
        """The giver takes another thing and gives it to somebody else."""
        thing = self._thing_at(self._stage.place[self._who])
        other = self._beside(self._who) if thing else None
        if thing is None or other is None:
            return None
        taken = self._happen("GRAB", self._who, thing)
        self._stage.free(self._receiver)
        return [taken, self._happen("GIVE", self._who, thing, other)]

    def _drop_for_another(self) -> list[Told] | None:
        """The receiver drops the thing, and somebody else takes it."""
        receiver = self._receiver
        other = self._beside(receiver)
        if other is None:
            return None
        dropped = self._happen("DROP", receiver, self._asked)
        self._stage.free(receiver, self._who)
        return [dropped, self._happen("GRAB", other, self._asked)]

    def _beside(self, person: str) -> str | None:
        """Somebody of whom the plot knows nothing, who is where the person is, or may be."""
        place = self._stage.place[person]
        there = [name for name in self._stage.persons if self._stage.place[name] == place]
        return pick(self.draw, there) if there else self._hidden(place)
