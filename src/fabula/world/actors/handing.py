"""Steps of plots about gives (see steer.py): a give, plus something that misleads a guess about it.

The question will be about the give. What comes after it, and perhaps before it, mentions the giver
or the thing beside another possible answer, so that the last or first mention is wrong:

                              before               after
    What did A give to B?     A takes and drops    A takes another thing
                              another thing
    Who did A give the O to?  A gives another      A gives another thing to somebody else
                              thing to somebody
    Who gave the O (to B)?    somebody takes and   B drops it and somebody else takes it
    Who received the O?       drops it
"""

from __future__ import annotations

from fabula.core.seeds import pick
from fabula.world.actors.events import Told
from fabula.world.actors.steps import Steps


class Handing(Steps):
    """Draws beats, and can bring about gives."""

    _receiver = ""
    """The receiver of the thing that will be asked about."""

    def _choose_giver(self) -> str:
        """The person who will give: the one the plot is already about, or anybody."""
        if not self._who:
            self._who = pick(self.draw, self._stage.persons)
            self._stage.keep(self._who)
        return self._who

    def _try_another(self) -> list[Told] | None:
        """The future giver takes a thing and drops it."""
        giver = self._choose_giver()
        thing = self._thing_at(self._stage.place[giver])
        if thing is None:
            return None
        return [self._happen("GRAB", giver, thing), self._happen("DROP", giver, thing)]

    def _hand_first(self) -> list[Told] | None:
        """The future giver gives something else to somebody first."""
        giver = self._choose_giver()
        thing = self._thing_at(self._stage.place[giver])
        other = self._beside(giver) if thing else None
        if thing is None or other is None:
            return None
        self._stage.free(other)
        return [self._happen("GRAB", giver, thing), self._happen("GIVE", giver, thing, other)]

    def _handle_first(self) -> list[Told] | None:
        """Somebody takes and drops the thing that will be given."""
        person = pick(self.draw, self._stage.persons)
        thing = self._thing_at(self._stage.place[person])
        if thing is None:
            return None
        self._asked = thing
        self._stage.keep(thing)
        return [self._happen("GRAB", person, thing), self._happen("DROP", person, thing)]

    def _hand(self) -> list[Told] | None:
        """Somebody takes a thing and gives it to somebody else."""
        stage, thing = self._stage, self._asked or None
        if thing and not self._who:
            there = [name for name in stage.persons if stage.place[name] == stage.spot[thing]]
            self._who = pick(self.draw, there) if there else self._hidden(stage.spot[thing]) or ""
            if not self._who:
                return None
            stage.keep(self._who)
        giver = self._choose_giver()
        thing = thing or self._thing_at(stage.place[giver])
        receiver = self._beside(giver) if thing else None
        if thing is None or receiver is None:
            return None
        self._asked, self._receiver = thing, receiver
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
        self._stage.keep(other)
        self._receiver = other  # who may in turn drop it for somebody else
        return [dropped, self._happen("GRAB", other, self._asked)]

    def _beside(self, person: str) -> str | None:
        """Somebody not yet used by the plot who is, or may be, where the person is."""
        place = self._stage.place[person]
        there = [name for name in self._stage.persons if self._stage.place[name] == place]
        return pick(self.draw, there) if there else self._hidden(place)
