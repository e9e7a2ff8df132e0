"""Audits of scorers, reasoning-gym and BABILong, and the corrected editions of all formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

import fabula
from fabula.analysis.audits import reasoning_gym
from fabula.analysis.audits.replies import Item, replies
from fabula.analysis.audits.results import audit_files
from fabula.analysis.audits.scorer import audit_scorer
from fabula.cli import main
from fabula.errors import FabulaError, UsageError

# --- scorers --------------------------------------------------------------------------------------

ITEM = Item("Mary went to the hall.", "Where is Mary?", "hall", ("garden", "hall", "office"))


def test_there_are_hundreds_of_kinds_of_reply_and_they_are_labelled() -> None:
    made = list(replies(ITEM))
    assert len({reply.kind for reply in made}) >= 300
    assert all("hall" in reply.text.lower() for reply in made if reply.right)
    plain = {reply.content: reply for reply in made if reply.form == "plain"}
    assert plain["right"].text == "hall"
    assert not plain["all, commas"].right
    assert not any(reply.right for reply in made if reply.content not in ("right", "changed mind"))


def score_substring(reply: str, answer: str) -> bool:
    """A planted mistake: accepts every reply that contains the answer."""
    return answer in reply


def score_exact(reply: str, answer: str) -> float:
    """A planted mistake: rejects everything but the bare word."""
    return float(reply == answer)


def score_never(reply: str, answer: str) -> bool:
    raise ZeroDivisionError(reply[:3])


@pytest.mark.parametrize(
    ("score", "kind", "place"),
    [
        (score_substring, "false-accept", "all, commas | plain"),
        (score_exact, "false-reject", "right | full stop"),
        (score_never, "raises", "right | plain"),
    ],
)
def test_a_scorer_with_a_planted_mistake(score: Callable[..., Any], kind: str, place: str) -> None:
    found = audit_scorer(score, fabula.generate("babi/qa1", "test", size=2), keep=1000)
    assert place in {each.place for each in found.findings if each.kind.name == kind}
    assert found.counts[kind] > 0


def test_our_own_scorer_is_not_fooled() -> None:
    names = (
        "babi/qa1",
        "babi/qa6",
        "babi/qa7",
        "babi/qa8",
        "babi/qa19",
        "stepgame/clean",
        "clutrr/gen-23",
    )
    instances = [fabula.instance(name, "test", 3) for name in names]

    def score(reply: str, instance: Any) -> bool:
        return fabula.score(instance, reply).outcome.value == "correct"

    found = audit_scorer(score, instances)
    assert not [(each.place, each.label, each.corrected) for each in found.findings]


def test_a_scorer_with_unknown_parameters_is_refused() -> None:
    with pytest.raises(UsageError, match="there is nothing to pass for the parameter 'colour'"):
        audit_scorer(lambda reply, colour: True, [])
    with pytest.raises(UsageError, match="one parameter must be named 'reply'"):
        audit_scorer(lambda answer: True, [])


def test_the_scorer_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my_score.py"
    file.write_text("def score(reply, answer):\n    return answer in reply\n")
    command = ["audit", "scorer", f"py:{file}:score", "--recipe", "babi/qa1", "--size", "2"]
    assert main([*command, "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["kinds_of_reply"] >= 300
    assert row["defects"]["false-accept"]["count"] > 0


# --- reasoning-gym --------------------------------------------------------------------------------

NAMES = SimpleNamespace(male_names=["Bob", "Dan"], female_names=["Ann", "Cara"])
FAMILY = (
    "Ann is married to Bob. They have children called Cara and Dan.\n\n"
    "What is {} to {}? Respond only with the word that describes their relationship."
)


@pytest.mark.parametrize(
    ("pair", "answer", "right"),
    [
        (("Ann", "Cara"), "mother", True),
        (("Cara", "Ann"), "mother", False),  # the other way round
        (("Dan", "Cara"), "brother", True),
        (("Dan", "Cara"), "sister", False),
        (("Bob", "Ann"), "husband", True),
    ],
)
def test_families_of_reasoning_gym(pair: tuple[str, str], answer: str, right: bool) -> None:
    entry = {"question": FAMILY.format(*pair), "answer": answer}
    assert reasoning_gym.decide_family(entry, NAMES).right == right


def syllogism(one: str, two: str, conclusion: str, answer: str) -> reasoning_gym.Verdict:
    question = (
        f"Consider these statements:\n1. {one}\n2. {two}\n\nDoes it logically follow that:\n"
        f"{conclusion}?\n(Answer Yes or No)"
    )
    return reasoning_gym.decide_syllogism({"question": question, "answer": answer}, None)


def test_syllogisms_of_reasoning_gym() -> None:
    barbara = ("All cats are pets", "All pets are toys", "All cats are toys")
    assert syllogism(*barbara, "Yes").right
    assert not syllogism(*barbara, "No").right
    weak = syllogism("All cats are pets", "All pets are toys", "Some cats are toys", "Yes")
    assert weak.depends  # true only if there are cats
    assert not weak.right
    assert syllogism("Some cats are pets", "Some pets are toys", "Some cats are toys", "No").right


def test_knights_of_reasoning_gym() -> None:
    text = (
        "A very special island is inhabited only by knights and knaves. Knights always tell the "
        "truth, and knaves always lie. You meet 2 inhabitants: Ann, and Bob. Ann said that Bob is "
        'a knave. "Ann is a knight if and only if Bob is a knave," Bob declared. So who is a '
        'knight and who is a knave? (Format your answer like: "…")'
    )
    wrong = {"question": text, "answer": "Ann is a knave, and Bob is a knave."}
    found = reasoning_gym.decide_knights(wrong, None)
    assert not found.right
    assert len(found.answers) == 1
    names = found.answers[0].replace(", ", ", and ", 1) + "."
    assert reasoning_gym.decide_knights({"question": text, "answer": names}, None).right


def test_unknown_tasks_of_reasoning_gym_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no audit for this task\. Did you mean 'syllogism'"):
        reasoning_gym.audit("sylogism")


# --- corrected editions ---------------------------------------------------------------------------


def test_a_corrected_babi_file_has_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "qa1.txt"
    path.write_text(
        "1 Mary went to the hall.\n2 John went to the garden.\n3 Where is Mary?\tgarden\t1\n"
        "4 Where is John?\tgarden\t1\n5 Where is Daniel?\thall\t2\n"
    )
    (found,) = audit_files("babi", [path], fix=tmp_path / "fixed")
    assert found.counts == {
        "answer-does-not-follow": 2,
        "support-proves-nothing": 1,
        "support-unusual": 1,
    }
    fixed = tmp_path / "fixed" / "qa1.txt"
    assert fixed.read_text() == (
        "1 Mary went to the hall.\n2 John went to the garden.\n3 Where is Mary?\thall\t1\n"
        "4 Where is John?\tgarden\t2\n"
    )
    assert not audit_files("babi", [fixed])[0].counts
    actions = [
        json.loads(line)["action"]
        for line in (fixed.parent / "changes.jsonl").read_text().splitlines()
    ]
    assert actions == ["label", "support", "removed"]


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_corrected_stepgame_file_has_no_defect(tmp_path: Path, ending: str) -> None:
    story = ["A is to the left of B.", "B is above C."]
    asked = "What is the relation of the agent A to the agent C?"
    rows = [
        {"story": story, "question": asked, "label": "upper-left", "k_hop": 2},
        {"story": story, "question": asked, "label": "right", "k_hop": 2},
        {"story": story, "question": asked.replace("C", "D"), "label": "left", "k_hop": 2},
    ]
    path = tmp_path / f"qa2_test{ending}"
    numbered = {str(n): row for n, row in enumerate(rows)}
    lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    path.write_bytes(orjson.dumps(numbered) if ending == ".json" else lines)
    (found,) = audit_files("stepgame", [path], fix=tmp_path / "fixed")
    assert (found.counts["label-refuted"], found.counts["label-not-derived"]) == (1, 1)
    (again,) = audit_files("stepgame", [tmp_path / "fixed" / path.name])
    assert (again.items, again.sound) == (2, 2)


def test_a_folder_with_something_in_it_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "qa1.txt"
    path.write_text("1 Mary went to the hall.\n2 Where is Mary?\thall\t1\n")
    with pytest.raises(FabulaError, match="already exists; choose a new folder"):
        audit_files("babi", [path], fix=tmp_path)


# --- BABILong -------------------------------------------------------------------------------------

PROSE = (
    "It was a dark night.",
    "“Who goes there?” asked the captain.",
    "The wind blew over the sea.",
)


def long_text(story: tuple[str, ...]) -> str:
    return " ".join(
        f"{PROSE[n % 3]} {sentence} {PROSE[(n + 1) % 3]}" for n, sentence in enumerate(story)
    )


def rows_of(size: int) -> list[dict[str, str]]:
    return [
        {"input": long_text(each.story), "question": each.question, "target": each.answer[0]}
        for each in fabula.generate("babi/qa2", "test", size=size)
    ]


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def test_clean_long_texts_have_no_defect(tmp_path: Path) -> None:
    (found,) = audit_files("babilong", [written(tmp_path / "a.jsonl", rows_of(20))])
    assert found.sound == found.items == 20
    assert set(found.counts) <= {"evidence-repeated"}


def test_planted_defects_of_long_texts(tmp_path: Path) -> None:
    rows = rows_of(4)
    one = fabula.instance("babi/qa2", "test", 0)
    rows[0]["target"] = "moon"
    for sentence in fabula.instance("babi/qa2", "test", 1).story:
        rows[1]["input"] = rows[1]["input"].replace(sentence, "")
    name = fabula.instance("babi/qa2", "test", 2)
    person = name.story[name.support[0] - 1].split()[0]
    rows[2]["input"] += f" Nobody aboard had ever heard of {person} or her ship."
    path = written(tmp_path / "a.jsonl", rows)
    (found,) = audit_files("babilong", [path], fix=tmp_path / "fixed")
    kinds = {
        each.place.rpartition(" ")[2]: each.kind.name
        for each in found.findings
        if each.kind.name != "evidence-repeated"
    }
    assert kinds == {
        "1": "label-does-not-follow", "2": "evidence-missing", "3": "haystack-names-evidence",
    }  # fmt: skip
    fixed = [
        orjson.loads(line) for line in (tmp_path / "fixed" / "a.jsonl").read_bytes().splitlines()
    ]
    assert len(fixed) == 3
    assert fixed[0]["target"] == one.answer[0]


def test_long_files_of_another_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="line 1: no text under input"):
        audit_files("babilong", [written(tmp_path / "a.jsonl", [{"question": "x"}])])
    rows = [{"input": "Nothing here.", "question": "Where is Mary?", "target": "hall"}]
    with pytest.raises(FabulaError, match="no sentence of a story is found"):
        audit_files("babilong", [written(tmp_path / "b.jsonl", rows)])
