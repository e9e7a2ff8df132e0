"""The keys that make up the release dialect, one by one."""

from __future__ import annotations

import pytest

import fabula
from fabula.generation.author import generate
from fabula.recipe.loading import load


@pytest.mark.parametrize("name", ["babi/qa2", "babi/qa3", "babi/qa7", "babi/qa10"])
def test_labels_and_window_are_two_things(name: str) -> None:
    """The release's choice of questions with our labels, and our choice with its labels."""
    proofs = load(name, {"dialect": "release", "labels": "proof"})
    for instance in generate(proofs, "train", size=40):
        assert tuple(sorted(instance.support)) == instance.supports[0]
        assert "defect" not in instance.features
    keys = {"labels": "release", "keep.support_size": [0, 50], "keep.answers": []}
    found = list(generate(load(name, keys), "train", size=60))
    if name == "babi/qa2":
        assert any(i.support != tuple(sorted(i.support)) for i in found)
    if name == "babi/qa7":
        assert any(len(i.support) > len(i.supports[0]) for i in found)


def test_a_defect_is_declared_on_the_record() -> None:
    records = fabula.generate("babi/qa10", "train", seed=1, size=400, dialect="release")
    defects = [record for record in records if "defect" in record.features]
    assert defects
    for record in defects:
        assert record.answer == ("maybe",)
        assert record.supports == ()
        (fact,) = record.facts[record.support[0] - 1]
        assert fact[0] == "either"
        assert fact[2] == fact[3] == record.query[2]


def test_a_superseded_give_is_declared_too() -> None:
    records = fabula.generate("babi/qa5", "train", seed=1, size=3000, dialect="release")
    defects = [record for record in records if "defect" in record.features]
    assert 0 < len(defects) < 30
    assert {record.query[0] for record in defects} == {"what-given"}


def test_there_is_written_as_often_as_asked() -> None:
    always = load("babi/qa2", {"there.GRAB": 1.0, "there.DROP": 0.0})
    sentences = [s for i in generate(always, "train", size=50) for s in i.story]
    gets = [s for s in sentences if any(v in s for v in ("got", "took", "grabbed", "picked up"))]
    assert gets
    assert all(s.endswith(" there.") for s in gets)
    assert sum(s.endswith(" there.") for s in sentences) == len(gets)
