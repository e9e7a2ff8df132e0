"""The worlds. Adding one is writing a folder and a line here; every test picks it up unasked."""

from __future__ import annotations

from fabula.worlds.actors import ACTORS
from fabula.worlds.base import World
from fabula.worlds.kinds import KINDS
from fabula.worlds.kinship import KINSHIP
from fabula.worlds.sizes import SIZES
from fabula.worlds.space import SPACE

WORLDS: dict[str, World] = {
    "actors": ACTORS,
    "space": SPACE,
    "sizes": SIZES,
    "kinds": KINDS,
    "kinship": KINSHIP,
}
