"""What the simulator says to a question: consulted once for every answer of the reader."""

from __future__ import annotations

from fabula.language import Language
from fabula.worlds.actors.events import Stage
from fabula.worlds.base import Query


def truth(stage: Stage, language: Language, query: Query) -> tuple[str, ...] | None:
    """The answer that the state of the world gives; None if only the reader can tell."""
    kind, name = query[0], query[1]
    if kind == "where-person":
        return (stage.place[name],)
    if kind == "where-object":
        return (stage.spot[name],)
    if kind == "where-was-object":
        way = stage.trail[name]
        at = max((i for i, place in enumerate(way) if place == query[2]), default=0)
        return (way[at - 1],) if at else None
    if kind in ("list", "count", "what-in", "what-on"):
        held = tuple(sorted(o for o, who in stage.holder.items() if who == name))
        if kind == "count":
            return (language.number(len(held)),)
        return held or (language.answers["nothing"],)
    return None
