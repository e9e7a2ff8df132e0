"""The audit of StepGame's data: a second reading of what we write, and a check of others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson
import pytest

from fabula import cli
from fabula.analysis.audits.stepgame import (
    LABELS,
    Step,
    StepGameAudit,
    Told,
    asked,
    audit,
    audit_samples,
    label_step,
    understand,
)
from fabula.core.instance import Instance
from fabula.datasets.formats import stepgame
from fabula.datasets.formats.stepgame import Sample
from fabula.errors import FabulaError
from fabula.generation.author import generate
from fabula.world.space.language import language

STEPS = {label: step for step, label in LABELS.items()}


def sampled(records: Iterable[Instance]) -> list[Sample]:
    return [
        Sample(r.story, r.question, r.answer[0], r.features["chain"], r.id, r.support)
        for r in records
    ]


def flip(step: Step) -> Step:
    return -step[0], -step[1]


# --- what we write --------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", ["stepgame/clean", "stepgame/noise", "stepgame/compat"])
def test_generated_stories_are_read_and_right(recipe: str) -> None:
    records = list(generate(recipe, "test", size=300))
    found = audit_samples(sampled(records), recipe)
    assert found.stories == found.agree == found.cited == found.proven == 300
    assert found.parsed == found.sentences == sum(r.features["sentences"] for r in records)
    assert not found.unparsed
    assert found.contradictory == found.disagree == found.underived == 0
    assert not found.suspects
    for record in records:
        alone = audit_samples(sampled([record]), recipe)
        assert dict(alone.hops[record.features["chain"]]) == {record.features["hops"]: 1}
    if recipe != "stepgame/compat":  # there any two of the chain are asked about
        assert found.deep == 300


@pytest.mark.parametrize(
    ("one", "other"), [("Otto", "Vera"), ("the lamp", "the fork"), ("A", "I"), ("O", "S")]
)
def test_every_phrase_of_the_bank_means_the_same_to_both_readers(one: str, other: str) -> None:
    for phrase in language("en").banks[2].phrases:
        text = phrase.text.format(figure=one, ground=other)
        figure, ground = one.removeprefix("the "), other.removeprefix("the ")
        step = STEPS[phrase.relation]
        found = understand(text[0].upper() + text[1:])
        same = (Told(figure, step, ground), Told(ground, flip(step), figure))
        assert found in same, (text, found)


# --- what others write ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("P sits on the western side of Q.", "left"),
        ("P is right above Q.", "above"),
        ("To the right of Q you see P.", "right"),
        ("Q is over there, and underneath it is the object P.", "below"),
        ("Q is here and P is up and to the left of it.", "upper-left"),
        ("P is above Q, and it is to the right of Q.", "upper-right"),
        ("P stands at Q's 3 o'clock.", "right"),
        ("P stands at Q’s 11 o'clock.", "upper-left"),
        ("With Q at the centre of a clock, P lies between 7 and 8.", "lower-left"),
        ("With Q at the centre of a clock, P lies between 12 and 1.", "upper-right"),
        ("P is found at the 6:00 position relative to Q.", "below"),
        ("P is found at half past four if Q is the middle of a clock face.", "lower-right"),
        ("P lies north west of Q.", "upper-left"),
        ("P lies directly southeast of Q.", "lower-right"),
        ("P and Q are on a line, with Q at the bottom and P at the top.", "above"),
        ("P and Q are in a horizontal line with P on the left.", "left"),
        ("P is in line with Q and on the right.", "right"),
        ("Q is on the right and P on the left.", "left"),
        ("P is at an angle of 45 degrees to Q, in the bottom right-hand corner.", "lower-right"),
        ("P is diagonally to the left of and above Q.", "upper-left"),
        ("P and Q are over there. Q is lower and slightly to the left of P.", "upper-right"),
        ("Seen from Q, P is on the left.", "left"),
        ("Q has P to its left.", "left"),
        ("A step up from Q is P.", "above"),
    ],
)  # fmt: skip
def test_sentences_are_understood_by_their_words(sentence: str, relation: str) -> None:
    found = understand(sentence)
    step = STEPS[relation]
    assert found in (Told("P", step, "Q"), Told("Q", flip(step), "P")), found


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("P is not above Q.", "negation"),
        ("P isn't above Q.", "unknown word 'isn'"),
        ("P is two steps above Q.", "'two'"),
        ("P is 3 steps to the left of Q.", "'3'"),
        ("P is between Q and R.", "3 agents"),
        ("P is above P.", "only one agent"),
        ("P is near Q.", "unknown word 'near'"),
        ("P is next to Q.", "no direction"),
        ("P is diagonally above Q.", "'diagonal'"),
        ("P is in the row of Q, above it.", "in line"),
        ("P is on the left and Q is on the left.", "contradict"),
        ("P points left to Q.", "'points'"),
        ("P is at Q's 13:00 on the clock.", "no hour"),
        ("Seen from P and from Q, the top is up.", "relative to either agent"),
    ],
)
def test_what_is_not_clear_is_not_guessed(sentence: str, reason: str) -> None:
    found = understand(sentence)
    assert isinstance(found, str)
    assert reason in found


def test_questions_and_labels() -> None:
    assert asked("What is the relation of the agent X to the agent Y?") == ("X", "Y")
    assert asked("Relative to Y, where is X?") == ("X", "Y")
    assert asked("What is the relation of the lamp to the fork?") == ("lamp", "fork")
    assert asked("How do you go from the kitchen to the garden?") is None
    assert asked("Where is X?") is None
    assert {label: label_step(label) for label in STEPS} == STEPS
    assert label_step("top-left") == STEPS["upper-left"]
    assert label_step("left-right") is label_step("sideways") is None


# --- planted errors -------------------------------------------------------------------------------

STORY = ("A is above B.", "C is to the right of B.", "C is to the lower right of A.")
QUESTION = "What is the relation of the agent C to the agent A?"


def of(story: Iterable[str], label: str = "lower-right", question: str = QUESTION) -> StepGameAudit:
    return audit_samples([Sample(tuple(story), question, label, 2, "here", ())], "planted")


def test_a_sound_story_has_no_remark() -> None:
    found = of(STORY)
    assert (found.agree, found.disagree, found.underived, found.contradictory) == (1, 0, 0, 0)
    assert found.hops == {2: {1: 1}}
    assert found.deep == 0


def test_a_wrong_label_is_refuted() -> None:
    found = of(STORY[:2], "left")
    assert found.disagree == 1
    (remark,) = found.refuted
    assert remark.place == "here"
    assert remark.reason == "sentences 1, 2 say 'lower-right', the label 'left'"
    assert "is not a relation" in of(STORY, "sideways").refuted[0].reason


def test_a_wrong_sentence_that_decides_alone_is_a_suspect() -> None:
    found = of(["A is above C."], "above")
    assert found.suspects == {"#0 is above #1.": (1, 1)}


def test_a_contradiction_names_its_sentences() -> None:
    found = of([*STORY[:2], "D is below C.", "C is to the left of A."])
    assert (found.contradictory, found.underived) == (1, 1)
    assert found.contradictions[0].reason == "sentences 1, 2, 4 cannot all be true"
    apart = ["X is above Y.", "X is below Y."]
    found = of([*STORY, *apart])
    assert (found.contradictory, found.agree) == (1, 1)


def test_what_is_not_told_is_not_derived() -> None:
    assert "no sentences link C and A" in of([STORY[0], "C is above D."]).unknown[0].reason
    assert "does not place C" in of(STORY[:1]).unknown[0].reason
    found = of([STORY[0], "C is somehow near B."])
    assert "sentence 2 is not understood" in found.unknown[0].reason
    assert found.unparsed == {"#0 is somehow near #1.": 1}
    assert found.reasons["#0 is somehow near #1."] == "unknown word 'somehow'"
    assert of(STORY, question="Who is there?").unknown[0].reason == "the question is not understood"


def test_planted_errors_are_found_among_sound_stories(tmp_path: Path) -> None:
    records = list(generate("stepgame/noise", "valid", size=60))
    samples = sampled(records)
    wrong = samples[7]
    label = next(word for word in STEPS if word != wrong.label)
    samples[7] = wrong._replace(label=label)
    whole = samples[11]
    samples[11] = whole._replace(story=(*whole.story, "Zorro is near Vera."))
    found = audit_samples(samples, "noise")
    assert [remark.place for remark in found.refuted] == [wrong.place]
    assert (found.agree, found.disagree) == (59, 1)
    assert sum(found.unparsed.values()) == 1


def test_folders_and_files_in_order_of_k(tmp_path: Path) -> None:
    records = list(generate("stepgame/compat", "valid", size=80))
    for form in stepgame.FORMS:
        (tmp_path / form).mkdir()
        for name, pieces in stepgame.files(records, "valid", form):
            (tmp_path / form / name).write_text("".join(pieces))
    (tmp_path / "json" / "manifest.json").write_text("{}")
    single = tmp_path / "jsonl" / "qa1_valid.jsonl"
    found = list(audit([tmp_path / "json", tmp_path / "txt", single]))
    lengths = sorted({record.features["chain"] for record in records})
    count = len(lengths)
    assert [result.file for result in found[:count]] == [f"qa{k}_valid.json" for k in lengths]
    assert len(found) == 2 * count + 1
    assert all(result.agree == result.stories for result in found)
    assert all(result.cited == result.proven == result.stories for result in found[count:-1])
    with pytest.raises(FabulaError, match="no such file"):
        list(audit([tmp_path / "nowhere"]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FabulaError, match="in this folder"):
        list(audit([tmp_path / "empty"]))


def test_only_the_first_remarks_are_kept_and_all_are_counted() -> None:
    bad = [Sample(STORY, QUESTION, "left", None, str(n)) for n in range(30)]
    found = audit_samples(bad, "bad", keep=5)
    assert (found.disagree, len(found.refuted)) == (30, 5)


def test_the_audit_as_json() -> None:
    found = of(["A is above C.", "C is somehow near B."], "above").to_dict()
    again = orjson.loads(orjson.dumps(found, option=orjson.OPT_NON_STR_KEYS))
    assert again["disagree"] == 1
    assert again["hops"] == {"2": {"1": 1}}
    assert again["unparsed"][0]["form"] == "#0 is somehow near #1."
    assert again["suspects"]["#0 is above #1."] == {"tried": 1, "wrong": 1}
    assert again["refuted"][0]["place"] == "here"


def test_what_is_not_understood_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = {"story": ["A is above C.", "C is somehow near B."], "question": QUESTION}
    for name, more in {"bare.json": {}, "named.jsonl": {"k_hop": "2"}}.items():
        sample = {**story, "label": "above", **more}
        whole = {"0": sample} if name.endswith(".json") else sample
        (tmp_path / name).write_bytes(orjson.dumps(whole))
        assert cli.main(["audit", "stepgame", str(tmp_path / name)]) == 1
        told = capsys.readouterr().out
        assert "not understood, 1×: #0 is somehow near #1." in told
        assert ("k is not given" in told) == (not more)
        assert ("0 need k steps" in told) == bool(more)


def test_a_file_of_which_nothing_is_understood_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "qa1_test.txt"
    other.write_text("1 Mary went to the park.\n2 Where is Mary?\tpark\t1\n")
    assert cli.main(["audit", "stepgame", str(other)]) == 2
    told = capsys.readouterr().err
    assert "no sentence is understood, e.g. " in told
    assert "Is this StepGame's data?" in told
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(orjson.dumps({"story": [], "question": QUESTION, "label": "above"}))
    assert cli.main(["audit", "stepgame", str(empty)]) == 2
    assert "the stories have no sentences" in capsys.readouterr().err
