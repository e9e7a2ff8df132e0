"""Other questions about the same story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.analysis.rewrites.reread import Dropped, lines_of, reader, retell, world_of
from fabula.core.instance import Instance
from fabula.errors import FabulaError, hint

YES = "yes"


def twin(instance: Instance) -> Iterator[Instance | Dropped]:
    """Turn 'Is she in the park?' with the answer yes into 'Where is she?' with the answer park."""
    if instance.query[0] != "yes-no" or not _is_yes(instance):
        return
    if instance.provenance.get("world") != "actors":
        yield Dropped(instance.id, "it does not ask whether somebody is in a place")
        return
    made = retell(instance, "twin", lines_of(instance), ("where-person", instance.query[1]))
    if isinstance(made, Instance) and made.answer != (instance.query[2],):
        made = Dropped(instance.id, f"the text says {made.answer[0]}, not {instance.query[2]}")
    yield made


def _is_yes(instance: Instance) -> bool:
    finding = reader(instance).find(instance.query)
    return finding is not None and finding.conclusion == YES


def exhaustive(instance: Instance, kinds: Sequence[str] = ()) -> Iterator[Instance | Dropped]:
    """Every question of these kinds, or of any, that can be asked at the end of the story."""
    world = world_of(instance)
    if not world.surveys:
        name = instance.provenance.get("world")
        raise FabulaError(f"{instance.id}: questions cannot be listed in the world '{name}'.")
    for number, query in enumerate(world.survey(reader(instance), _known(instance, kinds))):
        yield retell(
            instance,
            f"exhaustive-{number}",
            lines_of(instance),
            query,
            details={"question": number},
        )


def _known(instance: Instance, kinds: Sequence[str]) -> Sequence[str]:
    from fabula.world.actors.questions import KINDS

    for kind in kinds:
        if kind not in KINDS:
            raise FabulaError(f"unknown kind of question '{kind}'.{hint(kind, KINDS)}")
    return kinds
