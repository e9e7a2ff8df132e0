"""Leakage: what is the same by which measure, and in how much memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.needs import PUBLISHED, published

from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.analysis.leak import MEASURES, expected_share, leak, prints, repeats, sample_space
from fabula.analysis.tables import engine
from fabula.datasets.engines import write
from fabula.datasets.formats import stepgame
from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.recipe.loading import load

QUESTION = "What is the relation of the agent {} to the agent {}?"


def jsonl(path: Path, recipe: str, split: str, size: int) -> Path:
    path.mkdir(exist_ok=True)
    lines = [record.to_json() for record in generate(recipe, split, size=size)]
    (path / f"{split}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return path / f"{split}.jsonl"


def samples(path: Path, *stories: tuple[Sequence[str], str]) -> Path:
    data = {
        str(n): {"story": list(story), "question": question, "label": "left"}
        for n, (story, question) in enumerate(stories)
    }
    path.write_text(json.dumps(data))
    return path


def seen(train: Path, test: Path) -> set[str]:
    return {measure for measure, found in leak(train, test).measures.items() if found.seen}


# --- tables and single items ----------------------------------------------------------------------


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_as_a_table_or_one_by_one(
    variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways to read records give the same hashes."""
    recipe, split = load(variant.recipe, variant.changes), sample_split(variant)
    write(recipe, tmp_path / "j", {split: 12})
    write(recipe, tmp_path / "p", {split: 12}, "parquet")
    monkeypatch.setattr(prints.Prints, "_grid", lambda self, file: False)
    with engine() as tables:
        as_table = [prints.Prints(tables, name, tmp_path / name) for name in ("j", "p")]
        assert [found.items for found in as_table] == [12, 12]
        monkeypatch.setattr(prints.Prints, "_grid", lambda self, file: True)
        prints.Prints(tables, "single", tmp_path / "j")
        columns = 'place, text, "order", proof, signature'
        rows = [
            tables.execute(f"SELECT {columns} FROM {name} ORDER BY rowid").fetchall()
            for name in ("j", "p", "single")
        ]
    assert rows[0] == rows[1] == rows[2]


# --- the measures ---------------------------------------------------------------------------------


def test_each_measure_sees_what_it_should(tmp_path: Path) -> None:
    asked = QUESTION.format("P", "R")
    story = ("P is above Q.", "Q is above R.")
    train = samples(tmp_path / "train.json", (story, asked))

    def against(told: Sequence[str], question: str = asked) -> set[str]:
        return seen(train, samples(tmp_path / "test.json", (told, question)))

    assert against(story) == set(MEASURES)
    assert against(story[::-1]) == set(MEASURES) - {"text", "signature"}
    assert against((*story, "S is below R.")) == {"proof", "signature"}
    assert against(("P is over Q.", "Q is above R.")) == {"signature", "facts", "canonical"}
    assert against(("Q is below P.", "Q is above R.")) == {"canonical"}
    other = [sentence.replace("Q", "Z") for sentence in story]
    assert against(other) == {"signature"}
    assert against(story, QUESTION.format("R", "P")) == set()
    assert against(("P is below Q.", "Q is above R.")) == set()


def test_a_sentence_that_is_not_understood_stands_for_itself(tmp_path: Path) -> None:
    asked = QUESTION.format("P", "Q")
    train = samples(tmp_path / "a.json", (["P is near Q."], asked))
    assert seen(train, train) == {"text", "order", "facts", "canonical"}
    test = samples(tmp_path / "b.json", (["P is by Q."], asked))
    assert seen(train, test) == set()


def test_our_splits_share_no_proof(tmp_path: Path) -> None:
    train = jsonl(tmp_path, "stepgame/clean", "train", 400)
    test = jsonl(tmp_path, "stepgame/clean", "test", 400)
    found = leak(train, test)
    assert (found.train, found.test) == (400, 400)
    assert list(found.measures) == list(MEASURES)
    for measure in ("text", "order", "proof"):
        assert found.measures[measure].seen == 0
    assert found.measures["signature"].share > 0.1  # few chains of one step, names aside


def test_a_planted_copy_is_found_with_its_place(tmp_path: Path) -> None:
    train = jsonl(tmp_path / "a", "babi/qa2", "train", 50)
    lines = train.read_bytes().splitlines()
    test = jsonl(tmp_path / "b", "babi/qa2", "test", 20)
    with test.open("ab") as file:
        file.write(lines[7] + b"\n" + lines[7] + b"\n")
    found = leak(train.parent, test.parent).measures["text"]
    assert (found.seen, found.test, found.test_repeats) == (2, 22, 1)
    assert found.example == json.loads(lines[7])["id"]
    assert "facts" not in leak(train, test).measures
    assert leak(train, test).to_dict()["measures"]["text"]["share"] == round(2 / 22, 6)


def test_the_same_data_in_all_formats_is_the_same(tmp_path: Path) -> None:
    records = list(generate("stepgame/clean", "test", size=60))
    ours = jsonl(tmp_path, "stepgame/clean", "test", 60)
    for form, text in stepgame.FORMS.items():
        file = tmp_path / f"copy.{form}"
        file.write_text("".join(text(records)))
        found = leak(ours, file).measures
        for measure in ("text", "order", "proof", "canonical"):
            assert found[measure].share == 1, (form, measure)


def test_babi_text_is_measured_by_what_it_cites(tmp_path: Path) -> None:
    one = "1 Mary went to the kitchen.\n2 John went to the garden.\n3 Where is Mary?\tkitchen\t1\n"
    two = "1 Mary went to the kitchen.\n2 Bill went to the office.\n3 Where is Mary?\tkitchen\t1\n"
    odd = "1 Quux frobbed.\n2 Where is Mary?\tkitchen\t1\n"
    for name, text in (("one", one), ("two", two), ("odd", odd)):
        (tmp_path / f"{name}.txt").write_text(text)
    assert seen(tmp_path / "one.txt", tmp_path / "two.txt") == {"proof", "signature"}
    assert "signature" not in leak(tmp_path / "one.txt", tmp_path / "odd.txt").measures


def test_repeats_inside_a_set(tmp_path: Path) -> None:
    asked = QUESTION.format("P", "Q")
    file = samples(
        tmp_path / "a.json",
        (["P is above Q."], asked),
        (["P is over Q."], asked),
        (["P is above Q."], asked),
    )
    found = repeats(file)
    assert (found["text"].items, found["text"].repeated) == (3, 1)
    assert found["text"].example.endswith("sample '2'")
    assert found["facts"].repeated == 2


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="no such file"):
        leak(tmp_path / "none", tmp_path)
    with pytest.raises(FabulaError, match="in this folder"):
        leak(tmp_path, tmp_path)


@published
@pytest.mark.parametrize(
    ("task", "text", "order", "proof"),
    [(1, 3, 5, 880), (4, 81, 146, 765), (15, 305, 307, 952), (17, 373, 376, 376), (19, 0, 0, 75)],
)
def test_published_training_files_repeat_themselves(
    task: int, text: int, order: int, proof: int
) -> None:
    (file,) = PUBLISHED.glob(f"qa{task}_*_train.txt")
    found = repeats(file)
    assert {measure.items for measure in found.values()} == {1000}
    assert tuple(found[m].repeated for m in ("text", "order", "proof")) == (text, order, proof)


# --- how large StepGame is ------------------------------------------------------------------------


def test_sample_space() -> None:
    assert sample_space(1) == 10_400
    assert sample_space(1, directed=False) == 5_200
    assert sample_space(2) == 23_961_600
    assert f"{sample_space(3):.2e}" == "5.29e+10"
    assert f"{sample_space(5):.2e}" == "3.13e+17"
    assert sample_space(1, entities=2) == 16 * 2 // 2 * 2
    with pytest.raises(FabulaError, match="cannot be drawn"):
        sample_space(26)


def test_sample_space_counts_what_can_be_drawn() -> None:
    # k=1: which fact is told (8 steps between an ordered pair, each in one direction), and asked
    agents, steps = "ABC", [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    facts = {(a, step, b) for a in agents for b in agents for step in steps if a != b}
    drawn = {(fact, pair) for fact in facts for pair in ((0, 2), (2, 0))}
    assert len(drawn) == sample_space(1, entities=3)
    same = {
        (min((a, (x, y), b), (b, (-x, -y), a)), (a, b) if pair == (0, 2) else (b, a))
        for (a, (x, y), b), pair in drawn
    }
    assert len(same) == sample_space(1, entities=3, directed=False)


def test_expected_share() -> None:
    assert round(expected_share(10_000, sample_space(1)), 3) == 0.618
    assert round(expected_share(10_000, sample_space(1, directed=False)), 3) == 0.854
