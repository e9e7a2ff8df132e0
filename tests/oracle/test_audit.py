"""The published data, which nobody here wrote, against reader and conventions."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.needs import PUBLISHED, published

from fabula.analysis.audits.babi import Audit, audit, audit_file
from fabula.errors import FabulaError

# task: answers that follow, citations that prove (read alone), minimal proofs
EXPECTED = {
    1: (1000, 1000, 1000),
    2: (1000, 1000, 1000),
    3: (1000, 214, 214),
    4: (1000, 1000, 1000),
    5: (998, 998, 998),
    6: (1000, 1000, 1000),
    7: (1000, 1000, 344),
    8: (1000, 1000, 470),
    9: (1000, 1000, 1000),
    10: (989, 989, 989),
    11: (1000, 1000, 1000),
    12: (1000, 1000, 1000),
    13: (1000, 1000, 1000),
    14: (1000, 1000, 1000),
    15: (1000, 1000, 1000),
    16: (914, 914, 914),
    17: (1000, 1000, 1000),
    18: (1000, 1000, 1000),
    19: (1000, 1000, 1000),
    20: (1000, 1000, 1000),
}


def official(task: int) -> Audit:
    (path,) = PUBLISHED.glob(f"qa{task}_*_train.txt")
    return audit_file(path)


@published
@pytest.mark.parametrize("task", EXPECTED)
def test_official_file(task: int) -> None:
    found = official(task)
    assert found.questions == 1000
    assert found.identical
    assert (found.answers, found.proofs, found.minimal) == EXPECTED[task]
    assert found.supports == found.answers, found.odd_supports[:3]
    assert len(found.defects) == 1000 - found.answers


@published
def test_defects_are_those_known() -> None:
    assert {d.reason.split(":")[0] for d in official(5).defects} == {
        "a later give supersedes the cited one"
    }
    assert {d.reason.split(":")[0] for d in official(10).defects} == {
        "'either … or' names one place twice"
    }


@published
def test_an_unproven_citation_comes_with_a_proof() -> None:
    unproven = official(3).unproven
    assert len(unproven) == 786
    assert all(remark.reason.endswith(" does") for remark in unproven)


STORY = """1 Mary went to the park.
2 Mary took the milk there.
3 Where is the milk?\tpark\t2 1
4 Zorgs flibber the gax.
5 Where is the milk?\tpark\t2 1
1 Mary went to the park.
2 John went to the office.
3 Where is Mary?\toffice\t1
4 Where is John?\toffice\t1
5 Where is Sandra?\tpark\t1
6 How blue is the sky?\tvery\t1
"""


def test_other_files_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "qa1_mine.txt"
    path.write_text(STORY)
    (found,) = audit([tmp_path])
    assert (found.questions, found.answers) == (6, 2)
    reasons = [(d.line, d.reason) for d in found.defects]
    assert reasons[0] == (5, "no en sentence pattern fits 'Zorgs flibber the gax.'.")
    assert reasons[1] == (8, "sentence 1 says 'park', the label 'office'")
    assert reasons[2] == (10, "'park' does not follow from the text")
    assert reasons[3][1].startswith("no en question pattern fits")
    (unproven,) = found.unproven
    assert unproven.reason == "sentence 1 does not prove 'office'; sentence 2 does"


PATH = """1 The office is east of the hall.
2 The attic is south of the hall.
3 How do you go from the office to the attic?\tw,s\t1 2
4 How do you go from the office to the attic?\ts,w\t1 2
"""


def test_the_order_of_a_path_matters(tmp_path: Path) -> None:
    path = tmp_path / "qa19_mine.txt"
    path.write_text(PATH)
    (found,) = audit([path])
    assert (found.questions, found.answers) == (2, 1)
    assert found.defects[0].line == 4


def test_missing_path(tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="no such file"):
        list(audit([tmp_path / "x"]))
    with pytest.raises(FabulaError, match=r"no \.txt file"):
        list(audit([tmp_path]))
