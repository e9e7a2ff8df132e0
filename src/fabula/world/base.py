"""The interface of a world: three small classes.

World    its recipe keys, how a story begins, how a told one is read: subclass this
Tale     a story in the making: the world unfolds and is told, the reader listens
Reading  what the reader made of sentences, whoever wrote them; it never sees the world
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from fabula.core.seeds import Draw
from fabula.core.supports import numbers_of
from fabula.recipe.model import Cell, Recipe

Query = tuple[str, ...]
"""A kind of question and its arguments, e.g. ('where-was-object', 'apple', 'kitchen')."""

Fact = tuple[str, ...]
"""A symbolic fact: a kind and its arguments, e.g. ('grab', 'Mary', 'apple')."""


class Brief(NamedTuple):
    """Which instance a story is made for: a world may build toward it instead of waiting for it."""

    split: str
    number: int
    """Index of the instance in its split."""
    cell: Cell
    """What it is to be: `recipe.cell_at` its turn."""
    admits: Callable[[str], bool] | None = None
    """Whether content (see split.py) belongs to the split, for worlds that know it in advance."""
    attempt: int = 0
    """Stories that were made for it before and did not fit."""


class Finding(NamedTuple):
    """What the reader finds for a query."""

    answer: tuple[str, ...]
    masks: list[int]
    """Every minimal support, best first, as bit masks (see labels.py)."""
    conclusion: object
    """What exactly a support must establish; for most questions the answer itself."""


class Candidate(NamedTuple):
    """A question that may be asked, with its answer; its proof is looked for when it is drawn."""

    query: Query
    answer: tuple[str, ...]
    cited: tuple[int, ...] = ()
    """The support in the order of a published convention, where the recipe asks for one."""


class Reading(Protocol):
    """What the reader made of the sentences so far."""

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""

    def find(self, query: Query) -> Finding | None:
        """What is found for a query, or None if the reader cannot tell."""

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences are a minimal support of the conclusion.

        They must give it when read alone, and also in a story of whose other sentences one only
        knows whom they moved; and without any one of them, the rest must not do both. ('John
        moved to the park. Then he moved to the hall.' shows that he is not in the cinema; the
        first sentence alone would say so too, but not if one knows that he has left since.)
        """

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if only these sentences had been told, or None if none follows."""

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The events and tellings in these sentences, sorted."""

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""


@runtime_checkable
class Concluding(Protocol):
    """A reading that finds an answer sooner than every support of it, as verification needs it."""

    def concluded(self, query: Query) -> Finding | None:
        """What is found for a query, with no supports listed."""


class Annotation(NamedTuple):
    """What a world adds to a record."""

    roles: tuple[str, ...]
    """For each sentence: support, distractor, or a kind of noise."""
    features: dict[str, Any]
    """Measured on the instance, besides what is measured for every world."""


class Tale(Protocol):
    """One story in the making."""

    sentences: list[str]

    @property
    def reading(self) -> Reading:
        """What the reader made of the sentences so far."""

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Let the world unfold and tell until the story has `goal` sentences.

        With `pause`, stop for a look as soon as it has so many; a call without goes on to the
        same goal as if nothing had been. False if nothing more can happen.
        """

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that may be asked now."""

    def reword(self, mask: int) -> bool:
        """Tell these sentences in other words of the same meaning; False if there are none."""

    def truth(self, query: Query) -> tuple[str, ...]:
        """The simulator's own answer, made without the reader."""

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """What the world knows about a question put after `position` sentences."""


class OneWording:
    """A tale whose sentences are told in one way: none can be put in other words."""

    def reword(self, mask: int) -> bool:
        """Never."""
        return False


class Citation(NamedTuple):
    """An answer as published data label it, with the sentences they cite, in their order."""

    answer: tuple[str, ...]
    numbers: tuple[int, ...]


class Claim(NamedTuple):
    """An answer with its supports, to be proven."""

    query: Query
    answer: tuple[str, ...]
    supports: tuple[tuple[int, ...], ...]


class Account(Protocol):
    """A story as verification reads it, by patterns and rules that the reader does not have."""

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""

    def query(self, question: str) -> Query:
        """What a question asks."""

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """What is wrong with each claim about the story; nothing if it is proven.

        By a procedure of its own, or by the logic program if `logic` is set.
        """


class World(ABC):
    """One world. A subclass defines the abstract methods; the others have defaults.

    The docstring of the module that defines it is its documentation page and holds a short story.
    A plug-in package names an instance in the entry point group `fabula.worlds`; its folder may
    hold `language/<code>/<world>.toml` and `recipes/<family>/<name>.toml` (see examples/clocks).
    """

    name: ClassVar[str]
    recipe: ClassVar[type[Recipe]]
    """The keys of its recipes."""
    surveys: ClassVar[bool] = False
    """Whether it can list all questions that can be asked about a reading."""

    @property
    def about(self) -> str:
        """What the world is, with a story: its documentation page."""
        return import_module(type(self).__module__).__doc__ or ""

    # --- what every world defines ---

    @abstractmethod
    def begin(self, recipe: Any, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
        """A new story, from one stream of randomness for its events and one for its telling."""

    @abstractmethod
    def read(self, code: str, sentences: Sequence[str]) -> Reading:
        """What the reader makes of sentences in a language."""

    @abstractmethod
    def ask(self, code: str, query: Query) -> str:
        """A query in the words of a language."""

    @abstractmethod
    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question in a language."""

    @abstractmethod
    def choices(self, recipe: Any, query: Query) -> list[str] | None:
        """All answers this kind of question can have in a recipe; None if answers are lists."""

    # --- proof: a world defines one of these ---

    def account(
        self, code: str, sentences: Sequence[str], features: Mapping[str, Any]
    ) -> Account | None:
        """The verifier's own reading of sentences, given the features of the record.

        None if the world has none; then `prove` is asked.
        """
        return None

    def prove(
        self, code: str, sentences: Sequence[str], claims: Sequence[Claim]
    ) -> list[list[str]]:
        """Objections to each claim about a story; none if it is proven.

        They come from a program that shares no rule with the reader.
        """
        account = self.account(code, sentences, {})
        if account is None:
            raise NotImplementedError(f"world '{self.name}' defines neither account nor prove")
        return account.prove(claims)

    # --- what most worlds leave as it is ---

    def conventions(self, recipe: Any) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on (see language/conventions.py)."""
        return ()

    def relies(
        self, reading: Any, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on; `masks` are its minimal supports.

        Those without which it does not follow from all that was read, with every other one kept.
        """
        return ()

    def hops(self, reading: Any, query: Query, mask: int) -> int:
        """How many links the proof in these sentences uses (see generation/record.py)."""
        return mask.bit_count()

    def citations(self, reading: Any, query: Query) -> list[Citation]:
        """The answers and supports that published data may give by their own conventions."""
        return []

    def canonical(self, fact: Fact) -> Fact:
        """One form for facts that say the same ('A is left of B', 'B is right of A')."""
        return fact

    def canon(self, reading: Any, mask: int) -> list[str]:
        """The canonical facts of some sentences of a reading, as text."""
        facts = reading.facts()
        return [" ".join(self.canonical(fact)) for n in numbers_of(mask) for fact in facts[n - 1]]

    def survey(self, reading: Any, kinds: Sequence[str]) -> list[Query]:
        """All questions of some kinds that can be asked; only if `surveys` is set."""
        raise NotImplementedError

    def entities(self, facts: Any) -> dict[str, list[str]] | None:
        """The names in facts, by sort; None if the world cannot tell."""
        return None

    def idiom(self, code: str, features: Mapping[str, Any]) -> str:
        """The language of a record: the code, or one that names phrases the record brings."""
        return code


ORDERED = ("path",)


def same_answer(query: Query, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two answers are the same; a list may be in any order, a path may not."""
    return one == other or (query[0] not in ORDERED and sorted(one) == sorted(other))
