"""The extractive form: spans in the right sentence, or an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fabula
from fabula.datasets.engines import write
from fabula.datasets.formats.squad import context, span
from fabula.errors import FabulaError
from fabula.recipe.loading import load


def test_the_span_is_the_answer_in_the_last_supporting_sentence_that_has_it() -> None:
    for each in fabula.generate("dyna/mix-t7", "test", size=60):
        text, start = span(each)
        assert context(each)[start : start + len(text)] == text == each.answer[0]
        told = len(context(each)) - len(" ".join(each.story))
        number = context(each)[told:start].count(". ") + 1  # every sentence ends with a full stop
        assert number in each.support
        later = [n for n in each.support if n > number]
        assert not any(text in each.story[n - 1].strip(".").split() for n in later)


def test_a_file_as_readers_of_squad_expect_it(tmp_path: Path) -> None:
    recipe = load("dyna/mix-t2")
    write(recipe, tmp_path / "out", {"test": 20}, form="squad")
    (path,) = (p for p in (tmp_path / "out").glob("*.json") if p.name != "manifest.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    found = [
        (paragraph["context"], asked)
        for article in data["data"]
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
    ]
    made = list(fabula.generate(recipe, "test", size=20))
    assert [asked["id"] for _, asked in found] == [each.id for each in made]
    assert [text for text, _ in found] == [context(each) for each in made]


STATED = "People stay where they are and keep what they have until the story says otherwise. "


@pytest.mark.parametrize(("where", "begins"), [("prompt", STATED), ("none", "")])
def test_the_context_states_the_conventions(where: str, begins: str) -> None:
    for each in fabula.generate("dyna/mix-t7", "test", size=5, conventions=where):
        assert context(each).startswith(begins or each.story[0])
        assert context(each).endswith(" ".join(each.story))
        text, start = span(each)
        assert context(each)[start : start + len(text)] == text


def test_conventions_that_the_story_states_are_not_repeated() -> None:
    each = fabula.instance("babi/qa4", "test", 3)
    assert each.provenance["conventions"]["stated"] == "story"
    assert context(each) == " ".join(each.story)


@pytest.mark.parametrize("kind", ["yes-no", "count", "list"])
def test_what_is_no_span_is_an_error(kind: str, tmp_path: Path) -> None:
    recipe = load("actors/mix", {"asks": {kind: 1}, "splits": {"test": 20}})
    with pytest.raises(FabulaError, match="is not a span of its support"):
        write(recipe, tmp_path / "out", {"test": 20}, form="squad")
    assert not (tmp_path / "out").exists()


def test_a_name_within_another_word_is_no_span() -> None:
    each = next(fabula.generate("dyna/mix-t2", "test", size=1))
    from dataclasses import replace

    odd = replace(each, story=("Parker went to the parking.",), support=(1,), answer=("park",))
    with pytest.raises(FabulaError):
        span(odd)
