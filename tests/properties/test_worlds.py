"""Every registered world passes the conformance tests, plug-ins included; broken worlds do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fabula.core.instance import Instance
from fabula.core.registry import WORLDS
from fabula.errors import FabulaError
from fabula.generation import author
from fabula.testing import check_instance, check_world
from fabula.world.base import Query
from fabula.world.sizes import SIZES, Sizes
from fabula.world.sizes.account import Account, Grammar
from fabula.world.sizes.reading import SizesReading


@pytest.mark.parametrize("name", list(WORLDS))
def test_conformance(name: str) -> None:
    assert check_world(name, size=3) > 0


@pytest.mark.parametrize("recipe", ["babi/qa18", "babi/qa16", "stepgame/plus", "babi/qa20"])
def test_stated_conventions_are_no_facts(recipe: str) -> None:
    """Stories that begin with their conventions conform too."""
    for made in author.generate(recipe, "test", size=3, conventions="story"):
        assert made.roles[0] == "convention"
        check_instance(made, WORLDS[str(made.provenance["world"])])


def test_an_unknown_world_is_named_with_the_nearest() -> None:
    with pytest.raises(FabulaError, match=r"unknown world 'size'.*Did you mean 'sizes'"):
        check_world("size")


# --- each promise, broken -------------------------------------------------------------------------

Break = Callable[[pytest.MonkeyPatch], None]


def _reader_swaps(patch: pytest.MonkeyPatch) -> None:
    take = SizesReading._take
    patch.setattr(SizesReading, "_take", lambda self, pair: take(self, pair[::-1]))


def _reader_guesses(patch: pytest.MonkeyPatch) -> None:
    read = Sizes.read

    def guessing(self: Sizes, code: str, sentences: Sequence[str]) -> SizesReading:
        return read(self, code, [s for s in sentences if "Zqx" not in s])

    patch.setattr(Sizes, "read", guessing)


def _verifier_swaps(patch: pytest.MonkeyPatch) -> None:
    fact = Grammar.fact
    patch.setattr(
        Grammar, "fact", lambda self, text: (*fact(self, text)[:1], *fact(self, text)[:0:-1])
    )


def _verifier_accepts_all(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Account, "prove", lambda self, claims, logic=False: [[] for _ in claims])


def _logic_accepts_all(patch: pytest.MonkeyPatch) -> None:
    from fabula.world.sizes import oracle

    patch.setattr(oracle, "prove", lambda facts, claims: [[] for _ in claims])


def _question_misread(patch: pytest.MonkeyPatch) -> None:
    ask = Sizes.ask
    patch.setattr(
        Sizes, "ask", lambda self, code, query: ask(self, code, (query[0], *query[:0:-1]))
    )


def _choices_lack_the_answer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Sizes, "choices", lambda self, recipe, query: ["maybe"])


def _stories_depend_on_what_came_before(patch: pytest.MonkeyPatch) -> None:
    begin, count = Sizes.begin, iter(range(10**6))

    def drifting(self: Sizes, recipe: Any, unfold: Any, *rest: Any) -> Any:
        for _ in range(next(count) % 5):
            unfold()
        return begin(self, recipe, unfold, *rest)

    patch.setattr(Sizes, "begin", drifting)


def _seed_is_ignored(patch: pytest.MonkeyPatch) -> None:
    from fabula.core.seeds import streams

    patch.setattr(author, "streams", lambda name, seed, *rest: streams(name, 0, *rest))


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (_reader_swaps, "reader and simulator disagree"),
        (_reader_guesses, "reader: sentence 'Zqx.*raises no ParseError"),
        (_verifier_swaps, "by the verifier's own patterns, but the record says"),
        (_verifier_accepts_all, "the verifier accepts"),
        (_logic_accepts_all, "the logic program accepts"),
        (_question_misread, "is read back as|the question asks"),
        (_choices_lack_the_answer, "is not among the choices"),
        (_stories_depend_on_what_came_before, "generated alone, it differs"),
        (_seed_is_ignored, "give the same stories"),
    ],
)
def test_a_broken_world_fails(
    broken: Break, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch)
    with pytest.raises((AssertionError, FabulaError), match=complaint):
        check_world("sizes", size=4)


def test_a_support_cannot_hold_a_convention() -> None:
    made = author.instance("babi/qa18", "test", 0, conventions="story")
    fields = {name: getattr(made, name) for name in Instance.__dataclass_fields__}
    fields["supports"] = ((1, *made.supports[0]),)
    with pytest.raises(AssertionError):
        check_instance(Instance(**fields), SIZES)


def test_queries_are_not_answered_by_name() -> None:
    """The query of a record is what its question says, not what the record claims."""
    made = author.instance("babi/qa18", "test", 0)
    query: Query = (made.query[0], *made.query[:0:-1])
    fields = {name: getattr(made, name) for name in Instance.__dataclass_fields__}
    with pytest.raises(AssertionError, match="the question asks"):
        check_instance(Instance(**{**fields, "query": query}), SIZES)
