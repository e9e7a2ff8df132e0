"""Contrast pairs: one edit, both answers proven, and what the records say of it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

import fabula
from fabula.analysis.pairs import original_story
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.datasets.formats.interchange import families, fields
from fabula.errors import FabulaError, ParseError, QuotaError, RecipeError
from fabula.evaluation.contrast import contrast_lines, contrast_scores
from fabula.generation.author import Author
from fabula.generation.edits import Vocabulary, word_position
from fabula.generation.family import Family
from fabula.generation.pairs import intervened, state_after
from fabula.recipe.loading import load
from fabula.world import WORLDS

BOTH = {"flip": 1, "hold": 1}
ONE_EACH = ("babi/qa2", "stepgame/clean", "clutrr/rob-irrelevant", "babi/qa18", "babi/qa15")
"""A recipe of each world."""


def pairs(recipe: str, size: int = 30, split: str = "train", **changes: object) -> list[Instance]:
    return list(fabula.generate(recipe, split, 5, size, contrast=BOTH, **changes))


@pytest.fixture(scope="module", params=ONE_EACH)
def made(request: pytest.FixtureRequest) -> list[Instance]:
    return pairs(request.param)


def test_flips_change_the_answer_and_holds_do_not(made: list[Instance]) -> None:
    bases = {one.id: one for one in made if one.variant == "base"}
    counted = Counter(one.variant for one in made)  # the last family may be cut off
    assert 9 <= counted["hold"] <= counted["flip"] <= counted["base"] <= 14
    for one in made:
        base = bases[one.pair]
        assert (sorted(one.answer) == sorted(base.answer)) == (one.variant != "flip")
        assert one.question == base.question


def test_the_edit_is_one_sentence(made: list[Instance]) -> None:
    bases = {one.id: one for one in made if one.variant == "base"}
    for one in made:
        if one.variant == "base":
            assert "edit" not in one.extras
            continue
        base, edit = bases[one.pair], one.extras["edit"]
        kept, told = Counter(base.story), Counter(one.story)
        assert sum((kept - told).values()) <= 1
        assert sum((told - kept).values()) <= 1
        assert original_story(one.story, edit) == list(base.story)
        assert edit["base"]["answer"] == list(base.answer)
        assert edit["base"]["supports"] == [list(each) for each in base.supports]
        if edit["kind"] == "name":
            old, new = edit["names"]
            assert old != new


def test_pairs_verify_by_both_routes_and_logic(made: list[Instance]) -> None:
    assert fabula.verify(made).failed == 0
    made = sorted(made, key=lambda one: len(one.story))  # the logic program takes long for kin
    assert not [found for one in made[:4] for found in objections(one, logic=True)]


def test_records_survive_json(made: list[Instance]) -> None:
    for one in made:
        again = Instance.from_json(one.to_json())
        assert again.extras == orjson.loads(orjson.dumps(one.extras))
        assert again.to_json() == one.to_json()


def test_spans_point_at_sentences_and_names(made: list[Instance]) -> None:
    world = WORLDS[str(made[0].provenance["world"])]
    for one in made:
        text, spans = "\n".join(one.story), one.extras["spans"]
        assert [text[a:b] for a, b in spans["sentences"]] == list(one.story)
        for name, number, begin, end in spans["names"]:
            assert text[begin:end] in world.spellings("en", name)
            first, last = spans["sentences"][number - 1]
            assert first <= begin < end <= last
        if one.variant == "base":
            assert spans["names"]


def test_intervening_on_the_state_gives_the_recorded_answer(made: list[Instance]) -> None:
    """The state after the edit, put into a reader of the original, makes it answer the variant."""
    bases = {one.id: one for one in made if one.variant == "base"}
    for one in made:
        if one.variant == "base":
            continue
        base, edit = bases[one.pair], one.extras["edit"]
        world = WORLDS[str(one.provenance["world"])]
        code = world.idiom("en", one.features)
        end = max(edit["to"], edit["sentence"] if edit["kind"] == "move" else 0)
        end = end or edit["sentence"] - 1
        tied: set[int] = getattr(world.read(code, one.story), "pronouns", set())
        while end + 1 in tied:
            end += 1
        shift = len(base.story) - len(one.story)
        assert base.story[end + shift :] == one.story[end:]
        state = state_after(one.extras["variables"], end)
        reading = intervened(world, code, base.story, end + shift, state)
        find = getattr(reading, "concluded", reading.find)
        assert sorted(find(one.query).answer) == sorted(one.answer)
        # and the original's own state leaves it as it is
        state = state_after(base.extras["variables"], end + shift)
        reading = intervened(world, code, base.story, end + shift, state)
        find = getattr(reading, "concluded", reading.find)
        assert sorted(find(one.query).answer) == sorted(base.answer)


def test_planted_errors_are_found(made: list[Instance]) -> None:
    flip = next(one for one in made if one.variant == "flip")
    wrong: dict[str, Callable[[Any], Any]] = {
        "answer": lambda x: x["edit"]["base"].update(answer=list(flip.answer)),
        "variables": lambda x: x["variables"][-1].update(nonsense="there"),
        "spans": lambda x: x["spans"]["sentences"][0].__setitem__(1, 1),
        "variant": lambda x: x.update(variant="hold"),
        "unheard": lambda x: x.update(variant="flop"),
        "edit": lambda x: x["edit"].update(after="Nobody came."),
        "missing": lambda x: x.pop("edit"),
    }
    assert not objections(flip)
    for name, spoil in wrong.items():
        extras = copy.deepcopy(orjson.loads(orjson.dumps(flip.extras)))
        spoil(extras)
        assert objections(replace(flip, extras=extras)), name


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pair", 3), ("variant", ""), ("edit", {"kind": "name"}), ("variables", [{}]),
        ("spans", {"sentences": []}), ("witnesses", [{"world": {}}]), ("tokens", "many"),
    ],
)  # fmt: skip
def test_unsound_extras_are_refused(field: str, value: object) -> None:
    one = pairs("babi/qa1", 2)[1]
    data = {**orjson.loads(one.to_json()), field: value}
    with pytest.raises(ParseError, match=field):
        Instance.from_json(orjson.dumps(data))


# --- generation ---------------------------------------------------------------------------------


def test_instances_are_the_same_alone_and_in_any_piece() -> None:
    for recipe, changes in (
        ("babi/qa1", {"contrast": BOTH}),
        ("babi/qa18", {"contrast": {"flip": 1}, "unknown": 0.1}),
        ("dyna/concat-t2", {"contrast": BOTH}),
        ("actors/mix", {"contrast": {"hold": 1}, "questions": "all"}),
    ):
        writer = Author(load(recipe, changes), "train", 3)
        whole = [one.to_json() for one in writer.instances(0, 40)]
        assert [one.to_json() for one in writer.instances(7, 23)] == whole[7:23]
        for index in (0, 5, 11, 39):
            assert next(writer.instances(index, index + 1)).to_json() == whole[index]


def test_without_contrast_nothing_changes() -> None:
    plain = next(fabula.generate("babi/qa1", size=1))
    assert not plain.extras
    assert b'"pair"' not in plain.to_json()


def test_numbering_is_exact() -> None:
    recipe = load("babi/qa18", {"contrast": {"flip": 2}, "unknown": 0.1})
    family = Family(recipe)
    total = family.before(300)
    twins = sum(family.twinned(base) for base in range(300))
    assert abs(twins / total - 0.1) < 1e-9
    for index in range(200):
        base = family.base_at(index)
        assert family.before(base) <= index < family.before(base + 1)


@pytest.mark.parametrize("recipe", ["babi/qa2", "babi/qa4", "babi/qa15", "stepgame/clean"])
def test_variants_stay_in_the_split_of_their_base(recipe: str) -> None:
    """What a variant's split key hashes belongs to its split, and to no other."""
    for split in ("train", "test"):
        own = Author(load(recipe), split, 5)
        (other,) = {"train", "test"} - {split}
        stranger = Author(load(recipe), other, 5)
        for one in pairs(recipe, 24, split):
            shift = one.roles.count("convention")
            told = one.story[shift:]
            reading = own.world.read("en", told)
            masks = [sum(1 << n - shift for n in each) for each in one.supports]
            assert own.keeps(told, reading, one.query, masks)
            assert not stranger.keeps(told, reading, one.query, masks)


def test_other_languages_tell_the_same_pairs() -> None:
    for language in ("hi", "symbolic"):
        made = pairs("babi/qa1", 9, language=language)
        assert fabula.verify(made).failed == 0
        native = pairs("babi/qa1", 9)
        assert [one.facts for one in made] == [one.facts for one in native]
        bases = {one.id: one for one in made}
        for one in made:
            if one.variant != "base":
                assert sum((Counter(one.story) - Counter(bases[one.pair].story)).values()) <= 1


def test_a_recipe_that_cannot_be_contrasted_says_so(tmp_path: Path) -> None:
    changes = {"contrast": {"flip": 1}, "asks": {"why-get": 1}, "max_tries": 30, "questions": 1,
               "cells": [], "bins": {}}  # fmt: skip
    with pytest.raises(QuotaError, match="flip"):
        fabula.write("babi/qa20", tmp_path / "data", sizes={"train": 1}, changes=changes)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("contrast", [{"flop": 1}, {"flip": -1}, {"flip": 9}, {"hold": "many"}])
def test_wrong_keys_are_refused(contrast: dict[str, object]) -> None:
    with pytest.raises(RecipeError, match="contrast"):
        load("babi/qa1", {"contrast": contrast})


# --- rewriting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", [*ONE_EACH, "clocks/timetable"])
@pytest.mark.parametrize("operation", ["flip", "hold"])
def test_rewriting_makes_proven_pairs(recipe: str, operation: str) -> None:
    source = list(fabula.generate(recipe, "train", 3, 10))
    found = fabula.rewrite(source, operation)
    assert found.data is not None
    assert found.written >= 6, found.examples
    made = list(found.data)
    assert [one.variant for one in made] == ["base", operation] * (len(made) // 2)
    assert {one.pair for one in made} <= {one.id for one in source}
    assert fabula.verify(made).failed == 0


def test_rewriting_a_variant_is_refused() -> None:
    flip = next(one for one in pairs("babi/qa1", 12) if one.variant == "flip")
    with pytest.raises(FabulaError, match="already a variant"):
        fabula.rewrite([flip], "flip")


# --- tokens -------------------------------------------------------------------------------------


def tokenizer_file(folder: Path) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=120, special_tokens=["?"])
    texts = ["\n".join(one.story) for one in fabula.generate("babi/qa1", "train", 1, 50)]
    made.train_from_iterator(texts, trainer)
    path = folder / "tokenizer.json"
    made.save(str(path))
    return path


def test_pairs_have_equally_many_tokens(tmp_path: Path) -> None:
    path = tokenizer_file(tmp_path)
    contrast = {**BOTH, "tokenizer": str(path)}
    made = list(fabula.generate("babi/qa1", "train", 5, 30, contrast=contrast))
    made += list(
        fabula.rewrite(
            fabula.generate("babi/qa2", "train", 5, 10), "flip", tokenizer=str(path)
        ).data
        or ()
    )
    bases = {one.id: one for one in made if one.variant == "base"}
    assert len(bases) > 12
    for one in made:
        tokens = one.extras["tokens"]
        assert tokens["count"] == bases[one.pair].extras["tokens"]["count"]
        assert bool(tokens["differ"]) == (one.variant != "base")
    assert fabula.verify(made).failed == 0


def test_a_tokenizer_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(FabulaError, match=r"no such file.*tokenizer\.json"):
        fabula.rewrite(fabula.generate("babi/qa1", size=2), "flip", tokenizer="nowhere.json")
    wrong = tmp_path / "tokenizer.json"
    wrong.write_text("{}")
    with pytest.raises(FabulaError, match="cannot be loaded"):
        fabula.rewrite(fabula.generate("babi/qa1", size=2), "flip", tokenizer=str(wrong))


# --- formats and scores ---------------------------------------------------------------------------


def test_the_interchange_table(tmp_path: Path) -> None:
    fabula.write("babi/qa1", tmp_path / "data", sizes={"train": 45}, format="interchange", seed=5,
                 changes={"contrast": BOTH})  # fmt: skip
    (file,) = (tmp_path / "data").glob("train*.jsonl")
    lines = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    assert len(lines) == 15
    for line in lines:
        assert line["variants"] == ["flip", "hold"]
        flip, hold = line["counterfactual_answers"]
        assert flip != line["answer"] == hold
        assert all(text != line["input"] for text in line["counterfactual_inputs"])
        begin, end = line["spans"]["sentences"][0]
        assert line["input"][begin:end].endswith(".")
    own = [fields(*each) for each in families(pairs("babi/qa1", 45))]
    assert orjson.loads(orjson.dumps(own)) == lines


def test_the_interchange_table_needs_pairs(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="contrast pairs"):
        fabula.write("babi/qa1", tmp_path / "data", sizes={"train": 5}, format="interchange")


def test_parquet_keeps_everything(tmp_path: Path) -> None:
    made = pairs("babi/qa15", 12)
    fabula.write("babi/qa15", tmp_path / "data", sizes={"train": 12}, format="parquet", seed=5,
                 changes={"contrast": BOTH})  # fmt: skip
    again = list(fabula.Dataset(tmp_path / "data", split="train"))
    assert [one.to_json() for one in again] == [one.to_json() for one in made]


def row(one: Instance, answer: tuple[str, ...]) -> dict[str, object]:
    right = sorted(answer) == sorted(one.answer)
    return {"id": one.id, "answer": list(answer), "outcome": "correct" if right else "wrong",
            "instance": orjson.loads(one.to_json())}  # fmt: skip


def test_scores_of_students_with_a_known_fault() -> None:
    made = pairs("babi/qa1", 60)
    bases = {one.id: one for one in made}
    perfect = contrast_scores(row(one, one.answer) for one in made)
    assert perfect["pairs"]["flip"]["consistency"] == 1
    assert perfect["pairs"]["hold"] == {
        "pairs": 20, "both_right": 20, "only_base_right": 0, "only_variant_right": 0,
        "none_right": 0, "swayed": 0, "consistency": 1.0,
    }  # fmt: skip
    stuck = contrast_scores(row(one, bases[one.pair].answer) for one in made)
    assert stuck["pairs"]["flip"]["stuck"] == 20
    assert stuck["pairs"]["flip"]["consistency"] == 0
    assert stuck["pairs"]["hold"]["consistency"] == 1
    swayed = contrast_scores(
        row(one, ("nowhere",) if one.variant == "hold" else one.answer) for one in made
    )
    assert swayed["pairs"]["hold"]["swayed"] == 20
    assert any("hold" in line for line in contrast_lines(swayed))
    assert contrast_scores([]) == {}


def test_runs_have_the_scores(tmp_path: Path) -> None:
    made = pairs("babi/qa1", 15)
    right = {fabula.prompt(one): one.answer[0] for one in made}
    fabula.evaluate(lambda prompts: [right[p] for p in prompts], made, out=tmp_path / "run")
    manifest = orjson.loads((tmp_path / "run" / "evaluation.json").read_bytes())
    assert manifest["contrast"]["pairs"]["flip"]["consistency"] == 1


# --- words ---------------------------------------------------------------------------------------


def test_words_stand_alone() -> None:
    assert word_position("his mother-in-law Ann", "mother") is None
    assert word_position("Annette saw Ann.", "Ann") == 12


def test_sorts_are_found_from_facts() -> None:
    story = [[("move", "Mary", "park")], [("grab", "John", "milk")], [("grab", "Mary", "milk")]]
    known = Vocabulary([story])
    assert set(known.words(known.sort(("grab", 1)))) == {"Mary", "John"}
    assert known.sort(("move", 1)) == known.sort(("grab", 1)) != known.sort(("move", 2))
