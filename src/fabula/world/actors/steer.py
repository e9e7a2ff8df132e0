"""Builds stories toward a rare kind of question instead of waiting for it.

A support of six sentences occurs in one of a thousand stories. A *plot* brings it about: somebody
is told to go to a place, meets somebody whose place was never mentioned, hands something over, …
Between the steps of the plot the story unfolds as usual.

Promises:
1. Everything that happens is possible, and every sentence is true: each step uses the same stage,
   and only events and tellings of the recipe occur. The plot may choose the initial place of people
   who were not mentioned yet: the initial state is never told.
2. A plot proves nothing. The reader treats a steered story like any other, and it is dropped if the
   question does not turn out as required.
3. The people and things that the plot needs are left alone until it no longer needs them; all
   others are free.

    chain   how a person's place is shown: an *anchor* (a stated movement), then *links*: a give, or
            a drop and a grab, each to another person; its size is the number of sentences
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fabula.core.seeds import Draw, pick, shuffled
from fabula.recipe.cells import Cell
from fabula.world.actors.events import Stage, Told
from fabula.world.actors.handing import Handing
from fabula.world.actors.steps import FIRM
from fabula.world.base import Brief

if TYPE_CHECKING:
    from fabula.world.actors.tale import ActorsTale

# Support sizes that occur often enough by themselves; larger ones are steered from the start.
NATURAL = {"where-person": 2, "yes-no": 2, "where-object": 2, "where-was-object": 3}
NATURAL_HOLDING = 2
HOLDING = ("list", "count")
PLACING = (*NATURAL, *HOLDING)
BY_GIVER = ("what-given", "who-given-to")
ABOUT_PERSON = ("where-person", "yes-no", *HOLDING, *BY_GIVER)
GIVING = (*BY_GIVER, "who-gave", "who-gave-to", "who-received")
"""Gives occur by themselves, but rarely so that the last mention beside the name is wrong."""
WAIT = 3  # stories tried before steering a question that should occur by itself
FEWEST = 5  # people, so that a plot leaves some free
FEWEST_OF_ALL = 4  # minimum if only a plot will do: a place that takes three sentences to show
PLANS = 20  # plans tried for one size
LEAP = 3  # not every size is possible: without gives, links take two sentences
MORE = 0.5  # probability that a given thing changes hands twice more
GROWTH = 0.35  # probability that a support is one sentence larger than required


class Step(NamedTuple):
    """One step of a plot."""

    cost: int
    """Maximum number of sentences it takes."""
    take: Callable[[], list[Told] | None]
    """Performs the step; returns its sentences, or None if it is not possible."""


def steer(tale: ActorsTale, brief: Brief, draw: Draw) -> None:
    """Give a story a plot, if its cell is rare."""
    cell, recipe = brief.cell, tale.recipe
    low, high = cell.support_size
    if not low or recipe.event_sampling != "kind":
        return
    placed = (*PLACING, *GIVING) if {"beside", "first"} & set(cell.misleads) else PLACING
    kinds = [kind for kind in cell.asks or recipe.kinds() if kind in placed]
    if not kinds or not recipe.entities.objects:
        return
    scenario = tale.scenario
    plain = type(tale.stage) is Stage and scenario.past is None and scenario.wants is None
    if len(recipe.entities.persons) < FEWEST_OF_ALL or not plain:
        return
    kind = pick(draw, kinds) if len(kinds) > 1 else kinds[0]
    rare = kind == "where-person" and low > NATURAL[kind]
    if len(recipe.entities.persons) < FEWEST and not rare:
        return
    astray = kind in GIVING or (kind == "where-person" and "beside" in cell.misleads)
    if low <= NATURAL.get(kind, NATURAL_HOLDING) and not astray and brief.attempt < WAIT:
        return
    if kind == "yes-no" and cell.misleads:  # a plot that shows a place misleads nobody about it
        return
    start = low
    while start < high and draw() < GROWTH:
        start += 1
    for size in (*range(start, min(high, start + LEAP) + 1), *range(start - 1, low - 1, -1)):
        plot = Plot(tale, kind, size, cell, draw)
        if plot.steps:
            tale.scenario = plot
            return


class Plot(Handing):
    """Draws beats, some of which are the steps of a plot."""

    def __init__(self, tale: ActorsTale, kind: str, size: int, cell: Cell, draw: Draw) -> None:
        answers, said = cell.answers, tale.language.answers
        open_ends = not answers or said["maybe"] in answers
        super().__init__(tale, draw, kind == "yes-no" and open_ends)
        self.steps: list[Step] = []
        self._about_person = kind in ABOUT_PERSON
        self._by_link = kind == "where-person" and "beside" in cell.misleads
        """Whether the person's place must not be shown by a movement of their own."""
        self._only_open = kind == "yes-no" and answers == (said["maybe"],)
        if kind in HOLDING:
            counts = range(len(tale.recipe.entities.objects) + 1)
            wanted = [n for n in counts if not answers or tale.language.number(n) in answers]
            self.steps = self._holding(size, wanted if kind == "count" else list(counts))
        elif kind in GIVING:
            early, late = "first" in cell.misleads, "beside" in cell.misleads
            self.steps = self._giving(kind, early, late)
        else:
            self.steps = self._placing(kind, size)

    def beat(self, room: int) -> list[Told] | None:
        """The next step of the plot or something unrelated, so that the plot ends in time."""
        while self.steps:
            need = sum(step.cost for step in self.steps)
            spare = room - need
            if spare < 0:
                self._give_up()
            elif self.draw() * room < spare:
                return super().beat(spare)
            else:
                told = self.steps.pop(0).take()
                if told is None:
                    self._give_up()
                elif not self.steps:
                    self._tale.aim = self._aim()
                if told:
                    return told
        return super().beat(room)

    def _aim(self) -> str:
        """The likely subject of the question."""
        return self._who if self._about_person else self._asked

    def _give_up(self) -> None:
        self.steps = []
        self._reserve.clear()
        self._stage.free(*self._stage.kept)

    # --- the plots ------------------------------------------------------------------------

    def _placing(self, kind: str, size: int) -> list[Step]:
        """A chain; for a question about an object, also somebody who gets it (and takes it
        along).
        """
        for _ in range(PLANS):
            self._give_up()  # releases those kept by the previous plan
            rest, tail = size, []
            if kind == "where-was-object":
                cost = self._one_or_two("MOVE")
                rest -= cost
                tail.append(Step(cost, partial(self._leave, cost)))
            # the thing handed over last may itself be the one that goes along
            carry = kind == "where-was-object" and rest > 1 and self.draw() < 0.5
            if kind in ("where-object", "where-was-object") and not carry:
                cost = self._one_or_two("GRAB")
                rest -= cost
                tail.insert(0, Step(cost + 1, partial(self._get, cost)))
                if kind == "where-object" and "DROP" in self._beats and self.draw() < 0.4:
                    tail.append(Step(2, self._let_lie))
            head = self._chain(rest)
            if head is not None:
                if not carry and self.draw() < 0.5:
                    tail.append(Step(1, self._busy))
                return [*head, *tail]
        return []

    def _one_or_two(self, kind: str) -> int:
        """The number of sentences an event takes: two if it has a pronoun."""
        return 2 if self._coref.get(kind) and self.draw() < 0.4 else 1

    def _chain(self, size: int) -> list[Step] | None:
        """Steps that show a person's place by `size` sentences; None if that is impossible."""
        draw = self.draw
        if size < 1:
            return None
        anchors = [1] if any(kind in self._beats for kind in FIRM) else []
        if "COMPOUND" in self._beats or self._coref.get("MOVE"):
            anchors.append(2)
        if not anchors:
            return None
        cost = pick(draw, anchors)
        if self._by_link and cost >= size:
            return None
        rest = size - cost
        steps = [Step(cost, partial(self._anchor, cost))]
        can_drop = "DROP" in self._beats and "GRAB" in self._beats
        while rest > 0:
            ways = []
            if "GIVE" in self._beats and "GRAB" in self._beats:
                ways += [(1, 0)] * 2
            if can_drop:
                ways += [(1, 1)] * 2
                ways += [(2, 1)] if self._coref.get("DROP") else []
                ways += [(1, 2)] if self._coref.get("GRAB") else []
            ways = [way for way in ways if sum(way) <= rest]
            if not ways or len(steps) > 9:
                return None
            first, second = pick(draw, ways)
            rest -= first + second
            steps += self._link(first, second)
        return steps if rest == 0 else None

    def _link(self, first: int, second: int) -> list[Step]:
        """Show the place of one more person: by a give, or by a drop of `first` sentences and a
        grab of `second`.
        """
        steps = []
        if self._hiding() and not self._only_open and self.draw() < 0.5:
            steps.append(Step(1, self._slip_in))
        else:
            self._reserve_one()
        # in the other direction: from the person whose place becomes known
        back = self.draw() < 0.4
        if not second:
            if back:
                return [*steps, Step(2, self._take_over)]
            return [Step(1, self._have), *steps, Step(1, self._give_over)]
        if back and first == second == 1:
            return [*steps, Step(2, self._leave_behind), Step(1, self._find)]
        down = Step(first + 1, partial(self._lay_down, first))
        return [down, *steps, Step(second + 1, partial(self._pick_up, second))]

    def _giving(self, kind: str, early: bool, late: bool) -> list[Step]:
        """A give, with something before or after it that misleads a guess about it."""
        if not {"GRAB", "GIVE", "DROP"} <= self._beats.keys():
            return []
        if kind == "what-given":
            before, after = Step(2, self._try_another), Step(1, self._take_another)
        elif kind == "who-given-to":
            before, after = Step(2, self._hand_first), Step(2, self._hand_another)
        else:
            before, after = Step(2, self._handle_first), Step(2, self._drop_for_another)
        steps = [before] if early else []
        steps.append(Step(2, self._hand))
        if late:
            steps += [after] * (2 if kind not in BY_GIVER and self.draw() < MORE else 1)
        return steps

    def _holding(self, size: int, wanted: list[int]) -> list[Step]:
        """Somebody gets and loses things, so that `size` sentences prove what they have.

        `wanted` gives the numbers of things they may have in the end.
        """
        draw, stage = self.draw, self._stage
        twice = bool(
            (self._coref.get("GRAB") and self._coref.get("MOVE")) or self._coref.get("DROP")
        )
        things = shuffled(draw, stage.objects)
        fits = [
            (count, held)
            for count in range(1, len(things) + 1)
            if count <= size <= (2 * count if twice else count)
            for held in wanted
            if held <= count
        ]
        if not fits or "GRAB" not in self._beats:
            return []
        count, held = pick(draw, fits)
        costs = shuffled(draw, [2] * (size - count) + [1] * (2 * count - size))
        kept = shuffled(draw, [True] * held + [False] * (count - held))
        person = pick(draw, stage.persons)
        stage.keep(person, *things[:count])
        self._who = person
        steps: list[Step] = []
        for thing, cost, keeps in zip(things, costs, kept, strict=False):
            if draw() < 0.3:
                steps.append(Step(1, self._wander))
            steps.append(Step(2 * cost, partial(self._handle, thing, cost, keeps)))
            if cost == 1 and not keeps:
                steps.append(Step(1, partial(self._lose, thing)))
        return steps
