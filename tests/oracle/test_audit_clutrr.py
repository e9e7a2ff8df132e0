"""The audit of CLUTRR's tables: planted defects are found, clean tables give no finding."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fabula.analysis.audits import clutrr
from fabula.analysis.audits.findings import Severity
from fabula.analysis.audits.results import audit_files
from fabula.cli import main
from fabula.errors import FabulaError

SHARED = Path(__file__).parents[3] / "shared" / "data" / "clutrr-generated"

ROW = {
    "": "0", "id": "a1", "story": "[Bo] is a son of [Ann].  [Bo] has a sister named [Cy]. ",
    "query": "('Ann', 'Cy')", "text_query": "For [Ann], who is [Cy] ? ", "target": "daughter",
    "text_target": "['[Cy] is [Ann]\\'s daughter. ']", "clean_story": "",
    "proof_state": "[{('Ann', 'daughter', 'Cy'): [('Ann', 'son', 'Bo'), ('Bo', 'sister', 'Cy')]}]",
    "f_comb": "son-sister", "task_name": "task_1.2", "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['son', 'sister']", "query_edge": "(0, 2)",
    "genders": "Ann:female,Bo:male,Cy:female", "syn_story": "", "node_mapping": "{}",
    "task_split": "train",
}  # fmt: skip


def table(path: Path, *changes: dict[str, str], drop: tuple[str, ...] = ()) -> Path:
    rows = [{**ROW, "id": f"r{n}", **change} for n, change in enumerate(changes)]
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, [name for name in ROW if name not in drop])
        lines.writeheader()
        lines.writerows({k: v for k, v in row.items() if k not in drop} for row in rows)
    return path


def defects(path: Path) -> dict[str, int]:
    (found,) = audit_files("clutrr", [path])
    return dict(found.counts)


def test_a_sound_row_has_no_defect(tmp_path: Path) -> None:
    (found,) = audit_files("clutrr", [table(tmp_path / "t.csv", {})])
    assert (found.items, found.sound, dict(found.counts)) == (1, 1, {})
    assert found.figures["every"] == 1


AUNT = {
    "story": "[Bo] is a son of [Ann].  [Bo] has a aunt who is [Cy]. ", "target": "sister",
    "proof_state": "[]", "edge_types": "['son', 'aunt']", "f_comb": "son-aunt",
}  # fmt: skip
NOISE = {
    "task_name": "task_2.2", "genders": "Ann:female,Bo:male,Cy:female,Di:female",
    "story_edges": "[(0, 1), (1, 2), (0, 3), (3, 2)]",
}  # fmt: skip

PROOF = ROW["proof_state"]
PLANTED: list[tuple[dict[str, str], str]] = [
    (AUNT, "label-in-some"),
    ({"target": "niece", "proof_state": "[]"}, "label-in-none"),
    (
        {"genders": "Ann:female,Ann:male,Cy:female", "proof_state": "[]", "story": "x"},
        "names-collide",
    ),
    (
        {"proof_state": PROOF.replace("daughter", "niece")},
        "proof-step",
    ),
    (
        {"proof_state": PROOF.replace("sister", "wife")},
        "proof-premise",
    ),
    (
        {"proof_state": PROOF.replace("('Ann', 'daughter', 'Cy')", "('Cy', 'mother', 'Ann')")},
        "proof-goal",
    ),
    ({"story": "[Bo] is a son of [Ann].  [Bo] is a brother of [Cy]. "}, "text-differs"),
    ({"text_query": "How are [Ann] and [Cy] related to each other ? "}, "question-direction"),
    (
        {**NOISE, "edge_types": "['son', 'sister', 'mother', 'daughter']", "story": "crowd text"},
        "noise-contradicts",
    ),
    (
        {
            "edge_types": "['son', 'father']",
            "genders": "Ann:female,Bo:male,Cy:female",
            "proof_state": "[]",
            "story": "x",
        },
        "contradiction",
    ),
]


@pytest.mark.parametrize(("change", "kind"), PLANTED, ids=[kind for _, kind in PLANTED])
def test_planted_defects_are_found(tmp_path: Path, change: dict[str, str], kind: str) -> None:
    assert kind in defects(table(tmp_path / "t.csv", change))


def test_the_corrected_edition_has_no_error_left(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", {}, *(change for change, _ in PLANTED))
    (found,) = audit_files("clutrr", [path], fix=tmp_path / "fixed")
    assert found.severity is Severity.ERROR
    (again,) = audit_files("clutrr", [tmp_path / "fixed" / "t.csv"])
    assert again.severity is not Severity.ERROR
    assert 0 < again.sound == again.items < found.items


def test_noise_that_shortens_the_chain_is_found(tmp_path: Path) -> None:
    change = {
        "task_name": "task_2.3", "story": "crowd text", "proof_state": "[]",
        "genders": "Ann:female,Bo:male,Cy:female,Di:male",
        "story_edges": "[(0, 1), (1, 2), (2, 3), (0, 3)]", "query_edge": "(0, 3)",
        "edge_types": "['son', 'sister', 'brother', 'son']", "target": "son",
    }  # fmt: skip
    assert "noise-shortens" in defects(table(tmp_path / "t.csv", change))


def test_held_out_patterns_are_compared_across_tables(tmp_path: Path) -> None:
    longer = {
        "task_name": "task_1.3", "genders": "Ann:female,Bo:male,Cy:female,Di:male",
        "story_edges": "[(0, 1), (1, 2), (2, 3)]", "edge_types": "['son', 'sister', 'brother']",
        "query_edge": "(0, 3)", "target": "son", "f_comb": "son-sister-brother", "story": "x",
        "proof_state": "[]",
    }  # fmt: skip
    train = table(tmp_path / "train.csv", longer)
    test = table(tmp_path / "test.csv", {**longer, "task_split": "test"})
    one, two = audit_files("clutrr", [train, test])
    assert "held-out-pattern" not in one.counts
    assert two.counts["held-out-pattern"] == 1


def test_the_hub_layout_is_read_and_corrected(tmp_path: Path) -> None:
    """14 columns, the label as a class id beside its word."""
    drop = ("", "text_query", "text_target", "syn_story", "node_mapping")
    path = table(tmp_path / "hub.csv", {}, AUNT, {"target": "sister"}, drop=drop)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    for row in rows:
        row["target_text"], row["target"] = row["target"], "4"
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, list(rows[0]))
        lines.writeheader()
        lines.writerows(rows)
    (found,) = audit_files("clutrr", [path], fix=tmp_path / "fixed")
    assert found.figures == {"every": 1, "some": 1, "none": 1, "by_marriage": 0, "crowd_text": 0}
    text = (tmp_path / "fixed" / "hub.csv").read_text(encoding="utf-8")
    fixed = list(csv.DictReader(text.splitlines()))
    assert [(row["target_text"], row["target"]) for row in fixed] == [
        ("daughter", "4"),
        ("daughter", "16"),
    ]
    changes = [
        json.loads(line) for line in (tmp_path / "fixed" / "changes.jsonl").read_text().splitlines()
    ]
    assert [each["action"] for each in changes] == ["removed", "label"]
    assert not audit_files("clutrr", [tmp_path / "fixed" / "hub.csv"])[0].severity


BAD: list[tuple[dict[str, str], str]] = [
    ({"story_edges": "[(0, 1"}, "line 2, story_edges: cannot be parsed"),
    ({"edge_types": "['son', 'buddy']"}, "line 2, edge_types: unknown relation 'buddy'"),
    ({"genders": "Ann,Bo:male"}, "line 2, genders: expected Name:male"),
    ({"task_name": "two"}, "line 2, task_name: expected task_<kind>.<k>"),
    ({"query_edge": "(0, 9)"}, "a person that `genders` does not list"),
    ({"edge_types": "['son']", "task_name": "task_1.2"}, "1 relations for 2 edges"),
    ({"proof_state": "[1]"}, "proof_state: expected a list of tables"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_row_that_cannot_be_read_is_an_error_with_its_line(
    tmp_path: Path, change: dict[str, str], message: str
) -> None:
    with pytest.raises(FabulaError) as error:
        audit_files("clutrr", [table(tmp_path / "t.csv", change)])
    assert message in str(error.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(FabulaError, match="line 1: not a CLUTRR table: no column id"):
        audit_files("clutrr", [other])
    with pytest.raises(FabulaError, match="no such file"):
        audit_files("clutrr", [tmp_path / "absent.csv"])


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "t.csv", {}, AUNT)
    page = tmp_path / "page.html"
    assert main(["audit", "clutrr", str(path), "--page", str(page)]) == 1
    said = capsys.readouterr().out
    assert "label-in-some" in said
    assert "└─ Cy" in said or "├─ Cy" in said  # the family in which the label does not hold
    assert "'sister' holds in some families only" in page.read_text(encoding="utf-8").replace(
        "&#39;", "'"
    )
    assert main(["audit", "clutrr", str(path), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["defects"]["label-in-some"] | {"about": ""} == {
        "count": 1, "share": 0.5, "severity": "error", "about": ""
    }  # fmt: skip
    assert main(["audit", "clutrr", str(table(tmp_path / "clean.csv", {}))]) == 0


@pytest.mark.skipif(not SHARED.is_dir(), reason="reference tables are not at hand")
def test_tables_of_the_published_generator() -> None:
    """How many labels hold in every family, by an independent count."""
    tables = list(clutrr.tables([SHARED]))
    found = {Path(r.file).name: r for r in clutrr.audit_tables(tables)}
    counted: dict[str, Any] = {name: (r.figures["every"], r.items) for name, r in found.items()}
    assert counted == {
        "1.2-1.3_train.csv": (564, 692), "1.3_test.csv": (69, 80), "1.4_test.csv": (143, 216),
        "1.6_test.csv": (144, 241), "noise-2.3-3.3-4.3_train.csv": (238, 323),
    }  # fmt: skip
    for result in found.values():
        assert result.figures["crowd_text"] == 0
        assert "text-differs" not in result.counts
