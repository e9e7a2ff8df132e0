"""The commands, as a user runs them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem
from tests.terminal import on_terminal
from typer.testing import CliRunner

from fabula import cli, instance
from fabula._version import __version__
from fabula.cli import common
from fabula.core.instance import Instance
from fabula.recipe.loading import recipe_ids

SOURCE = Path(__file__).parents[2] / "src"
COMMAND = [sys.executable, "-m", "fabula.cli"]
runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})


def ok(*words: str | Path) -> str:
    result = runner.invoke(cli.app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def run(*words: str | Path, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "80"}
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True, text=True, timeout=timeout, env=environment, check=False,
    )  # fmt: skip


# --- what works -------------------------------------------------------------------------------


def test_version() -> None:
    assert ok("--version").strip() == f"fabula {__version__}"


@pytest.mark.parametrize(
    "command", [(), ("list",), ("show",), ("generate",), ("verify",), ("stats",), ("audit", "babi")]
)
def test_help_teaches_with_an_example(command: tuple[str, ...]) -> None:
    text = ok(*command, "--help")
    assert f"fabula {' '.join(command)}".strip() in text
    assert "Examples:" in text or not command
    assert max(map(len, text.splitlines())) <= 80


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from fabula.cli import main; code = main(['--help']); "
        "heavy = {'pydantic', 'clingo', 'fabula.generation', 'fabula.world'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else code)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr


def test_list() -> None:
    text = ok("list")
    rows = json.loads(ok("list", "--json"))
    assert sorted(row["id"] for row in rows) == sorted(recipe_ids())
    for row in rows:
        assert row["id"] in text
        assert row["asks"]
    assert max(map(len, text.splitlines())) <= 80
    assert "Their last move" in " ".join(ok("list", "--long").split())


def test_show_marks_the_support() -> None:
    text = ok("show", "babi/qa2", "--split", "test", "--index", "3")
    made = instance("babi/qa2", "test", 3)
    marked = {int(line.split()[1]) for line in text.splitlines() if line.startswith("* ")}
    assert marked == set(made.support)
    for sentence in (*made.story, made.question):
        assert sentence in text
    assert "fabula show babi/qa2 --split test --index 3 --seed 0" in text


def test_show_shows_every_proof() -> None:
    some = (instance("actors/mix", "train", n) for n in range(500))
    made = next(found for found in some if len(found.supports) > 2)
    index = made.provenance["index"]
    text = " ".join(ok("show", "actors/mix", "--index", str(index)).split())
    for support in made.supports[:12]:
        assert ", ".join(map(str, support)) in text


def test_show_is_the_record() -> None:
    line = ok("show", "actors/mix", "--split", "test", "--index", "5", "--seed", "7", "--json")
    assert Instance.from_json(line) == instance("actors/mix", "test", 5, 7)


def test_the_command_shown_shows_the_same() -> None:
    text = ok("show", "babi/qa2", "--index", "2", "--set", "length=4", "--set", "dialect=release")
    again = text[text.index("again") :].split("from ")[0].split()[2:]
    assert again[-4:] == ["--set", "length=4", "--set", "dialect=release"]
    assert ok(*again) == text


def test_the_command_shown_can_be_copied_from_a_narrow_terminal() -> None:
    long = ["--set", 'asks={"where-object" = 1}', "--set", "length=[10, 20]"]
    lines = on_terminal(["show", "babi/qa2", "--index", "2", *long], columns=40)
    (again,) = (line for line in lines if line.startswith("again"))
    assert shlex.split(again)[-4:] == long


def test_any_recipe_is_shown() -> None:
    for name in ("babi/qa1", "babi/qa8", "babi/qa10"):
        assert instance(name, "train", 0).question in ok("show", name)


def test_own_recipe_file(tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        'world = "actors"\nlength = 3\n[entities]\npersons = ["Zoe"]\nplaces = ["attic", "loft"]\n'
        "[events]\nMOVE = 1\n[asks]\nwhere-person = 1\n[splits]\nonly = 5\n"
    )
    assert "Where is Zoe?" in ok("show", recipe)
    ok("generate", recipe, "--out", tmp_path / "out")
    assert len((tmp_path / "out/only-00000-of-00001.jsonl").read_text().splitlines()) == 5


def test_generate(tmp_path: Path) -> None:
    out = tmp_path / "new" / "data"
    text = ok("generate", "babi/qa2", "--out", out, "--size", "train=7, test=5", "--seed", "3")
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md", "manifest.json", "test-00000-of-00001.jsonl", "train-00000-of-00001.jsonl",
    ]  # fmt: skip
    lines = (out / "train-00000-of-00001.jsonl").read_text().splitlines()
    made = [Instance.from_json(line) for line in lines]
    assert made == [instance("babi/qa2", "train", n, 3) for n in range(7)]
    assert str(out) in text
    assert "12 questions" in text
    assert "train-00000-of-00001.jsonl" in text


def test_generate_formats_and_settings(tmp_path: Path) -> None:
    words = [
        "generate",
        "babi/qa1",
        "--out",
        str(tmp_path / "a"),
        "--size",
        "10",
        "--format",
        "babi",
    ]
    result = json.loads(ok(*words, "--set", "dialect=release", "--set", "length=6", "--json"))
    assert result["format"] == "babi"
    assert result["out"] == str(tmp_path / "a")
    assert {name: part["instances"] for name, part in result["splits"].items()} == {
        "train": 10, "valid": 10, "test": 10
    }  # fmt: skip
    text = (tmp_path / "a/train.txt").read_text().splitlines()
    assert "\t" in text[6]
    assert not any("\t" in line for line in text[:6])


@pytest.mark.parametrize(
    ("form", "dialect", "command"),
    [
        ("babi", "fixed", ("verify",)),
        ("jsonl", "release", ("verify",)),
        ("babi", "release", ("audit", "babi")),
    ],
)
def test_the_check_that_is_proposed_passes(
    form: str, dialect: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    """The lists of the release's task 3 are no proofs, so its text is for the audit."""
    out = tmp_path / "out"
    words = ("--format", form, "--set", f"dialect={dialect}", "--size", "test=20")
    said = ok("generate", "babi/qa3", "--out", out, *words)
    assert f"fabula {' '.join(command)} {out}" in said
    ok(*command, out)


def test_generate_force_replaces_a_data_set_only(tmp_path: Path) -> None:
    out = tmp_path / "data"
    ok("generate", "babi/qa1", "--out", out, "--size", "train=5")
    first = (out / "manifest.json").read_bytes()
    assert cli.main(["generate", "babi/qa1", "--out", str(out), "--size", "test=5"]) == 2
    assert (out / "manifest.json").read_bytes() == first
    ok("generate", "babi/qa1", "--out", out, "--size", "test=5", "--force")
    assert [path.name for path in out.glob("*.jsonl")] == ["test-00000-of-00001.jsonl"]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    words = ["generate", "babi/qa1", "--out", str(mine), "--size", "5", "--force"]
    assert cli.main(words) == 2
    assert [path.name for path in mine.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("30", 30),
        ("release", "release"),
        ('"30"', "30"),
        ("true", True),
        ("0.5", 0.5),
        ("[10, 40]", [10, 40]),
        ("{a = 1}", {"a": 1}),
        ("two words", "two words"),
        ("a=b", "a=b"),
    ],
)
def test_set_reads_toml(text: str, value: object) -> None:
    assert common.changes_of([f"key.inner={text}"]) == {"key.inner": value}


def test_verify_and_stats(tmp_path: Path) -> None:
    out = tmp_path / "data"
    ok("generate", "actors/mix", "--out", out, "--size", "train=12")
    assert "12 of 12 proven" in ok("verify", out, "--workers", "1")
    verdict = json.loads(ok("verify", out, "--workers", "1", "--sample", "5", "--json"))
    assert (verdict["instances"], verdict["proven"], verdict["failed"]) == (5, 5, 0)
    picture = tmp_path / "a.svg"
    text = ok("stats", out, "--svg", picture)
    assert "12 questions" in text
    assert picture.read_text().startswith("<svg")
    assert json.loads(ok("stats", out, "--json"))["instances"] == 12


def test_verify_misses_what_is_gone(tmp_path: Path) -> None:
    ok("generate", "babi/qa2", "--out", tmp_path / "a", "--size", "train=20,test=10")
    (test,) = (tmp_path / "a").glob("test-*.jsonl")
    assert run("verify", tmp_path / "a").returncode == 0
    test.write_bytes(b"".join(test.read_bytes().splitlines(keepends=True)[:5]))
    shortened = run("verify", tmp_path / "a")
    assert shortened.returncode == 1
    assert f"{test}: changed since it was written" in shortened.stdout
    test.unlink()
    gone = run("verify", tmp_path / "a", "--json")
    assert (gone.returncode, json.loads(gone.stdout)["altered"]) == (1, [f"{test}: missing"])
    (tmp_path / "a/manifest.json").write_text("{")
    assert "manifest.json: damaged" in run("verify", tmp_path / "a").stdout


def test_verify_shows_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    record = json.loads(instance("babi/qa1", "train", 0).to_json())
    record["answer"] = [next(word for word in record["choices"] if word not in record["answer"])]
    path.write_text(json.dumps(record) + "\n")
    result = runner.invoke(cli.app, ["verify", str(path), "--workers", "1"])
    assert result.exit_code == 1
    assert record["id"] in result.stdout
    assert record["story"][0] in result.stdout
    assert "NOT PROVEN" in result.stdout


def test_audit(tmp_path: Path) -> None:
    path = tmp_path / "qa1.txt"
    path.write_text("1 Mary went to the kitchen.\n2 Where is Mary?\tgarden\t1\n")
    result = runner.invoke(cli.app, ["audit", "babi", str(path)])
    assert result.exit_code == 1
    assert "qa1.txt, line 2" in result.output
    (row,) = json.loads(runner.invoke(cli.app, ["audit", "babi", str(path), "--json"]).stdout)
    assert (row["questions"], row["answers"], row["defects"]["count"]) == (1, 0, 1)


# --- what does not ------------------------------------------------------------------------------

WRONG: list[tuple[str, str]] = [
    ("show babi/qa22", "Did you mean 'babi/qa2'?"),
    ("show nowhere.toml", "nowhere.toml: no such file"),
    ("show babi/qa1 --split tset", "Did you mean 'test'?"),
    ("show babi/qa1 --set lenght=3", "Did you mean 'length'?"),
    ("show babi/qa1 --set dialect=relase", "Did you mean 'release'?"),
    ("show babi/qa1 --set entities.person=[]", "Did you mean 'persons'?"),
    ("show babi/qa1 --set length", "--set length: write it as KEY=VALUE"),
    ("show babi/qa1 --set =3", "write it as KEY=VALUE"),
    ("show babi/qa1 --set length=[3", "--set length=[3: the value is not valid TOML"),
    ("show babi/qa1 --set length=", "not valid TOML"),
    ("show babi/qa1 --set length=3 --set length=4", "set twice"),
    ("show babi/qa1 --set length=long", "length"),
    ("show babi/qa1 --index -1", "--index"),
    ("show babi/qa1 --index x", "--index"),
    ("show babi/qa1 --sed 3", "--seed"),
    ("show", "RECIPE"),
    ("shwo", "show"),
    ("generate babi/qa1", "--out"),
    ("generate babi/qa1 --out OUT --size train=-1", "'-1' is not a positive whole number"),
    ("generate babi/qa1 --out OUT --size train=0", "'0' is not a positive whole number"),
    ("generate babi/qa1 --out OUT --size train=abc", "'abc' is not a positive whole number"),
    ("generate babi/qa1 --out OUT --size train=", "'' is not a positive whole number"),
    ("generate babi/qa1 --out OUT --size abc", "'abc' is not a positive whole number"),
    ("generate babi/qa1 --out OUT --size foo=3", "no split 'foo'. Known: test, train, valid"),
    ("generate babi/qa1 --out OUT --size tran=3", "Did you mean 'train'?"),
    ("generate babi/qa1 --out OUT --size train=3,train=4", "listed twice"),
    ("generate babi/qa1 --out OUT --size 5 --format jsnl", "Did you mean 'jsonl'?"),
    ("generate babi/qa1 --out OUT --size 5 --workers 0", "--workers"),
    ("generate babi/qa1 --out FILE --size 5", "is a file; choose a folder"),
    ("generate babi/qa1 --out FILE/inner --size 5", "FILE/inner: cannot be created"),
    ("verify NOTHING", "NOTHING: no such file"),
    ("stats NOTHING", "NOTHING: no such file"),
    ("stats FILE", "line 1: not valid JSON"),
    ("audit babi NOTHING", "NOTHING: no such file"),
    ("audit bab FILE", "babi"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_errors_name_the_place_and_leave_nothing(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "FILE").write_text("hello\n")
    names = ("OUT", "FILE", "FILE/inner", "NOTHING")
    given = [str(tmp_path / word) if word in names else word for word in words.split()]
    assert cli.main(given) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("error: ")
    assert caught.err.count("\n") == 1
    assert message in caught.err
    assert [path.name for path in tmp_path.iterdir()] == ["FILE"]


@pytest.mark.skipif(
    os.geteuid() == 0, reason="run the tests as a user other than root, who may read everything"
)
def test_unreadable_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text("{}")
    path.chmod(0)
    assert cli.main(["stats", str(path)]) == 2
    assert "secret.jsonl: cannot be read: Permission denied" in capsys.readouterr().err


def test_unreadable_is_told_by_the_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text("{}")

    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(LocalFileSystem, "open", refuse)
    for command in ("stats", "verify"):
        assert cli.main([command, str(path), *(["--workers", "1"] * (command == "verify"))]) == 2
        error = capsys.readouterr().err
        assert "secret.jsonl" in error
        assert "Permission denied" in error


def test_picture_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data"
    ok("generate", "babi/qa1", "--out", out, "--size", "train=5")
    assert cli.main(["stats", str(out), "--svg", str(tmp_path / "no/a.svg")]) == 2
    assert "no/a.svg: cannot be written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_ctrl_c_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("fabula.recipe.loading.recipe_ids", stop)
    assert cli.main(["list"]) == 130
    assert capsys.readouterr().err == "stopped; no half-written file was left behind\n"


# --- real processes -------------------------------------------------------------------------------


def test_process_error_has_no_traceback() -> None:
    done = run("show", "babi/qa22")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no recipe 'babi/qa22'")
    assert "Traceback" not in done.stderr


def test_process_output_is_plain_when_piped() -> None:
    done = run("show", "babi/qa1")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_process_stops_quietly_when_nobody_reads() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    for words in (["list"], ["list", "--json"]):
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        process.wait(30)


def test_process_survives_a_terminal_without_unicode() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*COMMAND, "list"], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_interrupted_generation_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = ["generate", "actors/mix", "--out", str(tmp_path / "data"), "--size", "500000"]
    process = subprocess.Popen(
        [*COMMAND, *words, "--workers", "1"], stderr=subprocess.PIPE, text=True, env=environment
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 130
    assert error == "stopped; no half-written file was left behind\n"
    assert list(tmp_path.iterdir()) == []
