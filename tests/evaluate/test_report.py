"""The report: right numbers, honest omissions, and a page that draws in a real browser."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import needs
from tests.evaluate.browser import Browser
from tests.evaluate.echo import Echo

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluation.report import build, figures, numbers
from fabula.evaluation.report.cases import Case, Run, read_runs
from fabula.evaluation.report.compare import comparisons, heatmap, pairs_of
from fabula.evaluation.report.questions import RIGHT, WRONG, sample
from fabula.evaluation.report.theme import DIFFERENCES, RAMP, _rgb, contrast, ink_on
from fabula.evaluation.run import evaluate
from fabula.evaluation.seen import keep_seen, seen_in

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


def test_questions_show_story_support_and_replies(written: Path) -> None:
    shown = json.loads(_data(written.read_text()))["questions"]
    said = [(reply["run"], reply["outcome"]) for one in shown for reply in one["replies"]]
    for run in ("echo-2", "echo-5"):
        assert sum(name == run and outcome != "correct" for name, outcome in said) >= WRONG
        assert sum(name == run and outcome == "correct" for name, outcome in said) >= RIGHT
    assert len({one["name"] for one in shown}) == len(shown)
    for one in shown:
        assert max(one["support"], default=0) <= len(one["story"])
        assert one["proof"].startswith("follows from")
        assert [step["sentence"] for step in one["steps"]] == sorted(one["support"])
        assert {reply["run"] for reply in one["replies"]} == {"echo-2", "echo-5"}
        assert all(
            reply["reply"] and one["question"] in reply["prompt"] for reply in one["replies"]
        )
    # a sample of all kinds, not the first ones
    assert len({one["kind"] for one in shown}) >= 8


def test_what_is_left_out_is_said(written: Path) -> None:
    said = " ".join(load(written.with_suffix("") / "numbers.json")["left_out"])
    assert "k" in said
    assert "Noise: there is none" in said


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@needs.browser
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
    counted = "document.getElementById('question-count').textContent"
    total = browser.run(counted).removeprefix("1 of ")
    assert int(total) >= 120
    browser.run("document.getElementById('question-on').click()")
    assert browser.run(counted) == f"2 of {total}"
    browser.run("document.getElementById('theme').click()")
    browser.run("drawAll().then(() => null)")
    assert browser.run(READY.format(other)) == charts
    assert browser.complaints == []


READY = "document.querySelectorAll('.chart[data-ready={}] svg.marks').length"


# --- parts ------------------------------------------------------------------------------------


def case(number: int, right: bool, **given: Any) -> Case:
    plain: dict[str, Any] = {
        "id": f"x:{number}", "asked": number, "story": f"x:{number}", "kind": "where-person",
        "subject": "Mary", "position": 5, "outcome": "correct" if right else "wrong",
        "right": right, "guessed": (), "composition": "MOVE", "give": False, "support_size": 1,
        "hops": 1, "sentences": 5, "distractors": 4, "recency": 0, "reach": 0, "noise": "none",
        "language": "en", "recipe": "x", "steps": None, "signature": "s", "example": "",
        "place": 0,
    }  # fmt: skip
    return Case(**{**plain, **given})


def run_of(cases: list[Case], digest: str = "d") -> Run:
    return Run("run", Path("run"), {"digest": digest, "data": "x"}, cases, None)


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
    alike = [
        each._replace(noise="irrelevant") for each in cases
    ]  # a figure of one cell says nothing
    assert numbers.noise([run_of(alike)]) == []
    assert len(numbers.noise([run_of(alike), run_of(alike)])) == 2
    assert numbers.steps(run_of([case(0, True)])) == []


def test_runs_on_other_questions_are_not_compared() -> None:
    first, second = run_of([case(0, True)]), run_of([case(0, True, asked=77)], "other")
    whole, _, why = comparisons([first, second])
    assert whole == []
    assert "have no question in common" in why[0]


def test_a_part_of_the_questions_is_compared(tmp_path: Path) -> None:
    """One run asked 90 questions, the other the first 40: by content, as ids may be reused."""
    asked = list(fabula.generate("babi/qa1", "test", 7, 90))
    others = list(fabula.generate("babi/qa1", "test", 8, 90))  # the same ids, other questions
    for name, instances in (("all", asked), ("some", asked[:40]), ("other", others)):
        evaluate(Echo(wrong=2 if name == "all" else 4), instances, tmp_path / name, source=name)
    whole, some, other = read_runs([tmp_path / name for name in ("all", "some", "other")])
    (found,), _, why = comparisons([whole, some])
    assert (found["count"], found["only_first"], found["only_second"]) == (40, 0, 10)
    assert "compared on the 40 that both were asked" in why[0]
    assert pairs_of(whole, other) == []
    build([tmp_path / "all", tmp_path / "some"], tmp_path / "page.html", pictures=False)
    assert "compared on the 40 that both were asked" in (tmp_path / "page.html").read_text()


def test_stories_count_not_questions() -> None:
    """Ten questions a story that stand or fall together are no more than one."""
    cases = [
        case(10 * story + n, story % 2 == 0, story=f"s{story}")
        for story in range(40)
        for n in range(10)
    ]
    others = [each._replace(right=each.story in ("s0", "s2", "s4", "s6", "s8")) for each in cases]
    row = numbers.measure(cases)
    assert (row["count"], row["stories"]) == (400, 40)
    assert row["high"] - row["low"] > 0.28  # over single questions it would be 0.1
    found, _ = numbers.breakdowns([run_of([*cases, case(999, True, kind="list")])])
    assert found["kind"][1]["high"] - found["kind"][1]["low"] > 0.28
    ((difference,), _, _) = comparisons([run_of(cases), run_of(others)])
    assert difference["stories"] == 40
    assert difference["p"] == pytest.approx(2 / 2**15)  # 15 stories, not 150 questions
    few = [each._replace(right=each.right and each.story != "s0") for each in cases]
    ((chance,), _, _) = comparisons([run_of(cases), run_of(few)])
    assert (chance["only_first"], chance["p_holm"]) == (10, 1.0)  # McNemar would say 0.002


def test_dimensions_that_say_the_same_are_shown_once() -> None:
    cases = [
        case(n, True, support_size=1 + n % 3, hops=1 + n % 3, distractors=9 - n % 3, sentences=10,
             recency=n % 4) for n in range(60)
    ]  # fmt: skip
    found, notes = numbers.breakdowns([run_of(cases)])
    assert set(found) == {"support_size", "recency"}
    said = " ".join(notes)
    assert "Hops of the proof: divides the questions exactly as sentences in the support" in said
    assert "Distractors: divides" in said


def test_majority_is_the_commonest_answer_of_all(runs: list[Path], written: Path) -> None:
    instances = list(fabula.generate("actors/mix", "test", 7, SIZE))
    commonest = max(Counter(each.answer for each in instances).values())
    kinds = Counter((each.query[0], each.answer) for each in instances)
    by_kind = sum(
        max(count for (kind, _), count in kinds.items() if kind == each)
        for each in {each.query[0] for each in instances}
    )
    rows = load(written.with_suffix("") / "numbers.json")["baselines"]
    right = {row["baseline"]: row["right"] for row in rows if row["kind"] == "all"}
    assert right["majority"] == commonest < by_kind == right["majority by kind of question"]
    manifest = load(runs[0] / "evaluation.json")["baselines"]
    assert sum(kind["majority"] for kind in manifest.values()) == commonest


def test_baselines_stand_beside_every_accuracy(written: Path) -> None:
    found = load(written.with_suffix("") / "numbers.json")
    for row in (
        *found["runs"],
        *found["heatmap"],
        *(r for rows in found["by"].values() for r in rows),
    ):
        assert row["baseline"] is None or 0 < row["baseline_accuracy"] <= 1
    assert all(row["baseline"] for row in found["by"]["kind"])
    kinds = {row["value"] for row in found["by"]["kind"]}
    assert {row["kind"] for row in found["baselines"]} == {"all", *kinds}
    for run in found["runs"]:
        above = run["above_baseline"]
        assert above["difference"] == pytest.approx(run["accuracy"] - above["accuracy"])
        assert above["p"] < 0.01
    page = written.read_text()
    table = page[page.index("Runs and trivial baselines on") :]
    for kind in kinds:
        assert f">{kind}</td>" in table


def test_a_model_that_guesses_is_told_apart_from_none() -> None:
    cases = [
        case(n, n % 3 == 0, guessed=("last",) if (n + n // 30) % 3 == 0 else ()) for n in range(300)
    ]
    above = numbers.above_baseline(cases)
    assert above is not None
    assert abs(above["difference"]) < 0.02
    assert above["low"] < 0 < above["high"]
    assert above["p"] > 0.5


def cells(seen: dict[str, bool | None]) -> list[dict[str, Any]]:
    rights = {"A": 2, "B": 18, "C": 10, "D": 1}
    return [
        {"run": "r", "support_size": 1, "composition": name, "kind": "where", "count": 20,
         "right": rights[name], "accuracy": rights[name] / 20, "low": 0.0, "high": 1.0,
         "few": False, "seen": known, "examples": [], "baseline": "last", "baseline_accuracy": 0.5}
        for name, known in seen.items()
    ]  # fmt: skip


def test_the_heatmap_has_unseen_before_seen_and_the_worst_first() -> None:
    spec = figures.heatmap("h", "t", cells({"A": True, "B": False, "C": False, "D": True})).spec
    groups = [
        (part["title"]["text"], [row["composition"] for row in part["data"]["values"]])
        for part in spec["vconcat"]
    ]
    assert [name for name, _ in groups] == ["not seen in training", "seen in training"]
    assert [set(rows) for _, rows in groups] == [{"B", "C"}, {"A", "D"}]
    assert spec["vconcat"][0]["encoding"]["y"]["sort"] == ["D", "A", "C", "B"]
    plain = figures.heatmap("h", "t", cells(dict.fromkeys("ABCD"))).spec
    assert plain["encoding"]["y"]["sort"] == ["D", "A", "C", "B"]


def test_two_runs_are_shown_by_their_differences(written: Path) -> None:
    assert (written.with_suffix("") / "support-1-difference.png").is_file()
    first = run_of([case(n, n % 2 == 0) for n in range(40)])
    second = run_of([case(n, n % 4 == 0) for n in range(40)])
    (cell,) = heatmap(first, second)
    assert (cell["difference"], cell["first"], cell["count"]) == (0.25, 0.5, 40)


@pytest.mark.parametrize("ramp", [RAMP, DIFFERENCES])
def test_numbers_on_colours_can_be_read(ramp: list[str]) -> None:
    for at in range(101):
        place = at / 100 * (len(ramp) - 1)
        low = min(int(place), len(ramp) - 2)
        ends = zip(_rgb(ramp[low]), _rgb(ramp[low + 1]), strict=True)
        colour = tuple(a + (b - a) * (place - low) for a, b in ends)
        assert contrast(_rgb(ink_on(ramp, at / 100)), colour) >= 4.5


def test_a_common_failure_hides_no_rare_one() -> None:
    common = [case(n, False) for n in range(500)]
    rare = [case(500 + n, False, kind="list", outcome="refusal") for n in range(2)]
    found = sample([*common, *rare], 10)
    assert len(found) == 10
    assert set(rare) <= set(found)


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
    with pytest.raises(FabulaError, match="no run here; make one with `fabula eval`"):
        read_runs([tmp_path])
    with pytest.raises(FabulaError, match=r"contains runs, choose some: .*\(wrong-2, wrong-5\)"):
        read_runs([runs[0].parent])
    with pytest.raises(FabulaError, match=r"e.g. --out page.html"):
        build(runs, Path("page.pdf"))
    with pytest.raises(FabulaError, match="a run is listed twice"):
        read_runs([runs[0], runs[0]])
    with pytest.raises(
        FabulaError, match=r"give the file name of the page, e.g. --out .*report.html"
    ):
        build(runs, tmp_path)
