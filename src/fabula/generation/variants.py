"""The variants of a question: its contrasts, and its unanswerable twin.

A question is asked only if it has all the variants that the recipe asks for (see examine.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabula.core.instance import Asked
from fabula.core.seeds import stream
from fabula.core.supports import numbers_of
from fabula.generation.contrast import (
    FLIP,
    HOLD,
    Allowed,
    EditedTale,
    Keeper,
    Revision,
    Variant,
    aligner_of,
    kept_features,
    search,
    vocabulary_of,
)
from fabula.generation.edits import Edit, Original, Vocabulary
from fabula.generation.family import Family
from fabula.generation.tokens import text_of
from fabula.generation.unknown import Opener
from fabula.recipe.model import Recipe
from fabula.world.base import Annotation, Reading, Tale, World


class Contraster:
    """Makes the variants of the questions of one split."""

    def __init__(
        self,
        recipe: Recipe,
        world: World,
        family: Family,
        seed: int,
        split: str,
        keeps: Keeper,
        donors: Callable[[], Sequence[Reading]] = tuple,
    ) -> None:
        """`donors`: readings of some stories of the split, as a source of further words."""
        self._recipe = recipe
        self._donors = donors
        self._known: Vocabulary | None = None
        self._family = family
        self._world = world
        self._seed = seed
        self._split = split
        self._keeps = keeps
        self._wanted = [FLIP] * recipe.contrast.flip + [HOLD] * recipe.contrast.hold
        self._tokenizer = aligner_of(recipe)
        self._stated = world.conventions(recipe)

    def variants(self, tale: Tale, asked: Asked, index: int) -> tuple[Variant, ...] | str:
        """The variants of a question as instance `index`, or which of them could not be found."""
        if not asked.masks:
            return "its label does not follow, so it has no contrast"
        made: list[Variant] = []
        taken: set[tuple[str, ...]] = set()
        story = note = None
        for number, want in enumerate(self._wanted):
            if story is None:
                story, note = self.original(tale, asked)
            draw = stream(
                self._recipe.id, self._seed, self._split, index, f"{want} {number} {story.name}"
            )
            allowed = self._allowed(story.sentences, asked.question, taken)
            found = search(
                story,
                want,
                asked.answer,
                draw,
                self._world.choices(self._recipe, asked.query),
                self._keeps,
                self._recipe.max_supports,
                allowed,
                self._stated,
            )
            if found is None:
                return f"no edit of one sentence gives a '{want}'"
            taken.add(tuple(found.sentences))
            assert note is not None
            made.append(self.variant(want, found, asked, note))
        if self._family.twinned(index):
            if story is None:
                story, note = self.original(tale, asked)
            assert note is not None
            draw = stream(self._recipe.id, self._seed, self._split, index, f"unknown {story.name}")
            opener = Opener(self._recipe, self._world, self._keeps)
            twin = opener.opened(story, asked, note, draw)
            if twin is None:
                return "no edit of one sentence leaves it open"
            made.append(twin)
        return tuple(made)

    def _allowed(
        self, sentences: Sequence[str], question: str, taken: set[tuple[str, ...]]
    ) -> Allowed:
        """Edits that no other variant has, and that keep tokens aligned if the recipe says so."""
        aligner = self._tokenizer
        base = text_of(sentences, question)

        def allowed(edit: Edit) -> bool:
            if aligner is None and not taken:
                return True
            told = edit.applied(sentences)
            if tuple(told) in taken:
                return False
            return aligner is None or aligner.aligned(base, text_of(told, question)) is not None

        return allowed

    def original(self, tale: Tale, asked: Asked) -> tuple[Original, Annotation]:
        """The story of a question, to be edited, and its roles and features."""
        world, recipe = self._world, self._recipe
        note = tale.annotate(asked.query, asked.masks[0], asked.position)
        story = Original(
            world,
            world.idiom(recipe.native, note.features),
            tale.sentences[: asked.position],
            tale.reading,
            asked.query,
            world.choices(recipe, asked.query),
            asked.masks[0],
            self.vocabulary,
            features=kept_features(note),
        )
        return story, note

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the recipe by sort; computed once."""
        if self._known is None:
            self._known = vocabulary_of(self._world, self._donors())
        return self._known

    def variant(self, want: str, found: Revision, asked: Asked, note: Annotation) -> Variant:
        """An edited story as a variant of a question."""
        kept = kept_features(note)
        tale = EditedTale(found.sentences, found.reading, found.edit, note.roles, kept)
        answer, best = found.finding.answer, found.masks[0]
        relied = self._world.relies(found.reading, asked.query, answer, found.masks)
        count = len(found.sentences)
        told = Asked(
            count, asked.query, asked.question, answer, numbers_of(best), found.masks, relied
        )
        return Variant(want, found.edit, tale, told)
