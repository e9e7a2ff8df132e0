"""How people act on their own: they look after their needs, or else do anything possible.

The rule: whoever has a need (hungry) takes a thing that helps (an apple) if one is within reach;
otherwise they go, by a shortest path, to the nearest place with one that nobody carries, or, if
there is none, to where the need says people look for it. Whoever cannot do anything about a need
acts like people without needs: one of the possible kinds of action is drawn uniformly, and then one
of its actions.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.seeds import Draw, pick
from fabula.play.simulation import Action, Simulation


def next_action(simulation: Simulation, person: str, draw: Draw) -> Action | None:
    """The next action of a person; None if there is none."""
    driven = _driven(simulation, person)
    if driven is not None:
        return driven
    possible = simulation.possible(person)
    return pick(draw, possible[pick(draw, list(possible))]) if possible else None


def anybody(simulation: Simulation, people: Sequence[str], draw: Draw) -> Action | None:
    """The next action of one of these people, drawn uniformly; None if nobody can act."""
    waiting = list(people)
    while waiting:
        person = pick(draw, waiting)
        action = next_action(simulation, person, draw)
        if action is not None:
            return action
        waiting.remove(person)
    return None


def _driven(simulation: Simulation, person: str) -> Action | None:
    """The action that a person's need calls for, if any."""
    name = simulation.need.get(person)
    if name is None:
        return None
    need, stage = simulation.world.needs[name], simulation.stage
    for thing in need.wants:
        action = getting(simulation, person, thing)
        if simulation.refusal(action) is None:
            return action
    here = stage.place[person]
    goals = {stage.spot[thing] for thing in need.wants if stage.bearer(thing) is None}
    goals.discard(here)  # what is here was out of reach or too big
    if not goals and need.place not in (None, here):
        goals = {str(need.place)}
    ways = [simulation.path(here, goal) for goal in sorted(goals)]
    return Action("MOVE", (person, min(ways, key=len)[0])) if ways else None


def getting(simulation: Simulation, person: str, thing: str) -> Action:
    """The action by which a person gets a thing, wherever it is."""
    stage = simulation.stage
    holder = stage.holder[thing]
    if holder in stage.furniture and stage.spot[thing] == stage.place[person]:
        return Action("TAKE", (person, thing, str(holder)))
    return Action("GRAB", (person, thing))
