"""The sentences at the top of a report, and the sections that only some runs have."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.evaluation.report.cases import read_runs
from fabula.evaluation.report.content import Content, content_of
from fabula.evaluation.run import REPLIES

sys.path.insert(0, str(Path(__file__).parent))

STUDENTS = f"py:{Path(__file__).with_name('students.py')}"


def content(*folders: Path) -> Content:
    return content_of(read_runs(folders))


def names(made: Content) -> list[str]:
    return [section.name for section in made.sections]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two students on the same questions, both shrunk."""
    found = []
    for student in ("last_place", "forgets_after_a_give"):
        folder = tmp_path_factory.mktemp(student)
        fabula.evaluate(f"{STUDENTS}:{student}", "dyna/mix-t7", folder, size=80)
        fabula.shrink(folder)
        found.append(folder)
    return found[0], found[1]


def test_a_report_begins_with_sentences_and_the_smallest_failures(runs: tuple[Path, Path]) -> None:
    made = content(runs[0])
    overall, baseline, extremes, smallest = made.takeaways
    row = made.numbers["runs"][0]
    assert overall == (
        f"students.py:last_place answers {row['accuracy']:.1%} of 80 questions right "
        f"(95%: {row['low']:.1%} to {row['high']:.1%})."
    )
    assert baseline.startswith("The best trivial baseline, ")
    assert baseline.endswith("points better.")
    assert "strongest on" in extremes
    assert "weakest on questions of the kind “where-" in extremes
    assert "failures of students.py:last_place come down to" in smallest
    assert "It says “cinema”, the answer is park." in smallest
    assert names(made)[0] == "smallest"
    groups = made.numbers["smallest"]["students.py:last_place"]["groups"]
    assert groups[0]["count"] == max(group["count"] for group in groups)
    assert made.numbers["takeaways"] == made.takeaways


def test_several_runs_are_told_as_differences(runs: tuple[Path, Path]) -> None:
    made = content(*runs)
    whole = made.numbers["differences"][0]
    first = made.takeaways[0]
    assert ("cannot be told apart" in first) is (whole["p_holm"] >= 0.05)
    assert any("The difference is largest on questions of the kind" in x for x in made.takeaways)
    better = next(x for x in made.takeaways if "is largest" in x)
    assert "forgets_after_a_give is" in better  # where somebody is
    assert "points better than students.py:last_place" in better
    assert sum("best trivial baseline gets" in line for line in made.takeaways) == 2
    assert any("No form is common to both" in line for line in made.takeaways)


def test_the_page_shows_them(runs: tuple[Path, Path], tmp_path: Path) -> None:
    page = fabula.report(runs[0], tmp_path / "report.html", pictures=False).files[0].read_text()
    assert page.index('class="takeaways"') < page.index('class="runs"')
    assert page.index('id="smallest"') < page.index('id="baselines"')
    assert "went to the cinema." in page
    assert json.loads((tmp_path / "report" / "numbers.json").read_text())["takeaways"]


def test_a_model_no_better_than_a_guess(tmp_path: Path) -> None:
    fabula.evaluate(lambda prompt: "Answer: garden", "babi/qa1", tmp_path / "run", size=40)
    made = content(tmp_path / "run")
    assert any("cannot be told apart from it" in x or "points worse" in x for x in made.takeaways)
    assert "smallest" not in names(made)
    assert "evidence" not in names(made)


def test_evidence_as_a_square(tmp_path: Path) -> None:
    def model(instance: Instance) -> str:
        number = int(instance.id.rpartition(":")[2]) % 4
        answer = instance.answer[0] if number < 2 else "x"
        cited = instance.support if number % 2 else ()
        return f"Answer: {answer}\nEvidence: {', '.join(map(str, cited)) or 'none'}"

    fabula.evaluate(model, "babi/qa2", tmp_path / "run", size=40, style="cite")
    made = content(tmp_path / "run")
    row = made.numbers["evidence"][0]
    reasons = ("right for the right reason", "right for the wrong reason",
               "wrong with the right evidence", "wrong")  # fmt: skip
    assert [row[reason] for reason in reasons] == [10, 10, 10, 10]
    assert (row["right_reason"], row["precision"], row["recall"]) == (0.5, 0.5, 0.5)
    assert any("50.0% are for the right reason" in line for line in made.takeaways)
    page = fabula.report(tmp_path / "run", tmp_path / "report.html", pictures=False).files[0]
    text = page.read_text()
    assert '<table class="square">' in text
    assert text.count("examples</summary>") == 4


def edited(folder: Path, change: Any) -> None:
    """Change the records of a run."""
    lines = [json.loads(line) for line in (folder / REPLIES).read_text().splitlines()]
    for number, said in enumerate(lines):
        change(number, said)
    (folder / REPLIES).write_text("".join(json.dumps(said) + "\n" for said in lines))


def test_contrast_pairs(tmp_path: Path) -> None:
    fabula.evaluate(lambda prompt: "Answer: garden", "babi/qa1", tmp_path / "run", size=40)

    def change(number: int, said: dict[str, Any]) -> None:
        said["instance"]["pair"] = f"pair {number // 2}"
        said["instance"]["variant"] = ("base", "flip" if number < 20 else "hold")[number % 2]
        right = number % 2 == 0 or number % 8 == 1  # 3 of 10 flips, 2 of 10 holds
        said["outcome"] = "correct" if right else "wrong"
        said["answer"] = ["garden"] if right or number % 8 == 3 else ["office"]

    edited(tmp_path / "run", change)
    made = content(tmp_path / "run")
    flip, hold = made.numbers["contrast"]
    assert (flip["variant"], flip["count"], flip["consistent"]) == ("flip", 10, 0.3)
    assert (hold["variant"], hold["count"], hold["consistent"]) == ("hold", 10, 0.2)
    assert (flip["only_base"], flip["only_variant"], flip["both_wrong"]) == (7, 0, 0)
    assert flip["kept"] + flip["another"] == 7
    assert (flip["kept"], hold["kept"]) == (3, 2)
    assert any("both stories right in 30.0% of 10 flip pairs" in line for line in made.takeaways)


def test_questions_that_are_left_open(tmp_path: Path) -> None:
    fabula.evaluate(lambda prompt: "Answer: garden", "babi/qa1", tmp_path / "run", size=40)

    def change(number: int, said: dict[str, Any]) -> None:
        if number < 10:
            said["instance"]["answer"] = ["unknown"]
            said["outcome"] = "correct" if number < 4 else "wrong"
            said["answer"] = ["unknown"] if number < 4 else ["garden"]
        else:
            said["outcome"] = "refusal" if number < 16 else "correct"
            said["answer"] = [] if number < 16 else ["garden"]

    edited(tmp_path / "run", change)
    made = content(tmp_path / "run")
    (row,) = made.numbers["open"]
    assert (row["open"], row["answerable"]) == (10, 30)
    assert (row["over_answering"], row["under_answering"]) == (0.6, 0.2)
    assert (row["accuracy_open"], row["accuracy_answerable"]) == (0.4, 0.8)
    assert any("answers 60.0% of the 10 questions that cannot be answered" in line
               for line in made.takeaways)  # fmt: skip


def test_findings_of_a_probe(tmp_path: Path) -> None:
    fabula.evaluate(lambda prompt: "Answer: garden", "babi/qa1", tmp_path / "run", size=20)
    example = {"id": "x", "story": ["A <b>story</b>."], "question": "Why?", "answer": ["no"],
               "reply": "yes"}  # fmt: skip
    finding = {
        "cell": {"asks": ["where-person"]}, "accuracy": 0.12, "elsewhere": 0.84,
        "interval": [0.05, 0.24], "p": 0.0002, "n": 60, "recipe": 'id = "more"',
        "sentence": "fails on where-person: 12% against 84% elsewhere",
        "examples": [example], "shrunk": example | {"support": [1]},
    }  # fmt: skip
    found = {"model": "lambda", "findings": [finding], "rejected": ["long stories"],
             "message": "One weakness is confirmed."}  # fmt: skip
    (tmp_path / "run" / "probe.json").write_text(json.dumps(found))
    made = content(tmp_path / "run")
    assert names(made)[0] == "probe"
    assert "lambda fails on where-person: 12% against 84% elsewhere." in made.takeaways
    page = fabula.report(tmp_path / "run", tmp_path / "report.html", pictures=False).files[0]
    text = page.read_text()
    assert "A &lt;b&gt;story&lt;/b&gt;." in text
    assert "Tested and not confirmed: long stories." in text
    (tmp_path / "run" / "probe.json").write_text(json.dumps(found | {"findings": []}))
    assert any("One weakness is confirmed" in line for line in content(tmp_path / "run").takeaways)


def test_a_file_that_is_not_as_written(tmp_path: Path) -> None:
    fabula.evaluate(lambda prompt: "Answer: garden", "babi/qa1", tmp_path / "run", size=20)
    (tmp_path / "run" / "shrink").mkdir()
    (tmp_path / "run" / "shrink" / "smallest.json").write_text('{"failures": [{"id": "x"}]}')
    with pytest.raises(FabulaError, match=r"smallest\.json: not as `fabula shrink` writes it"):
        content(tmp_path / "run")
