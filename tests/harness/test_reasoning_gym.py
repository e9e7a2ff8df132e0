"""reasoning_gym, as installed: data sets by name, scoring, curricula."""

from __future__ import annotations

import json

import pytest

pytest.importorskip(
    "reasoning_gym", reason="run `make harnesses`, or pip install 'fabula[reasoning-gym]'"
)

import reasoning_gym
from reasoning_gym.coaching import BaseCurriculum
from reasoning_gym.composite import DatasetSpec
from reasoning_gym.dataset import ReseedingDataset
from reasoning_gym.factory import create_curriculum

import fabula
import fabula.integrations.reasoning_gym
from fabula.errors import FabulaError
from fabula.prompting.prompt import prompt, reply

NAMES = ["fabula", "fabula_stepgame", "fabula_clutrr"]


def test_items_are_the_instances_of_the_recipe() -> None:
    data = reasoning_gym.create_dataset("fabula", recipe="babi/qa2", seed=7, size=5)
    made = list(fabula.generate("babi/qa2", "train", 7, 5))
    assert len(data) == 5
    assert [item["question"] for item in data] == [prompt(one) for one in made]
    assert data[3] == reasoning_gym.create_dataset("fabula", recipe="babi/qa2", seed=7, size=9)[3]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_right_answer_is_rewarded(name: str) -> None:
    data = reasoning_gym.create_dataset(name, seed=7, size=8)
    for item, other in zip(data, [*data][1:], strict=False):
        record = item["metadata"]["record"]
        assert data.score_answer(item["answer"], item) == 1
        assert data.score_answer(f"It is so. Answer: {item['answer']}", item) == 1
        assert data.score_answer(None, item) == data.score_answer("", item) == 0
        if set(other["metadata"]["record"]["answer"]) != set(record["answer"]):
            assert data.score_answer(other["answer"], item) == 0
        json.dumps(item)  # what reasoning_gym's tools store


@pytest.mark.parametrize("name", NAMES)
def test_the_curriculum_makes_it_harder(name: str) -> None:
    curriculum: BaseCurriculum = create_curriculum(name)
    hardest = max(len(one.levels) for one in curriculum.attributes.values()) - 1
    means = []
    for level in (0, hardest):
        curriculum.set_global_level(level)
        config = curriculum.generate_configuration({"seed": 7, "size": 12})
        config.validate()
        data = reasoning_gym.create_dataset(name, **vars(config))
        hops = [item["metadata"]["difficulty"]["hops"] for item in data]
        assert all(config.min_hops <= n <= config.max_hops for n in hops), hops
        means.append(sum(hops) / len(hops))
    assert means[0] < means[1]


def test_ranges_hold_in_a_split_with_keys_of_its_own() -> None:
    ranges = {"split": "test", "min_hops": 3, "max_hops": 4}
    data = reasoning_gym.create_dataset("fabula_stepgame", seed=7, size=12, **ranges)
    assert {item["metadata"]["hops"] for item in data} == {3, 4}


def test_levels_of_length() -> None:
    curriculum = create_curriculum("fabula")
    assert curriculum.increment_attr_level("sentences")
    config = curriculum.generate_configuration({"seed": 7, "size": 10})
    data = reasoning_gym.create_dataset("fabula", **vars(config))
    assert (config.min_sentences, config.max_sentences) == (4, 12)
    assert all(4 <= item["metadata"]["difficulty"]["sentences"] <= 12 for item in data)


def test_within_a_composite_and_without_end() -> None:
    specs = [DatasetSpec(name=name, weight=1, config={}) for name in NAMES]
    data = reasoning_gym.create_dataset("composite", seed=7, size=12, datasets=specs)
    items = list(data)
    assert {item["metadata"]["source_dataset"] for item in items} == set(NAMES)
    for item in items:
        assert data.score_answer(item["answer"], item) == 1
    endless = ReseedingDataset(reasoning_gym.create_dataset("fabula", seed=1, size=4), chunk_size=4)
    questions = [item["question"] for item, _ in zip(endless, range(8), strict=False)]
    assert len(set(questions)) == 8


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(FabulaError, match="give both or neither"):
        reasoning_gym.create_dataset("fabula", min_hops=2)
    with pytest.raises(FabulaError, match="no recipe 'babi/qa99'"):
        reasoning_gym.create_dataset("fabula", recipe="babi/qa99")


def test_replies_with_reasons() -> None:
    data = reasoning_gym.create_dataset("fabula", style="reason", seed=7, size=3)
    assert "Think step by step" in data[0]["question"]
    right = reply(fabula.instance("actors/mix", "train", 0, 7))
    assert data.score_answer(f"<think>Hm.</think>\n{right}", data[0]) == 1
