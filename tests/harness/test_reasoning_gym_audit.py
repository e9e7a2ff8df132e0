"""The audit of reasoning-gym against the real package gives the documented figures."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("reasoning_gym")

from fabula.analysis.audits import reasoning_gym


@pytest.mark.parametrize(
    ("task", "settings", "wrong", "strict"),
    [
        ("family_relationships", {}, 650, None),
        ("family_relationships", {"min_family_size": 9, "max_family_size": 12}, 871, None),
        ("syllogism", {}, 635, 1509),
    ],
)
def test_five_thousand_items(
    task: str, settings: dict[str, Any], wrong: int, strict: int | None
) -> None:
    answers, scorer = reasoning_gym.audit(task, 5000, 42, **settings)
    assert (answers.items, answers.counts["wrong-answer"]) == (5000, wrong)
    assert answers.figures.get("wrong_if_sets_may_be_empty") == strict
    assert answers.figures["shared_with_next_seed"] == 499
    assert scorer.figures["kinds_of_reply"] > 300


def test_knights_and_knaves_are_right() -> None:
    settings: dict[str, Any] = {"n_people": 4, "depth_constraint": 3, "width_constraint": 3}
    (answers,) = reasoning_gym.audit("knights_knaves", 300, 42, **settings)
    assert answers.sound == 300
