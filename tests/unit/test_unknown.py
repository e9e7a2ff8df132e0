"""Questions that the story leaves open: two witnesses, a twin, and how they are scored."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace

import orjson
import pytest

import fabula
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.errors import RecipeError
from fabula.evaluation.contrast import contrast_scores
from fabula.recipe.loading import load
from fabula.world import WORLDS

ONE_EACH = ("babi/qa2", "babi/qa4", "babi/qa14", "babi/qa15", "babi/qa16", "babi/qa18",
            "stepgame/clean", "clutrr/rob-clean")  # fmt: skip


@pytest.fixture(scope="module", params=ONE_EACH)
def made(request: pytest.FixtureRequest) -> list[Instance]:
    return list(fabula.generate(request.param, "train", 5, 20, unknown=0.2))


def test_the_share_is_exact_and_twins_are_there(made: list[Instance]) -> None:
    count = Counter(one.variant for one in made)
    assert count["unknown"] in (3, 4)  # questions of one story come before their twins
    twins = {one.id: one for one in made}
    for one in made:
        assert "unknown" in (one.choices or ())
        assert one.features["answerable"] == one.answerable
        if one.variant == "unknown":
            assert one.answer == ("unknown",)
            assert not one.supports
            assert not one.support
            twin = twins[one.pair]
            assert twin.answerable
            assert twin.question == one.question
            assert twin.provenance["split"] == one.provenance["split"]
            assert len(twin.story) == len(one.story)
            assert sum((Counter(twin.story) - Counter(one.story)).values()) == 1
            edited = one.extras["edit"]["sentence"]
            assert edited in twin.supports[0]


def test_what_is_asked_about_is_still_there(made: list[Instance]) -> None:
    for one in made:
        told = {word for facts in one.facts for fact in facts for word in fact}
        twin = next(other for other in made if other.id == (one.pair or one.id))
        before = {word for facts in twin.facts for fact in facts for word in fact}
        assert before.intersection(one.query[1:]) <= told


def test_witnesses_fit_and_differ(made: list[Instance]) -> None:
    world = WORLDS[str(made[0].provenance["world"])]
    found = 0
    for one in made:
        if one.variant == "unknown":
            answers = []
            for witness in one.extras["witnesses"]:
                answer = world.fits("en", one.facts, one.query, witness["world"])
                assert answer == tuple(witness["answer"])
                answers.append(answer)
            assert answers[0] != answers[1]
            assert set(answers[0] + answers[1]) <= set(one.choices or ())
            found += 1
    assert found
    assert fabula.verify(made).failed == 0


def test_planted_errors_are_found(made: list[Instance]) -> None:
    one = next(one for one in made if one.variant == "unknown")
    assert not objections(one)
    same = copy.deepcopy(one.extras["witnesses"])
    same[1] = same[0]
    wrong = [
        {**one.extras, "witnesses": same},
        {**one.extras, "witnesses": one.extras["witnesses"][:1]},
        {**one.extras, "witnesses": [{"world": {}, "answer": w["answer"]}
                                     for w in one.extras["witnesses"]]},
        {k: v for k, v in one.extras.items() if k != "witnesses"},
    ]  # fmt: skip
    for extras in wrong:
        assert objections(replace(one, extras=extras))
    twin = next(other for other in made if other.id == one.pair)
    claimed = replace(twin, answer=("unknown",), supports=(), support=(), extras=one.extras)
    assert objections(claimed)  # it does have an answer
    given = replace(one, answer=tuple(one.extras["witnesses"][0]["answer"]), supports=((1,),))
    assert objections(given)  # it has none


def test_a_witness_that_breaks_a_sentence_is_found() -> None:
    """Everything moved to another place, size or parent: some sentence is no longer true."""
    for recipe in ("babi/qa1", "babi/qa18", "stepgame/clean", "babi/qa15"):
        data = fabula.generate(recipe, "train", 5, 20, unknown=0.2)
        one = next(each for each in data if each.variant == "unknown")
        worlds = copy.deepcopy(orjson.loads(orjson.dumps(one.extras["witnesses"])))
        whole = worlds[0]["world"]
        if recipe == "babi/qa1":
            for way in whole["places"].values():
                way[-1][1] = "elsewhere"
        elif recipe == "babi/qa15":
            whole["kind"] = dict.fromkeys(whole["kind"], "dragon")
        elif recipe == "babi/qa18":
            worlds[0]["world"] = dict.fromkeys(whole, 1)
        else:
            worlds[0]["world"] = {name: [0, 0, 0] for name in whole}
        spoilt = replace(one, extras={**one.extras, "witnesses": worlds})
        assert any("witness 1" in reason for reason in objections(spoilt))


@pytest.mark.parametrize(
    ("recipe", "kind"),
    [("babi/qa6", "yes-no"), ("babi/qa7", "count"), ("babi/qa8", "list"), ("babi/qa5", "who-gave"),
     ("babi/qa19", "path"), ("actors/mix", "list")],
)  # fmt: skip
def test_kinds_that_always_have_an_answer_are_refused(recipe: str, kind: str) -> None:
    with pytest.raises(RecipeError, match=f"unknown: .*{kind}"):
        next(fabula.generate(recipe, size=1, unknown=0.2))


def test_the_remedy_works() -> None:
    with pytest.raises(RecipeError, match=r"asks = \{where-person = "):
        next(fabula.generate("actors/mix", size=1, unknown=0.2))
    asks = {"where-person": 1, "where-object": 1}
    made = list(fabula.generate("actors/mix", "train", 1, 10, unknown=0.2, asks=asks))
    assert sum(not one.answerable for one in made) == 2


def test_a_world_without_witnesses_is_refused() -> None:
    clocks = pytest.importorskip("fabula_clocks")
    world = next(w for w in vars(clocks).values() if getattr(w, "name", "") == "clocks")
    if world.open_kinds:
        pytest.skip("it has witnesses")
    with pytest.raises(RecipeError, match="witnesses"):
        next(fabula.generate("clocks/timetable", size=1, unknown=0.2))


@pytest.mark.parametrize("share", [-0.1, 0.6, "half"])
def test_wrong_shares_are_refused(share: object) -> None:
    with pytest.raises(RecipeError, match="unknown"):
        load("babi/qa18", {"unknown": share})
    with pytest.raises(RecipeError, match="unknown"):
        load("babi/qa18", {"unknown": 0.4, "contrast": {"flip": 1, "hold": 1}})


def test_prompts_offer_unknown_and_scores_understand_it() -> None:
    made = list(fabula.generate("babi/qa18", "train", 3, 10, unknown=0.2))
    for one in made:
        assert "unknown." in fabula.prompt(one)
        for reply in ("unknown", "Answer: unknown", "It cannot be determined from the story."):
            assert fabula.score(one, reply).correct == (not one.answerable), reply


def test_over_and_under_answering() -> None:
    made = list(fabula.generate("babi/qa18", "train", 3, 40, unknown=0.2))

    def row(one: Instance, answer: tuple[str, ...]) -> dict[str, object]:
        return {"id": one.id, "answer": list(answer), "instance": orjson.loads(one.to_json()),
                "outcome": "correct" if answer == one.answer else "wrong"}  # fmt: skip

    bold = contrast_scores(row(one, ("yes",)) for one in made)["answerability"]
    assert bold["unanswerable"] == {"count": 8, "right": 0, "accuracy": 0.0, "over_answered": 8}
    assert bold["answerable"]["under_answered"] == 0
    shy = contrast_scores(row(one, ("unknown",)) for one in made)["answerability"]
    assert shy["unanswerable"]["accuracy"] == 1
    assert shy["answerable"]["under_answered"] == 32
