"""What was before the story and what people want: reader, simulator, recipes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

import fabula
from fabula.core.seeds import stream
from fabula.core.supports import numbers_of
from fabula.errors import RecipeError
from fabula.generation.author import Author, generate
from fabula.recipe.loading import load
from fabula.world.actors.events import Stage, Told
from fabula.world.actors.past import Past, displaced
from fabula.world.actors.reading import ActorsReading, read
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.tale import ActorsTale

JULIE = [
    "This afternoon Julie went to the cinema.",
    "Julie moved to the school yesterday.",
    "This morning Julie travelled to the park.",
]
EVENING = ["Julie went to the office this evening.", "Julie took the milk.", "Julie left the milk."]
LATE = ["Julie took the milk.", "Julie went to the park.", "This evening Julie went to the den."]
MET = [
    "Fred moved to the hall.",
    "Fred took the milk.",
    "Fred gave the milk to Julie.",
    "Julie is in the den.",
]
SHE = ["Julie went to the hall.", "Then she went to the den."]
BACK = [SHE[0], "Julie went to the den.", "Julie went to the park.", "Julie went back to the den."]
SUMIT = [
    "Sumit is tired.",
    "Sumit went to the bedroom.",
    "Sumit got the pajamas there.",
    "Yann is hungry.",
]
HE = ["Sumit moved to the park.", "Then he is thirsty.", "Sumit went to the kitchen."]

VECTORS = [
    (JULIE, "Where was Julie before the cinema?", "park", [[1, 3]]),
    (JULIE, "Where was Julie before the park?", "school", [[2, 3]]),
    (EVENING, "Where is Julie?", "office", [[1]]),
    (EVENING, "Where is the milk?", "office", [[1, 3], [1, 2]]),
    ([*EVENING, "Julie went to the park."], "Where was Julie before the park?", "office", [[1, 4]]),
    (LATE, "Where was Julie before the park?", "den", [[2, 3]]),
    (LATE, "Where is Julie?", "park", [[2]]),
    (LATE, "Where was the milk before the park?", "den", [[1, 2, 3]]),
    (MET, "Where was Julie before the den?", "hall", [[1, 3, 4]]),
    (SHE, "Where was Julie before the den?", "hall", [[1, 2]]),
    (BACK, "Where was Julie before the den?", "park", [[3, 4]]),
    (SUMIT[:1], "Where will Sumit go?", "bedroom", [[1]]),
    (SUMIT, "Where will yann go?", "kitchen", [[4]]),
    (SUMIT, "Why did sumit go to the bedroom?", "tired", [[1]]),
    (SUMIT, "Why did Sumit get the pajamas?", "tired", [[1]]),
    (HE, "Why did Sumit go to the kitchen?", "thirsty", [[1, 2]]),
    ([*SUMIT, "Sumit is bored."], "Where will Sumit go?", "garden", [[5]]),
    (["Sumit is bored.", "Sumit is in the office."], "Where will Sumit go?", "garden", [[1]]),
]


def supports(reading: ActorsReading, question: str) -> tuple[str, list[list[int]]]:
    query = reading.language.parse_question(question)
    found = reading.find(query)
    assert found is not None, f"{question} cannot be answered"
    standing = [m for m in found.masks if reading.stands(query, found.conclusion, m)]
    return ",".join(found.answer), [list(numbers_of(mask)) for mask in standing]


@pytest.mark.parametrize(("story", "question", "answer", "expected"), VECTORS)
def test_vector(story: list[str], question: str, answer: str, expected: list[list[int]]) -> None:
    assert supports(read("en", story), question) == (answer, expected)


UNTOLD = [
    # nothing is told of the morning, or of what was before yesterday
    (JULIE[:2], "Where was Julie before the cinema?"),
    (JULIE, "Where was Julie before the school?"),
    (JULIE, "Where was Julie before the office?"),
    # the present goes on from the evening only
    (JULIE, "Where is Julie?"),
    # a movement since may have led there again
    ([*SHE, "Julie is no longer in the den."], "Where was Julie before the hall?"),
    ([*SUMIT[:2], "Sumit is not in the park."], "Why did Sumit go to the bedroom?"),
    ([*SUMIT[:2], "Sumit is either in the den or the bedroom."], "Where will Sumit go?"),
    # there already, or content
    (SUMIT[:2], "Where will Sumit go?"),
    (SUMIT, "Where will Sumit go?"),
    # for another reason, or before the need
    ([SUMIT[1], SUMIT[0]], "Why did Sumit go to the bedroom?"),
    (SUMIT, "Why did Yann go to the bedroom?"),
    ([*SUMIT, "Sumit went to the park.", SUMIT[1]], "Why did Sumit go to the bedroom?"),
    # two places at a time
    ([*JULIE, "Julie went to the den this morning."], "Where was Julie before the cinema?"),
]


@pytest.mark.parametrize(("story", "question"), UNTOLD)
def test_what_the_text_does_not_say_is_not_answered(story: list[str], question: str) -> None:
    reading = read("en", story)
    assert reading.find(reading.language.parse_question(question)) is None


def test_a_thing_that_is_given_ends_the_need_but_explains_nothing() -> None:
    story = ["John is hungry.", "Mary took the apple.", "Mary gave the apple to John."]
    reading = read("en", story)
    assert reading.find(("where-will-go", "John")) is None
    assert reading.find(("why-get", "John", "apple")) is None


# --- the simulator ----------------------------------------------------------------------------

TIMES = ("long ago", "lately", "just now")


def stage(seed: int) -> Stage:
    return Stage(("Mary", "John"), ("park", "hall", "den"), (), stream("t", seed, "x", 0, "u"))


@pytest.mark.parametrize("in_turn", [True, False])
def test_the_past_ends_where_the_present_begins(in_turn: bool) -> None:
    for seed in range(20):
        here, draw = stage(seed), stream("t", seed, "x", 0, "v")
        past = Past(here, TIMES, in_turn, draw)
        told: dict[tuple[str, str], str] = {}
        for _ in range(200):
            memory = past.tell(draw)
            if memory:
                (person,), (place, time) = memory.subjects, memory.args
                assert (person, time) not in told
                if in_turn:
                    assert sum(who == person for who, _ in told) == TIMES.index(time)
                told[person, time] = place
        assert past.exhausted()
        assert len(told) == 6
        for person in here.persons:
            way = [told[person, time] for time in TIMES]
            assert way[-1] == here.place[person]
            assert all(one != next_one for one, next_one in pairwise(way))


def test_no_sentence_keeps_its_place_when_rearranged() -> None:
    told = [Told("TIME", ("Mary",), ("park", str(n))) for n in range(4)]
    orders = Counter(
        "".join(t.args[1] for t in displaced(told, stream("t", seed, "x", 0, "u")))
        for seed in range(300)
    )
    assert len(orders) == 6  # the rings of four
    assert all(order[n] != str(n) for order in orders for n in range(4))
    assert displaced(told[:2], stream("t", 0, "x", 0, "u")) == told[1::-1]


def tale(seed: int, **changes: Any) -> ActorsTale:
    recipe = load("actors/motives", changes)
    assert isinstance(recipe, ActorsRecipe)
    return ActorsTale(recipe, *(stream("t", seed, "x", 0, stage) for stage in "ut"))


def test_wanted_things_begin_where_people_go_for_them() -> None:
    for seed in range(10):
        made = tale(seed)
        assert made.wants is not None
        needs = made.language.lore.needs
        for mood in made.recipe.cast.moods:
            assert made.stage.spot[needs[mood].thing] == needs[mood].place


def test_a_need_comes_only_to_whom_it_leads_elsewhere() -> None:
    came = 0
    for seed in range(40):
        made = tale(seed)
        wants, needs = made.wants, made.language.lore.needs
        assert wants is not None
        wanting: dict[str, str] = {}
        for _ in range(30):
            before, held = dict(made.stage.place), dict(made.stage.holder)
            for event in made.scenario.beat(1) or ():
                if event.kind == "NEED":
                    (person,), (mood,) = event.subjects, event.args
                    assert person not in wanting
                    assert before[person] != needs[mood].place
                    assert held[needs[mood].thing] != person
                    wanting[person] = mood
                    came += 1
                taker = {"GRAB": event.subjects[0], "GIVE": event.args[-1]}.get(event.kind, "")
                if taker in wanting and needs[wanting[taker]].thing == event.args[0]:
                    del wanting[taker]
            assert wanting == wants.mood
    assert came > 40


# --- recipes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"moods": ["hungri"]}, "moods: unknown 'hungri'. Did you mean 'hungry'?"),
        ({"moods": ["dirty"]}, "'dirty' needs the place 'bathroom' and the object 'soap'"),
        ({"entities.objects": ["lamp"]}, "no mood has both its place and its object"),
        ({"events": {"SEEK": 1.0}}, "events.SEEK: nobody wants anything; give NEED a weight"),
        (
            {"start_outside": True},
            "start_outside: cannot be combined with TIME, where everybody starts in a place",
        ),
        ({"coref": {"NEED": 1.0}}, "unknown event 'NEED'"),
        ({"keep.requires": ["SEEK"]}, "keep.requires: unknown 'SEEK'"),
        ({"entities.places": ["park", "kitchen", "hut this evening"]}, "cannot be parsed back"),
    ],
)
def test_recipes_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load("actors/motives", changes)
    assert message in str(caught.value)


def test_supports_compose_with_all_else() -> None:
    found = list(generate(load("actors/motives"), "train", seed=4, size=500))
    kinds = {instance.query[0] for instance in found}
    assert {"where-was-person", "where-will-go", "why-go", "why-get", "where-object"} <= kinds
    mixed = [i.composition for i in found if "TIME" in i.composition]
    assert any("MOVE" in composition for composition in mixed)
    assert any({"GRAB", "DROP", "GIVE"} & set(composition) for composition in mixed)
    assert {True, False} == {
        i.features["told_in_order"] for i in found if "told_in_order" in i.features
    }


def test_fixed_asks_for_places_visited_once_and_needs_two_sentences() -> None:
    for instance in fabula.generate("babi/qa14", "train", seed=2, size=200):
        _, person, place = instance.query
        visits = [f for facts in instance.facts for f in facts if f[1:3] == (person, place)]
        assert len(visits) == 1
        assert instance.composition == ("TIME",)
        assert len(instance.support) == 2


def test_signature_keeps_the_order_of_time() -> None:
    reading = read("en", JULIE)
    query = ("where-was-person", "Julie", "cinema")
    signature = reading.signature(query, 0b1010)
    assert signature == "went(P1,L1,3) went(P1,L2,2) ? where-was-person(P1,L1)"
    small = read("en", SUMIT).signature(("why-go", "sumit", "bedroom"), 0b10)
    assert small == "need(P1,M1) ? why-go(P1,L1)"


def test_task_20_is_asked_until_nothing_is_left_to_do() -> None:
    author = Author(load("babi/qa20", {"dialect": "release"}), "train", 1)
    passages = list(author.passages(0, 200))
    for passage in passages[:-1]:
        needs = [f for facts in passage.tale.reading.facts() for f in facts if f[0] == "need"]
        assert len(passage.asked) == len(passage.tale.sentences) == 8 + len({f[2] for f in needs})
        assert [asked.position for asked in passage.asked] == list(range(1, len(passage.asked) + 1))
        assert all(asked.query[1].islower() for asked in passage.asked)
    assert sum(len(passage.asked) for passage in passages) == 200
    alone = [next(author.instances(index, index + 1)) for index in (0, 9, 77, 199)]
    together = list(author.instances(0, 200))
    assert alone == [together[index] for index in (0, 9, 77, 199)]


def test_choices_are_what_can_be_answered() -> None:
    for instance in generate(load("babi/qa20", {"dialect": "release"}), "train", size=60):
        assert instance.choices is not None
        assert set(instance.answer) <= set(instance.choices)
        places = instance.query[0] == "where-will-go"
        moods = ("hungry", "thirsty", "bored", "tired")
        assert instance.choices == (("kitchen", "garden", "bedroom") if places else moods)


@pytest.mark.parametrize("task", [14, 20])
def test_release_statistics(task: int) -> None:
    """Shares as measured on the published files; sampling error only."""
    author = Author(load(f"babi/qa{task}", {"dialect": "release"}), "train", 3)
    made = author.passages(0, 2000)
    passages = [p for p in made if (p.first + len(p.asked)) % author.block or task == 14]
    if task == 14:
        lengths = Counter(passage.asked[0].position for passage in passages)
        for length, share in {2: 0.25, 4: 0.65, 6: 0.10}.items():
            assert abs(lengths[length] / len(passages) - share) < 0.07
        later = [a.support[0] > a.support[1] for passage in passages for a in passage.asked]
        assert abs(sum(later) / len(later) - 0.64) < 0.05  # the place asked for is told last
        return
    assert set(Counter(len(passage.asked) for passage in passages)) == {9, 10, 11, 12}
    assert abs(sum(len(p.asked) for p in passages) / len(passages) - 10.7) < 0.2
    moods = Counter(a.answer[0] for p in passages for a in p.asked if a.query[0] == "why-go")
    assert all(abs(count / sum(moods.values()) - 0.25) < 0.06 for count in moods.values())
