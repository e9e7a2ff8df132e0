"""Nothing from a recipe or data file is written or read outside its folder, and no code is run."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import orjson
import pytest

import fabula
from fabula.cli import main
from fabula.core.files import inside, parse_json, parse_toml, plain_name, unfit_name
from fabula.datasets.formats import FORMATS
from fabula.errors import FabulaError, OutputError, ParseError, RecipeError
from fabula.play.worldfile import load_world
from fabula.recipe.loading import load, read_recipe

SOURCES = sorted(Path(fabula.__file__).parent.rglob("*.py"))

UNFIT = [
    "", " ", ".", "..", "../../victim", "a/b", "a\\b", "/etc/x", "C:x", "a:b", "a*", "a?", "a|b",
    'a"b', "<a>", "a\0b", "a\nb", "a\tb", "a\u2028b", "a\u202eb", "\ud800", "CON", "nul", "aux.txt",
    "COM1", "lpt9.jsonl", ".hidden", "-rf", "~root", "trailing.", "trailing ", " leading",
    "x" * 101,
]  # fmt: skip
FIT = [
    "train",
    "test",
    "iid",
    "test-2",
    "k=3",
    "v1.2",
    "ünïcödé",
    "two words",
    "x" * 100,
    "console",
]


@pytest.mark.parametrize("name", UNFIT)
def test_names_that_are_not_plain_are_refused(name: str) -> None:
    assert unfit_name(name)
    with pytest.raises(OutputError, match=r"^split "):
        plain_name(name, "split")


@pytest.mark.parametrize("name", FIT)
def test_plain_names_are_taken(name: str) -> None:
    assert plain_name(name, "split") == name


@pytest.mark.parametrize("name", [name for name in UNFIT if name == name.strip() != "\ud800"])
def test_a_split_never_writes_outside_its_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="splits"):
        load("babi/qa1", {"splits": {name: 20}})
    for form in FORMATS.values():
        with pytest.raises(OutputError):
            form.file("babi/qa1", name, 0, 1)


def test_the_recipe_that_somebody_sends_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    victim, box = tmp_path / "victim.txt", tmp_path / "a" / "b"
    victim.write_text("precious")
    box.mkdir(parents=True)
    recipe = box / "mine.toml"
    recipe.write_text('extends = "babi/qa1"\n[splits]\n"../../victim" = 20\n')
    assert main(["generate", str(recipe), "--out", str(box / "out"), "--format", "babi"]) == 2
    said = capsys.readouterr().err
    assert "splits.'../../victim': a name cannot contain '/'" in said
    assert victim.read_text() == "precious"
    assert sorted(path.name for path in box.iterdir()) == ["mine.toml"]


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "a//b", "CON", "", "x" * 200])
def test_ids_and_parts_are_names_too(name: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="id"):
        load("babi/qa1", {"id": name})
    with pytest.raises((RecipeError, OutputError)):
        load("dyna/concat-t2", {"parts": [{"recipe": "babi/qa1", "name": name or "a/b"}]})
    world = tmp_path / "mine.toml"
    world.write_text(f'id = "{name}"\n[places.hall]\n[places.park]\n[people.Mary]\nat = "hall"\n')
    with pytest.raises(RecipeError, match="id"):
        load_world(world)


def test_splits_that_one_file_system_takes_for_one_are_refused() -> None:
    with pytest.raises(RecipeError, match="one file on some systems"):
        load("babi/qa1", {"splits": {"Test": 5, "test": 5}})
    with pytest.raises(RecipeError, match="manifest"):
        load("babi/qa1", {"splits": {"manifest": 5}})


# --- reading --------------------------------------------------------------------------------------

ELSEWHERE = ["../secret.toml", "{secret}", "sub/../../secret.toml", "~/secret.toml", "link.toml"]


@pytest.mark.parametrize("named", ELSEWHERE)
@pytest.mark.parametrize("key", ["extends", "templates", "part", "dialect"])
def test_a_recipe_reads_nothing_outside_its_folder(named: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('world = "actors"\n')
    box = tmp_path / "box"
    box.mkdir()
    (box / "link.toml").symlink_to(tmp_path / "secret.toml")
    path = orjson.dumps(named.format(secret=tmp_path / "secret.toml")).decode()
    content = {
        "extends": f"extends = {path}\n",
        "templates": f'extends = "clutrr/gen-23"\ntelling = "templates"\ntemplates = {path}\n',
        "part": f"[[parts]]\nrecipe = {path}\n",
        "dialect": f'extends = "clutrr/gen-23"\n[dialects.x]\ntemplates = {path}\n',
    }[key]
    recipe = box / "mine.toml"
    recipe.write_text(content)
    with pytest.raises(RecipeError, match="is not in the folder box of the file that names it"):
        read_recipe(recipe)


def test_files_beside_a_recipe_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = tmp_path / "box"
    (box / "sub").mkdir(parents=True)
    (box / "sub" / "base.toml").write_text('extends = "babi/qa1"\nlength = 3\n')
    (box / "mine.toml").write_text('extends = "sub/base.toml"\n')
    (box / "whole.toml").write_text('[[parts]]\nname = "a"\nrecipe = "mine.toml"\n')
    monkeypatch.chdir(tmp_path)
    assert load("box/mine.toml").length == 3
    assert load(box / "whole.toml").kinds() == ("where-person",)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "x\0y", "~/x"])
def test_inside_is_inside(name: str, tmp_path: Path) -> None:
    with pytest.raises(FabulaError, match="not in the folder"):
        inside(tmp_path, name, "manifest")


def test_text_that_is_too_large_or_too_deep_is_refused() -> None:
    for text in ("a = " + "[" * 100_000, "a = " + "[" * 40 + "]" * 40, "a" + ".a" * 5000 + " = 1"):
        with pytest.raises(ParseError, match=r"nested deeper|not valid TOML"):
            parse_toml(text, "x")
    with pytest.raises(ParseError, match="larger"):
        parse_toml("#" * 5_000_000, "x")
    with pytest.raises(ParseError, match="not valid TOML"):
        parse_toml("a = " + "9" * 10_000, "x")
    for content in (b"[" * 100_000, b"[" * 40 + b"]" * 40):
        with pytest.raises(ParseError, match=r"nested deeper|not valid JSON"):
            parse_json(content, "x")


def test_a_manifest_names_no_files_elsewhere(tmp_path: Path) -> None:
    from fabula.datasets.manifest import altered

    (tmp_path / "set").mkdir()
    (tmp_path / "secret").write_text("x")
    listed = {"splits": {"test": {"files": [{"file": "../secret", "sha256": "0"}]}}}
    (tmp_path / "set" / "manifest.json").write_bytes(orjson.dumps(listed))
    assert altered(tmp_path / "set") == (f"{tmp_path / 'set' / 'manifest.json'}: damaged",)


# --- code -----------------------------------------------------------------------------------------

RUNS_CODE = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}


def objections(tree: ast.AST) -> list[str]:
    """What in a module could run code that comes with data."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name.split(".")[0] in RUNS_CODE]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in RUNS_CODE:
            found.append(str(node.module))
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            keywords = {each.arg: ast.unparse(each.value) for each in node.keywords}
            if called in ("eval", "exec", "compile", "__import__", "builtins.eval"):
                found.append(called)
            if called.endswith("torch.load") and keywords.get("weights_only") != "True":
                found.append(called)
            if called in (
                "yaml.load",
                "yaml.unsafe_load",
                "yaml.full_load",
                "numpy.load",
                "np.load",
            ):
                found.append(called)
            if keywords.get("trust_remote_code") == "True" or keywords.get("shell") == "True":
                found.append(called)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_module_runs_code_that_comes_with_data(path: Path) -> None:
    assert objections(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from pickle import loads", "import dill.x", "torch.load(x)", "eval(x)",
     "torch.load(x, weights_only=False)", "yaml.load(x)", "f(x, trust_remote_code=True)"],
)  # fmt: skip
def test_the_check_itself_sees_what_it_looks_for(code: str) -> None:
    assert objections(ast.parse(code))


def test_servers_listen_to_this_machine_only() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert "0.0.0.0" not in text, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".bind", "Server")):
                assert "LOOPBACK" in ast.unparse(node) or "127.0.0.1" in ast.unparse(node), path


def test_arguments_that_no_file_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["generate", "babi/qa1", "--out", "a\0b"],
        ["verify", "a\0b"],
        ["show", "babi/qa1\0"],
        ["stats", "\udcff"],
    ):
        assert main(command) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_python_functions_refuse_a_nul_too(tmp_path: Path) -> None:
    from fabula.datasets.engines import write

    for out in (f"{tmp_path}/a\0b", Path(f"{tmp_path}/a\0b")):
        with pytest.raises(OutputError, match="NUL"):
            write(load("babi/qa1"), out, {"test": 2}, engine="inline")


def test_a_run_folder_from_somebody_else(tmp_path: Path) -> None:
    from fabula._version import __version__
    from fabula.training.source import Source, digest, kept

    source = Source("babi/qa1", size=5)
    made = source.examples("train", tmp_path)
    (path,) = tmp_path.glob("*.examples")
    assert path.name == f"{digest([source.to_dict(), 'train', __version__])}.examples"
    assert kept(path) == made == source.examples("train", tmp_path)
    kin = Source("clutrr/gen-23", size=3)
    assert kin.examples("train", tmp_path) == kin.examples("train", tmp_path)

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.write_text, (tmp_path / "boom", "boom"))

    import pickle

    sound = path.read_bytes()
    for content in (pickle.dumps([Bomb()]), sound[:-9], b"[]\n", b'[["a"], 1, 2, 3, 4, 5, 6]\n'):
        path.write_bytes(content)
        assert source.examples("train", tmp_path) == made
        assert path.read_bytes() == sound
    assert not (tmp_path / "boom").exists()
