"""A question that presupposes something is answered only if the story tells that it happened."""

from __future__ import annotations

from itertools import product

import pytest

from fabula.play.session import Session
from fabula.play.worldfile import load_world
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import QUERY_TYPE, ActorsReading, read
from fabula.world.base import Query


@pytest.mark.parametrize(
    ("story", "question"),
    [
        (["Daniel is hungry."], "Why did Daniel go to the kitchen?"),
        (["Daniel is hungry."], "Why did Daniel get the apple?"),
        (["Daniel is hungry.", "Mary went to the kitchen."], "Why did Daniel go to the kitchen?"),
        (["Daniel is hungry.", "Mary took the apple."], "Why did Daniel get the apple?"),
        (["Daniel is hungry.", "Daniel went to the hall."], "Why did Daniel go to the kitchen?"),
        (["Daniel went to the kitchen.", "Daniel is hungry."], "Why did Daniel go to the kitchen?"),
        # it may be so, but nobody says it
        (
            ["Daniel is hungry.", "Daniel is either in the kitchen or the hall."],
            "Why did Daniel go to the kitchen?",
        ),
    ],
)
def test_what_never_happened_has_no_reason(story: list[str], question: str) -> None:
    reading = read("en", story)
    assert reading.find(reading.language.parse_question(question)) is None


def test_what_happened_has_a_reason_and_the_need_alone_proves_it() -> None:
    reading = read("en", ["Daniel is hungry.", "Daniel went to the kitchen."])
    query = ("why-go", "Daniel", "kitchen")
    finding = reading.find(query)
    assert finding is not None
    assert (finding.answer, finding.masks) == (("hungry",), [0b10])
    assert reading.stands(query, finding.conclusion, 0b10)
    assert reading.alone(query, 0b10) == ("hungry",)


def every_query(session: Session) -> list[Query]:
    """Whatever can be asked in a world."""
    world = session.world
    names = {"P": list(world.people), "L": list(world.places), "O": list(world.things)}
    return [
        (kind, *args)
        for kind in KINDS
        for args in product(*(names[sort] for sort in QUERY_TYPE[kind]))
    ]


def answered(session: Session) -> dict[Query, tuple[str, ...]]:
    found = {}
    for query in every_query(session):
        reply = session.perform(session.language.ask(query))
        if reply.asked is not None:
            found[query] = reply.asked.answer
    return found


def test_a_game_in_which_nothing_was_done_answers_nothing_about_what_was_done() -> None:
    session = Session(load_world("home"))
    assert session.sentences == ["Daniel is hungry."]
    assert answered(session) == {("where-will-go", "Daniel"): ("kitchen",)}


def test_the_game_answers_only_what_was_told_to_have_happened() -> None:
    session = Session(load_world("home"))
    for line in ("set john in hallway", "set mary in hallway", "john go kitchen", "john get apple"):
        session.perform(line)
    session.perform("john go hallway")
    session.perform("john give apple to mary")
    found = answered(session)
    past = {query: answer for query, answer in found.items() if query[0] in ABOUT_THE_PAST}
    assert past == {
        ("where-was-object", "apple", "hallway"): ("kitchen",),
        ("where-was-person", "John", "kitchen"): ("hallway",),
        ("where-was-person", "John", "hallway"): ("kitchen",),
        ("who-gave-to", "apple", "Mary"): ("John",),
        ("who-gave", "apple"): ("John",),
        ("who-received", "apple"): ("Mary",),
        ("who-given-to", "John", "apple"): ("Mary",),
        ("what-given", "John", "Mary"): ("apple",),
    }


ABOUT_THE_PAST = {kind for kind in KINDS if kind.startswith(("where-was", "who-", "why-"))}
ABOUT_THE_PAST.add("what-given")


def test_the_reader_answers_nothing_to_an_empty_story() -> None:
    reading = ActorsReading(read("en", []).language)
    for kind in KINDS:
        query = (kind, *("x" for _ in QUERY_TYPE[kind]))
        assert reading.find(query) is None, kind
