"""The official bAbI files of tasks 4 and 15-19: every answer and citation, reproduced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.needs import PUBLISHED, published

from fabula.world import WORLDS
from fabula.world.sizes import release as sizes_release

TASKS = {4: "space", 15: "kinds", 16: "kinds", 17: "space", 18: "sizes", 19: "space"}

pytestmark = published


def questions(task: int) -> Iterator[tuple[Any, str, tuple[str, ...], tuple[int, ...]]]:
    """(reading so far, question, answer, cited sentence numbers) of every question."""
    world = WORLDS[TASKS[task]]
    (path,) = PUBLISHED.glob(f"qa{task}_*_train.txt")
    sentences: list[str] = []
    numbers: dict[int, int] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        place, text = line.split(" ", 1)
        if place == "1":
            sentences, numbers = [], {}
        if "\t" not in text:
            sentences.append(text)
            numbers[int(place)] = len(sentences)
            continue
        question, answer, cited = text.split("\t")
        yield (
            world.read("en", sentences),
            question,
            tuple(answer.split(",")),
            tuple(numbers[int(number)] for number in cited.split()),
        )


@pytest.mark.parametrize("task", [4, 15, 16, 17, 19])
def test_every_answer_and_citation_is_reproduced(task: int) -> None:
    world = WORLDS[TASKS[task]]
    count = 0
    for reading, question, answer, cited in questions(task):
        query = world.parse_question("en", question)
        assert world.ask("en", query) == question
        assert world.citations(reading, query) == [(answer, cited)], (reading.facts(), question)
        count += 1
    assert count == 1000


def test_task_18_cites_one_of_what_it_may_cite() -> None:
    # the release cites the same question of the same story in several ways, so no function of
    # story and question can give all of its lists; all of them are among those of `citations`
    world, last = WORLDS["sizes"], 0
    for reading, question, answer, cited in questions(18):
        query = world.parse_question("en", question)
        assert world.ask("en", query) == question
        assert (answer, cited) in sizes_release.citations(reading, query)
        last += sizes_release.cite(reading, query) == (answer, cited)
    assert last == 940


@pytest.mark.parametrize("task", [4, 15, 17, 18, 19])
def test_the_reader_proves_every_answer(task: int) -> None:
    world = WORLDS[TASKS[task]]
    for reading, question, answer, _ in questions(task):
        query = world.parse_question("en", question)
        finding = reading.find(query)
        assert finding is not None
        assert finding.answer == answer
        assert all(reading.stands(query, finding.conclusion, mask) for mask in finding.masks)


def test_task_16_is_proven_unless_peers_differ_in_colour() -> None:
    world, differing = WORLDS["kinds"], 0
    for reading, question, answer, _ in questions(16):
        query = world.parse_question("en", question)
        finding = reading.find(query)
        if finding is None:
            assert len(reading.answers(query)) > 1
            differing += 1
        else:
            assert finding.answer == answer
    assert differing == 86
