"""What people read is plain English: no phrases that sound translated.

It scans README, CONTRIBUTING, the documentation, and in the code docstrings, comments, and every
string of several words: help texts, error messages, the report. plain_english.json lists the files
that still have such phrases, with their number. No file may get more, and when one gets fewer, the
list is lowered:

    pytest tests/unit/test_plain_english.py --refresh-golden
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = Path(__file__).with_name("plain_english.json")

ODD = {
    r"(?<!there )\b(is|are|was) no (?!longer\b|more\b)[a-z]+": "is not a …",
    r"\bso[ -]man(y|ieth)\b": "name the number: n, every n-th",
    r"\b(is|are) told (with|by|as)\b": "is reported with …",
    r"\b(what|who) (is|are) told\b": "say who reports what",
    r"\b(of|by|to) whom(ever)?\b": "use an active sentence",
    r"\bof which all\b": "use an active sentence",
    r"\bas if nothing had been\b": "as if uninterrupted",
    r"\bat this run\b": "using this run",
    r"\bgone? on with\b|\b(goes|go) on where\b|\bcut off goes on\b": "resume",
    r"\bon their way at a time\b": "concurrent",
    r"\bwords and marks\b": "tokens",
    r"\bto be had\b": "available",
    r"\bstands once\b": "is written once",
    r"\b(can|be) put right\b": "fix",
    r"\bcame of (it|them)\b": "the results",
    r"\banew\b": "again",
    r"\bunasked\b": "automatically",
    r"\b(says?|tells?) of (it|them)sel(f|ves)\b": "its description",
    r"\bfit to ask\b": "a valid question",
    r"\bpassed along\b": "asked alongside",
    r"\bat most[.;)]": "at most N …, or: maximum number of …",
    r"\b(is|are) wanted\b": "is needed",
    r"\bwants to show\b": "shows",
    r"\bTold (is|are)\b": "put the subject first",
    r"\bhas to be believed\b": "say what is checked",
    r"\bwhat cannot\b": "name the thing that cannot …",
    r"\bput right\b": "fix",
    r"\bgoes by\b": "follows, depends on",
    r"\b(has come|came|come|comes) up\b": "occurs, was found",
    r"\basked of\b": "asked about",
    r"\ba one of\b": "one with …",
    r"\bcommonest\b": "most frequent",
    r"\b(is|are) refused\b": "is rejected",
    r"\beach as likely\b|\bas likely as the other": "uniformly, equally likely",
    r"\b(tells|told|spoken|speaks) of\b": "mentions, states",
    r"\bgoes on (from|with)\b": "resumes",
    r"\bfor want of\b": "because … ran out",
    r"\bnone such\b": "not available",
    r"\bholds no\b": "is empty, has no",
    r"\bis there already\b": "already exists",
    r"\bdo(es)? not go together\b": "cannot be combined",
    r"\bknown are\b": "choose one of",
    r"\bwhatever (it|they) (is|are)\b": "any",
    r"\bin the making\b": "in progress, being written",
    r"\bas wished\b|\bwished outcome\b": "as requested",
    r"\bmay be believed\b|\bto be believed\b": "is significant",
    r"\bwent astray\b": "diverged",
    r"\bnot to be (seen|told)\b": "not visible",
    r"\bwhole or not at all\b": "completely or not at all",
    r"\b(a|the) share that\b": "the fraction that",
    r"\bfar? as (that|it) tells\b|\bas far as .* tells?\b": "judging by",
    r"\bas if it were not\b": "say what happens",
}
"""Phrases as regular expressions, with what to write instead."""

IN_MESSAGES = {
    r"\btold\b(?! apart)": "reported, stated",
    r"\bname (a|an|another|one|it|them|its)\b": "give, choose, set",
    r"\bthere is no such\b": "no such file",
    r"\bis here\b": "…: no run here",
}
"""The same for error messages alone."""

OPENING = re.compile(r"What (?!\")")
"""A docstring that begins with a clause: name the thing instead."""


class Text(NamedTuple):
    """A text for people."""

    line: int
    text: str
    kind: str = ""
    """'docstring', 'message' or something else."""


def texts(file: Path) -> Iterator[Text]:
    """The texts of a file for people."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        plain = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), source, flags=re.S)
        examples = r"^(?:\| (?:instead of|not) \||Habits to drop:).*?(?=\n\n)"
        quoted = re.sub(examples, "", plain, flags=re.S | re.M)
        yield Text(1, quoted)
        return
    docstrings: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                docstrings.add(node.value)
                yield Text(node.lineno, node.value.value, "docstring")
        elif isinstance(node, ast.Raise):
            yield Text(node.lineno, _said(node), "message")
        elif isinstance(node, ast.keyword) and node.arg in ("help", "short_help", "epilog"):
            yield Text(node.value.lineno, _said(node.value))
        elif (
            isinstance(node, ast.JoinedStr | ast.Constant)
            and node not in docstrings
            and _said(node).count(" ") > 3
        ):
            yield Text(node.lineno, _said(node))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string)


def _said(node: ast.AST) -> str:
    """The strings inside an expression, in order."""
    found = [
        one
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    return " ".join(str(one.value) for one in found)


def odd(file: Path) -> list[str]:
    """The phrases of a file that sound odd; each line once."""
    return list(dict.fromkeys(_odd(file)))


def _odd(file: Path) -> Iterator[str]:
    for line, text, kind in texts(file):
        flat = " ".join(text.split())
        for pattern, better in (ODD | IN_MESSAGES if kind == "message" else ODD).items():
            for match in re.finditer(pattern, flat, re.IGNORECASE):
                yield f"{file.name}:{line}: '{match[0]}': {better}"
        if kind == "docstring" and OPENING.match(flat):
            yield f"{file.name}:{line}: '{flat[:40]}…': name the thing, not 'what …'"


def files() -> Iterator[Path]:
    """All files that are scanned."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))
    for folder, kind in (("docs", "*.md"), ("docs", "*.py"), ("src", "*.py"), ("examples", "*.py"),
                         ("examples", "*.md")):  # fmt: skip
        yield from sorted((ROOT / folder).rglob(kind))


FOUND = {str(file.relative_to(ROOT)): odd(file) for file in files()}


def test_no_file_gets_worse_and_the_list_shrinks(refresh: bool) -> None:
    allowed: dict[str, int] = json.loads(ALLOWED.read_text(encoding="utf-8"))
    if refresh:
        now = {name: len(found) for name, found in FOUND.items() if found}
        assert sum(now.values()) <= sum(allowed.values()), "the list may only shrink"
        ALLOWED.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    worse = [
        line for name, found in FOUND.items() if len(found) > allowed.get(name, 0) for line in found
    ]
    assert not worse, "\n".join(worse)
    now = {name: len(FOUND[name]) for name in allowed if FOUND.get(name)}
    assert now == allowed, "better than the list says: run this test with --refresh-golden"


def test_what_newcomers_read_first_is_clean() -> None:
    first = ("README.md", "CONTRIBUTING.md", "docs/pages/")
    assert not [line for name, found in FOUND.items() if name.startswith(first) for line in found]


@pytest.mark.parametrize(
    "sentence",
    ["the loss is no number", "every so-manieth instance", "A run is told with its file.",
     "another process is at this run", "Runs cannot be gone on with.", "words and marks at most."],
)  # fmt: skip
def test_the_linter_notices(sentence: str, tmp_path: Path) -> None:
    for name, text in (
        ("a.md", sentence), ("b.py", f'"""{sentence}"""'),
        ("c.py", f"raise ValueError({sentence!r})"),
        ("d.py", f"Option(help={sentence!r})"), ("e.py", f"# {sentence}\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert odd(tmp_path / name), name


@pytest.mark.parametrize(
    "sentence", ["There is no such file.", "Mary is no longer here.", "It is not a number."]
)
def test_plain_sentences_pass(sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f'"""{sentence}"""', encoding="utf-8")
    assert not odd(tmp_path / "a.py")
