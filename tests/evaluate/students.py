"""Students with a planted weakness: Python functions that are right but for one bug."""

from __future__ import annotations

import re
from collections.abc import Callable

from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.world import WORLDS

GIVING = re.compile(r"\b(?:gave|passed|handed)\b")


def last_place(instance: Instance) -> str:
    """Takes the last place named for where somebody or something is."""
    if instance.query[0] not in ("where-person", "where-object"):
        return ", ".join(instance.answer)
    words = re.findall(r"\w+", " ".join(instance.story))
    named = [word for word in words if word in (instance.choices or ())]
    return named[-1] if named else "nowhere"


def forgets_after_a_give(instance: Instance) -> str:
    """Does not take in who gave what to whom."""
    return _reads(instance, lambda sentence: not GIVING.search(sentence))


def cannot_see_through_no_longer(instance: Instance) -> str:
    """Does not understand 'no longer'."""
    return _reads(instance, lambda sentence: "no longer" not in sentence)


def needs_short_proofs(instance: Instance) -> str:
    """Fails whenever one sentence is not enough."""
    world = WORLDS[str(instance.provenance["world"])]
    found = world.read("en", instance.story).find(instance.query)
    assert found is not None
    return "pass" if found.masks[0].bit_count() > 1 else ", ".join(instance.answer)


def _reads(instance: Instance, heard: Callable[[str], bool]) -> str:
    """Answers by the reader, which only hears some sentences."""
    world = WORLDS[str(instance.provenance["world"])]
    try:
        told = [sentence for sentence in instance.story if heard(sentence)]
        found = world.read("en", told).find(instance.query)
    except (FabulaError, LookupError):
        found = None
    return ", ".join(found.answer) if found else "nowhere"
