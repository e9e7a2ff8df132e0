"""The report: right numbers, honest omissions, and a page that draws in a real browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.browser import PROGRAM, Browser
from tests.evaluate.echo import Echo

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluate.run import evaluate
from fabula.evaluate.training import keep_seen, seen_in
from fabula.report import build, numbers
from fabula.report.cases import FAILURES, Case, Run, read_runs
from fabula.report.compare import comparisons

SIZE = 400


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs on the same questions: one wrong in a half, one in a fifth."""
    folder = tmp_path_factory.mktemp("runs")
    instances = list(fabula.generate("actors/mix", "test", 7, SIZE))
    found = []
    for wrong in (2, 5):
        run = folder / f"wrong-{wrong}"
        evaluate(Echo(wrong=wrong), instances, run, source="actors/mix test")
        found.append(run)
    keep_seen(found[0], seen_in(fabula.generate("actors/mix", "train", 7, 200), "actors/mix"))
    return found


@pytest.fixture(scope="module")
def written(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "report.html"
    assert main(["report", *map(str, runs), "--out", str(out)]) == 0
    return out


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_numbers_are_those_of_the_replies(written: Path) -> None:
    found = load(written.with_suffix("") / "numbers.json")
    assert [row["accuracy"] for row in found["runs"]] == [0.5, 0.8]
    for name, rows in found["by"].items():
        for run in ("echo-2", "echo-5"):
            assert sum(row["count"] for row in rows if row["run"] == run) == SIZE, name
    assert sum(row["count"] for row in found["heatmap"]) == 2 * SIZE
    (pair,) = found["differences"]
    # of ten in a row, the first run alone is right where 5 divides and 2 does not
    assert (pair["only_first"], pair["only_second"]) == (SIZE // 10, SIZE * 4 // 10)
    assert pair["difference"] == pytest.approx(-0.3)
    assert pair["low"] < -0.3 < pair["high"] < 0
    assert pair["p"] < 1e-9
    kinds = found["differences_by_kind"]
    assert all(row["p_holm"] >= row["p"] for row in kinds)
    assert sum(row["count"] for row in kinds) == SIZE


def test_all_shares_are_in_the_table(written: Path) -> None:
    with (written.with_suffix("") / "numbers.csv").open() as file:
        rows = list(csv.DictReader(file))
    kinds = [row for row in rows if row["section"] == "by kind" and row["run"] == "echo-5"]
    assert sum(int(row["right"]) for row in kinds) == SIZE * 4 // 5
    assert {"heatmap", "giving", "seen", "baselines"} <= {row["section"] for row in rows}


def test_every_figure_is_a_picture_too(written: Path) -> None:
    beside = written.with_suffix("")
    pictures = sorted(beside.glob("*.png"))
    assert len(pictures) > 8
    for png in pictures:
        assert png.read_bytes().startswith(b"\x89PNG")
        assert png.with_suffix(".svg").read_text().startswith("<svg")


def test_the_page_needs_no_network(written: Path) -> None:
    page = written.read_text()
    head = page[: page.index('<script type="application/json"')]
    assert not re.search(r'(?:src|href)="(?!#|data:)', head)
    assert "</script" not in json.dumps(json.loads(_data(page)))


def _data(page: str) -> str:
    start = page.index('id="page-data">') + len('id="page-data">')
    return page[start : page.index("</script>", start)]


def test_failures_show_story_support_and_reply(written: Path) -> None:
    failures = json.loads(_data(written.read_text()))["failures"]
    assert {one["run"] for one in failures} == {"echo-2", "echo-5"}
    assert len(failures) == 2 * FAILURES
    for one in failures:
        assert one["outcome"] != "correct"
        assert max(one["support"]) <= len(one["story"])
        assert one["reply"]
    # a sample of all kinds, not the first ones
    assert len({one["kind"] for one in failures if one["run"] == "echo-5"}) >= 8


def test_what_is_left_out_is_said(written: Path) -> None:
    said = " ".join(load(written.with_suffix("") / "numbers.json")["left_out"])
    assert "k" in said
    assert "Noise: there is none" in said


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@pytest.mark.skipif(PROGRAM is None, reason="needs Chromium, and there is none")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_draws_in_a_browser(
    request: pytest.FixtureRequest, written: Path, width: int, dark: bool
) -> None:
    browser: Browser = request.getfixturevalue("browser")
    browser.complaints.clear()
    browser.open(written, width, dark=dark)
    theme, other = ("dark", "light") if dark else ("light", "dark")
    charts = browser.run("document.querySelectorAll('.chart').length")
    assert charts > 8
    browser.run("drawAll().then(() => null)")
    assert browser.run(READY.format(theme)) == charts
    # nothing is wider than the screen, but what can be scrolled by itself
    assert browser.run("document.documentElement.scrollWidth") == width
    assert browser.run("document.getElementById('failure-count').textContent") == "1 of 120"
    browser.run("document.getElementById('failure-on').click()")
    assert browser.run("document.getElementById('failure-count').textContent") == "2 of 120"
    browser.run("document.getElementById('theme').click()")
    browser.run("drawAll().then(() => null)")
    assert browser.run(READY.format(other)) == charts
    assert browser.complaints == []


READY = "document.querySelectorAll('.chart[data-ready={}] svg.marks').length"


# --- parts ------------------------------------------------------------------------------------


def case(number: int, right: bool, **given: Any) -> Case:
    plain: dict[str, Any] = {
        "id": f"x:{number}", "story": f"x:{number}", "kind": "where-person", "subject": "Mary",
        "position": 5, "outcome": "correct" if right else "wrong", "right": right,
        "composition": "MOVE", "give": False, "support_size": 1, "hops": 1, "sentences": 5,
        "distractors": 4, "recency": 0, "reach": 0, "noise": "none", "language": "en",
        "recipe": "x", "steps": None, "signature": "s", "example": "",
    }  # fmt: skip
    return Case(**{**plain, **given})


def run_of(cases: list[Case], digest: str = "d") -> Run:
    return Run("run", Path("run"), {"digest": digest, "data": "x"}, cases, [], None)


def test_phrasing_counts_the_same_person_at_the_same_moment() -> None:
    cases = []
    for number, (where, yes_no) in enumerate(
        [(True, True)] * 5 + [(True, False)] * 6 + [(False, False)] * 2
    ):
        cases.append(case(number, where, story=f"s{number}"))
        cases.append(case(number, yes_no, story=f"s{number}", kind="yes-no"))
        cases.append(case(number, True, story=f"s{number}", kind="yes-no", subject="John"))
        cases.append(case(number, True, story=f"s{number}", kind="yes-no", position=9))
    found = numbers.phrasing(run_of(cases))
    assert found is not None
    assert (found["both_right"], found["only_where"], found["only_yes_no"]) == (5, 6, 0)
    assert (found["both_wrong"], found["pairs"]) == (2, 13)
    assert found["p"] == pytest.approx(2 / 2**6)
    assert numbers.phrasing(run_of([case(0, True)])) is None


def test_noise_and_k_of_chains() -> None:
    cases = [
        case(n, n % 4 != 0, noise=("none", "irrelevant")[n % 2], steps=2 + n % 3) for n in range(60)
    ]
    rows = {row["tested"]: row["accuracy"] for row in numbers.noise([run_of(cases)])}
    assert rows == {"irrelevant": 1.0, "none": 0.5}
    assert [row["k"] for row in numbers.steps(run_of(cases))] == [2, 3, 4]
    assert numbers.steps(run_of([case(0, True)])) == []


def test_runs_on_other_questions_are_not_compared() -> None:
    first, second = run_of([case(0, True)]), run_of([case(0, True)], "other")
    whole, _, why = comparisons([first, second])
    assert whole == []
    assert "not asked the same questions" in why[0]


def test_many_values_become_ranges() -> None:
    cases = [case(n, True, sentences=n) for n in range(5, 65)]
    found, _ = numbers.breakdowns([run_of(cases)])
    assert [row["value"] for row in found["sentences"]][:2] == ["0–9", "10–19"]
    assert sum(row["count"] for row in found["sentences"]) == 60


def test_mistakes_are_told(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "trained").mkdir()
    (tmp_path / "trained/plan.json").write_text("{}")
    with pytest.raises(FabulaError, match="a run of `fabula train`; evaluate it first"):
        read_runs([tmp_path / "trained"])
    with pytest.raises(FabulaError, match="no run is here; make one with `fabula eval`"):
        read_runs([tmp_path])
    with pytest.raises(FabulaError, match=r"holds runs and is none; .*\(wrong-2, wrong-5\)"):
        read_runs([runs[0].parent])
    with pytest.raises(FabulaError, match=r"e.g. --out page.html"):
        build(runs, Path("page.pdf"))
    with pytest.raises(FabulaError, match="a run is named twice"):
        read_runs([runs[0], runs[0]])
    with pytest.raises(FabulaError, match=r"name the page, e.g. --out .*report.html"):
        build(runs, tmp_path)
