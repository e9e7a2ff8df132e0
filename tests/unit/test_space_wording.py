"""No expression of the phrase bank leaves open what it tells."""

from __future__ import annotations

import re

import pytest

from fabula.world.space.language import language

BANKS = language("en").banks
PHRASES = [p for bank in BANKS.values() for p in (*bank.phrases, *bank.counted)]
NUMBERS = "one|two|three|four|five|six|seven|eight|nine"


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda p: f"{p.relation}: {p.text}")
def test_a_phrase_can_be_read_in_one_way(phrase: object) -> None:
    text = str(getattr(phrase, "text", ""))
    # what touches an edge or a corner may be inside as well as outside
    assert not re.search(r"\b(touch\w*|edge|corner|beside|near)\b", text)
    # two distances, one told of each of the two, may be one distance or the sum of both
    told = re.split(r"\band (?=\{ground\} (?:is|further|towards))", text)
    assert sum(bool(re.search(rf"\b({NUMBERS}) steps?\b", part)) for part in told) <= 1
    assert not re.search(r"hung|\balso\b", text)
