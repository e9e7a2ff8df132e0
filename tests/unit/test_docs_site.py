"""The documentation site: its links, its charts, and its search."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from docs import build, charts, crawl, results
from tests import needs
from tests.evaluate.browser import Browser

DOCS = Path(build.__file__).parent


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All pages, without running their examples."""
    return build.pages(tmp_path_factory.mktemp("docs"), draft=True)


# --- links ------------------------------------------------------------------------------------


def without_code(page: str) -> str:
    return re.sub(r"^( *)```.*?^\1```$", "", page, flags=re.MULTILINE | re.DOTALL)


def anchors(page: str) -> set[str]:
    """The anchors of a page, made from its headings as the site builder makes them."""
    found: list[str] = []
    for title in re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE):
        if own := re.search(r"\{ #([\w.-]+) \}$", title):
            found.append(own[1])
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip().lower())
        found.append(slug if slug not in found else f"{slug}_{found.count(slug)}")
    return set(found)


def test_links_and_anchors_exist(pages: dict[str, str]) -> None:
    known = {path: anchors(page) for path, page in pages.items()}
    broken = []
    for path, page in pages.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
            if "://" in link:
                continue
            target, _, anchor = link.partition("#")
            to = (DOCS / path).parent.joinpath(target).resolve().relative_to(DOCS).as_posix()
            to = path if not target else to
            if to.startswith("assets/"):
                ok = (DOCS / to).is_file()
            else:
                ok = to in known and (not anchor or anchor in known[to])
            if not ok:
                broken.append(f"{path}: {link}")
    assert not broken


def test_every_page_is_in_the_navigation_once(pages: dict[str, str]) -> None:
    config = yaml.safe_load((DOCS / "mkdocs.yml").read_text(encoding="utf-8"))

    def named(entries: Any) -> list[str]:
        if isinstance(entries, str):
            return [entries]
        inside = entries.values() if isinstance(entries, dict) else entries
        return [path for one in inside for path in named(one)]

    listed = named(build.navigation(config["nav"], pages))
    assert sorted(listed) == sorted(pages)


# --- the crawler ------------------------------------------------------------------------------

GOOD = """<html><head><link rel="stylesheet" href="style.css"></head>
<body id="top"><a href="two.html#here">two</a> <a href="#top">up</a>
<a href="https://example.org/nowhere">elsewhere</a></body></html>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text(GOOD, encoding="utf-8")
    (tmp_path / "two.html").write_text('<h1 id="here">Two</h1><a href="./">back</a>', "utf-8")
    (tmp_path / "style.css").write_text("", encoding="utf-8")
    return tmp_path


def test_a_good_site_has_no_problems(site: Path) -> None:
    assert list(crawl.problems(site)) == []


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ('<a href="three.html">', "two.html: three.html does not exist"),
        ('<a href="index.html#bottom">', "two.html: index.html#bottom has no such anchor"),
        ('<img src="cat.png">', "two.html: cat.png does not exist"),
        ('<a href="../secret.html">', "two.html: ../secret.html does not exist"),
        (
            '<script src="https://example.org/a.js"></script>',
            "two.html: loads https://example.org/a.js from the network",
        ),
    ],
)
def test_the_crawler_finds(site: Path, link: str, said: str) -> None:
    with (site / "two.html").open("a", encoding="utf-8") as file:
        file.write(link)
    assert list(crawl.problems(site)) == [said]


def test_the_crawler_finds_pages_that_no_link_leads_to(site: Path) -> None:
    (site / "alone.html").write_text("<p>Hello.</p>", encoding="utf-8")
    assert list(crawl.problems(site)) == ["alone.html: no link leads here"]


# --- charts -----------------------------------------------------------------------------------

RESULTS = results.results()


@pytest.mark.parametrize("pair", RESULTS, ids=lambda pair: pair[0].id)
def test_a_chart_shows_every_figure(pair: results.Pair) -> None:
    experiment, result = pair
    chart = ElementTree.fromstring(charts.svg(experiment, result))
    figures = sum(len(line["cells"]) + ("measured" in line) for line in result["lines"])
    published = sum(
        dot.published is not None for row in charts.rows(experiment, result) for dot in row.dots
    )
    titled = [circle for circle in chart.iter("circle") if circle.find("title") is not None]
    assert len(titled) == figures + published
    width, height = map(float, chart.attrib["viewBox"].split()[2:])
    for circle in titled:
        assert 0 <= float(circle.attrib["cx"]) <= width
        assert 0 <= float(circle.attrib["cy"]) <= height


def test_a_dot_is_where_its_figure_is() -> None:
    experiment, result = next(pair for pair in RESULTS if pair[0].id == "B8")
    chart = charts.svg(experiment, result)
    at = {
        title: float(x)
        for x, title in re.findall(r'<circle cx="([\d.]+)"[^>]*>\s*<title>(.*?)</title>', chart)
    }
    grid = [float(x) for x in re.findall(r'<path d="M([\d.]+),[\d.]+V', chart)]
    assert at["1 hop: 100.0"] == max(grid)
    low, high = min(grid), max(grid)
    cell = result["lines"][1]["cells"]["1 hop"]
    place = at[f"1 hop: {cell['mean']:.1f} ± {cell['deviation']:.1f}"]
    assert (place - low) / (high - low) * 100 == pytest.approx(cell["mean"], abs=0.05)


def test_negative_figures_are_on_the_chart() -> None:
    experiment, result = next(pair for pair in RESULTS if pair[0].id == "D9")
    assert ">-25</text>" in charts.svg(experiment, result)


def test_every_experiment_has_its_section(pages: dict[str, str]) -> None:
    for experiment, result in RESULTS:
        file = results.FAMILIES[experiment.id[0]][0]
        page = pages[f"results/{file}.md"]
        assert f"## {experiment.id}. {experiment.title} {{ #{experiment.id.lower()} }}" in page
        assert all(claim["says"] in page for claim in result["claims"])
        assert f"results/{file}.md#{experiment.id.lower()})" in pages["experiments.md"]


def test_the_readme_counts_the_claims() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{sum(len(result['claims']) for _, result in RESULTS)} claims" in readme


# --- search -----------------------------------------------------------------------------------


@needs.browser
def test_a_worker_answers_when_the_page_is_opened_from_a_folder(tmp_path: Path) -> None:
    """The search of the site is a worker, which browsers refuse to start for file://."""
    worker = "self.onmessage = (event) => self.postMessage(event.data.map((n) => n * 2));"
    (tmp_path / "double.js").write_text(worker, encoding="utf-8")
    shim = (DOCS / "assets" / "worker.js").as_uri()
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><script src="{shim}"></script>', encoding="utf-8")
    with Browser() as browser:
        browser.open(page, width=800)
        answer = browser.run(
            """new Promise((resolve) => {
                 const worker = new Worker("double.js");
                 let now = true;
                 worker.onmessage = (event) => resolve([now, ...event.data]);
                 worker.postMessage([1, 2, 3]);
                 now = false;
               })"""
        )
    assert answer == [False, 2, 4, 6]


def test_pages_load_the_worker_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    for name in ("index.html", "worlds/index.html"):
        (tmp_path / name).write_text(f'<script src="{build.SHIM}"></script>', encoding="utf-8")
    build.own_worker(tmp_path)
    assert '"assets/worker.js"' in (tmp_path / "index.html").read_text()
    assert '"../assets/worker.js"' in (tmp_path / "worlds/index.html").read_text()


# --- what the tutorials say -------------------------------------------------------------------


def module(page: str, name: str) -> ModuleType:
    """A Python file of a page."""
    code = re.search(rf"<!-- file: {name}\.py -->\n```python\n(.*?)```", page, re.DOTALL)
    assert code
    made = ModuleType(name)
    exec(code[1], made.__dict__)
    return made


def test_the_model_of_the_tutorial_breaks_where_the_tutorial_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    import fabula

    page = (DOCS / "pages" / "evaluate.md").read_text(encoding="utf-8")
    toml = re.search(r"<!-- file: house\.toml -->\n```toml\n(.*?)```", page, re.DOTALL)
    assert toml
    (tmp_path / "house.toml").write_text(toml[1], encoding="utf-8")
    mine = module(page, "my_model")
    monkeypatch.setitem(sys.modules, "my_model", mine)
    better = module(page, "better")
    solved = fabula.Dataset("babi/qa2", split="test", size=100, dialect="release")
    assert fabula.evaluate(mine.answer, solved).accuracy == 1
    data = fabula.Dataset(tmp_path / "house.toml", split="test", size=300)
    first, second = fabula.evaluate(mine.answer, data), fabula.evaluate(better.answer, data)
    right: dict[str, list[bool]] = {}
    for one, reply in zip(data, first.replies, strict=True):
        for part in one.composition:
            right.setdefault(part, []).append(reply.outcome == "correct")
    share = {part: sum(found) / len(found) for part, found in right.items()}
    assert min(share, key=lambda part: share[part]) == "COREF"
    assert share["COREF"] < 0.25
    assert max(share["GIVE"], share["CONJ"]) < share["MOVE"]
    assert second.accuracy > first.accuracy + 0.1
