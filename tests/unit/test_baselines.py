"""The trivial baselines guess what they say they guess."""

from __future__ import annotations

from typing import Any

import pytest

import fabula
from fabula.analysis.baselines import BASELINES, scores, scores_by_kind
from fabula.core.instance import Instance
from fabula.world import WORLDS

PLACES = ("park", "hall", "attic")


def instance(story: list[str], query: tuple[str, ...], answer: str, **more: Any) -> Instance:
    facts = tuple(WORLDS["actors"].read("en", story).facts())
    words = ("yes", "no", "maybe") if query[0] == "yes-no" else PLACES
    fields: dict[str, Any] = {
        "id": "",
        "story": tuple(story),
        "question": " ".join(query),
        "answer": (answer,),
        "choices": words,
        "support": (1,),
        "supports": ((1,),),
        "facts": facts,
        "query": query,
        "composition": (),
        "roles": (),
        "features": {},
        "signature": "",
        "provenance": {},
        **more,
    }
    return Instance(**fields)


STORY = ["Mary went to the park.", "John went to the hall.", "Mary took the milk."]


@pytest.mark.parametrize(
    ("name", "query", "guess"),
    [
        ("last mention", ("where-person", "Mary"), ("hall",)),
        ("last mention beside the name asked", ("where-person", "Mary"), ("park",)),
        ("last mention beside the name asked", ("where-person", "Sandra"), None),
        ("last mention beside the name asked", ("yes-no", "John", "hall"), ("yes",)),
        ("last mention beside the name asked", ("yes-no", "John", "park"), ("no",)),
    ],
)
def test_last_place(name: str, query: tuple[str, ...], guess: tuple[str, ...] | None) -> None:
    assert BASELINES[name]([instance(STORY, query, "attic")]) == [guess]


def test_majorities() -> None:
    asked = [instance(STORY, ("where-person", "Mary"), a) for a in ("park", "park", "hall")]
    asked += [instance(STORY, ("yes-no", "Mary", "park"), a) for a in ("no", "no", "no", "yes")]
    assert set(BASELINES["majority"](asked)) == {("no",)}
    assert BASELINES["majority by kind of question"](asked) == [("park",)] * 3 + [("no",)] * 4


def test_question_only_does_not_look_at_its_own_label() -> None:
    asked = [
        instance(STORY, ("where-person", name), a) for name, a in (("A", "park"), ("B", "hall"))
    ]
    asked += [instance(STORY, ("where-person", "A"), "attic")]
    first, alone, second = BASELINES["question only"](asked)
    assert (first, second) == (("attic",), ("park",))
    assert alone == ("attic",)  # asked once only: what is commonest of the kind, by the alphabet


def test_scores_count_what_is_right() -> None:
    asked = list(fabula.generate("babi/qa1", "test", size=100))
    found = {score.name: score for score in scores(asked)}
    assert found["last mention beside the name asked"].accuracy > 0.99
    assert found["majority"].accuracy < 0.35
    assert found["random"].accuracy < 0.35
    assert list(scores_by_kind(asked)) == ["where-person"]
    assert all(score.total == 100 for score in found.values())
