"""The prompt style 'cite': how it asks, how replies are read, and what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.datasets.formats.rl import compute_cited_score, fields
from fabula.errors import FabulaError
from fabula.evaluation.run import judge as judge_reply
from fabula.evaluation.run import read_manifest, read_run
from fabula.prompting.prompt import forms, prompt, reply
from fabula.recipe.loading import recipe_ids
from fabula.scoring.evidence import Reason, Verdict, citation, judge, reward

STORY = (
    "Mary went to the kitchen.",
    "John went to the hallway.",
    "Mary went to the garden.",
    "Mary went to the kitchen.",
    "John took the milk.",
)


def asked(question: str = "Where is Mary?", answer: str = "kitchen") -> Instance:
    """A question about the story above."""
    query = ("where-person", "Mary") if "Mary" in question else ("where-object", "milk")
    return Instance(
        id="x:test:0", story=STORY, question=question, answer=(answer,),
        choices=("garden", "hallway", "kitchen"), support=(4,), supports=((4,),),
        facts=((),) * 5, query=query, composition=(), roles=("distractor",) * 5, features={},
        signature="", provenance={"world": "actors"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Answer: garden\nEvidence: 2, 4", (2, 4)),
        ("Answer: garden. Evidence: sentences 2 and 4.", (2, 4)),
        ("Answer: garden\n**Evidence:** [4], [2]", (2, 4)),
        ("Answer: garden\nEvidence: 2-4", (2, 3, 4)),
        ("Answer: garden\nEvidence: 2–4 and 1", (1, 2, 3, 4)),
        ("Answer: garden\nEvidence: none", ()),
        ("Answer: garden\nEvidence:\n- 2\n- 4. Mary went to the garden.", (2, 4)),
        ("Answer: garden\nSupporting sentences: 2, 2, 4", (2, 4)),
        ("Evidence: 1\nWait.\nAnswer: garden\nEvidence: 3", (3,)),
        ("जवाब: बग़ीचा\nप्रमाण: 2, 4", (2, 4)),
        ("Javaab: bagicha\nPramaan: 2, 4", (2, 4)),
        ('{"answer": "garden", "evidence": [2, 4]}', (2, 4)),
        ('{"answer": "garden", "evidence": []}', ()),
        ('{"evidence": "2, 4", "answer": "garden"}', (2, 4)),
        ("Answer: garden", None),
        ("There is no evidence for it. Answer: garden", None),
        ("", None),
        ("Evidence: 1-999999", (1, 2, 3, 4, 5, 6)),
        ("Evidence: 9:40", ()),
    ],
)
def test_what_a_reply_cites(text: str, numbers: tuple[int, ...] | None) -> None:
    assert citation(text, 5).numbers == numbers


@pytest.mark.parametrize(
    ("cited", "verdict", "precision", "recall"),
    [
        ((4,), Verdict.MINIMAL, 1, 1),
        ((2, 4), Verdict.IDLE, 1 / 2, 1),
        ((1, 2, 3, 4, 5), Verdict.IDLE, 1 / 5, 1),
        ((1,), Verdict.STALE, 0, 0),
        ((3,), Verdict.INSUFFICIENT, 0, 0),
        ((2,), Verdict.INSUFFICIENT, 0, 0),
        ((), Verdict.INSUFFICIENT, 0, 0),
        ((4, 9), Verdict.IDLE, 1 / 2, 1),
        ((4, 0), Verdict.IDLE, 1 / 2, 1),
        ((9,), Verdict.INSUFFICIENT, 0, 0),
        (None, Verdict.MISSING, 0, 0),
    ],
)
def test_verdicts(
    cited: tuple[int, ...] | None, verdict: Verdict, precision: float, recall: float
) -> None:
    found = judge(asked(), cited)
    assert found is not None
    assert (found.verdict, found.precision, found.recall) == (verdict, precision, recall)
    assert found.score == (precision if verdict.sufficient else 0)


def test_outcomes_of_answer_and_evidence() -> None:
    for text, reason in (
        ("Answer: kitchen\nEvidence: 4", Reason.RIGHT),
        ("Answer: kitchen\nEvidence: 4, 2", Reason.RIGHT),
        ("Answer: kitchen\nEvidence: 1", Reason.LUCKY),
        ("Answer: kitchen", Reason.LUCKY),
        ("Answer: garden\nEvidence: 4", Reason.SLIP),
        ("Answer: garden\nEvidence: 3", Reason.WRONG),
        ("I do not know.", Reason.WRONG),
    ):
        assert fabula.score(asked(), text, evidence=True).reason is reason, text
    plain = fabula.score(asked(), "Answer: kitchen")
    assert plain.evidence is None
    assert plain.reason is None
    assert plain == fabula.score(asked(), "Answer: kitchen\nEvidence: 4", evidence=True)


def test_a_proof_that_is_not_recorded_counts_fully() -> None:
    instance = asked("Where is the milk?", "hallway")  # the record names another support
    found = judge(instance, (2, 5))
    assert found is not None
    assert (found.verdict, found.precision, found.recall) == (Verdict.MINIMAL, 1, 1)


def test_numbers_of_sentences_are_not_answers() -> None:
    instance = next(
        found for found in fabula.generate("babi/qa7", "test", 7, 50) if found.answer == ("two",)
    )
    cited = ", ".join(map(str, instance.support))
    for text in (f"two\nEvidence: {cited}", f"Evidence: {cited}\nAnswer: two"):
        assert fabula.score(instance, text, evidence=True).correct


def test_a_label_without_a_proof_is_not_judged() -> None:
    instance = next(
        found
        for found in fabula.generate("babi/qa16", "test", 7, 300, dialect="release")
        if "defect" in found.features
    )
    assert fabula.score(instance, "Answer: x\nEvidence: 1", evidence=True).evidence is None
    assert reward(instance, f"Answer: {instance.answer[0]}") == 1


@pytest.mark.parametrize("recipe", recipe_ids())
def test_the_right_reply_is_right_for_the_right_reason(recipe: str) -> None:
    for instance in fabula.generate(recipe, "test", 3, 4):
        numbered = prompt(instance, "cite").splitlines()
        for number, sentence in enumerate(instance.story, 1):
            assert f"{number}. {sentence}" in numbered
        if instance.supports:
            for form in forms():
                found = judge_reply(instance, reply(instance, form, "", "cite"), form, style="cite")
                assert found.reason is Reason.RIGHT
                assert found.evidence is not None
                assert found.evidence.score == 1


def test_rewards() -> None:
    instance = asked()
    for text, weight, worth in (
        ("Answer: kitchen\nEvidence: 4", 0.5, 1),
        ("Answer: kitchen\nEvidence: 2, 4", 0.5, 0.75),
        ("Answer: kitchen\nEvidence: 1, 2, 3, 4, 5", 0.5, 0.6),
        ("Answer: kitchen\nEvidence: 1", 0.5, 0.5),
        ("Answer: garden\nEvidence: 4", 0.25, 0.25),
        ("Answer: kitchen", 0, 1),
        ("Answer: garden", 0.5, 0),
    ):
        assert reward(instance, text, weight) == pytest.approx(worth)
    with pytest.raises(FabulaError, match="weight 2: the share of the evidence"):
        reward(instance, "", 2)
    made = fabula.instance("babi/qa2", "test", 3)
    row = fields(made)
    right = reply(made, style="cite")
    assert compute_cited_score("fabula/x", right, "", row["extra_info"]) == 1


def test_evaluations_count_reasons(tmp_path: Path) -> None:
    def model(instance: Instance) -> str:
        cited = instance.support if int(instance.id.rpartition(":")[2]) % 2 else (1,)
        return f"Answer: {instance.answer[0]}\nEvidence: {', '.join(map(str, cited))}"

    found = fabula.evaluate(model, "babi/qa2", tmp_path / "run", size=20, style="cite", shots=2)
    assert found.evidence is not None
    assert found.evidence["judged"] == sum(found.evidence["reasons"].values()) == 20
    assert found.evidence["reasons"]["right for the right reason"] >= 10
    assert found.evidence["reasons"]["right for the wrong reason"] > 0
    assert 0.5 <= found.evidence["recall"] < 1
    assert all(each.cited for each in found.replies)
    assert {each.reason for each in found.replies} == {str(Reason.RIGHT), str(Reason.LUCKY)}
    again = fabula.evaluate(model, "babi/qa2", tmp_path / "run", size=20, style="cite", shots=2)
    assert again.evidence == found.evidence == read_manifest(tmp_path / "run")["evidence"]
    assert "Evidence: " in read_manifest(tmp_path / "run")["examples"][0]
    lines = (tmp_path / "run" / "replies.jsonl").read_text()
    (tmp_path / "run" / "replies.jsonl").write_text(lines.replace('"idle"', '"odd"', 1).replace(
        '"minimal"', '"odd"', 1))  # fmt: skip
    with pytest.raises(FabulaError, match=r"reply .*, field 'evidence': expected cited, verdict"):
        list(read_run(tmp_path / "run"))


HEDGES = [
    ("babi/qa1", "Answer: yes, no, maybe, the {}", "wrong"),
    ("babi/qa1", "yes, no, maybe, the {}", "wrong"),
    ("babi/qa1", "{}, yes", "wrong"),
    ("babi/qa1", "Answer: {} or two or John", "wrong"),
    ("babi/qa1", "yes\nno\nmaybe\n{}", "unparsed"),
    ("babi/qa1", "Answer: {}, I think", "correct"),
    ("babi/qa1", "Answer: {}, because nobody moved, yes", "correct"),
    ("babi/qa1", "{}. {}.", "correct"),
    ("babi/qa6", "Answer: yes, no, maybe, garden", "wrong"),
    ("babi/qa6", "Answer: {}, two, Mary, garden", "wrong"),
    ("babi/qa6", "{}, two, three", "wrong"),
    ("babi/qa6", "Answer: {}.", "correct"),
    ("babi/qa8", "Answer: {}, garden", "wrong"),
    ("babi/qa8", "{}, yes, no", "wrong"),
    ("clutrr/gen-23", "Answer: {}, kitchen-maid", "correct"),  # not its vocabulary
    ("clutrr/gen-23", "Answer: yes, no, {}", "wrong"),
]


@pytest.mark.parametrize(("recipe", "text", "outcome"), HEDGES)
def test_listing_the_vocabulary_is_not_an_answer(recipe: str, text: str, outcome: str) -> None:
    for instance in fabula.generate(recipe, "test", 7, 5):
        answer = ", ".join(instance.answer)
        if answer == "nothing":
            continue
        found = fabula.score(instance, text.format(answer, answer))
        assert found.outcome.value == outcome, (instance.question, answer, found)


def test_an_answer_may_say_more() -> None:
    for instance in fabula.generate("babi/qa6", "test", 7, 20):
        assert fabula.score(instance, f"{instance.answer[0]}, the garden").correct
    for instance in fabula.generate("babi/qa7", "test", 7, 40):
        if instance.answer == ("two",):
            things = [fact[2] for told in instance.facts for fact in told if fact[0] == "grab"]
            said = f"Answer: two, the {things[0]} and the {things[-1]}"
            assert fabula.score(instance, said).correct
