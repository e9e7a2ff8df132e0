"""Contrast pairs of instances: the original, and its story with one sentence edited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from fabula.analysis.rewrites.reread import (
    CONVENTION,
    Dropped,
    Line,
    idiom_of,
    language_of,
    retell,
    world_of,
)
from fabula.core.instance import UNKNOWN, Instance
from fabula.core.seeds import stream
from fabula.errors import FabulaError
from fabula.generation.author import Author
from fabula.generation.contrast import BASE, FLIP, HOLD, Keeper, search, vocabulary_of
from fabula.generation.edits import Edit, Original, Vocabulary
from fabula.generation.pairs import edit_of, spans, variables
from fabula.generation.tokens import Tokenizer, text_of, tokenizer
from fabula.recipe.loading import load_again

Made = Iterator[Instance | Dropped]


def flip(instance: Instance, seed: int = 0, tokenizer: str | None = None) -> Made:
    """The instance, and its story with one sentence edited so that the answer changes."""
    yield from _pair(instance, FLIP, seed, tokenizer)


def hold(instance: Instance, seed: int = 0, tokenizer: str | None = None) -> Made:
    """The instance, and its story with one sentence edited so that the answer stays."""
    yield from _pair(instance, HOLD, seed, tokenizer)


def _pair(instance: Instance, want: str, seed: int, path: str | None) -> Made:
    aligner = tokenizer(path) if path else None
    if instance.variant not in ("", BASE) or not instance.answerable:
        yield Dropped(instance.id, "it is already a variant")
        return
    if "defect" in instance.features:
        yield Dropped(instance.id, "its label does not follow from the text")
        return
    world, code = world_of(instance), idiom_of(instance)
    source = _source(orjson.dumps(_made(instance), option=orjson.OPT_SORT_KEYS))
    stated = instance.roles.count(CONVENTION)  # these sentences stay as they are
    told = instance.story[stated:]
    reading = world.read(code, told)
    supports = [support for support in instance.supports if support]
    story = Original(
        world,
        code,
        told,
        reading,
        instance.query,
        instance.choices,
        sum(1 << n - stated for n in supports[0]) if supports else 0,
        source.words or vocabulary_of(world, [reading]),
        features=instance.features,
    )
    draw = stream(instance.id, seed, "", 0, want)
    before = text_of(told, instance.question)

    def allowed(edit: Edit) -> bool:
        if aligner is None:
            return True
        edited = text_of(edit.applied(told), instance.question)
        return aligner.aligned(before, edited) is not None

    choices = [each for each in instance.choices or () if each != UNKNOWN]
    conventions = instance.provenance.get("conventions", {}).get("names")
    found = search(
        story,
        want,
        instance.answer,
        draw,
        choices or None,
        source.keeps,
        allowed=allowed,
        stated=conventions,
    )
    if found is None:
        does = "changes" if want == FLIP else "keeps"
        aligned = " with equally many tokens" if aligner else ""
        yield Dropped(instance.id, f"no edit of one sentence{aligned} {does} its answer")
        return
    sources = [n + stated if n else 0 for n in found.edit.sources(len(told))]
    numbered = [
        *enumerate(instance.story[:stated], 1),
        *zip(sources, found.sentences, strict=True),
    ]
    lines = [Line(text, number, _role(instance, number)) for number, text in numbered]
    made = retell(instance, want, lines, instance.query)
    if isinstance(made, Dropped):
        yield made
        return
    edit = edit_of(found.edit, instance.story, made.story, stated)
    edit["base"] = {"answer": instance.answer, "supports": instance.supports}
    base = replace(instance, extras=_extras(instance, instance, BASE, aligner))
    yield base
    extras = _extras(made, instance, want, aligner)
    yield replace(made, extras={**extras, "edit": edit}, choices=instance.choices)


def _role(instance: Instance, number: int) -> str:
    role = instance.roles[number - 1] if number else "distractor"
    return "distractor" if role == "support" else role


def _extras(
    one: Instance, base: Instance, variant: str, aligner: Tokenizer | None
) -> dict[str, Any]:
    """The fields that only records of a pair have."""
    world, code = world_of(one), idiom_of(one)
    extras: dict[str, Any] = {
        "pair": base.id,
        "variant": variant,
        "variables": variables(world, code, one.story),
        "spans": spans(world, language_of(one), one.story, one.facts),
    }
    if aligner is not None:
        text, original = (text_of(each.story, each.question) for each in (one, base))
        extras["tokens"] = aligner.noted(text, aligner.aligned(original, text) or ())
    return extras


class _Source(NamedTuple):
    """The recipe of a record: words for edits, and the content its split may have."""

    words: Vocabulary | None
    keeps: Keeper | None


def _made(instance: Instance) -> dict[str, Any]:
    """The provenance that is needed to generate a record again, except for its index."""
    skipped = ("index", "passage", "letters", "rewrite", "of")
    return {key: value for key, value in instance.provenance.items() if key not in skipped}


@lru_cache(maxsize=64)
def _source(made: bytes) -> _Source:
    provenance = orjson.loads(made)
    try:
        recipe = load_again(provenance)
        author = Author(recipe, str(provenance.get("split", "")), int(provenance.get("seed", 0)))
        author = author.parts.get(str(provenance.get("part", "")), author)
        return _Source(vocabulary_of(author.world, author.donors()), author.keeps)
    except (FabulaError, AttributeError, ValueError):  # text, or a recipe that is not available
        return _Source(None, None)
