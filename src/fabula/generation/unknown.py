"""Questions that the story leaves open, each paired with an answerable twin.

One sentence of the twin's support is replaced by one about somebody or something else, so that the
answer no longer follows. The subject of the question is still in the story, which has the same
length and, as a rule, the same words.

Promises:
1. The reader finds no answer, and there are two *witnesses*: complete worlds in which every
   sentence is true and that answer the question differently. The logic program finds them, and a
   check that shares no rule with it accepts both.
2. Both stories belong to one split.
3. The question kind and the length of the story are drawn before it is known whether a question is
   to be left open, so they do not give it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.core.instance import UNKNOWN, Asked
from fabula.core.seeds import Draw, shuffled
from fabula.errors import RecipeError
from fabula.generation.contrast import EditedTale, Keeper, Variant, kept_features, revised
from fabula.generation.edits import MAKERS, NAME, REPLACE, Edit, Original
from fabula.recipe.model import Recipe
from fabula.world.base import Annotation, Fact, Query, Witness, World

MOST_EDITS = 60  # edits tried for one question


class Opener:
    """Leaves questions of one split open."""

    def __init__(self, recipe: Recipe, world: World, keeps: Keeper) -> None:
        self._recipe = recipe
        self._world = world
        self._keeps = keeps

    def opened(self, story: Original, asked: Asked, note: Annotation, draw: Draw) -> Variant | None:
        """The unanswerable twin of a question; None if none is found."""
        choices = self._world.choices(self._recipe, asked.query)
        before = story.told()
        names = before.intersection(asked.query[1:])
        spare = None
        support = [number for number in story.support if number in story.editable()]
        for tried, edit in enumerate(_proposals(story, support, draw)):
            if tried >= MOST_EDITS:
                break
            made = revised(story, edit)
            if made is None:
                continue
            told, reading = made
            if not _alike(story.facts[edit.sentence - 1], reading.facts()[edit.to - 1]):
                continue
            if reading.find(asked.query) is not None or not self._world.consistent(reading):
                continue
            after = {word for facts in reading.facts() for fact in facts for word in fact}
            if not names <= after:
                continue
            if not self._keeps(told, reading, asked.query, asked.masks[:1]):
                continue
            if after == before or spare is None:
                found = witnesses(self._world, story.code, told, note, asked.query, choices)
                if found is None:
                    continue
                tale = EditedTale(told, reading, edit, note.roles, kept_features(note))
                answer = Asked(len(told), asked.query, asked.question, (UNKNOWN,), (), [])
                variant = Variant(UNKNOWN, edit, tale, answer, tuple(found))
                if after == before:
                    return variant
                spare = variant  # the words differ: only if nothing better is found
        return spare


def _alike(old: Sequence[Fact], new: Sequence[Fact]) -> bool:
    """Whether a sentence states the same kinds of fact, so that its words do not give it away."""
    return [fact[0] for fact in old] == [fact[0] for fact in new]


def _proposals(story: Original, support: Sequence[int], draw: Draw) -> Iterator[Edit]:
    """Edits of the sentences of a support that may leave the question open."""
    for number in shuffled(draw, support):
        for kind in shuffled(draw, (NAME, REPLACE)):
            yield from MAKERS[kind](story, number, draw)


def witnesses(
    world: World,
    code: str,
    sentences: Sequence[str],
    note: Annotation,
    query: Query,
    choices: Sequence[str] | None,
) -> list[Witness] | None:
    """Two worlds that fit the sentences and answer differently; None if there are none.

    Raises an internal error if the logic program and the check of its worlds disagree.
    """
    account = world.account(code.partition("+")[0], sentences, note.features)
    if account is None:
        raise NotImplementedError(f"world '{world.name}' has no verifier's reading")
    facts = account.facts()
    found = world.witnesses(code.partition("+")[0], facts, query)
    if found is None or any(set(each.answer) - set(choices or ()) for each in found):
        return None
    for each in found:
        answer = world.fits(code.partition("+")[0], facts, query, each.world)
        if answer != each.answer:
            raise AssertionError(f"{answer} is not {each.answer} in {each.world}: {sentences}")
    return found


# --- which questions can be left open ---------------------------------------------------------


def check_open(recipe: Recipe, world: World) -> None:
    """Raise RecipeError if some question kind always has an answer, which would give it away."""
    place = f"recipe {recipe.id}, unknown"
    if not world.open_kinds:
        raise RecipeError(
            f"{place}: the world '{world.name}' cannot show that a question is left open; "
            "it defines no witnesses (see World.open_kinds)."
        )
    closed = [kind for kind in recipe.kinds() if kind not in world.open_kinds]
    if closed:
        able = {kind: recipe.asks[kind] for kind in recipe.kinds() if kind in world.open_kinds}
        asked = ", ".join(f"{kind} = {weight:g}" for kind, weight in able.items())
        remedy = (
            f"Leave them out: asks = {{{asked}}}."
            if able
            else f"Kinds that can be left open: {', '.join(world.open_kinds)}."
        )
        raise RecipeError(
            f"{place}: every story answers questions of kind {', '.join(closed)} (with 'no', "
            "'maybe', or what it does tell), so the kind would show which questions have an "
            f"answer. {remedy}"
        )
