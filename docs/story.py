"""Finds the story that README and landing page show: short and explained in one sentence.

One person goes to a place, and there a thing changes hands, so the other person is in that place
too; the question is about the other. The first such story of actors/mix is shown, so a change of
generated data gives another one with its own explanation (`make golden` writes it into README).
"""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import NamedTuple

import fabula

RECIPE, SPLIT, SEED, LENGTH = "actors/mix", "test", 7, 10
PRONOUNS = {
    **dict.fromkeys(("Mary", "Sandra", "Julie"), ("she", "her")),
    **dict.fromkeys(("Daniel", "John", "Fred", "Bill", "Jeff"), ("he", "him")),
}
MOST = 5000
"""Stories to look at before giving up."""


class Shown(NamedTuple):
    """The story to show."""

    number: int
    explanation: str
    """The proof in words, with the numbers of its sentences."""

    @property
    def command(self) -> str:
        """The command that shows it."""
        where = f"--split {SPLIT} --index {self.number} --seed {SEED}"
        return f"fabula show {RECIPE} {where} --set length={LENGTH}"


@cache
def shown() -> Shown:
    """The first story that fits, with its proof in words."""
    data = fabula.Dataset(RECIPE, split=SPLIT, seed=SEED, size=MOST, length=LENGTH)
    for index, one in enumerate(data):
        if words := explained(one):
            return Shown(index, words)
    raise LookupError(f"none of {MOST} stories of {RECIPE} fits; see docs/story.py.")


def explained(one: fabula.Instance) -> str:
    """The proof in words if the story fits, or else nothing."""
    kind, asked = one.query[:2]
    if kind not in ("yes-no", "where-person") or one.answer == ("maybe",) or len(one.support) != 2:
        return ""
    first, second = sorted(one.support)
    (move, *more), (give, *also) = one.facts[first - 1], one.facts[second - 1]
    if more or also or (move[0], give[0]) != ("move", "give"):
        return ""
    mover, place = move[1:3]
    giver, thing, receiver = give[1:4]
    if {mover, asked} != {giver, receiver}:
        return ""
    handed = (
        f"and handed {asked} the {thing}"
        if mover == giver
        else f"and {asked} handed {PRONOUNS[mover][1]} the {thing}"
    )
    return (
        f"{mover} went to the {place} ({first}) {handed} ({second}), so {asked} was in the {place} "
        f"too, and nothing says that {PRONOUNS[asked][0]} left."
    )


def told(text: str, lead: str = "The asterisks mark the proof.") -> str:
    """A page with the command of the story and the paragraph that explains it, as they are now."""
    now = shown()
    text = re.sub(rf"^\$ fabula show {RECIPE} .*$", f"$ {now.command}", text, flags=re.MULTILINE)
    paragraph = textwrap.fill(f"{lead} {now.explanation}", width=112)
    return re.sub(
        rf"^{re.escape(lead)}.*?(?=\n\n)", paragraph, text, flags=re.MULTILINE | re.DOTALL
    )
