"""Verification proves what is right and reports what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.analysis.verify import objections, verify
from fabula.core.instance import Instance
from fabula.datasets.engines import write
from fabula.datasets.stored import records_of
from fabula.errors import FabulaError
from fabula.recipe.loading import load, read_recipe, recipe_ids

DIALECTS = [
    (name, dialect)
    for name in recipe_ids()
    for dialect in (*read_recipe(name).get("dialects", ()), read_recipe(name).get("dialect", ""))
]


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_every_recipe_is_proven(name: str, dialect: str, tmp_path: Path) -> None:
    recipe = load(name, {"dialect": dialect} if dialect else {})
    split = next(iter(recipe.splits))
    write(recipe, tmp_path / "data", {split: 40}, seed=11)
    verdict = verify(tmp_path / "data")
    assert verdict.failed == 0, verdict.failures[:1]
    assert verdict.instances == 40


def test_declared_defects_are_counted_apart(tmp_path: Path) -> None:
    recipe = load("babi/qa10", {"dialect": "release"})
    write(recipe, tmp_path / "data", {"train": 400}, seed=1)
    verdict = verify(tmp_path / "data", workers=2)
    assert verdict.failed == 0
    assert 0 < verdict.defects < 30
    records = records_of(tmp_path / "data" / "train-00000-of-00001.jsonl")
    one = next(record for record in records if "defect" in record.features)
    undue = replace(one, answer=("yes",))
    assert objections(undue) == ["declared a defect, but the answer follows from the text"]


def sample() -> Instance:
    return next(
        instance
        for instance in fabula.generate("actors/mix", "test", seed=3)
        if instance.query[0] == "where-object" and len(instance.support) == 2
    )


def test_a_good_record_has_no_objections() -> None:
    assert objections(sample()) == []


TAMPERED: list[tuple[dict[str, Any], str]] = [
    ({"answer": ("moon",)}, "moon is not entailed"),
    ({"answer": ("moon",)}, "the reader finds"),
    ({"supports": ()}, "no support"),
    ({"supports": ((1,),), "support": (1,)}, "does not suffice"),
    ({"supports": ((99,),), "support": (99,)}, "out of range"),
    ({"supports": ((99,),), "support": (99,)}, "names a sentence that is not there"),
    ({"support": (1, 2, 3)}, "is not one of the proofs"),
    ({"facts": ()}, "facts of the record are not those"),
    ({"query": ("where-object", "moon")}, "the question asks"),
    ({"question": "Who is there?"}, "no en question pattern"),
    ({"roles": ()}, "number of roles differs"),
]


@pytest.mark.parametrize(("change", "message"), TAMPERED)
def test_tampering_is_found(change: dict[str, Any], message: str) -> None:
    found = objections(replace(sample(), **change))
    assert any(message in reason for reason in found), found


def test_a_superfluous_sentence_is_found() -> None:
    one = sample()
    names = {name for n in one.support for fact in one.facts[n - 1] for name in fact[1:]}
    extra = next(
        n
        for n, facts in enumerate(one.facts, 1)
        if n not in one.support and not names & {name for fact in facts for name in fact[1:]}
    )
    padded = tuple(sorted((*one.support, extra)))
    found = objections(replace(one, supports=(padded,), support=padded))
    assert any("still suffices without" in reason for reason in found), found


def test_a_changed_sentence_is_found() -> None:
    one = sample()
    at = one.support[-1] - 1
    story = (*one.story[:at], "Mary went to the moon.", *one.story[at + 1 :])
    assert objections(replace(one, story=story))
    assert objections(replace(one, story=(*one.story[:at], "???", *one.story[at + 1 :])))


def test_text_files_are_verified_too(tmp_path: Path) -> None:
    write(load("babi/qa2"), tmp_path / "data", {"train": 20}, "babi")
    assert verify(tmp_path / "data").proven == 20
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("1 Mary went to the park.\n2 Where is Mary?\toffice\t1\n")
    verdict = verify(wrong)
    assert verdict.failed == 1
    assert "the story entails park" in " ".join(verdict.failures[0].reasons)


def test_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(FabulaError):
        verify(tmp_path / "none")
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(FabulaError, match="no instance"):
        verify(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(FabulaError, match=r"a.jsonl, line 1: fields are missing"):
        verify(tmp_path)
