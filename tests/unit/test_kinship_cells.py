"""The quotas of the kinship world are cells: dealt by turn, and measured on every instance."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.kinship_stories import recipe, stories

from fabula.core.seeds import Draw
from fabula.errors import QuotaError
from fabula.generation.author import Author
from fabula.world.base import Brief
from fabula.world.kinship.recipe import KinshipRecipe, Task, TaskCell
from fabula.world.kinship.tale import KinshipTale


def cells(count: int, **keys: object) -> list[TaskCell]:
    own = recipe(**keys)
    assert isinstance(own, KinshipRecipe)
    return [own.cell_at(turn) for turn in range(count)]


def test_a_cell_has_one_task_and_one_answer() -> None:
    found = cells(40, tasks=[{"k": 2, "share": 3}, {"k": 5}], targets=["uncle", "wife"])
    assert Counter(cell.task.k for cell in found) == {2: 30, 5: 10}
    assert Counter(cell.answers for cell in found) == {("uncle",): 20, ("wife",): 20}
    assert all(cell.hops == (cell.task.k, cell.task.k) for cell in found)
    assert found[0].name == "1.2 wife"


def test_instances_are_what_their_cells_say() -> None:
    tasks = [{"k": 2}, {"k": 3, "noise": ["irrelevant"]}, {"k": 4}]
    made = stories(60, tasks=tasks)
    assert [(one.answer, one.features["hops"], one.features["task"]) for one in made] == [
        (cell.answers, cell.task.k, cell.task.name) for cell in cells(60, tasks=tasks)
    ]


def test_cells_of_the_recipe_are_narrowed_and_keep_their_conditions() -> None:
    own = {"name": "far", "answers": ["son", "nephew"], "hops": [3, 9], "distractors": [1, 20]}
    found = cells(8, cells=[own], tasks=[{"k": 3}, {"k": 4}])
    assert Counter(cell.answers for cell in found) == {("son",): 4, ("nephew",): 4}
    assert all(cell.hops == (3, 9) and cell.distractors == (1, 20) for cell in found)
    assert {cell.name for cell in found} == {
        f"far 1.{k} {word}" for k in (3, 4) for word in ("son", "nephew")
    }


def test_a_story_that_misses_its_cell_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = KinshipTale.__init__

    def careless(
        self: KinshipTale, own: KinshipRecipe, unfold: Draw, tell: Draw, brief: Brief
    ) -> None:
        begin(self, own, unfold, tell, brief)
        self.task = Task(k=self.task.k + 1)
        self._kit.wanted[self.task] = own.wanted(self.task)

    monkeypatch.setattr(KinshipTale, "__init__", careless)
    author = Author(recipe(tasks=[{"k": 2}], targets=["uncle"], max_tries=20), "test", 0)
    with pytest.raises(QuotaError, match=r"cell '1\.2 uncle'.*3 hops \(20"):
        next(author.instances(0, 1))


def test_what_no_facts_prove_is_an_error_that_names_the_answers() -> None:
    own = recipe(tasks=[{"k": 2}], targets=["grandson"], family={"generations": 2})
    with pytest.raises(QuotaError, match="no 2 facts prove grandson"):
        next(Author(own, "test", 0).instances(0, 1))
