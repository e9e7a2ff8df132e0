"""`fabula eval` of models behind an API, by Inspect AI's model layer, on a server started here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier, Semaphore
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="run `make harnesses`, or pip install 'fabula[inspect]'")

from tests.harness.oracle_server import Before, serve

import fabula
from fabula.cli import main
from fabula.evaluation.inspect_api import InspectModel
from fabula.evaluation.model import Ask
from fabula.evaluation.run import evaluate, read_manifest, read_run
from fabula.prompting.prompt import prompt, reply

SIZE = 12
INSTANCES = list(fabula.generate("babi/qa2", "test", 7, SIZE))
COMMAND = ["eval", "openai-api/local/oracle", "babi/qa2", "--seed", "7", "--size", str(SIZE)]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Starts a server, and makes it the one that is asked."""
    with ExitStack() as servers:

        def start(replies: dict[str, str], *before: Before) -> str:
            url = servers.enter_context(serve(replies, *before))
            monkeypatch.setenv("LOCAL_BASE_URL", url)
            return url

        yield start


def table(form: str = "word") -> dict[str, str]:
    return {prompt(each, form=form): reply(each, form) for each in INSTANCES}


@pytest.mark.parametrize("form", ["word", "letter", "json", "sentence"])
def test_an_endpoint_is_asked_and_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    with serve(table(form)) as url:
        monkeypatch.setenv("LOCAL_BASE_URL", url)
        assert main([*COMMAND, "--form", form, "--out", str(tmp_path), "--concurrency", "3"]) == 0
    found = read_manifest(tmp_path)
    assert found["outcomes"] == {"correct": SIZE}
    assert found["about"]["kind"] == "inspect"
    assert {line["usage"]["output_tokens"] for line in read_run(tmp_path)} == {1}


def test_what_is_answered_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = table()
    first = [prompt(each) for each in INSTANCES[:5]]
    monkeypatch.setattr("fabula.evaluation.inspect_api.TRIES", 0)
    with serve({text: known[text] for text in first}) as url:  # hangs up on all others
        monkeypatch.setenv("LOCAL_BASE_URL", url)
        assert main([*COMMAND, "--out", str(tmp_path)]) == 0
        found = read_manifest(tmp_path)
        assert (found["asked"], found["failed"]) == (5, SIZE - 5)
    rest = {text: said for text, said in known.items() if text not in first}
    with serve(rest) as url:
        monkeypatch.setenv("LOCAL_BASE_URL", url)
        assert main([*COMMAND, "--out", str(tmp_path)]) == 0
    found = read_manifest(tmp_path)
    assert (found["asked"], found["failed"]) == (SIZE, 0)


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (["--budget", "6"], "6 tokens are spent; the budget is 6."),
        # a token of a prompt and one of a reply: three dollars
        (["--price", "1e6,2e6", "--cost", "8"], "$9.0000 are spent; the limit is $8.0000."),
    ],
    ids=["tokens", "dollars"],
)
def test_a_limit_ends_a_run_that_can_be_resumed(
    tmp_path: Path,
    endpoint: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    limits: list[str],
    what: str,
) -> None:
    endpoint(table())
    command = [*COMMAND, "--out", str(tmp_path), "--concurrency", "1"]
    assert main([*command, *limits]) == 2
    assert what in capsys.readouterr().err
    assert len(list(read_run(tmp_path))) == 3
    priced = "--price" in limits
    assert main([*command, *limits[:2]] if priced else command) == 0
    found = read_manifest(tmp_path)
    assert found["outcomes"] == {"correct": SIZE}
    assert found["usage"] == {
        "input_tokens": SIZE, "output_tokens": SIZE, "cost": 3 * SIZE if priced else 0,
    }  # fmt: skip


def test_a_limit_reached_by_the_last_reply_ends_nothing(
    tmp_path: Path, endpoint: Callable[..., str]
) -> None:
    endpoint(table())
    command = [*COMMAND, "--out", str(tmp_path), "--concurrency", "1", "--budget", str(2 * SIZE)]
    assert main(command) == 0


def test_dollars_need_a_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*COMMAND, "--out", str(tmp_path / "run"), "--cost", "1"]
    assert main(command) == 2
    assert "set it with --price" in capsys.readouterr().err
    assert main([*command, "--price", "cheap"]) == 2
    assert "--price cheap: two numbers are wanted" in capsys.readouterr().err


def test_questions_are_on_their_way_together(tmp_path: Path, endpoint: Callable[..., str]) -> None:
    meeting, under_way, most = Barrier(3, timeout=60), Semaphore(3), []

    def wait(asked: dict[str, Any]) -> int:
        most.append(under_way.acquire(blocking=False))
        meeting.wait()  # goes on only when three are there
        under_way.release()
        return 200

    endpoint(table(), wait)
    assert main([*COMMAND, "--out", str(tmp_path), "--concurrency", "3"]) == 0
    assert read_manifest(tmp_path)["outcomes"] == {"correct": SIZE}
    assert most == [True] * SIZE  # never a fourth


def test_an_endpoint_that_is_busy_is_asked_again(
    tmp_path: Path, endpoint: Callable[..., str]
) -> None:
    asked: list[dict[str, Any]] = []

    def busy(request: dict[str, Any]) -> int:
        asked.append(request)
        return 503 if len(asked) == 1 else 200

    endpoint(table(), busy)
    assert main([*COMMAND, "--out", str(tmp_path)]) == 0
    assert len(asked) == SIZE + 1
    assert read_manifest(tmp_path)["outcomes"] == {"correct": SIZE}


def test_a_reply_may_come_from_the_cache(
    tmp_path: Path, endpoint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    asked: list[dict[str, Any]] = []

    def count(request: dict[str, Any]) -> int:
        asked.append(request)
        return 200

    endpoint(table(), count)
    for number, (run, options) in enumerate(
        [("one", ["--cache"]), ("two", ["--cache"]), ("three", [])]
    ):
        assert main([*COMMAND, "--out", str(tmp_path / run), *options]) == 0
        assert read_manifest(tmp_path / run)["outcomes"] == {"correct": SIZE}
        assert len(asked) == SIZE * (1, 1, 2)[number]


def test_the_limit_on_the_tokens_of_a_reply_is_sent(
    tmp_path: Path, endpoint: Callable[..., str]
) -> None:
    endpoint({asked: f"Well, let us see. {said}" for asked, said in table().items()})
    assert main([*COMMAND, "--out", str(tmp_path), "--tokens", "3"]) == 0
    assert read_manifest(tmp_path)["outcomes"] == {"truncated": SIZE}
    assert {line["reply"] for line in read_run(tmp_path)} == {"Well, let us"}


def test_a_reply_that_was_cut_off_is_truncated(tmp_path: Path) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage

    outputs = [
        ModelOutput.from_content("mockllm/model", "Well, first", stop_reason="max_tokens")
        for _ in INSTANCES
    ]
    for output in outputs:  # otherwise tokens are counted, with a file from the network
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = InspectModel("mockllm/model", Ask(), custom_outputs=outputs)
    assert evaluate(model, INSTANCES, tmp_path)["outcomes"] == {"truncated": SIZE}


def test_an_unknown_provider_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "nobody/knows", "babi/qa1", "--size", "1", "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: nobody/knows: ")
    assert "\n" not in said.strip()
