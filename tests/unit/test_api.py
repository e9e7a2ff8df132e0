"""The public functions: their examples run, any model and any data fit, mistakes lose nothing."""

from __future__ import annotations

import doctest
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.evaluate.echo import Echo

import fabula
from fabula.errors import FabulaError
from fabula.evaluation.model import Reply, Usage
from fabula.evaluation.run import REPLIES, read_manifest
from fabula.prompting.prompt import reply as right_reply

DATA = fabula.Dataset("babi/qa1", split="test", seed=7, size=30)
RIGHT = {fabula.prompt(each): right_reply(each) for each in DATA}
FUNCTIONS = [name for name in fabula.__all__ if inspect.isfunction(getattr(fabula, name))]


# --- examples and exports -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fabula", "Dataset", *FUNCTIONS])
def test_examples_run(name: str) -> None:
    thing: Any = fabula if name == "fabula" else getattr(fabula, name)
    finder = doctest.DocTestFinder(recurse=not isinstance(thing, ModuleType))
    found = [test for test in finder.find(thing, name, globs={"fabula": fabula}) if test.examples]
    assert found, f"fabula.{name} has no example"
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in found:
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_every_name_is_listed_and_documented() -> None:
    assert dir(fabula) == fabula.__all__ == sorted(fabula.__all__)
    for name in fabula.__all__:
        thing = getattr(fabula, name)
        assert name == "__version__" or (thing.__doc__ or "").strip()
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        fabula.evalute  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_typed(name: str) -> None:
    signature = inspect.signature(getattr(fabula, name))
    assert signature.return_annotation is not signature.empty
    assert all(each.annotation is not each.empty for each in signature.parameters.values())


# --- any model ------------------------------------------------------------------------------------


def one_prompt(prompt: str) -> str:
    return RIGHT[prompt]


def many_prompts(prompts: list[str]) -> list[str]:
    assert isinstance(prompts, list)
    assert 1 <= len(prompts) <= 8
    return [RIGHT[each] for each in prompts]


def one_instance(instance: fabula.Instance) -> str:
    return right_reply(instance)


def many_instances(batch: list[fabula.Instance]) -> Iterator[str]:
    return (right_reply(each) for each in batch)


def with_usage(prompt: str) -> Reply:
    return Reply(RIGHT[prompt], usage=Usage(10, 1))


class Callable_:
    def __call__(self, instances: Any, temperature: float = 0.0) -> tuple[str, ...]:
        return tuple(map(right_reply, instances))


@pytest.mark.parametrize(
    "model",
    [
        one_prompt, many_prompts, one_instance, many_instances, with_usage, Callable_(),
        lambda prompt: RIGHT[prompt], Echo(),
    ],
)  # fmt: skip
def test_any_function_or_object_is_a_model(model: Any) -> None:
    found = fabula.evaluate(model, DATA)
    assert (found.asked, found.accuracy, found.outcomes) == (30, 1.0, {"correct": 30})
    assert found.interval.low < 1
    assert found.folder is None
    assert [each.id for each in found.replies] == [each.id for each in DATA]
    assert all(each.outcome == "correct" for each in found.replies)
    if model is with_usage:
        assert found.manifest["usage"]["input_tokens"] == 300


def test_any_data_can_be_asked(tmp_path: Path) -> None:
    recipe = fabula.load("babi/qa1", {"length": 3})
    manifest = fabula.write("babi/qa1", tmp_path / "data", "parquet", sizes=12)
    assert manifest["splits"]["test"]["instances"] == 12
    for data, options, count in (
        ("babi/qa1", {"size": 5, "seed": 3, "changes": {"length": 4}}, 5),
        (tmp_path / "data", {}, 12),
        (recipe, {"size": 4}, 4),
        (list(DATA)[:3], {}, 3),
        (DATA[5:9], {"shots": 2}, 4),
    ):
        found = fabula.evaluate(one_instance, data, **options)
        assert (found.asked, found.accuracy) == (count, 1.0)


def test_a_file_names_a_function(tmp_path: Path) -> None:
    (tmp_path / "helper_of_test_api.py").write_text("WORD = 'garden'\n")
    file = tmp_path / "mine.py"
    file.write_text(
        "from helper_of_test_api import WORD\n\n\ndef answer(prompt):\n    return WORD\n\n\n"
        "class Model:\n    def __call__(self, prompts):\n        return [WORD] * len(prompts)\n"
    )
    run = tmp_path / "run"
    found = fabula.evaluate(f"py:{file}:answer", DATA, run)
    assert 0 < found.accuracy < 1
    assert found.folder == run
    about = read_manifest(run)["about"]
    assert (about["kind"], about["function"]) == ("function", "mine.py:answer")
    assert {each.reply for each in found.replies} == {"garden"}
    assert fabula.evaluate(f"py:{file}:Model", DATA).outcomes == found.outcomes
    for name, said in (
        (f"py:{file}:anser", "no function 'anser'. Did you mean 'answer'?"),
        (f"py:{file}", "write py:FILE.py:FUNCTION"),
        (f"py:{tmp_path / 'none.py'}:answer", "none.py: no such file"),
    ):
        with pytest.raises(FabulaError) as error:
            fabula.evaluate(name, DATA)
        assert said in str(error.value)
    file.write_text("import nothing_of_the_kind\n")
    with pytest.raises(FabulaError, match=r"cannot be imported: ModuleNotFoundError.*line 1"):
        fabula.evaluate(f"py:{file}:answer", DATA)


# --- bad models -----------------------------------------------------------------------------------


def after(count: int, bad: Callable[[], Any]) -> Callable[[str], Any]:
    """Right replies, and after some of them something else."""
    asked: list[str] = []

    def answer(prompt: str) -> Any:
        asked.append(prompt)
        return RIGHT[prompt] if len(asked) <= count else bad()

    return answer


def fails() -> None:
    raise ValueError("no more memory")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (fails, r"raised ValueError: no more memory \(test_api.py, line \d+, instance babi/qa1:"),
        (lambda: None, "returned None; return the reply as a str"),
        (lambda: 3, "returned int 3; return the reply as a str"),
        (lambda: ["a", "b"], "name the parameter 'prompts' to be called with batches"),
        (lambda: b"garden", "returned bytes"),
    ],
)
def test_a_bad_function_is_reported_and_loses_nothing(
    bad: Callable[[], Any], said: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with pytest.raises(FabulaError, match=said) as error:
        fabula.evaluate(after(7, bad), DATA, run)
    assert "babi/qa1:test:7" in str(error.value)
    assert "Replies so far are kept" in str(error.value)
    assert (run / REPLIES).read_bytes().count(b"\n") == 7
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return RIGHT[prompt]

    answer.__qualname__ = after(0, fails).__qualname__
    found = fabula.evaluate(answer, DATA, run)
    assert (len(asked), found.asked, found.accuracy) == (23, 30, 1.0)


def test_a_temporary_run_that_fails_is_kept() -> None:
    with pytest.raises(FabulaError) as error:
        fabula.evaluate(after(7, fails), DATA)
    (note,) = error.value.__notes__
    folder = Path(note.partition("out='")[2].partition("'")[0])
    assert note.startswith(f"7 replies are in {folder}")
    model = after(99, fails)
    assert fabula.evaluate(model, DATA, folder).accuracy == 1.0
    with pytest.raises(FabulaError) as error:
        fabula.evaluate(after(0, fails), DATA)
    assert not hasattr(error.value, "__notes__")  # there was nothing to keep


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (lambda prompts: prompts[:2], "returned 2 replies; return a list of 8 replies"),
        (lambda prompts: [*prompts, "more"], "returned 9 replies; return a list of 8"),
        (lambda prompts: (each for each in prompts[:2]), "returned 2 replies; return a list of 8"),
        (lambda prompts: "garden", "returned str 'garden' for a batch"),
        (lambda prompts: None, "returned None for a batch"),
        (lambda prompts: [None] * len(prompts), "returned None; return the reply as a str"),
        (lambda: "garden", "takes no arguments; it must take one argument"),
        (lambda a, b: "garden", "takes a, b; it must take one argument"),
        (7, "int 7 is not a model"),
    ],
)
def test_a_bad_model_is_reported(model: Any, said: str) -> None:
    with pytest.raises(FabulaError) as error:
        fabula.evaluate(model, DATA)
    assert said in str(error.value)


def test_an_async_function_is_refused_with_the_fix() -> None:
    async def answer(prompt: str) -> str:
        return "garden"

    with pytest.raises(FabulaError, match=r"wrap an async function in one that calls asyncio\.run"):
        fabula.evaluate(answer, DATA)


def test_half_a_character_in_a_reply_is_no_crash() -> None:
    found = fabula.evaluate(lambda prompt: "garden \ud83d", DATA)
    assert found.asked == 30


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"style": "rap"}, "--style rap: choose one of direct"),
        ({"split": "test"}, "split: only applies to recipes"),
        ({"data": list(DATA), "shots": 2}, "--shots 2: a list has 0 training examples"),
        ({"data": fabula.Dataset("babi/qa1", size=None)}, "endless"),
        ({"data": []}, "there are no questions"),
        ({"data": [1]}, "holds instances, not int"),
        ({"data": "babi/qa1", "split": "tset"}, "Did you mean 'test'"),
    ],
)
def test_bad_requests_ask_nothing(options: dict[str, Any], said: str) -> None:
    def answer(prompt: str) -> str:
        raise AssertionError("asked")

    data = options.pop("data", DATA)
    with pytest.raises(FabulaError, match=said):
        fabula.evaluate(answer, data, **options)


def test_a_run_can_be_reported_and_a_temporary_one_cannot(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    run = fabula.evaluate(one_prompt, DATA, tmp_path / "run")
    written = fabula.report([run], tmp_path / "page.html", pictures=False)
    assert written.files[0] == tmp_path / "page.html"
    with pytest.raises(fabula.UsageError, match="this evaluation was not saved"):
        fabula.report(fabula.evaluate(one_prompt, DATA))


# --- data -----------------------------------------------------------------------------------------


def test_data_in_memory_and_on_disk_are_the_same(tmp_path: Path) -> None:
    train, test = (fabula.Dataset("actors/mix", split=s, size=40) for s in ("train", "test"))
    train.write(tmp_path / "train", "parquet")
    test.write(tmp_path / "test")
    here = fabula.leak(train, list(test))
    there = fabula.leak(str(tmp_path / "train"), tmp_path / "test")
    assert here.measures.keys() == there.measures.keys()
    assert {m: (o.seen, o.test) for m, o in here.measures.items()} == {
        m: (o.seen, o.test) for m, o in there.measures.items()
    }
    assert fabula.diff(train, tmp_path / "train").none
    assert fabula.diff(train, test).added == 40
    assert fabula.baselines(test).scores == fabula.baselines(tmp_path / "test").scores
    with pytest.raises(fabula.UsageError, match="endless"):
        fabula.leak(fabula.Dataset("babi/qa1", size=None), test)


def test_a_rewritten_data_set_has_the_one_manifest(tmp_path: Path) -> None:
    data = fabula.Dataset("dyna/mix-t12", split="test", size=24)
    here = fabula.rewrite(data, "padded", length=40, filler=True)
    assert here.data is not None
    assert len(here.data) == here.written == here.read == 24
    for form in ("jsonl", "parquet"):
        out = tmp_path / form
        there = fabula.rewrite(data, "padded", out, form, length=40, filler=True)
        assert there.data is None
        assert fabula.read(out) == here.data
        manifest = json.loads((out / "manifest.json").read_text())
        assert manifest["instances"] == manifest["splits"]["test"]["instances"] == 24
        assert (manifest["rewrite"], manifest["written"]) == ("padded", 24)
    verdict = fabula.verify(tmp_path / "jsonl")
    assert (verdict.proven, verdict.altered) == (24, ())
    (file,) = (tmp_path / "jsonl").glob("*.jsonl")
    file.write_bytes(file.read_bytes().partition(b"\n")[2])
    assert fabula.verify(tmp_path / "jsonl").altered == (f"{file}: changed since it was written",)


def test_several_shards_of_a_split_are_rewritten_as_one(tmp_path: Path) -> None:
    fabula.write("babi/qa1", tmp_path / "in", sizes={"train": 7, "test": 3}, shard_size=3)
    found = fabula.rewrite(tmp_path / "in", "bare", tmp_path / "out")
    assert found.written == 10
    assert {s: p["instances"] for s, p in found.manifest["splits"].items()} == {
        "train": 7, "test": 3
    }  # fmt: skip


def test_a_recipe_is_written_whole_and_a_suite_too(tmp_path: Path) -> None:
    told = fabula.write("babi/qa1", tmp_path / "a", sizes=4, seed=9, changes={"length": 4})
    assert {name: part["instances"] for name, part in told["splits"].items()} == {
        "train": 4, "valid": 4, "test": 4
    }  # fmt: skip
    made = fabula.load("babi/qa1", {"length": 4})
    assert fabula.write(made, tmp_path / "b", sizes=4, seed=9)["splits"] == told["splits"]
    with pytest.raises(fabula.UsageError, match="sizes: applies to recipes only"):
        fabula.write(DATA, tmp_path / "c", sizes=3)
    suite = fabula.write("babi/all", tmp_path / "all", sizes={"test": 2})
    assert suite["suite"] == "babi/all"
    assert set(suite["splits"]) == {"test"}
    with pytest.raises(fabula.UsageError, match="--format, --shard-size: babi/all has the files"):
        fabula.write("babi/all", tmp_path / "x", "parquet", shard_size=5)
    assert not (tmp_path / "x").exists()


def test_audits_of_both_kinds(tmp_path: Path) -> None:
    file = tmp_path / "qa1_train.txt"
    file.write_text("1 Mary went to the hall.\n2 Where is Mary?\tgarden\t1\n")
    counted: list[int] = []
    (found,) = fabula.audit([str(file)], progress=counted.append)
    assert (found.questions, len(found.defects), counted) == (1, 1, [1])
    fabula.write("stepgame/clean", tmp_path / "game", "stepgame", sizes={"test": 5})
    (game,) = fabula.audit(tmp_path / "game", "stepgame")
    assert (game.stories, game.agree) == (5, 5)
    with pytest.raises(fabula.UsageError, match="kind 'squad': unknown"):
        fabula.audit(file, "squad")  # type: ignore[call-overload]


# --- training -------------------------------------------------------------------------------------


def test_a_model_is_trained_and_asked(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    rows: list[dict[str, Any]] = []
    run = fabula.train(
        "ngram", "babi/qa1", tmp_path / "run", size=80, test_size=20, settings={"epochs": 1},
        progress=rows.append,
    )  # fmt: skip
    assert run["tests"].keys() == {"babi/qa1"}
    assert rows
    found = fabula.evaluate(tmp_path / "run", "babi/qa1", tmp_path / "eval", size=20)
    assert found.accuracy == pytest.approx(run["tests"]["babi/qa1"]["best"])
    with pytest.raises(fabula.UsageError, match="Write a data set to a folder first"):
        fabula.train("ngram", [DATA], tmp_path / "x")  # type: ignore[list-item]
    assert "memn2n" in fabula.models()
