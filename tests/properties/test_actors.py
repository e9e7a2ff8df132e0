"""What holds for every recipe of the actor world, whatever its concepts, weights and sizes."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.core.seeds import stream
from fabula.core.supports import mask_of
from fabula.errors import QuotaError
from fabula.generation.author import Author
from fabula.language import language, language_file
from fabula.recipe.loading import build
from fabula.recipe.model import Recipe
from fabula.world.actors.events import DRIVES, EVENTS, TELLINGS, Told
from fabula.world.actors.knowledge import FACT_KIND
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import read
from fabula.world.actors.tale import ActorsTale

PEOPLE = ["Mary", "John", "Sandra", "Daniel", "Fred", "Julie"]
PLACES = ["kitchen", "park", "school", "office", "hall", "old mill"]
THINGS = ["apple", "milk", "box of nails"]
ALWAYS = ("yes-no", "where-will-go", "where-was-person", "list")
"""Whatever happens, one of these kinds of question can soon be asked about it."""

weights = st.sampled_from([0.2, 1.0, 3.0])


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    content: dict[str, Any] = {
        "id": "random",
        "world": "actors",
        "entities": {
            "persons": PEOPLE[: draw(st.integers(1, 6))],
            "places": PLACES[: draw(st.integers(2, 6))],
            "objects": THINGS[: draw(st.integers(1, 3))],
            "containers": ["crate"],
            "surfaces": ["table"],
        },
        "events": draw(st.dictionaries(st.sampled_from(EVENTS), weights, max_size=6)),
        "tellings": draw(st.dictionaries(st.sampled_from(TELLINGS), weights, max_size=6)),
        "asks": draw(st.dictionaries(st.sampled_from(sorted(KINDS)), weights, min_size=1)),
        "length": draw(st.integers(1, 24)),
        "questions": draw(st.sampled_from([1, 2, 5, "all", "throughout"])),
        "max_needs": draw(st.integers(0, 2)),
        "max_extensions": 10,
        "event_sampling": draw(st.sampled_from(["kind", "person"])),
        "max_tries": 5,
        "split_key": "none",
    }
    content["events"].setdefault("MOVE", 1.0)
    if {"SEEK", "SATISFY"} & content["events"].keys():
        content["events"].setdefault("NEED", 1.0)
    if "TAKE" in content["events"]:
        content["events"].setdefault("PUT", 1.0)
    if draw(st.booleans()):  # what is told of times and needs alone comes to an end
        content["events"] = {k: w for k, w in content["events"].items() if k in DRIVES}
        content["tellings"].setdefault("TIME", 1.0)
    for kind in ALWAYS:  # otherwise the recipe may ask only what never comes up
        content["asks"].setdefault(kind, 1.0)
    return build(content)


def made(recipe: Recipe, seed: int, count: int) -> list[Instance]:
    try:
        return list(Author(recipe, "train", seed).instances(0, count))
    except QuotaError:
        if recipe.model_dump()["events"].keys() <= set(DRIVES):
            reject()  # a story of times and needs alone may end before it is long enough
        raise


ample = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@ample
@given(recipe=recipes(), seed=st.integers(0, 10**6))
def test_every_instance_is_proven(recipe: Recipe, seed: int) -> None:
    """Simulator, reader and logic program agree; each support stands."""
    for instance in made(recipe, seed, 3):
        assert objections(instance) == [], instance


@ample
@given(recipe=recipes(), seed=st.integers(0, 10**6))
def test_what_is_told_is_read(recipe: Recipe, seed: int) -> None:
    tale = ActorsTale(recipe, *(stream("t", seed, "x", 0, stage) for stage in "ut"))  # type: ignore[arg-type]
    told: list[Told] = []
    beat = tale.scenario.beat

    def listening(room: int) -> list[Told] | None:
        happened = beat(room)
        told.extend(happened or [])
        return happened

    tale.scenario.beat = listening  # type: ignore[method-assign]
    tale.advance(recipe.lengths[0])
    expected = [tuple((FACT_KIND[t.kind], who, *t.args) for who in t.subjects) for t in told]
    assert tale.reading.facts() == expected
    assert read("en", tale.sentences).facts() == expected


@ample
@given(recipe=recipes(), seed=st.integers(0, 10**6))
def test_each_support_suffices_and_loses_by_any_sentence(recipe: Recipe, seed: int) -> None:
    for instance in made(recipe, seed, 2):
        reading = read("en", instance.story)
        finding = reading.find(instance.query)
        assert finding is not None
        for support in instance.supports:
            assert reading.alone(instance.query, mask_of(support)) == instance.answer
            assert reading.stands(instance.query, finding.conclusion, mask_of(support))
            for number in support:
                rest = mask_of(support) & ~(1 << number)
                assert not rest or not reading.stands(instance.query, finding.conclusion, rest)


@ample
@given(recipe=recipes(), seed=st.integers(0, 10**6))
def test_what_happens_to_others_changes_nothing(recipe: Recipe, seed: int) -> None:
    """Sentences about people and things that are not in the story leave every answer alone."""
    (instance,) = made(recipe, seed, 1)
    more = ["Zoe went to the moon.", "Zoe took the lamp.", "Zoe gave the lamp to Yara."]
    before = read("en", instance.story).find(instance.query)
    after = read("en", [*instance.story, *more]).find(instance.query)
    assert before == after


WORDS = {
    "place": ("old mill", "park"),
    "object": ("old lamp", "big crate"),
    "person": ("Fred",) * 2,
    "time": ("this morning",) * 2,
    "mood": ("hungry",) * 2,
    "colour": ("blue",) * 2,
    "state": ("rotten",) * 2,
}


def test_every_frame_is_parsed_back() -> None:
    tongue, data = language("en", "actors"), language_file("en", "actors")
    for frame, texts in tongue.frames.items():
        kind = frame.split("-")[0]
        args = tuple(WORDS[slot][at] for at, slot in enumerate(data["slots"][kind]))
        subjects: list[tuple[str, tuple[str, ...]]] = [("old lamp", ("old lamp",))]
        if kind not in data["things"]:
            subjects = [("Mary", ("Mary",)), ("Mary and John", ("Mary", "John"))]
        for text in texts:
            for subject, names in subjects:
                said = text.format(subject, *args)
                statement = tongue.parse(said[0].upper() + said[1:])
                assert (statement.kind, statement.subjects, statement.args) == (kind, names, args)
            for lead in tongue.leads if kind not in data["things"] else ():
                said = text.format(f"{lead} they", *args)
                statement = tongue.parse(said[0].upper() + said[1:])
                assert (statement.kind, statement.pronoun, statement.args) == (kind, "they", args)
