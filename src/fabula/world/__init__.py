"""The worlds. Adding one is writing a folder and a line here; every test picks it up unasked."""

from __future__ import annotations

from fabula.world.actors import ACTORS
from fabula.world.base import World
from fabula.world.kinds import KINDS
from fabula.world.kinship import KINSHIP
from fabula.world.sizes import SIZES
from fabula.world.space import SPACE

WORLDS: dict[str, World] = {
    "actors": ACTORS,
    "space": SPACE,
    "sizes": SIZES,
    "kinds": KINDS,
    "kinship": KINSHIP,
}
