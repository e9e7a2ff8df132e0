"""`fabula eval` of models behind an API, by Inspect AI's model layer, on a server started here."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from tests.harness.oracle_server import serve

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluate.inspect_api import InspectModel
from fabula.evaluate.model import Ask
from fabula.evaluate.run import evaluate, read_manifest, read_run
from fabula.prompt import prompt, reply

SIZE = 12
INSTANCES = list(fabula.generate("babi/qa2", "test", 7, SIZE))
COMMAND = ["eval", "openai-api/local/oracle", "babi/qa2", "--seed", "7", "--size", str(SIZE)]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")


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
    monkeypatch.setattr("fabula.evaluate.inspect_api.TRIES", 0)
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


def test_the_budget_of_tokens_ends_a_run_that_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fabula.evaluate.run.PORTION", 4)
    with serve(table()) as url:
        monkeypatch.setenv("LOCAL_BASE_URL", url)
        ask = Ask(concurrency=1, budget=6)
        with pytest.raises(FabulaError, match="8 tokens are spent, the budget is 6"):
            evaluate(InspectModel("openai-api/local/oracle", ask), INSTANCES, tmp_path, ask)
        assert len(list(read_run(tmp_path))) == 4
        ask = Ask(concurrency=1)
        evaluate(InspectModel("openai-api/local/oracle", ask), INSTANCES, tmp_path, ask)
    assert read_manifest(tmp_path)["outcomes"] == {"correct": SIZE}


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
