"""Work that is not asked for is not done, and leaves what is generated as it is."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabula.core.seeds import stream, streams
from fabula.core.supports import mask_of
from fabula.datasets.engines.tally import Tally
from fabula.datasets.formats import format_named
from fabula.generation.author import Author
from fabula.recipe.loading import load
from fabula.world.actors import Actors
from fabula.world.actors.reading import ActorsReading
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.tale import ActorsTale


def tale(name: str = "actors/mix", length: int = 20, **changes: Any) -> ActorsTale:
    recipe = load(name, changes)
    assert isinstance(recipe, ActorsRecipe)
    made = ActorsTale(recipe, *(stream("less", 0, "x", 0, stage) for stage in "ut"))
    assert made.advance(length)
    return made


@pytest.mark.parametrize("name", ["babi/qa3", "babi/qa2", "dyna/mix-t12", "dyna/diverse-t12"])
def test_text_is_the_same_with_and_without_alternative_supports(name: str) -> None:
    recipe, form = load(name), format_named("babi")
    split = next(iter(recipe.splits))
    pieces, supports = [], []
    for only_best in (False, True):
        author = Author(recipe, split, 3, only_best=only_best)
        passages = list(author.passages(0, 40))
        pieces.append(form.piece(author, passages))
        supports.append(max(len(asked.masks) for p in passages for asked in p.asked))
    assert pieces[0] == pieces[1]
    if not recipe.compositional:  # held-out combinations are looked for in every support
        assert supports[0] > supports[1] == 1


def test_numbers_of_supports_are_not_counted_where_they_are_not_known() -> None:
    author = Author(load("babi/qa2"), "train", only_best=True)
    tally = Tally(only_best=True)
    assert len(list(tally.counting(author.passages(0, 20)))) == 4
    assert tally.to_dict()["supports"] == {}
    assert sum(tally.to_dict()["support_sizes"].values()) == 20


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_story_is_told_in_words_of_its_split_instead_of_being_dropped(
    split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, begun = Actors.begin, Counter[str]()

    def counted(self: Actors, *args: Any) -> ActorsTale:
        begun["stories"] += 1
        return begin(self, *args)

    monkeypatch.setattr(Actors, "begin", counted)
    author = Author(load("actors/mix"), split)
    stories = {tuple(p.sentences[:3]) for p in author.passages(0, 60)}
    assert begun["stories"] < 90  # of those of 'test', nine of ten would be dropped
    other = "test" if split == "train" else "train"
    shared = {tuple(p.sentences[:3]) for p in Author(load("actors/mix"), other).passages(0, 60)}
    assert not stories & shared


def test_words_that_fit_are_chosen_from_all_that_do() -> None:
    told = tale()
    before = told.reading.facts()
    tried: set[str] = set()

    def fits(sentence: str) -> bool:
        tried.add(sentence)
        return len(sentence) % 2 == 0

    for number in range(1, 21):
        tried.clear()
        found = told.reword_so(number, fits)
        even = {sentence for sentence in tried if len(sentence) % 2 == 0}
        assert found == bool(even)
        assert not found or told.sentences[number - 1] in even
    assert ActorsReading(told.language, told.sentences).facts() == told.reading.facts() == before


def test_words_keep_their_shares() -> None:
    told = tale("babi/qa2", 30)
    drops = [n for n, facts in enumerate(told.reading.facts(), 1) if facts[0][0] == "drop"]
    there = 0
    for _ in range(400):
        told.reword_so(drops[0], lambda _: True)
        there += told.sentences[drops[0] - 1].endswith("there.")
    assert 40 < there < 130  # a fifth, as the recipe says


def test_a_sentence_told_anew_must_say_the_same() -> None:
    told = tale()
    other = next(s for s in told.sentences if s != told.sentences[0])
    with pytest.raises(AssertionError, match="no longer says the same"):
        told.reading.hear_again(1, other)
    assert told.reword(mask_of(range(1, 21)))


def test_the_streams_of_a_story_share_nothing() -> None:
    drawn = [[draw() for _ in range(300)] for draw in streams("r", 0, "train", "7")]
    again = [[draw() for _ in range(300)] for draw in streams("r", 0, "train", "7")]
    assert drawn == again
    numbers = [number for stage in drawn for number in stage]
    assert len(set(numbers)) == len(numbers) == 900
    assert all(0 <= number < 1 for number in numbers)
    for stage in drawn:
        assert 0.4 < sum(stage) / 300 < 0.6
    assert set(numbers).isdisjoint(d() for d in streams("r", 1, "train", "7") for _ in range(300))
