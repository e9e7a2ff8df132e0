"""Every command that reads data reads whatever `generate` writes as records."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import fabula
from fabula.cli import main
from fabula.datasets.engines import write
from fabula.datasets.stored import data_files, digests, records_of, split_of
from fabula.errors import FabulaError, ParseError
from fabula.recipe.loading import load

FORMS = ("jsonl", "jsonl.gz", "parquet")
SIZES = {"train": 60, "test": 12}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data set in three formats, in shards."""
    folder = tmp_path_factory.mktemp("made")
    for form in FORMS:
        write(load("babi/qa2"), folder / form, SIZES, form, 7, shard_size=25)
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> Any:
    capsys.readouterr()
    assert main([str(word) for word in words]) == code
    return orjson.loads(capsys.readouterr().out)


@pytest.mark.parametrize("form", FORMS)
def test_verify(form: str, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(capsys, "verify", made / form, "--json", "--workers", 1)
    assert (found["instances"], found["proven"], found["altered"]) == (72, 72, [])


@pytest.mark.parametrize("form", FORMS)
def test_stats(form: str, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(capsys, "stats", made / form, "--json")
    plain = said(capsys, "stats", made / "jsonl", "--json")
    for key in ("instances", "splits", "answers", "mean_words", "support_sizes", "recency"):
        assert found[key] == plain[key]


@pytest.mark.parametrize("form", FORMS)
def test_leak(form: str, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = data_files(made / form)
    (test,) = [file for file in files if file.name.startswith("test")]
    (first, *_) = [file for file in files if file.name.startswith("train")]
    found = said(capsys, "leak", first, test, "--json")
    assert found == {**said(capsys, "leak", first, test, "--json")}
    same = said(capsys, "leak", test, test, "--json")
    assert same["measures"]["text"]["seen"] == 12
    assert found["measures"]["text"]["seen"] < 12


@pytest.mark.parametrize("form", FORMS)
def test_diff(form: str, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(capsys, "diff", made / "jsonl", made / form, "--json")
    assert (found["by"], found["same"], found["identical_records"]) == ("id", 72, True)


@pytest.mark.parametrize("form", FORMS)
def test_rewrite(form: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert said(capsys, "rewrite", "bare", made / form, "--out", out, "--json")["written"] == 72
    names = sorted(file.name for file in out.iterdir())
    assert names == [
        "manifest.json",
        "test-00000-of-00001.jsonl",
        "train-00000-of-00001.jsonl",
    ]
    plain = tmp_path / "plain"
    main(["rewrite", "bare", str(made / "jsonl"), "--out", str(plain)])
    for name in names[1:]:
        assert (out / name).read_bytes() == (plain / name).read_bytes()
    file = out / names[1]
    file.write_bytes(file.read_bytes().replace(b"garden", b"office"))
    capsys.readouterr()
    found = said(capsys, "verify", out, "--json", "--workers", 1, code=1)
    assert found["altered"] == [f"{file}: changed since it was written"]


@pytest.fixture(scope="module")
def plain_run(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `fabula train` makes of JSONL."""
    pytest.importorskip("torch", reason="install fabula[train]")
    return trained(made / "jsonl", tmp_path_factory.mktemp("runs") / "run")


def trained(data: Path, out: Path) -> Path:
    assert main(["train", "ngram", str(data), "--out", str(out), "--with", "epochs=1"]) == 0
    return out


def outcome(run: Path) -> dict[str, Any]:
    found = orjson.loads((run / "run.json").read_bytes())
    return {name: tests["mean"] for name, tests in found["tests"].items()}


@pytest.mark.parametrize("form", FORMS)
def test_train_eval_and_report(
    form: str, made: Path, plain_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, asked = trained(made / form, tmp_path / "run"), tmp_path / "asked"
    assert [*outcome(run).values()] == [*outcome(plain_run).values()]
    found = said(capsys, "eval", run, made / form, "--out", asked, "--json")
    assert (found["instances"], found["asked"]) == (12, 12)
    written = said(capsys, "report", asked, "--out", tmp_path / "r.html", "--no-pictures", "--json")
    assert Path(written[0]).is_file()
    assert main(["train", "ngram", str(made / form), "--out", str(run), "--with", "epochs=1"]) == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_source_of_training_reads_every_format(form: str, made: Path) -> None:
    pytest.importorskip("torch", reason="install fabula[train]")
    from fabula.training.source import Source

    source = Source(str(made / form))
    source.check("test")
    assert len(source.examples("train")) == 60
    assert [e.told for e in source.examples("test")] == [
        e.told for e in Source(str(made / "jsonl")).examples("test")
    ]
    with pytest.raises(FabulaError, match="100 are needed"):
        Source(str(made / form), size=100).check("train")


def test_the_content_of_a_folder_of_jsonl_has_the_digest_it_always_had(tmp_path: Path) -> None:
    """Runs that were begun before go on."""
    from hashlib import sha256

    for name in ("train-00001-of-00002", "test", "train-00000-of-00002"):
        (tmp_path / f"{name}.jsonl").write_text(name)
    (tmp_path / "README.md").touch()
    (tmp_path / "manifest.json").touch()
    assert digests(str(tmp_path)) == [
        [file.name, sha256(file.read_bytes()).hexdigest()]
        for file in sorted(tmp_path.glob("*.jsonl"))
    ]


# --- gzip ---------------------------------------------------------------------------------------


def test_gzipped_bytes_depend_on_the_records_alone(tmp_path: Path, made: Path) -> None:
    write(load("babi/qa2"), tmp_path / "again", SIZES, "jsonl.gz", 7, shard_size=25)
    for file in (made / "jsonl.gz").iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
    file = made / "jsonl.gz" / "train-00001-of-00003.jsonl.gz"
    content = file.read_bytes()
    assert content[3:8] == bytes(5)  # no name, no time
    plain = made / "jsonl" / "train-00001-of-00003.jsonl"
    assert gzip.decompress(content) == plain.read_bytes()
    fabula.Dataset(made / "jsonl", "test").filter(lambda _: True).write(
        tmp_path / "records", format="jsonl.gz"
    )
    (records,) = (tmp_path / "records").glob("*.gz")
    assert [r.id for r in records_of(records)] == [
        r.id for r in fabula.Dataset(made / "jsonl.gz", "test")
    ]


@pytest.mark.parametrize("command", ["verify", "stats", "rewrite bare"])
@pytest.mark.parametrize("damage", ["cut", "torn", "flipped"])
def test_damaged_gzip_is_refused(
    command: str, damage: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "train.jsonl.gz"
    content = (made / "jsonl.gz" / "train-00000-of-00003.jsonl.gz").read_bytes()
    if damage == "cut":
        content = content[:-200]
    elif damage == "torn":  # a good gzip file of a record that ends in the middle
        content = gzip.compress(gzip.decompress(content)[:-300])
    else:
        content = content[:2000] + bytes(64) + content[2064:]
    file.write_bytes(content)
    more = ["--out", str(tmp_path / "out")] if command.startswith("rewrite") else []
    assert main([*command.split(), str(file), *more]) == 2
    assert str(file) in capsys.readouterr().err
    with pytest.raises(ParseError, match="train"):
        list(records_of(file))


# --- places -------------------------------------------------------------------------------------


@pytest.fixture
def memory() -> Iterator[None]:
    MemoryFileSystem.store.clear()
    yield
    MemoryFileSystem.store.clear()


@pytest.mark.parametrize("form", FORMS)
def test_a_url(form: str, made: Path, memory: None) -> None:
    write(load("babi/qa2"), "memory://b/data", SIZES, form, 7)
    data = fabula.read("memory://b/data", "train")
    assert len(data) == 60
    assert data == fabula.read(made / form, "train")


@pytest.mark.parametrize("odd", ["a::b", "~x", "a*b?[c]", ".hidden", "a#b%20"])
def test_odd_names_of_folders(
    odd: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write(load("babi/qa1"), tmp_path / odd, {"train": 5})
    assert len(fabula.read(odd)) == 5
    assert len(fabula.read(Path(odd))) == 5
    assert said(capsys, "verify", Path(odd), "--json")["proven"] == 5
    assert said(capsys, "stats", Path(odd), "--json")["instances"] == 5


def test_splits_of_names() -> None:
    assert split_of("x/train-00001-of-00003.jsonl.gz") == "train"
    assert split_of("x/qa1_train.jsonl") == "qa1_train"
    assert split_of("x/a.b-00000-of-00001.parquet") == "a.b"
