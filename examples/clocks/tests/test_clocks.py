"""The world of timetables: conformance, and stories worked out by hand."""

from __future__ import annotations

import pytest
from fabula_clocks import CLOCKS

from fabula.core.supports import mask_of
from fabula.testing import check_world

STORY = [
    "The ferry leaves at 9:40.",
    "The bus takes 20 minutes longer than the ferry.",
    "The bus leaves 10 minutes after the ferry arrives.",
    "The ferry takes 35 minutes.",
    "The bus is 15 minutes away on foot.",
]


def test_conformance() -> None:
    assert check_world("clocks", size=15) > 0


@pytest.mark.parametrize(
    ("question", "answer", "support"),
    [
        ("When does the ferry arrive?", "10:15", [1, 4]),
        ("When does the bus arrive?", "11:20", [1, 2, 3, 4]),
        ("How many minutes does the bus take?", "55", [2, 4]),
        ("What is the latest time to set off on foot to catch the bus?", "10:10", [1, 3, 4, 5]),
        ("How many minutes after the ferry does the bus arrive?", "65", [2, 3, 4]),
        ("Does the bus arrive before the ferry?", "no", [3]),
        ("Which leaves first, the bus or the ferry?", "ferry", [3]),
    ],
)
def test_by_hand(question: str, answer: str, support: list[int]) -> None:
    query = CLOCKS.parse_question("en", question)
    assert CLOCKS.ask("en", query) == question
    finding = CLOCKS.read("en", STORY).find(query)
    assert finding is not None
    assert (finding.answer, finding.masks) == ((answer,), [mask_of(support)])


def test_what_is_not_told_is_not_known() -> None:
    reading = CLOCKS.read("en", [STORY[0], STORY[3]])
    assert reading.find(("arrive", "bus")) is None
    assert reading.find(("arrives-before", "ferry", "bus")) is None


def test_a_contradiction_answers_nothing() -> None:
    told = ["The bus takes 10 minutes.", "The tram takes 20 minutes less than the bus."]
    assert CLOCKS.read("en", told).find(("how-long", "tram")) is None
