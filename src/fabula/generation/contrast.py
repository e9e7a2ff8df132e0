"""Contrast sets: edits of one sentence that provably change the answer, or provably keep it.

    flip  the edited story answers the same question differently
    hold  the edited story answers it as before

Promises:
1. A variant differs from its base in one sentence (replaced, dropped, inserted or moved) or in one
   name of one sentence. Every other sentence means the same as before.
2. The answer of a variant follows from its text: the reader finds it, with supports that hold; the
   story can be true; and the answer is one that the recipe has.
3. A variant belongs to the split of its base and to no other: it passes the same test of its
   opening, proof, facts or signature, and has no held-out combination.
4. The choice of the edit depends on recipe, seed, split and index alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from fabula.core.instance import Asked
from fabula.core.seeds import Draw, pick_weighted, shuffled
from fabula.core.supports import numbers_of
from fabula.errors import FabulaError, RecipeError
from fabula.generation.edits import (
    DROP,
    INSERT,
    KINDS,
    MAKERS,
    MOVE,
    NAME,
    REPLACE,
    Edit,
    Original,
    Vocabulary,
)
from fabula.generation.tokens import Tokenizer, tokenizer
from fabula.recipe.model import Recipe
from fabula.world.base import Annotation, Claim, Finding, Query, Reading, World, same_answer

FLIP, HOLD, BASE = "flip", "hold", "base"
VARIANTS = (FLIP, HOLD)
MOST_TRIES = 200  # edits considered for one variant
MOST_READS = 40  # edited stories read for one variant
WEIGHTS = {
    FLIP: {NAME: 5, REPLACE: 2, DROP: 1, INSERT: 1, MOVE: 1},
    HOLD: {NAME: 3, REPLACE: 2, DROP: 2, INSERT: 2, MOVE: 2},
}
"""How often each kind of edit is tried first."""
RELATED = {NAME: 3, REPLACE: 8, DROP: 1, INSERT: 1, MOVE: 1}
"""The same for a flip if the support relates two names of one sort."""


class EditedTale:
    """The edited story as a tale: told and read, and complete."""

    def __init__(
        self,
        sentences: list[str],
        reading: Reading,
        edit: Edit,
        roles: Sequence[str],
        features: Mapping[str, Any],
    ) -> None:
        """`roles`: those of the sentences of the base; `features`: those that still hold."""
        self.sentences = sentences
        self.reading = reading
        self._edit = edit
        self._roles = roles
        self._features = features

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles as in the base, except for the support and the edited sentence."""
        roles = []
        for number, source in enumerate(self._edit.sources(len(self._roles)), 1):
            role = self._roles[source - 1] if source else "distractor"
            roles.append("support" if mask >> number & 1 else _unless_support(role))
        related = sum(
            not mask >> number & 1 and any(query[1] in fact for fact in facts)
            for number, facts in enumerate(self.reading.facts(), 1)
        )
        return Annotation(tuple(roles), {**self._features, "related_distractors": related})

    # an edited story is complete: the other methods of a tale are never used

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Always False."""
        return False

    def reword(self, mask: int) -> bool:
        """Always False."""
        return False

    def truth(self, query: Query) -> tuple[str, ...]:
        """Unknown: no simulator made this story."""
        raise NotImplementedError

    def candidates(self, kind: str, draw: Draw) -> list[Any]:
        """Always empty."""
        return []


def _unless_support(role: str) -> str:
    return "distractor" if role == "support" else role


class Variant(NamedTuple):
    """An edited story with the question of its base."""

    kind: str
    """flip, hold or unknown."""
    edit: Edit
    tale: EditedTale
    asked: Asked
    witnesses: tuple[Any, ...] = ()
    """Two worlds that answer differently, if the question cannot be answered."""


class Revision(NamedTuple):
    """An edited story and its reading."""

    edit: Edit
    sentences: list[str]
    reading: Reading
    finding: Finding
    masks: list[int]


class Keeper(Protocol):
    """Decides whether an edited story belongs to the split."""

    def __call__(
        self, sentences: Sequence[str], reading: Reading, query: Query, masks: list[int]
    ) -> bool:
        """Whether it is."""


Allowed = Callable[[Edit], bool]


def anything(edit: Edit) -> bool:
    """Every edit is allowed."""
    return True


# --- finding an edit ------------------------------------------------------------------------------


def proposals(story: Original, want: str, draw: Draw) -> Iterator[Edit]:
    """Edits that may flip or hold the answer, most promising first."""
    editable = story.editable()
    support = [n for n in story.support if n in editable]
    others = [n for n in editable if n not in support]
    weights = WEIGHTS[want]
    if want == FLIP and support and all(story.relates(n) for n in support):
        weights = RELATED  # swapping two names reverses a relation
    first = pick_weighted(draw, KINDS, [weights[kind] for kind in KINDS])
    kinds = [first, *(kind for kind in sorted(KINDS, key=lambda k: -weights[k]) if kind != first)]
    if want == FLIP and not story.world.ordered:  # the rest leaves the answer, or none
        kinds = [kind for kind in kinds if kind in (NAME, REPLACE)]
    if want == FLIP:
        targets = [*shuffled(draw, support), *shuffled(draw, others)[:2]]
    else:
        targets = shuffled(draw, others)
        if draw() < 0.5:  # edits that involve the subject of the question mislead more easily
            near = {n for n in targets if any(story.query[1] in f for f in story.facts[n - 1])}
            targets.sort(key=lambda n: n not in near)
        targets = [*targets[:6], *shuffled(draw, support)]
    for kind in kinds:
        for number in targets:
            yield from MAKERS[kind](story, number, draw)


def revised(story: Original, edit: Edit) -> tuple[list[str], Reading] | None:
    """The edited story and its reading; None if it cannot be true.

    None also if another sentence would change its meaning, or the edited one says nothing new.
    """
    sources, old = edit.sources(len(story.facts)), story.facts
    foreseen = edit.to not in story.tied or edit.kind in (DROP, MOVE)
    if foreseen:
        new = story.facts_of(edit.after) if 0 in sources else ()
        expected = [old[source - 1] if source else new for source in sources]
        if 0 in sources and not story.is_new(new):
            return None
        if not story.world.plausible(expected):
            return None
    told = edit.applied(story.sentences)
    try:
        reading = story.world.read(story.code, told)
        facts = reading.facts()
    except (FabulaError, ValueError, KeyError):
        return None
    for number, source in enumerate(sources, 1):
        if source:
            if facts[number - 1] != old[source - 1]:
                return None
        elif not story.is_new(facts[number - 1]):
            return None
    return (told, reading) if foreseen or story.world.plausible(facts) else None


def search(
    story: Original,
    want: str,
    answer: tuple[str, ...],
    draw: Draw,
    choices: Sequence[str] | None = None,
    keeps: Keeper | None = None,
    most_supports: int = 32,
    allowed: Allowed = anything,
    stated: Sequence[str] | None = None,
) -> Revision | None:
    """An edit that changes the answer (flip) or keeps it (hold); None if none is found.

    `choices`: the answers that are possible; `keeps`: whether it is content of the split; `stated`:
    the conventions that the answer may rely on.
    """
    world, query = story.world, story.query
    reads = 0
    for tried, edit in enumerate(proposals(story, want, draw)):
        if tried >= MOST_TRIES or reads >= MOST_READS:
            break
        made = revised(story, edit) if allowed(edit) else None
        if made is None:
            continue
        reads += 1
        told, reading = made
        finding = reading.find(query)
        if finding is None or same_answer(query, finding.answer, answer) != (want == HOLD):
            continue
        if choices is not None and not set(finding.answer) <= set(choices):
            continue
        if not world.consistent(reading):
            continue
        stands, conclusion = reading.stands, finding.conclusion
        masks = [m for m in finding.masks[:most_supports] if stands(query, conclusion, m)]
        if masks and stated is not None:
            relied = world.relies(reading, query, finding.answer, masks)
            if not set(relied) <= set(stated):
                continue
        if not masks or not (keeps is None or keeps(told, reading, query, masks)):
            continue
        claim = Claim(query, finding.answer, tuple(map(numbers_of, masks)))
        if world.confirms(story.code, told, story.features, reading, claim):
            return Revision(edit, told, reading, finding, masks)
    return None


def vocabulary_of(world: World, donors: Sequence[Reading]) -> Vocabulary:
    """The words of some stories, by sort."""
    labels: dict[str, str] = {}
    for reading in donors:
        labels.update(world.sorts(reading))
    return Vocabulary([reading.facts() for reading in donors], labels)


def aligner_of(recipe: Recipe) -> Tokenizer | None:
    """The tokenizer for aligning pairs, if any."""
    path = recipe.contrast.tokenizer
    if not path:
        return None
    if recipe.language != recipe.native or recipe.cipher:
        raise RecipeError(
            f"recipe {recipe.id}, contrast.tokenizer: pairs can be aligned in the language "
            f"'{recipe.native}' only, not in '{recipe.cipher or recipe.language}'."
        )
    return tokenizer(path)


READ_BY = ("templates",)
"""Features without which a story cannot be read."""


def kept_features(note: Annotation) -> dict[str, Any]:
    """The features that a base shares with its variants."""
    return {name: note.features[name] for name in READ_BY if name in note.features}
