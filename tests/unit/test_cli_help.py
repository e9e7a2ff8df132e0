"""The help of every command: one file each, one sentence, two examples, groups, 80 columns."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import fabula.cli
from fabula.cli import app, main
from fabula.cli.common import RENAMED
from fabula.cli.menu import COMMANDS

runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
ROOT: Any = get_command(app)
LEAVES = {
    **{name: command for name, command in ROOT.commands.items() if name != "audit"},
    **{f"audit {name}": command for name, command in ROOT.commands["audit"].commands.items()},
}
FOLDER = Path(fabula.cli.__file__).parent
SHARED = {"__init__", "__main__", "common", "menu", "root", "stages", "tree"}


def test_every_command_has_a_file_of_its_own() -> None:
    names = {name.replace("-", "_") for name in ROOT.commands}
    assert {path.stem for path in FOLDER.glob("*.py")} - SHARED == names


def test_commands_are_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert runner.invoke(app, ["--help"]).stdout == text
    for title, names in COMMANDS.items():
        group = text.partition(f"\n{title}\n")[2].partition("\n\n")[0]
        assert re.findall(r"^  ([a-z-]+) ", group, re.M) == [*names]
    assert max(map(len, text.splitlines())) <= 80


def test_the_overview_has_the_first_sentence_of_each_help() -> None:
    for names in COMMANDS.values():
        for name, summary in names.items():
            first = ROOT.commands[name].help.partition("\n\n")[0]
            assert summary == " ".join(first.split())


def test_a_command_loads_no_other() -> None:
    code = (
        "import sys; from fabula.cli import main; main(['list']); "
        "print(sorted(m for m in sys.modules if m.startswith('fabula.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "fabula.cli.list" in loaded
    assert "fabula.cli.generate" not in loaded


def test_fabula_alone_shows_where_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    shown = re.findall(r"fabula ([a-z-]+) [a-z]", said)
    assert {"show", "generate", "verify", "eval", "report"} <= set(shown) <= set(ROOT.commands)
    assert "fabula --help" in said


@pytest.mark.parametrize("name", LEAVES)
def test_help_is_one_sentence_and_two_examples(name: str) -> None:
    said = LEAVES[name].help
    first = " ".join(said.partition("\n\n")[0].split())
    assert re.fullmatch(r"[A-Z][^.]*[.?…]", first), first
    examples = re.findall(r"^  \[bold\](.*)\[/bold\]$", said.partition("Examples:\n")[2], re.M)
    assert len(examples) == 2
    for line in examples:
        words = shlex.split(line)
        start = ["fabula", *name.split()]
        assert words[: len(start)] == start
        context = LEAVES[name].make_context(name, words[len(start) :], resilient_parsing=False)
        assert context.params
    shown = runner.invoke(app, [*name.split(), "--help"])
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for line in examples:
        assert line in shown.stdout  # not wrapped


@pytest.mark.parametrize("name", LEAVES)
def test_paragraphs_fill_the_width_and_flags_have_no_type(name: str) -> None:
    shown = runner.invoke(app, [*name.split(), "--help"]).stdout
    assert "<bool>" not in shown
    head = [line.strip() for line in shown.partition("╭")[0].splitlines()]
    for line, following in pairwise(head):
        if line and following and not following.startswith(("fabula ", line.split()[0])):
            fits = len(line) + 1 + len(following.split()[0]) <= 78
            assert not fits or line == "Examples:" or "  " in line + following, (line, following)


@pytest.mark.parametrize("name", [n for n in LEAVES if len(LEAVES[n].params) > 6])
def test_options_are_in_groups(name: str) -> None:
    options = [p for p in LEAVES[name].params if p.param_type_name == "option" and p.name != "help"]
    loose = [p.name for p in options if p.rich_help_panel is None]
    assert len(loose) <= 3, loose


PHRASES = re.compile(
    r"\btold\b|\bis no\b|\bso many\b|\bso much\b|\bWho works\b|on their way|\bgo(es)? on\b",
    re.I,
)


@pytest.mark.parametrize("name", LEAVES)
def test_help_reads_well(name: str) -> None:
    texts = [LEAVES[name].help, *(each.help or "" for each in LEAVES[name].params)]
    assert [text for text in texts if PHRASES.search(text)] == []
    for each in LEAVES[name].params:
        if each.name != "help":
            assert re.match(r"[A-Z'`a-z]", each.help or ""), each.name


# --- old names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [(command, *pair) for command, names in RENAMED.items() for pair in names.items()],
)
def test_old_names_of_options_are_accepted_and_hidden(command: str, old: str, new: str) -> None:
    text = runner.invoke(app, [command, "--help"]).stdout
    assert new in text
    assert not re.search(rf"{old}\b(?!-)", text)
    given = {
        "eval": ["m/m", "babi/qa1", "--out", "x"],
        "rewrite": ["trimmed", "p", "--out", "x"],
        "train": ["lstm", "babi/qa1", "--out", "x"],
    }[command]
    name = new.removeprefix("--").replace("-", "_")
    for words in ([old, "5"], [f"{old}=5"], [new, "5"]):
        context = LEAVES[command].make_context(command, [*given, *words])
        assert str(context.params[name]) == "5"


def test_a_python_function_is_evaluated_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = tmp_path / "model.py", tmp_path / "run"
    file.write_text("def answer(prompt):\n    return 'garden'\n")
    command = ["eval", f"py:{file}:answer", "babi/qa1", "--size", "20", "--out", str(run)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert said.startswith("model.py:answer on babi/qa1 test: ")
    assert "best trivial baseline: 100.0%" in said
    file.write_text("def answer(prompt):\n    raise RuntimeError('out of memory')\n")
    assert main(command) == 0  # everything is answered already
    command[command.index("20")] = "19"
    command[-1] = str(tmp_path / "other")
    capsys.readouterr()
    assert main(command) == 2
    error = capsys.readouterr().err
    assert (
        "error: model model.py:answer raised RuntimeError: out of memory (model.py, line 2" in error
    )
    assert error.count("\n") == 1
