"""The same question about a story told differently."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from fabula.analysis.rewrites.reread import (
    CONVENTION,
    Dropped,
    Line,
    bonds,
    language_of,
    lines_of,
    retell,
    support_mask,
    world_of,
)
from fabula.core.instance import Instance
from fabula.core.seeds import Draw, below, pick, shuffled, stream
from fabula.errors import FabulaError
from fabula.language.filler import fillers, unseen
from fabula.language.grammar import language

Made = Iterator[Instance | Dropped]
EXTRA = ("MOVE", "GRAB", "DROP")


def bare(instance: Instance) -> Made:
    """Only the support."""
    mask = support_mask(instance)
    kept = [x for x in lines_of(instance) if mask >> x.source & 1 or x.role == CONVENTION]
    yield retell(instance, "bare", kept)


def gathered(instance: Instance) -> Made:
    """Move the support to the end, next to the question, in its own order."""
    mask, lines = support_mask(instance), lines_of(instance)
    order = sorted(lines, key=lambda x: (x.role != CONVENTION, mask >> x.source & 1, x.source))
    yield retell(instance, "gathered", order)


def trimmed(instance: Instance, tokens: int) -> Made:
    """Shorten to at most `tokens` tokens: drops the earliest sentences outside the support."""
    mask, lines, tied = support_mask(instance), lines_of(instance), bonds(instance)
    budget = tokens - count_tokens(instance.question)
    size = sum(count_tokens(line.text) for line in lines)
    for line in list(lines):
        if size <= budget:
            break
        if mask >> line.source & 1 or line.role == CONVENTION:
            continue
        after = line.source + 1
        group = [line]  # drop a sentence together with the one whose pronoun refers to it
        if after in tied and not mask >> after & 1:
            group += [other for other in lines if other.source == after]
        elif after in tied:
            continue
        for each in group:
            if each in lines:
                lines.remove(each)
                size -= count_tokens(each.text)
    if size > budget:
        needed = size + tokens - budget
        yield Dropped(instance.id, f"the support alone takes {needed} tokens")
        return
    yield retell(instance, "trimmed", lines, details={"tokens": size + tokens - budget})


def count_tokens(text: str) -> int:
    """The number of words and punctuation marks: roughly the tokens of such a text."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def padded(instance: Instance, length: int, filler: bool = False, seed: int = 0) -> Made:
    """Lengthen the story to `length` sentences: irrelevant sentences are added at random positions.

    With `filler`, these state nothing; otherwise people who are not in the story move around,
    taking and dropping things that are not in it.
    """
    stated = instance.roles.count(CONVENTION)
    missing = length - len(instance.story) + stated
    draw = stream(instance.id, seed, "", length, "pad")
    if missing <= 0:
        yield retell(instance, "padded", lines_of(instance), details={"added": 0})
        return
    code = language_of(instance)
    if filler:
        bank = fillers(code)
        if not bank:
            raise FabulaError(f"there are no filler sentences for the language '{code}'.")
        new = [Line(text, role="filler") for text in _cycled(bank, missing, draw)]
    else:
        new = [Line(text) for text in _bystanders(instance, missing, draw)]
    lines = _inserted(lines_of(instance), new, bonds(instance), draw, stated)
    yield retell(instance, "padded", lines, details={"added": missing})


def _cycled(bank: Sequence[str], count: int, draw: Draw) -> Iterator[str]:
    """`count` sentences from the bank; none repeats before all have been used."""
    while count > 0:
        yield from shuffled(draw, bank)[:count]
        count -= len(bank)


def _inserted(
    lines: list[Line], new: list[Line], tied: set[int], draw: Draw, first: int
) -> list[Line]:
    """The new lines, in their order, inserted between the others, never before a tied one.

    The first `first` lines stay together.
    """
    gaps = [at for at in range(first, len(lines) + 1) if at + 1 not in tied]
    places = sorted(pick(draw, gaps) for _ in new)
    result, at = [], 0
    for place, line in zip(places, new, strict=True):
        result += lines[at:place]
        at = max(at, place)
        result.append(line)
    return result + lines[at:]


def _bystanders(instance: Instance, count: int, draw: Draw) -> list[str]:
    """Sentences about people and things that the story does not mention."""
    names = _named(instance)
    code = language_of(instance)
    bank, tongue = unseen(code), language(code, "actors")
    people = [n for group in bank["persons"].values() for n in group if n not in names["persons"]]
    things = [n for n in bank["objects"]["any"] if n not in names["objects"]]
    places = names["places"] or bank["places"]["any"]
    persons = shuffled(draw, people)[:8]
    holder: dict[str, str] = {}
    told: list[str] = []
    while len(told) < count:
        who = pick(draw, persons)
        kind = pick(draw, EXTRA)
        held = [thing for thing, owner in holder.items() if owner == who]
        if kind == "GRAB" and len(holder) < len(things):
            what = pick(draw, [thing for thing in things if thing not in holder])
            holder[what] = who
        elif kind == "DROP" and held:
            what = pick(draw, held)
            del holder[what]
            things.remove(what)  # nobody else finds it, so it needs no place
        else:
            kind, what = "MOVE", places[below(draw, len(places))]
        told.append(tongue.say(kind, who, (what,), draw))
    return told


def _named(instance: Instance) -> dict[str, list[str]]:
    world = world_of(instance)
    named = world.entities(instance.facts)
    if named is None:
        name = instance.provenance.get("world")
        raise FabulaError(f"{instance.id}: the world '{name}' does not list its names.")
    return named


def renamed(instance: Instance, sorts: Sequence[str] = ("persons",), seed: int = 0) -> Made:
    """Give people (and places, and objects) names that no recipe uses, with the same pronouns."""
    names, code = _named(instance), language_of(instance)
    bank, tongue = unseen(code), language(code, "actors")
    draw = stream(instance.id, seed, "", 0, "rename")
    new: dict[str, str] = {}
    for sort in sorts:
        if sort not in names:
            raise FabulaError(f"names of '{sort}' cannot be swapped. Known: {', '.join(names)}.")
        pools = {key: shuffled(draw, pool) for key, pool in bank[sort].items()}
        # names in the choices are swapped too, or they would give the answer away
        everyone = dict.fromkeys([*names[sort], *_choices_of(instance, sort, names)])
        for name in everyone:
            key = "any" if sort != "persons" else tongue.pronoun((name,)) or pick(draw, list(pools))
            if not pools[key]:
                yield Dropped(instance.id, f"there are not enough unseen names of {sort}")
                return
            new[name] = pools[key].pop()
    pattern = _any_of(new)
    lines = [
        line if line.role == CONVENTION else line._replace(text=pattern(line.text))
        for line in lines_of(instance)
    ]
    yield retell(instance, "renamed", lines, rename=lambda name: new.get(name, name))


def _choices_of(instance: Instance, sort: str, names: dict[str, list[str]]) -> Sequence[str]:
    """The choices, if they are of this sort."""
    choices = instance.choices or ()
    return choices if set(choices) & set(names[sort]) else ()


def _any_of(new: dict[str, str]) -> Callable[[str], str]:
    """A function that replaces old names by new ones, whole words only."""
    words = sorted(new, key=len, reverse=True)
    if not words:
        return lambda text: text
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    return lambda text: pattern.sub(lambda found: new[found[0]], text)
