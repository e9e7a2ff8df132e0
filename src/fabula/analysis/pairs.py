"""Proves that the records of contrast pairs are what they claim, each on its own.

The record of a variant states the edit and the answer of the original. The edit is undone, the
original read, and its answer and supports are checked; so a pair is proven without its other half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabula.core.instance import UNKNOWN, Instance
from fabula.core.supports import mask_of
from fabula.errors import FabulaError
from fabula.generation.contrast import BASE, FLIP, HOLD
from fabula.generation.edits import DROP, INSERT, MOVE, NAME, REPLACE
from fabula.generation.pairs import spans, variables
from fabula.world.base import World, same_answer

VARIANTS = (BASE, FLIP, HOLD, UNKNOWN)


def original_story(story: Sequence[str], edit: Mapping[str, Any]) -> list[str]:
    """The story before an edit; ValueError if the edit does not match the story."""
    told, kind, at, to = list(story), edit["kind"], edit["sentence"], edit["to"]
    if to and (not 1 <= to <= len(told) or told[to - 1] != edit["after"]):
        raise ValueError(f"sentence {to} is not the edited one")
    if kind in (NAME, REPLACE) and at == to:
        told[to - 1] = edit["before"]
    elif kind == DROP and 1 <= at <= len(told) + 1 and not to:
        told.insert(at - 1, edit["before"])
    elif kind == INSERT and to == at + 1:
        del told[to - 1]
    elif kind == MOVE and 1 <= at <= len(told):
        told.insert(at - 1, told.pop(to - 1))
    else:
        raise ValueError(f"an edit of kind '{kind}' from {at} to {to} is not possible")
    return told


def pair_objections(own: Instance, written: Instance, world: World, code: str) -> Iterator[str]:
    """Objections to what a record says about its pair; `own` is in the language of its world."""
    if not own.extras:
        return
    if own.variant not in VARIANTS:
        yield f"'{own.variant}' is not a variant: {', '.join(VARIANTS)}"
        return
    if own.extras.get("variables") is not None:
        told = [list_of(each) for each in variables(world, code, own.story)]
        if told != [list_of(each) for each in own.extras["variables"]]:
            yield "the variables are not those of the reader"
    if own.extras.get("spans") is not None:
        found = spans(world, code, written.story, written.facts)
        if found != own.extras["spans"]:
            yield "the spans are not those of the story"
    edit = own.extras.get("edit")
    if own.variant == BASE:
        if edit is not None:
            yield "an original has no edit"
        return
    if edit is None:
        yield "the edit is missing"
        return
    try:
        before = original_story(written.story, edit)
        if written.story != own.story:  # in another language only the numbers can be checked
            return
        reading = world.read(code, before)
        finding = reading.find(own.query)
    except (FabulaError, ValueError, KeyError, TypeError) as error:
        yield f"the edit cannot be undone: {error}"
        return
    base = edit.get("base", {})
    answer = tuple(base.get("answer", ()))
    if finding is None or not same_answer(own.query, finding.answer, answer):
        said = "nothing" if finding is None else ",".join(finding.answer)
        yield f"the original answers {said}, the record says {','.join(answer)}"
        return
    for support in base.get("supports", ()):
        if not reading.stands(own.query, finding.conclusion, mask_of(support)):
            yield f"the original is not proven by {support}"
    if (own.variant == HOLD) != same_answer(own.query, answer, own.answer):
        yield f"a {own.variant} from {','.join(answer)} to {','.join(own.answer)}"


def list_of(changes: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Changes of variables in a comparable form."""
    return sorted((name, _plain(value)) for name, value in changes.items())


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
