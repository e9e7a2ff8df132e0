"""The fast path: a story with its questions in one pass, for text-only formats.

A world may offer one for plain recipes. It draws and tells a story exactly as the general path
does, then reads, proves and checks it on numbers instead of names.

Promises:
1. A page has exactly the sentences, questions, answers and supports of the general path, which is
   the reference it is tested against. In uncommon cases there is no page, and the general path
   makes the passage.
2. The same checks hold: the reader answers from the sentences, the simulator from its own state,
   and every support is proven to give the answer and to be minimal.
3. The reader reads sentences, not the drawn content: if a sentence is looked up in a table, the
   entry is the result of the reader's own parser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fabula.core.instance import Asked
from fabula.core.seeds import Draw, streams
from fabula.core.split import Splitter
from fabula.recipe.cells import ANY, Cell
from fabula.recipe.model import Recipe

TRIES: Final = 20  # stories tried for one passage before the general path takes over


class Page:
    """A story and its questions."""

    def __init__(self, sentences: list[str], asked: list[Asked], chain_length: int = 0) -> None:
        self.sentences = sentences
        self.asked = asked
        self.chain_length = chain_length
        """The number of links of the chain that the story is built on, if there is one."""


class FastPath:
    """Makes the pages of one split of one recipe; a world has a subclass."""

    def __init__(self, recipe: Recipe, seed: int, split: str, splitter: Splitter) -> None:
        self.id = recipe.id
        self.seed = seed
        self.split = split
        self.admits: Callable[[str], bool] = splitter.admits
        self.sorted_out = recipe.split_key != "none"
        """Whether some content belongs to other splits."""

    def page(self, number: str) -> Page | None:
        """The page of a passage; None if the general path has to make it."""
        unfold, tell, ask = streams(self.id, self.seed, self.split, number)
        try:
            for _ in range(TRIES):
                page = self.attempt(unfold, tell, ask)
                if page is not None:
                    return page
        except UncommonError:
            pass
        return None

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split.

        UncommonError if only the general path can handle it.
        """
        raise NotImplementedError


class UncommonError(Exception):
    """A case that only the general path can handle."""


def disagreement(sentences: list[str], query: tuple[str, ...]) -> AssertionError:
    """The error for a disagreement of reader and simulator on a question."""
    story = "\n".join(sentences)
    return AssertionError(f"reader and simulator disagree on {query}, in\n{story}")


def plain(recipe: Recipe) -> bool:
    """Whether a recipe needs nothing that only the general path can do."""
    keep = recipe.keep.model_copy(update={"support_size": ANY})
    return (
        keep == Cell()
        and not recipe.quota_cells
        and not recipe.also_ask
        and not recipe.max_per_signature
        and not recipe.unknown
        and recipe.compositional is None
        and recipe.questions != "throughout"
        and recipe.split_key in ("none", "proof", "facts")
    )
