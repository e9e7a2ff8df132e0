"""Facts of the actor world in the plainest words: names instead of pronouns, the first verb."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.language import language
from fabula.world.actors.knowledge import FACT_KIND
from fabula.world.base import Fact

FRAME = {fact: frame for frame, fact in FACT_KIND.items()}
"""The frame that tells a kind of fact."""


def plain(code: str, facts: Sequence[Fact]) -> str | None:
    """The facts of one sentence: one person or thing, or two people who do the same."""
    if not facts or len(facts) > 2 or len({(fact[0], *fact[2:]) for fact in facts}) > 1:
        return None
    tongue = language(code, "actors")
    kind, who, *args = facts[0]
    if len(facts) == 2:
        who = tongue.pair(who, facts[1][1])
    return tongue.say(FRAME[kind], who, args, lambda: 0.0)


def simpler(fact: Fact) -> tuple[Fact, ...]:
    """Moves for what only tells a part of a move; taking for other ways to handle a thing."""
    if fact[0] in ("at", "not-at"):
        return (("move", *fact[1:]),)
    if fact[0] == "either":
        return (("move", fact[1], fact[2]), ("move", fact[1], fact[3]))
    if fact[0] == "give":
        return (("grab", fact[3], fact[2]), ("grab", fact[1], fact[2]))
    if fact[0] in ("drop", "take", "put", "lay"):
        return (("grab", fact[1], fact[2]),)
    return ()
