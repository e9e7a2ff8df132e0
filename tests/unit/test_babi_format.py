"""bAbI text: what is read is written again, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.datasets.formats import babi
from fabula.errors import ParseError

TEXT = (
    "1 Mary got the milk there.\n2 What is Mary carrying? \tmilk\t1\n"
    "3 Mary took the apple.\n4 What is Mary carrying?\tapple, milk\t3 1\n"
    "1 John went to the hall.\n2 Where is John?\thall\t1\n"
)


def test_round_trip_keeps_every_quirk() -> None:
    stories = list(babi.parse(TEXT.splitlines(keepends=True), "here"))
    assert [len(story.questions) for story in stories] == [2, 1]
    second = stories[0].questions[1]
    assert (second.position, second.support, second.answer) == (2, (2, 1), "apple, milk")
    assert "".join(babi.text(s.sentences, s.questions) for s in stories) == TEXT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Mary went.\n", "here, line 1: expected a line number"),
        ("1 Mary went.\n3 John went.\n", "here, line 2: expected number 2, found 3"),
        ("1 Mary went.\n2 Where?\tx\t2\n", "here, line 2: support '2' is not the number"),
        ("1 Mary went.\n2 Where?\tx\tone\n", "support 'one' is not the number"),
        ("1 Mary went.\n2 Where?\tx\t1\t1\n", "a question line needs two tabs"),
    ],
)
def test_bad_lines_are_named(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        list(babi.parse(text.splitlines(), "here"))
    assert message in str(error.value)


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"1 \xff\xfe\n")
    with pytest.raises(ParseError, match="not UTF-8"):
        list(babi.read(path))
