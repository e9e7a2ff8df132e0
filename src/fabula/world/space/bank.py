"""The phrase bank: every expression is written once, and its variants for all relations are
derived.

A *lexicon* gives the words for the slots of each relation. For flat stories each relation has words
of its own ('to the upper left of', 'half past ten'); for stories with depth the words of its sides
are combined ('above and in front of', 'one step up and one step to the front').
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from fabula.world.space.grid import (
    INVERSE,
    PATTERNS,
    PLANE,
    REGIONS,
    ROOM,
    SIDES,
    along,
)

Lexicon = dict[str, dict[str, str]]


class Phrase(NamedTuple):
    """One expression for one relation."""

    kind: str
    relation: str
    text: str
    """Has the slots {figure} and {ground}."""
    source: str
    """The expression in the language file that it is derived from."""


class Bank(NamedTuple):
    """The expressions of flat stories, or of those with depth."""

    phrases: tuple[Phrase, ...]
    counted: tuple[Phrase, ...]
    """Expressions for more than one step; the number follows the relation."""
    denials: tuple[Phrase, ...]
    """Expressions that deny a region."""
    at: dict[tuple[str, int], str]
    """The words before a ground, for relations and numbers of steps."""


def banks(data: Mapping[str, Any]) -> dict[int, Bank]:
    """The banks of a language file, by number of dimensions."""
    return {PLANE.dimensions: _flat(data), ROOM.dimensions: _deep(data)}


def _flat(data: Mapping[str, Any]) -> Bank:
    lexicon, steps = _lexicon(data["words"]), data["steps"]
    kinds = {kind: lists for kind, lists in data["phrases"].items() if kind != "groups"}
    groups = data["phrases"]["groups"]
    at = {(relation, 1): words["at"] for relation, words in lexicon.items()}
    for relation, count, word in _numbered(PLANE.sides, steps["numbers"]):
        at[relation, count] = steps["at"].format(count=word, at=lexicon[relation]["at"])
    phrases = _derived(kinds, groups, lexicon)
    counted = chain.from_iterable(
        _derived({"distance": steps["phrases"]}, groups, lexicon, {"count": word}, f" {count}")
        for count, word in _numbers(steps["numbers"])
    )
    denials = _denied(data["denials"]["texts"], data["patterns"], PATTERNS)
    return Bank(tuple(phrases), tuple(counted), tuple(denials), at)


def _deep(data: Mapping[str, Any]) -> Bank:
    depth, numbers = data["depth"], data["steps"]["numbers"]
    kinds = {kind: {"all": texts} for kind, texts in depth["phrases"].items()}
    groups = {"all": tuple(ROOM.units)}
    once = _composed(depth, depth["once"])
    at = {(relation, 1): words["at"] for relation, words in once.items() if relation in SIDES}
    for relation, count, word in _numbered(SIDES, numbers):
        at[relation, count] = data["steps"]["at"].format(count=word, at=once[relation]["at"])
    counted = chain.from_iterable(
        _derived(
            {"distance": {"all": depth["counted"]}},
            groups,
            _composed(depth, depth["several"], word),
            {},
            f" {count}",
        )
        for count, word in _numbers(numbers)
    )
    words = {**data["asked"]["which"], **data["patterns"]}
    denials = _denied(data["denials"]["texts"], words, ROOM.tested)
    return Bank(tuple(_derived(kinds, groups, once)), tuple(counted), tuple(denials), at)


def _derived(
    kinds: Mapping[str, Mapping[str, Sequence[str]]],
    groups: Mapping[str, Sequence[str]],
    lexicon: Lexicon,
    slots: Mapping[str, str] | None = None,
    suffix: str = "",
) -> Iterator[Phrase]:
    """Every expression for every relation it applies to."""
    for kind, lists in kinds.items():
        for group, texts in lists.items():
            for text in texts:
                for relation in groups[group]:
                    words = {**lexicon[relation], **(slots or {})}
                    filled = text.format(figure="{figure}", ground="{ground}", **words)
                    yield Phrase(kind, relation + suffix, filled, text)


def _denied(
    texts: Sequence[str], words: Mapping[str, str], regions: Iterable[str]
) -> Iterator[Phrase]:
    for region in regions:
        for text in texts:
            yield Phrase("denial", f"not {region}", text.replace("{relation}", words[region]), text)


def _numbers(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The numbers from two on, with their words."""
    return iter(list(enumerate(words, 1))[1:])


def _numbered(relations: Sequence[str], words: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    for relation in relations:
        for count, word in _numbers(words):
            yield relation, count, word


def _lexicon(words: Mapping[str, Sequence[str]]) -> Lexicon:
    """A table of words with a column for each relation; `_back` has those of the opposite."""
    order = words["order"]
    lexicon = {
        relation: {slot: row[at] for slot, row in words.items()}
        for at, relation in enumerate(order)
    }
    return _with_backs(lexicon)


def _with_backs(lexicon: Lexicon) -> Lexicon:
    return {
        relation: {**own, **{f"{k}_back": v for k, v in lexicon[INVERSE[relation]].items()}}
        for relation, own in lexicon.items()
    }


def _composed(depth: Mapping[str, Any], forms: Mapping[str, str], count: str = "") -> Lexicon:
    """For each relation with depth, the words of its sides in their forms, as a list."""
    table = depth["words"]
    order = table["order"]
    lexicon: Lexicon = {}
    for relation, unit in ROOM.units.items():
        sides = [side for side in SIDES if along(unit, ROOM.units[side]) > 0]
        lexicon[relation] = {}
        for slot, form in forms.items():
            words = [table[slot][order.index(side)] for side in sides]
            items = [form.replace("{word}", word).replace("{count}", count) for word in words]
            lexicon[relation][slot] = depth["lists"][len(items) - 1].format(*items)
    return _with_backs(lexicon)


def asked_regions(data: Mapping[str, Any], kind: str) -> dict[str, str]:
    """The words for the regions that a kind of question can name."""
    asked: dict[str, str] = data["asked"][kind.removesuffix("-things").removesuffix("-agents")]
    if kind == "yes-no-agents":  # for agents, 'anywhere to the left of' instead of 'to the left of'
        asked = {**asked, **{w: t for w, t in data["asked"]["which"].items() if w in SIDES}}
    if kind.startswith("yes-no"):
        asked = {**asked, **data["patterns"]}
    assert kind.startswith("what") or asked.keys() <= REGIONS.keys()
    return asked
