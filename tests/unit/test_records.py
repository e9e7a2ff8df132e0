"""Records from files are checked once, where they are read: place, field and expectation."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.cli import main
from fabula.core import soundness
from fabula.core.instance import Instance
from fabula.datasets.formats import parquet
from fabula.datasets.stored import records_of
from fabula.errors import ParseError

GOLDEN = Path(__file__).parents[1] / "golden"
RECORD: dict[str, Any] = orjson.loads(
    (GOLDEN / "babi-qa2.fixed.jsonl").read_bytes().split(b"\n")[0]
)
KIN: dict[str, Any] = orjson.loads((GOLDEN / "clutrr-gen-23.jsonl").read_bytes().split(b"\n")[0])
TOLD = len(RECORD["story"])


def changed(record: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    made = deepcopy(record)
    *tables, last = path.split(".")
    inner = made
    for key in tables:
        inner = inner[key]
    inner[last] = value
    return made


WRONG = [
    ("id", 5),
    ("id", ""),
    ("story", []),
    ("story", "Mary went home."),
    ("story", ["x" * 3000]),
    ("question", ""),
    ("question", None),
    ("answer", []),
    ("answer", [1]),
    ("choices", "kitchen"),
    ("support", [TOLD + 1]),
    ("support", [0]),
    ("support", [True]),
    ("support", [1.0]),
    ("supports", [[10**18]]),
    ("supports", [1]),
    ("facts", []),
    ("facts", [["move"]] * TOLD),
    ("facts", [[[]]] * TOLD),
    ("facts", [[["move", 1]]] * TOLD),
    ("query", []),
    ("query", ["where-object", None]),
    ("query", {"a": 1}),
    ("composition", "MOVE"),
    ("roles", ["support"]),
    ("roles", [None] * TOLD),
    ("features", []),
    ("features.hops", "2"),
    ("features.support_size", True),
    ("features.sentences", 1e30),
    ("signature", None),
    ("provenance", "babi/qa2"),
    ("provenance.seed", "7"),
    ("provenance.world", ["actors"]),
    ("provenance.index", None),
]


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_a_wrong_field_is_named_with_file_and_line(path: str, value: Any, tmp_path: Path) -> None:
    file = tmp_path / "test.jsonl"
    lines = [RECORD, changed(RECORD, path, value)]
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    with pytest.raises(ParseError) as caught:
        list(records_of(file))
    assert str(caught.value).startswith(f"{file}, line 2, field '{path}': expected ")
    assert "found" in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("features.people", [["Ann"]]),
        ("features.edges", [[0, "son", 99, "support"]]),
        ("features.edges", [[0, "son", True, "support"]]),
        ("features.proof", [{"fact": ["a", "b", "c"]}]),
        ("features.proof", [{"fact": ["a", "b"], "from": []}]),
        ("features.templates", "x"),
        ("features.noise", "none"),
    ],
)
def test_what_a_world_noted_is_checked_too(path: str, value: Any) -> None:
    with pytest.raises(ParseError, match=f"record, field '{path}'"):
        Instance.from_fields(changed(KIN, path, value))


def test_keys_that_are_not_known_may_hold_anything_but_not_endlessly_deep() -> None:
    for depth, sound in ((10, True), (200, False)):
        value: Any = 1
        for _ in range(depth):
            value = [value]
        record = changed(RECORD, "features.mine", value)
        if sound:
            assert Instance.from_fields(record).to_json()
        else:
            with pytest.raises(ParseError, match=r"features\.mine': nested deeper"):
                Instance.from_fields(record)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(name=st.sampled_from([rule[0] for rule in soundness.RULES]), value=VALUES)
def test_the_quick_check_accepts_nothing_that_the_rules_refuse(name: str, value: Any) -> None:
    record = {**RECORD, name: value}
    story = record["story"]
    told = len(story) if type(story) in (list, tuple) else 0
    by_rules = all(test(record[field], told) for field, test, _ in soundness.RULES)
    assert by_rules or not soundness._plainly_sound(record)


def test_every_golden_record_is_sound_by_the_quick_check() -> None:
    for file in GOLDEN.glob("*.jsonl"):
        for line in file.read_bytes().splitlines():
            record = orjson.loads(line)
            assert soundness._plainly_sound(record), file.name
            assert Instance.from_json(line).to_json() == line


# --- files ----------------------------------------------------------------------------------------


def table(path: Path, *records: dict[str, Any]) -> Path:
    with path.open("wb") as file:
        sink = parquet.FORMAT.sink(file)
        sink.add(parquet.batch(records))
        sink.close()
    return path


@pytest.mark.parametrize("command", ["verify", "stats", "baselines"])
@pytest.mark.parametrize("how", ["cut", "flipped", "text"])
def test_a_damaged_parquet_file_is_named_in_one_line(
    command: str, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table(tmp_path / "test.parquet", *[RECORD] * 50)
    content = bytearray(file.read_bytes())
    if how == "flipped":
        content[40 : len(content) // 2] = b"\xff" * (len(content) // 2 - 40)
    file.write_bytes({"cut": bytes(content[:-20]), "text": b"hello"}.get(how, bytes(content)))
    assert main([command, str(file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {file}")
    assert len(said.splitlines()) == 1


def test_a_row_of_a_table_is_named(tmp_path: Path) -> None:
    file = table(tmp_path / "a.parquet", RECORD, changed(RECORD, "roles", ["support"]))
    with pytest.raises(ParseError, match=r"a\.parquet, row 2, field 'roles': expected \d+ texts"):
        list(records_of(file))


@pytest.mark.parametrize("command", ["verify", "stats", "baselines", "diff", "leak"])
def test_a_folder_or_file_without_records_is_an_error(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "none.jsonl").write_bytes(b"\n\n")
    for place in (tmp_path / "empty", tmp_path / "none.jsonl"):
        both = [str(place)] * (2 if command in ("diff", "leak") else 1)
        assert main([command, *both]) == 2
        assert str(place) in capsys.readouterr().err


@pytest.mark.parametrize(
    "query", [["where-object"], ["where-object", "apple", "kitchen"], ["nonsense"], ["yes-no", "x"]]
)
def test_a_query_that_is_not_the_question_is_reported(
    query: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "test.jsonl"
    file.write_bytes(orjson.dumps(changed(RECORD, "query", query)) + b"\n")
    assert main(["verify", str(file), "--workers", "1"]) == 1
    assert "the question asks" in capsys.readouterr().out
    for operation in ("bare", "gathered", "exhaustive"):
        assert main(["rewrite", operation, str(file), "--out", str(tmp_path / "out")]) == 2
        assert "field 'query'" in capsys.readouterr().err
