"""Records in other languages are proven by both routes, answers that agree with a person too."""

from __future__ import annotations

import pytest

import fabula
from fabula.analysis.verify import objections

TOLD = [
    ("babi/qa20", "fixed", "hi"),
    ("babi/qa20", "release", "hi-Deva"),
    ("actors/motives", "", "hi-Deva"),
    ("babi/qa18", "fixed", "symbolic"),
    ("babi/qa18", "release", "symbolic"),
    ("clutrr/rob-clean", "", "symbolic"),
]


@pytest.mark.parametrize(("name", "dialect", "language"), TOLD)
def test_records_in_other_languages_are_proven(name: str, dialect: str, language: str) -> None:
    more = {"dialect": dialect} if dialect else {}
    for instance in fabula.generate(name, "train", 5, 100, language=language, **more):
        assert objections(instance) == [], instance


def test_a_mood_is_heard_in_the_form_for_a_woman() -> None:
    found = fabula.generate("babi/qa20", "train", 5, 100, language="hi-Deva")
    assert any(instance.answer == ("भूखी",) for instance in found)


def test_symbols_need_the_convention_that_words_did_without() -> None:
    told = {
        language: {
            instance.id: instance.features["conventions"]
            for instance in fabula.generate("babi/qa18", "train", 5, 100, language=language)
        }
        for language in ("en", "symbolic")
    }
    more = [name for name, relied in told["en"].items() if relied != told["symbolic"][name]]
    assert more
    assert all(told["symbolic"][name] == ["smaller-fits"] for name in more)
