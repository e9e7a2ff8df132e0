"""The interface of a world: three small classes.

World    its recipe keys, how to begin a story, how to read one: subclass this
Tale     a story in progress: the world unfolds and is told while the reader listens
Reading  the reader's knowledge from the sentences alone; it never sees the world
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from fabula.core.seeds import Draw
from fabula.core.split import Splitter
from fabula.core.supports import numbers_of
from fabula.recipe.model import Cell, Recipe
from fabula.world.fast import FastPath
from fabula.world.findings import Candidate, Finding, Query

__all__ = [
    "ORDERED",
    "Account",
    "Annotation",
    "Brief",
    "Candidate",
    "Citation",
    "Claim",
    "Concluding",
    "Fact",
    "Finding",
    "OneWording",
    "Query",
    "Reading",
    "Tale",
    "World",
    "same_answer",
]

Fact = tuple[str, ...]
"""A symbolic fact: a kind and its arguments, e.g. ('grab', 'Mary', 'apple')."""


class Brief(NamedTuple):
    """The instance a story is made for, so that a world can build toward it."""

    split: str
    number: int
    """Index of the instance in its split."""
    cell: Cell
    """The quota it has to meet, `recipe.cell_at(turn)`."""
    admits: Callable[[str], bool] | None = None
    """Whether content (see split.py) belongs to the split; for worlds that can tell in advance."""
    attempt: int = 0
    """Number of stories already rejected for this instance."""


class Reading(Protocol):
    """The reader's knowledge after the sentences so far."""

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""

    def find(self, query: Query) -> Finding | None:
        """The answer to a query with its supports, or None if the text does not settle it."""

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences are a minimal support of the conclusion.

        They must entail it when read alone, and also in the full story when the reader knows of the
        other sentences only who moved. Without any one of them, at least one of the two must fail.
        (In 'John moved to the park. Then he moved to the hall.' both sentences show that he is not
        in the cinema: the first one alone is not enough for a reader who knows that he has left
        since.)
        """

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if the story had only these sentences, or None if none follows."""

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The events and tellings in these sentences, sorted."""

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""


@runtime_checkable
class Concluding(Protocol):
    """A reading that can answer without listing every support; verification uses it."""

    def concluded(self, query: Query) -> Finding | None:
        """The answer to a query, without its supports."""


@runtime_checkable
class Lasting(Protocol):
    """A reading of happenings in time: what some sentences say may not last through the others.

    In other worlds a set of sentences suffices if it gives the answer when read alone.
    """

    def follows(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences give the conclusion when read alone."""

    def stale(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether it no longer follows once one knows whom the other sentences moved."""


class Witness(NamedTuple):
    """A complete world that fits a story, and the answer in it."""

    world: dict[str, Any]
    """Everything that is open in the story, settled: places, sizes, relations."""
    answer: tuple[str, ...]


class Annotation(NamedTuple):
    """The roles and features that a world adds to a record."""

    roles: tuple[str, ...]
    """For each sentence: support, distractor, or a kind of noise."""
    features: dict[str, Any]
    """Features measured by this world, in addition to those measured for every world."""


class Tale(Protocol):
    """One story in progress."""

    sentences: list[str]

    @property
    def reading(self) -> Reading:
        """The reader's knowledge after the sentences so far."""

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Unfold and tell the story until it has `goal` sentences; False if nothing more can
        happen.

        With `pause`, stop early, as soon as it has that many sentences. A later call without
        `pause` continues to the same goal as if uninterrupted.
        """

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that could be asked now."""

    def reword(self, mask: int) -> bool:
        """Rephrase these sentences without changing their meaning; False if there is no other
        wording.
        """

    def reword_so(self, number: int, fits: Callable[[str], bool]) -> bool:
        """Tell one sentence in words that fit, drawn from all that do; False if none do."""

    def truth(self, query: Query) -> tuple[str, ...]:
        """The simulator's own answer, computed without the reader."""

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles and features of a question asked after `position` sentences."""


class OneWording:
    """Mixin for tales that have one wording per sentence."""

    def reword(self, mask: int) -> bool:
        """Always False."""
        return False

    def reword_so(self, number: int, fits: Callable[[str], bool]) -> bool:
        """Always False."""
        return False


class Citation(NamedTuple):
    """A published label: its answer and the sentences it cites, in their order."""

    answer: tuple[str, ...]
    numbers: tuple[int, ...]


class Claim(NamedTuple):
    """An answer with its supports, to be verified."""

    query: Query
    answer: tuple[str, ...]
    supports: tuple[tuple[int, ...], ...]


class Account(Protocol):
    """The verifier's view of a story; it shares no patterns or rules with the reader."""

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each sentence, pronouns resolved."""

    def query(self, question: str) -> Query:
        """The query behind a question."""

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """The objections to each claim about the story; an empty list means that the claim is
        proven.

        Uses a procedure of its own, or the logic program if `logic` is set.
        """


class World(ABC):
    """One world. A subclass defines the abstract methods; the others have defaults.

    The docstring of the defining module is the world's documentation page and includes a short
    story. A plug-in package names an instance in the entry point group `fabula.worlds`; its folder
    may hold `language/<code>/<world>.toml` and `recipes/<family>/<name>.toml` (see
    examples/clocks).
    """

    name: ClassVar[str]
    recipe: ClassVar[type[Recipe]]
    """The recipe model with the keys of this world."""
    surveys: ClassVar[bool] = False
    """Whether `survey` can list every question that can be asked about a reading."""
    ordered: ClassVar[bool] = False
    """Whether the order of sentences matters to answers."""
    open_kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds of question that a story can leave open, so that worlds that fit it answer differently;
    a world that names some defines `witnesses` and `fits`."""

    @property
    def about(self) -> str:
        """The documentation page of the world, with a story."""
        return import_module(type(self).__module__).__doc__ or ""

    # --- every world defines these ---

    @abstractmethod
    def begin(self, recipe: Any, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
        """Begin a story, with one random stream for its events and one for its telling."""

    def fast_path(self, recipe: Any, seed: int, split: str, splitter: Splitter) -> FastPath | None:
        """The fast path of a recipe (see fast.py); None if only the general path applies."""
        return None

    @abstractmethod
    def read(self, code: str, sentences: Sequence[str]) -> Reading:
        """The reading of sentences in a language."""

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
        """The verifier's own view of the sentences, given the features of the record.

        None if the world has no such view; `prove` is called instead.
        """
        return None

    def prove(
        self, code: str, sentences: Sequence[str], claims: Sequence[Claim]
    ) -> list[list[str]]:
        """Objections to each claim about a story; an empty list means that the claim is proven.

        They come from a program that shares no rules with the reader.
        """
        account = self.account(code, sentences, {})
        if account is None:
            raise NotImplementedError(f"world '{self.name}' defines neither account nor prove")
        return account.prove(claims)

    # --- most worlds keep these defaults ---

    def conventions(self, recipe: Any) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on (see language/conventions.py)."""
        return ()

    def relies(
        self, reading: Any, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on; `masks` are its minimal supports.

        An answer relies on a convention if it no longer follows from the story without that one,
        all others kept.
        """
        return ()

    def hops(self, reading: Any, query: Query, mask: int) -> int:
        """The number of links in the proof that these sentences give (see generation/record.py)."""
        return mask.bit_count()

    def citations(self, reading: Any, query: Query) -> list[Citation]:
        """The answers and supports that published data may give under their own conventions."""
        return []

    def canonical(self, fact: Fact) -> Fact:
        """The same form for facts with the same meaning ('A is left of B', 'B is right of A')."""
        return fact

    def canon(self, reading: Any, mask: int) -> list[str]:
        """The canonical facts of some sentences of a reading, as text."""
        facts = reading.facts()
        return [" ".join(self.canonical(fact)) for n in numbers_of(mask) for fact in facts[n - 1]]

    def survey(self, reading: Any, kinds: Sequence[str]) -> list[Query]:
        """All questions of these kinds that can be asked; only if `surveys` is set."""
        raise NotImplementedError

    def entities(self, facts: Any) -> dict[str, list[str]] | None:
        """The names in the facts, by sort; None if the world cannot tell."""
        return None

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A sentence that tells just these facts, in the plainest words; None if there is none."""
        return None

    def simpler(self, fact: Fact) -> tuple[Fact, ...]:
        """Facts of the same kind that are told more simply, e.g. a move for 'is no longer in'."""
        return ()

    def idiom(self, code: str, features: Mapping[str, Any]) -> str:
        """The language code of a record, extended if the record brings its own phrases."""
        return code

    # --- edited stories: contrast sets and questions that cannot be answered ---

    def consistent(self, reading: Any) -> bool:
        """Whether a story can be true, beyond what its reading already checks.

        Contradictions that leave the reader without an answer need no check here.
        """
        return True

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: Any,
        claim: Claim,
    ) -> bool:
        """Whether a claim about an edited story holds, which no simulator vouches for.

        Asks the verifier. A world whose reader never differs from it on edited stories need not.
        """
        account = self.account(code.partition("+")[0], sentences, features)
        return account is None or not account.prove([claim])[0]

    def plausible(self, facts: Sequence[Sequence[Fact]]) -> bool:
        """Whether the facts are possible, judging without a reader."""
        return True

    def permits(self, recipe: Any, reading: Any, query: Query, masks: Sequence[int]) -> bool:
        """Whether a split may have a proof, by the world's own held-out content."""
        return True

    def spellings(self, code: str, word: str) -> tuple[str, ...]:
        """The forms of a word of the facts in sentences, in the same order for all words."""
        return (word, word[:1].upper() + word[1:])

    def sorts(self, reading: Any) -> Mapping[str, str]:
        """Labels of words; words may only be swapped for words with the same label."""
        return {}

    def state(self, reading: Any) -> dict[str, Any]:
        """The reader's current knowledge, by variable; by default, the latest fact of each."""
        told: dict[str, Any] = {}
        for facts in reading.facts():
            for kind, *args in facts:
                told[f"{kind}({','.join(args[:-1])})"] = args[-1] if args else True
        return told

    def resume(self, code: str, state: Mapping[str, Any]) -> Any:
        """A reading that knows only what a state says; None if the world cannot do this."""
        return None

    def opened(self, recipe: Any) -> Any:
        """The recipe, changed so that some of its stories leave a question open."""
        return recipe

    def witnesses(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query
    ) -> list[Witness] | None:
        """Two complete worlds in which all facts hold and that answer a query differently.

        None if there are none. They are found by the logic program.
        """
        raise NotImplementedError

    def fits(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
    ) -> tuple[str, ...] | None:
        """The answer to a query in a complete world; None if some fact does not hold in it."""
        raise NotImplementedError


ORDERED = ("path",)


def same_answer(query: Query, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two answers are equal; lists are compared in any order, paths in theirs."""
    return one == other or (query[0] not in ORDERED and sorted(one) == sorted(other))
