"""Reads a rewritten story again: the one place where rewritten records are made.

Promises:
1. The answer of a rewritten record is proven like any other: by the reader, from its text alone,
   with supports that hold. If it is no longer proven, there is no record: `Dropped` says why.
2. A sentence that was kept means the same as before; if its pronoun now refers to somebody else,
   the rewrite is dropped.
3. The record says what it was made from and how: `provenance.rewrite` and `provenance.of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from fabula.core.instance import Instance
from fabula.core.soundness import shown
from fabula.core.supports import mask_of, numbers_of
from fabula.errors import FabulaError, ParseError, RecipeError, hint
from fabula.generation.examine import related
from fabula.generation.record import measures
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load_again
from fabula.world import WORLDS
from fabula.world.base import Fact, Query, Reading, World, same_answer

MOST_SUPPORTS = 32
READ_BY = ("templates",)
"""Features without which a story cannot be read."""
OF_PROOF = ("hops", "k", "clause", "proof")
"""Features that hold as long as the support is the same."""
CONVENTION = "convention"
"""The role of a sentence that states a convention; it stays at the beginning."""
MINE = {"en"}  # languages that worlds read themselves


class Dropped(NamedTuple):
    """An instance that cannot be rewritten this way, and why."""

    id: str
    reason: str


class Line(NamedTuple):
    """One sentence of a rewritten story."""

    text: str
    source: int = 0
    """Its number in the story it comes from, or 0 if it is new."""
    role: str = "distractor"
    """Its role if it is not in the support."""


Rename = Callable[[str], str]


def lines_of(instance: Instance) -> list[Line]:
    """The story as lines; sentences outside the support keep their roles."""
    return [
        Line(sentence, number, "distractor" if role == "support" else role)
        for number, (sentence, role) in enumerate(
            zip(instance.story, instance.roles, strict=True), 1
        )
    ]


def bonds(instance: Instance) -> set[int]:
    """The sentences that must directly follow the previous one, because of a pronoun."""
    spoken: set[int] = getattr(reader(instance), "pronouns", set())
    return spoken


def world_of(instance: Instance) -> World:
    """The world that a record is about."""
    name = str(instance.provenance.get("world", ""))
    if name not in WORLDS:
        raise FabulaError(f"{instance.id}: unknown world '{name}'.{hint(name, WORLDS)}")
    code = language_of(instance)
    if code not in MINE:
        raise FabulaError(
            f"{instance.id}: rewriting needs the language of the world, not '{code}'; "
            "generate it in that language, then rewrite it."
        )
    return WORLDS[name]


def language_of(instance: Instance) -> str:
    """The language of a record."""
    return str(instance.provenance.get("language", "en"))


def reader(instance: Instance) -> Reading:
    """The reading of the story."""
    world = world_of(instance)
    return world.read(_idiom(world, instance), instance.story)


def _idiom(world: World, instance: Instance) -> str:
    """The language of a record, with the phrases stored in it."""
    return world.idiom(language_of(instance), instance.features)


def idiom_of(instance: Instance) -> str:
    """The language of a record, with the phrases stored in it."""
    return _idiom(world_of(instance), instance)


def check_query(instance: Instance) -> None:
    """Raise ParseError if the query of a record does not match its question."""
    world = world_of(instance)
    asked = world.parse_question(_idiom(world, instance), instance.question)
    if [word.lower() for word in asked] != [word.lower() for word in instance.query]:
        raise ParseError(
            f"{instance.id}, field 'query': {shown(instance.query)} is not what its question asks, "
            f"{shown(asked)}. Generate the data set again, or remove the record."
        )


def _carried(instance: Instance, lines: Sequence[Line], best: int) -> dict[str, Any]:
    """Features of the world that still hold: of the proof, and of the story if it is complete."""
    if {lines[number - 1].source for number in numbers_of(best)} != set(instance.support):
        return _only(instance.features, READ_BY)
    kept = {line.source for line in lines} - {0}
    if len(kept) < len(instance.story):
        return _only(instance.features, (*READ_BY, *OF_PROOF))
    measured = measures(best, 1, len(lines), 0).keys() - set(OF_PROOF)
    return _only(instance.features, instance.features.keys() - measured)


def _only(features: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    wanted = set(names)
    return {name: value for name, value in features.items() if name in wanted}


def retell(
    instance: Instance,
    how: str,
    lines: Sequence[Line],
    query: Query | None = None,
    rename: Rename = lambda name: name,
    details: Mapping[str, Any] | None = None,
) -> Instance | Dropped:
    """The record with another story or question, proven again."""
    world, code = world_of(instance), language_of(instance)
    story = tuple(line.text for line in lines)
    reading = world.read(_idiom(world, instance), story)
    told = tuple(reading.facts())
    for line, facts in zip(lines, told, strict=True):
        if line.source and facts != _renamed(instance.facts[line.source - 1], rename):
            return Dropped(instance.id, f"'{line.text}' would change its meaning")
    asked = query or tuple(map(rename, instance.query))
    finding = reading.find(asked)
    if finding is None:
        return Dropped(instance.id, "the answer no longer follows")
    expected = tuple(map(rename, instance.answer))
    if query is None and not same_answer(asked, finding.answer, expected):
        return Dropped(instance.id, "the answer would change")
    masks = [
        mask
        for mask in finding.masks[:MOST_SUPPORTS]
        if reading.stands(asked, finding.conclusion, mask)
    ]
    if not masks:
        return Dropped(instance.id, "no support is sufficient on its own")
    best, count = masks[0], len(story)
    # these come first, and no measure counts them
    stated = sum(line.role == CONVENTION for line in lines)
    roles = ["support" if best >> n & 1 else lines[n - 1].role for n in range(1, count + 1)]
    support = numbers_of(best)
    if "defect" in instance.features:
        return Dropped(instance.id, "its label does not follow from the text")
    return replace(
        instance,
        id=f"{instance.id}+{how}",
        story=story,
        question=world.ask(code, asked),
        answer=finding.answer,
        choices=_choices(instance, asked, rename),
        support=support,
        supports=tuple(numbers_of(mask) for mask in masks),
        facts=told,
        query=asked,
        composition=reading.concepts(best),
        roles=tuple(roles),
        features={
            **measures(
                best >> stated, len(masks), count - stated, world.hops(reading, asked, best)
            ),
            **(_carried(instance, lines, best) if asked == instance.query else {}),
            "related_distractors": related(reading, asked, best),
            "conventions": list(world.relies(reading, asked, finding.answer, masks)),
        },
        signature=reading.signature(asked, best),
        provenance={
            **instance.provenance,
            **_as_proven(instance.provenance),
            "rewrite": how,
            "of": instance.id,
            **(details or {}),
        },
        extras={},  # of a pair, which this is not in
    )  # fmt: skip


def _as_proven(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The dialect of a rewritten record: its support is the best proof, not the published one."""
    if provenance.get("dialect") != "release":
        return {}
    # kept among the changes, so that the original can be generated again
    return {"dialect": "", "changes": {**provenance.get("changes", {}), "dialect": "release"}}


def _renamed(facts: Sequence[Fact], rename: Rename) -> tuple[Fact, ...]:
    return tuple((fact[0], *map(rename, fact[1:])) for fact in facts)


def _choices(instance: Instance, query: Query, rename: Rename) -> tuple[str, ...] | None:
    """The answers that the question can have, as far as the record or its recipe determines
    them.
    """
    if query[0] == instance.query[0]:
        return None if instance.choices is None else tuple(map(rename, instance.choices))
    try:
        recipe = load_again(instance.provenance)
    except RecipeError:
        return None
    if isinstance(recipe, Collection):
        part = str(instance.provenance.get("part", ""))
        if part not in recipe.members:
            return None
        recipe = recipe.members[part]
    choices = world_of(instance).choices(recipe, query)
    return None if choices is None else tuple(choices)


def support_mask(instance: Instance) -> int:
    """The sentences of the support."""
    return mask_of(instance.support)
