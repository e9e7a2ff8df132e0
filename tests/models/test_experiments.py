"""Experiments: what their files say, what is trained, and which claims hold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from fabula.cli import main
from fabula.errors import FabulaError
from fabula.training.experiments.judge import judge
from fabula.training.experiments.measures import measure
from fabula.training.experiments.page import overview, page
from fabula.training.experiments.reading import load_experiment
from fabula.training.experiments.run import _done, _tests, carry_out, trainings
from fabula.training.experiments.spec import Expectation, Experiment, matches
from fabula.training.models import MODELS, model_named
from fabula.training.plan import settings

FILES = sorted(Path("experiments").glob("*.toml"))
TEXT = """
id = "T1"
title = "A test"
paper = "None"
finding = "Nothing."
[[columns]]
name = "N-gram"
model = "ngram"
published = [50, 60, nan]
[[columns]]
name = "MemN2N"
model = "memn2n"
with = { linear_start = 0 }
[[lines]]
name = "task {n}"
each = { n = [1, 2] }
train = "babi/qa{n}"
[[lines]]
name = "task 1, then 2"
before = [{ train = "babi/qa1" }]
words = "babi/qa2"
train = "babi/qa2"
test = { recipe = "babi/qa2", size = 30 }
where = { support_size = 2 }
[[claims]]
says = "above nothing"
at_least = 0
[[claims]]
says = "all solved"
columns = ["MemN2N"]
solves_at_least = 3
[scales.small]
train_size = 60
test_size = 40
seeds = 2
with = { epochs = 2 }
"""


def written(tmp_path: Path, text: str = TEXT) -> Experiment:
    path = tmp_path / "T1.toml"
    path.write_text(text)
    return load_experiment(path)


def test_a_table_is_made_once_and_read_again(tmp_path: Path) -> None:
    experiment = written(tmp_path)
    told: list[str] = []
    first = carry_out(experiment, "small", tmp_path / "store", report=told.append)
    assert [line["name"] for line in first["lines"]] == ["task 1", "task 2", "task 1, then 2"]
    for line in first["lines"]:
        for cell in line["cells"].values():
            assert len(cell["runs"]) == 2
            assert 0 <= cell["mean"] <= 100
            assert 0 < cell["chance"] < 50
    assert first["lines"][2]["cells"]["N-gram"]["examples"] == 30
    assert [claim["holds"] for claim in first["claims"]] == [True, False]
    # 'task 1' of the table and the first stage of the last line differ in the words they know
    assert len(told) == 2 * 2 * (2 + 2)
    models = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("model.pt")}
    again = carry_out(experiment, "small", tmp_path / "store")
    assert again == first
    assert models == {path: path.stat().st_mtime_ns for path in models}


def test_an_experiment_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    experiment = written(tmp_path, TEXT.replace("seeds = 2", "seeds = 1"))
    whole = carry_out(experiment, "small", tmp_path / "whole")

    class CutOff(Exception):
        pass

    def report(line: str) -> None:
        if line.startswith("3/"):
            raise CutOff

    with pytest.raises(CutOff):
        carry_out(experiment, "small", tmp_path / "cut", report=report)
    part = carry_out(experiment, "small", tmp_path / "cut", workers=2)
    for one, two in zip(whole["lines"], part["lines"], strict=True):
        for name, cell in one["cells"].items():
            assert cell["runs"] == two["cells"][name]["runs"]


def test_what_only_comes_before_is_not_tested(tmp_path: Path) -> None:
    text = TEXT.replace("seeds = 2", 'seeds = 1\nlines = ["*then 2"]\nwithout = ["MemN2N"]')
    carry_out(written(tmp_path, text), "small", tmp_path / "store")
    tests = {
        orjson.loads((path.parents[1] / "plan.json").read_bytes())["data"][0]["name"]: orjson.loads(
            path.read_bytes()
        )
        for path in (tmp_path / "store").rglob("tests.json")
    }
    assert {name: len(found) for name, found in tests.items() if found} == {"babi/qa2": 1}


def test_a_scale_may_leave_out_columns_and_lines(tmp_path: Path) -> None:
    less = (
        'seeds = 1\nwithout = ["MemN2N"]\nlines = ["task ?"]\ncolumns = { N-gram = { epochs = 1 } }'
    )
    experiment = written(tmp_path, TEXT.replace("seeds = 2", less))
    result = carry_out(experiment, "small", tmp_path / "store")
    assert [line["name"] for line in result["lines"]] == ["task 1", "task 2"]
    for line in result["lines"]:
        assert list(line["cells"]) == ["N-gram"]
        assert line["cells"]["N-gram"]["epochs"] == [1]
    assert [claim["holds"] for claim in result["claims"]] == [True, False]


def test_the_page_has_figures_beside_the_published_ones(tmp_path: Path) -> None:
    experiment = written(tmp_path)
    result = carry_out(experiment, "small", tmp_path / "store")
    text = page(experiment, result)
    figure = result["lines"][0]["cells"]["N-gram"]
    assert f"{figure['mean']:.1f} ± {figure['deviation']:.1f} (50)" in text
    assert "**does not hold**" in text
    assert "nan" not in text
    assert "| [T1](T1.md) | A test | 1 of 2 |" in overview([(experiment, result)])


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        (
            'model = "ngram"',
            'modle = "ngram"',
            r"T1.toml: columns\.0 \('N-gram'\): unknown key 'modle'. Did you mean 'model'\?$",
        ),
        ("[[claims]]", "[evry]\nwords = 1\n[[claims]]", "unknown key 'evry'. Did you mean 'every'"),
        (
            'model = "ngram"',
            'model = "ngarm"',
            r"columns\.0.*unknown model 'ngarm'. Did you mean 'ngram'",
        ),
        ('id = "T1"', 'id = "../../evil"', "id: '../../evil' is not a valid name: use letters"),
        ("[scales.small]", '[scales."a/b"]', "'a/b' is not a valid name"),
        ('name = "MemN2N"', 'name = "N-gram"', "two columns have the name 'N-gram'"),
        ('name = "MemN2N"', 'name = "chance"', "two columns have the name 'chance'"),
        ('name = "task {n}"', 'name = "task"', "two lines have the name 'task'"),
        ("at_least = 0", "above = {}", "claim 'above nothing': above: give lines or columns"),
        ("at_least = 0", "above = { lines = [] }", "above: give lines or columns"),
        (
            "{ support_size = 2 }",
            "{ question = [] }",
            r"lines\.2\.where .*question: give a pattern",
        ),
        ("{ support_size = 2 }", "{ question = { a = 1 } }", "question: give a pattern"),
        ("seeds = 2", "seeds = 2\ncolumns = { MemN3N = {} }", "no column 'MemN3N'. Did you mean"),
        ("seeds = 2", 'seeds = 2\ncolumns = { "Mem*" = {} }', "small.columns: no column 'Mem."),
        (
            "seeds = 2",
            "columns = { MemN2N = { seeds = 0 } }",
            "columns.MemN2N: seeds: .*equal to 1",
        ),
        ("seeds = 2", 'columns = { MemN2N = { seeds = "x" } }', "columns.MemN2N: seeds: .*integer"),
        ("seeds = 2", "columns = { MemN2N = { budget = -1 } }", "MemN2N: budget: .*greater than 0"),
        (
            "seeds = 2",
            "columns = { MemN2N = { train_size = 1 } }",
            "MemN2N: train_size: .*equal to 2",
        ),
        ("linear_start = 0", "seeds = 0", r"columns\.1\.with \('MemN2N'\): seeds"),
        ('columns = ["MemN2N"]', 'columns = ["MemN3N"]', "no column 'MemN3N'. Did you mean"),
        ("published = [50, 60, nan]", "published = [50]", "1 published figures for 3 lines"),
        ("at_least = 0", "at_least = 0\nat_most = 1", "give exactly one of"),
        ('train = "babi/qa{n}"', "", "give training data or a measure"),
        ("id =", "id", "not valid TOML"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, old: str, new: str, match: str) -> None:
    assert old in TEXT
    with pytest.raises(FabulaError, match=match):
        written(tmp_path, TEXT.replace(old, new, 1))


@pytest.mark.parametrize("like", [False, True])
@pytest.mark.parametrize(
    ("said", "match"),
    [
        ("columns = 3", "T2.toml: columns: expected a list of tables, found 3"),
        ("columns = [3]", r"T2.toml: columns\.0: expected a table"),
        ('columns = [{ model = "ngram" }]', r"T2.toml: columns\.0\.name: this key is missing"),
        ("lines = 3", "T2.toml: lines: expected a list"),
        ("lines = [3]", r"T2.toml: lines\.0: expected a table"),
        ("every = 3", "T2.toml: every: expected a table"),
        ("scales = 3", "T2.toml: scales: expected a table"),
        ("scales = { small = 3 }", r"T2.toml: scales\.small: expected a table"),
        (
            "scales = { small = { columns = 3 } }",
            r"T2.toml: scales\.small\.columns: expected a table",
        ),
        (
            "scales = { small = { without = 3 } }",
            r"T2.toml: scales\.small\.without: expected a list",
        ),
        ("claims = 3", "T2.toml: claims: "),
        (
            'lines = [{ name = "a", each = { n = 3 } }]',
            r"T2.toml: lines\.0\.each: expected names with lists",
        ),
        (
            'lines = [{ name = "a", each = [] }]',
            r"T2.toml: lines\.0\.each: expected names with lists",
        ),
        (
            'lines = [{ name = "a", each = {} }]',
            r"T2.toml: lines\.0\.each: expected names with lists",
        ),
        (
            'lines = [{ name = "a", each = { n = [1, 2], m = [1] } }]',
            r"T2.toml: lines\.0\.each: the lists must have the same length: n has 2, m has 1",
        ),
    ],
)
def test_what_has_the_wrong_shape_is_told_with_its_place(
    tmp_path: Path, said: str, match: str, like: bool
) -> None:
    written(tmp_path)
    given = {
        "id": 'id = "T2"\ntitle = ""\npaper = ""\nfinding = ""',
        "columns": "columns = []",
        "lines": 'lines = [{ name = "a", train = "babi/qa1" }]',
        "claims": "claims = []",
        "scales": "scales = { small = {} }",
        said.split(maxsplit=1)[0]: said,
    }
    path = tmp_path / "T2.toml"
    path.write_text("\n".join([*given.values(), 'like = "T1"' if like else ""]))
    with pytest.raises(FabulaError, match=match):
        load_experiment(path)


@pytest.mark.parametrize("like", ["3", '"../T1"', '["T1"]'])
def test_what_is_no_name_of_a_file(tmp_path: Path, like: str) -> None:
    written(tmp_path)
    path = tmp_path / "T2.toml"
    path.write_text(OTHER.replace('like = "T1"', f"like = {like}"))
    with pytest.raises(FabulaError, match="give the name of a file in the same folder"):
        load_experiment(path)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("{ support_size = 2 }", "{ suport_size = 2 }", "line 'task 1, then 2': where: no feature"),
        (
            'before = [{ train = "babi/qa1" }]',
            'before = [{ train = "babi/qa1", with = { epoch = 1 } }]',
            "line 'task 1, then 2', column 'N-gram': .*no setting 'epoch'. Did you mean",
        ),
        ('train = "babi/qa{n}"', 'train = "bab/qa{n}"', "T1, line 'task 1', .*no recipe 'bab/qa1'"),
        (
            'train = "babi/qa{n}"',
            'train = "babi/qa{n}"\ntest = { recipe = "babi/qa1", split = "tset" }',
            "T1, line 'task 1': .*no split 'tset'. Did you mean 'test'",
        ),
        ('words = "babi/qa2"', 'words = "bab/qa2"', "column 'N-gram': no recipe 'bab/qa2'"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_before_anything_is_trained(
    tmp_path: Path, old: str, new: str, match: str
) -> None:
    assert old in TEXT
    experiment = written(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(FabulaError, match=f"^experiment T1, .*{match.removeprefix('T1, ')}"):
        carry_out(experiment, "small", tmp_path / "store")
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"leek": {}}, "no measure 'leek'. Did you mean 'leak'"),
        ({}, "one name with its arguments"),
        ({"leak": 3}, "measure leak: "),
        ({"leak": {"recipe": "babi/qa1"}}, "measure leak.train_size: this key is missing"),
        (
            {"leak": {"recipe": "babi/qa1", "train_size": 9, "tset_size": 9}},
            "measure leak: unknown key 'tset_size'. Did you mean 'test_size'",
        ),
        (
            {"leak": {"recipe": "babi/qa1", "train_size": 9, "test_size": 9, "by": "prof"}},
            "measure leak.by: unknown comparison 'prof'. Did you mean 'proof'",
        ),
        (
            {"leak": {"recipe": "bab/qa1", "train_size": 9, "test_size": 9}},
            "no recipe 'bab/qa1'",
        ),
        (
            {"concurrence": {"against": "squat", "benchmark": "mix(T2)", "by": "kendall"}},
            "no benchmark 'squat' in the published table. Did you mean 'squad'",
        ),
        (
            {"concurrence": {"against": "squad", "benchmark": "squad", "by": "kendall"}},
            "compared with itself",
        ),
        ({"ranks": {"lines": ["a", "c"]}}, "no line 'c' is trained. Known: a, b"),
        ({"ranks": {"lines": ["a"]}}, "measure ranks.lines"),
        ({"ranks": {"lines": ["a", "b"]}}, "a and b: at least two columns must have both"),
    ],
)
def test_measures_are_checked_before_they_are_made(said: dict[str, Any], match: str) -> None:
    with pytest.raises(FabulaError, match=match):
        measure(said, {"a": ["x"], "b": ["x", "y"]})


def test_a_measure_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    said = '[[lines]]\nname = "leak"\nmeasure = { leak = { recipe = "babi/qa1" } }\n[[claims]]'
    text = TEXT.replace("[[claims]]", said, 1).replace("published = [50, 60, nan]", "")
    with pytest.raises(FabulaError, match="line 'leak': measure leak"):
        carry_out(written(tmp_path, text), "small", tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_ranks_are_of_the_models_alone() -> None:
    lines = {
        "a": {"x": {"mean": 1.0}, "y": {"mean": 2.0}, "z": {"mean": 3.0}},
        "b": {"x": {"mean": 5.0}, "y": {"mean": 6.0}, "z": {"mean": 4.0}},
    }
    found = measure({"ranks": {"lines": ["a", "b"]}}, {name: list(lines[name]) for name in lines})
    assert found.value(lines) == pytest.approx(-100 / 3)


def test_without_a_test_it_is_that_of_the_training(tmp_path: Path) -> None:
    data = '{ recipe = "babi/qa{n}", split = "valid", size = 50, seed = 3 }'
    experiment = written(tmp_path, TEXT.replace('"babi/qa{n}"', data))
    (test,) = _tests(experiment.lines[0], experiment.scales["small"]).values()
    assert (test.name, test.split, test.size, test.seed) == ("babi/qa1", None, 40, 3)
    (kept,) = _tests(experiment.lines[2], experiment.scales["small"]).values()
    assert kept.size == 30


def test_wrong_settings_are_refused_before_anything_is_trained(tmp_path: Path) -> None:
    experiment = written(tmp_path, TEXT.replace("linear_start = 0", "linear_stat = 0"))
    with pytest.raises(FabulaError, match="Did you mean 'linear_start'"):
        carry_out(experiment, "small", tmp_path / "store")
    assert not (tmp_path / "store").exists()
    with pytest.raises(FabulaError, match="no scale 'smal'"):
        carry_out(experiment, "smal", tmp_path / "store")


def test_a_part_of_the_test_that_is_empty_is_an_error(tmp_path: Path) -> None:
    experiment = written(tmp_path, TEXT.replace("support_size = 2", "support_size = 9"))
    with pytest.raises(FabulaError, match="no test example matches"):
        carry_out(experiment, "small", tmp_path / "store")


def figures() -> dict[str, Any]:
    return {
        "a": {"x": {"mean": 96.0}, "y": {"mean": 50.0}, "chance": {"mean": 20.0}},
        "b": {"x": {"mean": 80.0}, "y": {"mean": 40.0}, "chance": {"mean": 10.0}},
    }


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ({"at_least": 45}, True),
        ({"at_least": 46}, False),
        ({"at_most": 60, "columns": ["y"]}, True),
        ({"solves_at_least": 1, "columns": ["x"]}, True),
        ({"solves_at_most": 0, "columns": ["x"]}, False),
        ({"above": {"columns": ["chance"]}, "by": 30}, True),
        ({"above": {"columns": ["chance"]}, "by": 31}, False),
        ({"columns": ["x"], "above": {"columns": ["y"]}, "by": 43}, True),
        ({"columns": ["x"], "above": {"columns": ["x", "y"]}, "by": 43}, True),  # of the others
        ({"columns": ["x"], "above": {"columns": ["y", "chance"]}, "by": 44}, False),  # of each
        ({"lines": ["a"], "above": {"lines": ["b"]}, "by": 10}, True),
        ({"lines": ["b"], "above": {"lines": ["a"]}, "by": -9}, False),
        ({"columns": ["z"], "at_least": 0}, False),  # nothing is no evidence
        ({"lines": ["a"], "above": {"lines": ["c"]}}, False),
    ],
)
def test_claims(claim: dict[str, Any], holds: bool) -> None:
    assert judge(Expectation(says="so", **claim), figures())["holds"] is holds


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_experiment_can_be_planned_at_both_scales(path: Path, tmp_path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.id == path.stem
    assert {"small", "full"} <= set(experiment.scales)
    read: set[str] = set()
    for amount in experiment.scales.values():
        for line in experiment.lines:
            for column in experiment.columns if line.train else ():
                assert column.model in MODELS
                for training in trainings(line, column, amount, tmp_path):
                    plan = training.plan
                    if column.model not in NEEDS_TRANSFORMERS:
                        settings(model_named(column.model), plan.sizes, plan.regime)
                    for source in plan.data:
                        if repr(source) not in read:
                            assert len(list(replace(source, size=1).instances("train"))) == 1
                        read.add(repr(source))


NEEDS_TRANSFORMERS = ("extractive", "bert", "bert-lstm")


def test_all_findings_of_the_papers_have_one() -> None:
    wanted = {f"B{n}" for n in range(1, 10)} | {f"D{n}" for n in range(1, 10)}
    wanted |= {f"C{n}" for n in range(1, 6)} | {f"S{n}" for n in range(1, 8)}
    assert wanted <= {path.stem for path in FILES}


RESULTS = Path("experiments/results")


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_results_are_of_the_experiment_as_it_stands(path: Path) -> None:
    result = orjson.loads(path.read_bytes())
    experiment = load_experiment(Path("experiments") / f"{result['id']}.toml")
    assert page(experiment, result) == path.with_suffix(".md").read_text(encoding="utf-8")
    assert [c["says"] for c in result["claims"]] == [c.says for c in experiment.claims]
    amount = experiment.scales[result["scale"]]
    wanted = [line.name for line in experiment.lines if matches(line.name, amount.lines)]
    assert [line["name"] for line in result["lines"]] == wanted
    for line in result["lines"]:
        for cell in line["cells"].values():
            assert cell["mean"] == pytest.approx(sum(cell["runs"]) / len(cell["runs"]), abs=0.01)


# --- one experiment like another ------------------------------------------------------------------

OTHER = """
id = "T2"
like = "T1"
title = "Another look"
paper = "None"
finding = "Nothing."
columns = [{ name = "N-gram" }]
[[lines]]
name = "task 1, two supports"
train = "babi/qa1"
test = "babi/qa2"
[[claims]]
says = "above nothing"
at_least = 0
"""


def test_an_experiment_like_another_uses_its_trainings(tmp_path: Path) -> None:
    first = written(tmp_path, TEXT.replace("[scales.small]", "[scales.small]\nbudget = 50"))
    path = tmp_path / "T2.toml"
    path.write_text(OTHER)
    second = load_experiment(path)
    assert [column.name for column in second.columns] == ["N-gram"]
    assert second.columns[0].model == "ngram"
    assert not second.columns[0].published  # of other lines
    amount = second.scales["small"]
    assert amount == first.scales["small"]
    one, two = (
        trainings(each.lines[0], each.columns[0], amount, tmp_path)[-1].folder
        for each in (first, second)
    )
    assert one == two


def test_a_scale_may_be_said_otherwise(tmp_path: Path) -> None:
    written(tmp_path, TEXT.replace("seeds = 2", "seeds = 2\ncolumns = { MemN2N = { hops = 1 } }"))
    path = tmp_path / "T2.toml"
    path.write_text(OTHER + "[scales.small]\nseeds = 1\nwith = { epochs = 3 }\n")
    amount = load_experiment(path).scales["small"]
    assert (amount.seeds, amount.train_size, amount.settings) == (1, 60, {"epochs": 3})
    assert amount.columns == {}  # those of columns that it does not have are left out


def test_what_is_taken_over_is_only_of_the_columns_that_are_there(tmp_path: Path) -> None:
    less = 'without = ["Mem*", "N-*"]\ncolumns = { MemN2N = { hops = 1 } }'
    written(tmp_path, TEXT.replace("seeds = 2", less))
    path = tmp_path / "T2.toml"
    path.write_text(OTHER)
    assert load_experiment(path).scales["small"].without == ("N-*",)
    path.write_text(OTHER.replace('columns = [{ name = "N-gram" }]\n', ""))
    assert load_experiment(path).scales["small"].without == ("Mem*", "N-*")


@pytest.mark.parametrize(
    ("own", "match"),
    [
        ('without = ["N-gran"]', "no column 'N-gran'. Did you mean 'N-gram'"),
        (
            "columns = { N-gran = { epochs = 1 } }",
            "small.columns: no column 'N-gran'. Did you mean",
        ),
    ],
)
def test_what_a_file_says_itself_is_not_dropped(tmp_path: Path, own: str, match: str) -> None:
    written(tmp_path)
    path = tmp_path / "T2.toml"
    path.write_text(f"{OTHER}[scales.small]\n{own}\n")
    with pytest.raises(FabulaError, match=match):
        load_experiment(path)


def test_two_columns_of_one_name_are_refused_beside_another_too(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "T2.toml"
    path.write_text(OTHER.replace("[{ name", '[{ name = "N-gram" }, { name'))
    with pytest.raises(FabulaError, match="two columns have the name 'N-gram'"):
        load_experiment(path)


def test_what_every_line_has_stands_once(tmp_path: Path) -> None:
    said = TEXT.replace("[[lines]]", '[every]\nwords = "babi/qa2"\n[[lines]]', 1)
    lines = written(tmp_path, said.replace('\nwords = "babi/qa2"\ntrain', "\ntrain")).lines
    assert [line.words[0].recipe for line in lines] == ["babi/qa2"] * 3


@pytest.mark.parametrize(
    ("like", "match"),
    [
        ("T3", "like = 'T3': no .*T3.toml. Known: T1"),
        ("T2", "refers back to this file"),
    ],
)
def test_nothing_to_be_like(tmp_path: Path, like: str, match: str) -> None:
    written(tmp_path)
    path = tmp_path / "T2.toml"
    path.write_text(OTHER.replace('"T1"', f'"{like}"'))
    with pytest.raises(FabulaError, match=match):
        load_experiment(path)


# --- the command ----------------------------------------------------------------------------------


def test_the_command_trains_writes_and_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "experiments").mkdir()
    written(tmp_path / "experiments", TEXT.replace("seeds = 2", 'seeds = 1\nlines = ["task 1"]'))
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", "T1"]) == 0
    told = capsys.readouterr()
    assert "holds          above nothing" in told.out
    assert "does not hold  all solved" in told.out
    assert "1/2  " in told.err
    result = orjson.loads((tmp_path / "experiments/results/T1.json").read_bytes())
    assert [line["name"] for line in result["lines"]] == ["task 1"]
    assert (tmp_path / "experiments/results/T1.md").read_text().startswith("# T1")
    assert "[T1](T1.md)" in (tmp_path / "experiments/results/README.md").read_text()
    assert main(["experiment", "T1", "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)[0] == result


def test_an_error_or_a_killed_process_ends_the_others_at_once() -> None:
    begun = time.monotonic()
    wrong: list[Any] = [partial(int, "?"), partial(time.sleep, 300)]
    with pytest.raises(ValueError, match="invalid literal"):
        list(_done(wrong, 2))
    killed: list[Any] = [partial(os._exit, 1), partial(time.sleep, 300)]
    for _ in range(12):  # whichever of the two processes began first
        with pytest.raises(FabulaError, match="a worker process was killed"):
            list(_done(killed, 2))
    assert time.monotonic() - begun < 120


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    text = TEXT.replace("epochs = 2", "epochs = 100_000").replace("seeds = 2", "budget = 600")
    written(tmp_path / "experiments", text)
    run = subprocess.Popen(
        [sys.executable, "-m", "fabula", "experiment", "T1", "--workers", "2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path("src").resolve())},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(begun := list(tmp_path.rglob("checkpoint.pt"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGINT)
    _, told = run.communicate(timeout=60)
    assert len(begun) == 2
    assert run.returncode == 130
    assert "Traceback" not in told
    assert "stopped" in told.splitlines()[-1]
    assert list((tmp_path / "experiments/results").iterdir()) == []


def test_the_store_may_be_spelt_another_way(tmp_path: Path) -> None:
    text = TEXT.replace("seeds = 2", 'seeds = 1\nlines = ["*then 2"]\nwithout = ["MemN2N"]')
    experiment = written(tmp_path, text)
    first = carry_out(experiment, "small", tmp_path / "store")
    models = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("model.pt")}
    assert carry_out(experiment, "small", tmp_path / "store/../store") == first
    assert models == {path: path.stat().st_mtime_ns for path in models}


def test_a_page_of_somebody_else_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = TEXT.replace("seeds = 2", 'seeds = 1\nlines = ["*then 2"]\nwithout = ["MemN2N"]')
    written(tmp_path, text)
    file = next(str(path) for path in tmp_path.glob("*.toml"))
    (tmp_path / "README.md").write_text("# Mine\n")
    assert main(["experiment", file, "--out", "."]) == 0
    assert (tmp_path / "README.md").read_text() == "# Mine\n"
    assert "left unchanged" in capsys.readouterr().err
    assert main(["experiment", file, "--out", "results"]) == 0
    assert "[T1](T1.md)" in (tmp_path / "results/README.md").read_text()  # named by its file


def test_each_scale_has_a_result_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "experiments").mkdir()
    text = TEXT.replace("seeds = 2", 'seeds = 1\nlines = ["task 1"]\nwithout = ["MemN2N"]')
    small = text[text.index("[scales.small]") :]
    written(tmp_path / "experiments", text + small.replace("small", "full"))
    monkeypatch.chdir(tmp_path)
    results = tmp_path / "experiments/results"
    results.mkdir()
    (results / "T1.json").write_text('{"id": "T1"')  # cut off
    assert main(["experiment", "T1", "--scale", "full"]) == 0
    told = capsys.readouterr().err
    assert "results/T1.json: damaged. `fabula experiment T1 --scale small` writes it again" in told
    assert main(["experiment", "T1"]) == 0
    assert "damaged" not in capsys.readouterr().err
    for name, scale in (("T1", "small"), ("T1.full", "full")):
        assert orjson.loads((results / f"{name}.json").read_bytes())["scale"] == scale
        assert f"Scale `{scale}`" in (results / f"{name}.md").read_text()
    table = (results / "README.md").read_text()
    assert "| [T1](T1.md) | A test |" in table
    assert "| [T1](T1.full.md) | A test |" in table
    assert "| full |" in table


def test_results_that_cannot_be_written_are_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "experiments").mkdir()
    written(tmp_path / "experiments")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert main(["experiment", "T1", "--out", "file/results"]) == 2
    assert "file/results: cannot be created" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_two_files_of_one_id_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "experiments").mkdir()
    written(tmp_path / "experiments")
    (tmp_path / "experiments/T2.toml").write_text(TEXT)
    (tmp_path / "experiments/T3.toml").write_text(TEXT.replace('"T1"', '"T3"'))
    monkeypatch.chdir(tmp_path)
    assert main(["experiment"]) == 0
    told = capsys.readouterr()
    assert "T3" in told.out
    assert "T1" not in told.out
    assert told.err.count("T1.toml and experiments/T2.toml have the same id, 'T1'") == 1
    for name in ("T1", "T2", "all"):
        assert main(["experiment", name]) == 2
        assert "have the same id, 'T1'" in capsys.readouterr().err


def test_elsewhere_the_experiments_of_the_package_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", "--json"]) == 0
    assert [each["id"] for each in orjson.loads(capsys.readouterr().out)] == [p.stem for p in FILES]


def test_the_help_says_how_many_processes_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "one for each core" not in told
    assert "[default: 1]" in told


def test_a_broken_file_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "experiments").mkdir()
    written(tmp_path / "experiments")
    (tmp_path / "experiments/T9.toml").write_text("id")
    monkeypatch.chdir(tmp_path)
    assert main(["experiment"]) == 0
    told = capsys.readouterr()
    assert "A test" in told.out
    assert "T9.toml: not valid TOML" in told.err
    for name in ("T9", "all"):
        assert main(["experiment", name]) == 2
        assert "T9.toml: not valid TOML" in capsys.readouterr().err
    assert main(["experiment", "T2"]) == 2
    assert "no experiment 'T2'. Known: T1" in capsys.readouterr().err
