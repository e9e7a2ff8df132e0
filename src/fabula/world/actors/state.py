"""The reader's state as a table of variables, and a reading that starts from one.

place(Mary)      'kitchen'; ['kitchen', 'park'] if it is one of these; ['not', 'kitchen'] if all
                 others are open; '?1' if it is unknown but shared with everything that has '?1'
holder(apple)    'Mary', 'in box' or 'on table'
trail(apple)     the places where a thing was before its present one, in order
had(Mary)        all things that somebody ever had, or that ever were 'in box'
gives            (giver, thing, receiver) of each give, in order
mood(Mary)       'hungry', as long as the need is in force
past(Mary,yesterday)  where somebody was in a part of the past
colour(apple), state(apple)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.world.actors import knowledge as known
from fabula.world.actors.knowledge import START, Give, Holder, Knowledge, Leg, Node
from fabula.world.actors.reading import ActorsReading, read

TOLD = 1 << 1
"""The sentence that a resumed state is attributed to."""


class _Places:
    """Places of nodes as values of variables; shared unknown places have a name."""

    def __init__(self) -> None:
        self._roots: dict[int, list[str]] = {}

    def note(self, variable: str, node: Node) -> None:
        self._roots.setdefault(id(known._root(node)), []).append(variable)

    def value(self, node: Node) -> Any:
        domain = known.open_places(node)
        if domain == -1:
            root = id(known._root(node))
            shared = [key for key, names in self._roots.items() if len(names) > 1]
            return f"?{shared.index(root) + 1}" if root in shared else None
        if domain < 0:
            return ["not", *sorted(_names(~domain))]
        names = sorted(_names(domain))
        return names[0] if len(names) == 1 else names


def _names(domain: int) -> list[str]:
    return [name for bit, name in known._places.items() if bit & domain]


def _said(holder: Holder) -> str:
    return holder if isinstance(holder, str) else " ".join(holder)


def state_of(reading: ActorsReading) -> dict[str, Any]:
    """The reader's current knowledge, by variable."""
    now, places = reading.knowledge, _Places()
    for person, stay in now.stays.items():
        places.note(person, stay)
    for thing, trail in now.trails.items():
        places.note(thing, trail[-1].last)
    state: dict[str, Any] = {}
    for person, stay in now.stays.items():
        state[f"place({person})"] = places.value(stay)
    for thing, trail in now.trails.items():
        state[f"place({thing})"] = places.value(trail[-1].last)
        holding = now.holders.get(thing)
        state[f"holder({thing})"] = _said(holding[0]) if holding else None
        if len(trail) > 1:
            state[f"trail({thing})"] = [places.value(leg.first) or "?" for leg in trail[:-1]]
    for holder, things in now.handled.items():
        state[f"had({_said(holder)})"] = sorted(things)
    if now.gives:
        state["gives"] = [list(give.parts) for give in now.gives]
    for person, urges in now.urges.items():
        state[f"mood({person})"] = urges[-1].mood if urges[-1].until == known.NEVER else None
    for person, parts in now.past.items():
        for part, node in parts.items():
            state[f"past({person},{now.lore.times[part]})"] = known.known_place(node)
    for (kind, thing), (word, _) in now.looks.items():
        state[f"{kind}({thing})"] = word
    return {name: value for name, value in state.items() if value is not None}


def resumed(code: str, state: Mapping[str, Any]) -> ActorsReading:
    """A reading that knows only what a state says; reasons for past actions are not part of it."""
    reading = read(code, ())
    now = reading.knowledge
    unknown: dict[str, Node] = {}

    def node(value: Any) -> Node:
        if value is None or value == "?":
            return Node()
        if isinstance(value, str) and value.startswith("?"):
            return unknown.setdefault(value, Node())
        if isinstance(value, str):
            return Node(known.place_bit(value), TOLD)
        bits = [known.place_bit(name) for name in value if name != "not"]
        domain = 0
        for bit in bits:
            domain |= bit
        return Node(~domain if value[0] == "not" else domain, TOLD)

    things = {args for kind, args in map(_parted, state) if kind == "holder"}
    things |= {args for kind, args in map(_parted, state) if kind == "trail"}
    things |= {t for n, v in state.items() if n.startswith("had(") for t in v}
    for name, value in state.items():
        kind, args = _parted(name)
        if kind == "place" and args not in things:
            now.stays[args] = node(value)
            now.stays[args].before = START
        elif kind == "past":
            person, part = args.split(",")
            now._recall(person, known.place_bit(value), now.lore.times.index(part), TOLD)
        elif kind in ("colour", "state"):
            now.looks[kind, args] = (value, TOLD)
    for thing in sorted(things):
        legs = [node(value) for value in state.get(f"trail({thing})", ())]
        spot = node(state.get(f"place({thing})"))
        now.trails[thing] = [Leg(each, TOLD) for each in (*legs, spot)]
        now.holders[thing] = None
    for name, value in state.items():
        kind, args = _parted(name)
        if kind == "had":
            now.handled[_holder(args)] = dict.fromkeys(value, TOLD)
    for thing in sorted(things):
        _hold(now, thing, state.get(f"holder({thing})"))
    now.gives += [Give((a, b, c), TOLD) for a, b, c in state.get("gives", ())]
    return reading


def _hold(now: Knowledge, thing: str, said: str | None) -> None:
    """Let a holder hold a thing, at the holder's place."""
    if said is None:
        return
    holder = _holder(said)
    now.holders[thing] = (holder, TOLD)
    now.handled.setdefault(holder, {})[thing] = TOLD
    spot = now.trails[thing][-1].last
    if isinstance(holder, str):
        stay = now.stays.get(holder)
        if stay is None:
            stay = now.stays[holder] = Node()
            stay.before = START
        now._link(spot, stay, TOLD, holder)
    else:
        now._contained = True
        if holder[1] in now.trails:
            now._link(spot, now.trails[holder[1]][-1].last, TOLD, holder)


def _holder(said: str) -> Holder:
    use, _, thing = said.partition(" ")
    return (use, thing) if thing and use in ("in", "on") else said


def _parted(name: str) -> tuple[str, str]:
    kind, _, args = name.partition("(")
    return kind, args.rstrip(")")
