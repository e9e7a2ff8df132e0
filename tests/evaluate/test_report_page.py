"""The page of a report, used: tooltips, tables, questions one by one, names for screen readers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import needs
from tests.evaluate.browser import PROGRAM, Browser
from tests.evaluate.echo import Echo

import fabula
from fabula.cli import main
from fabula.core.instance import Instance
from fabula.evaluation.model import Ask, Reply
from fabula.evaluation.report import build
from fabula.evaluation.run import evaluate
from fabula.evaluation.seen import keep_seen, seen_in
from fabula.prompting.prompt import prompt

NASTY = (
    "<!-- <script> </script><img src=x onerror=\"document.title='harmed'\"> --> \u2028\u2029 "
    "]]> &lt; {{ 7 * 7 }} \\u003c"
)
SIZE = 160
ASK = Ask(shots=2)


class Nasty(Echo):
    """Says what might break a page, and then a wrong answer."""

    def __init__(self) -> None:
        super().__init__(wrong=3)
        self.name = "nasty <b>&amp;</b> with a name that is far too long to stand in one line"

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        for at, reply in super().replies(asked):
            yield at, Reply(f"{NASTY}\n{reply.text}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs on stories with four questions each."""
    folder = tmp_path_factory.mktemp("runs")
    instances = list(fabula.generate("actors/mix", "test", 7, SIZE, questions=4))
    lessons = list(fabula.generate("actors/mix", "train", 7, 2))
    found: list[Path] = []
    for model in (Echo(wrong=2), Nasty(), Echo(wrong=5)):
        run = folder / f"run-{len(found)}"
        evaluate(model, instances, run, ASK, lessons, source="actors/mix test")
        found.append(run)
    keep_seen(found[0], seen_in(fabula.generate("actors/mix", "train", 7, 60), "actors/mix"))
    return found


@pytest.fixture(scope="module")
def pages(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A page of one, two and three runs."""
    folder = tmp_path_factory.mktemp("pages")
    return {
        count: build(runs[:count], folder / f"{count}.html", pictures=False).files[0]
        for count in (1, 2, 3)
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip(needs.browser.kwargs["reason"])
    with Browser() as found:
        yield found


def data(page: Path) -> dict[str, Any]:
    """What the page has for its scripts."""
    text = page.read_text(encoding="utf-8")
    start = text.index('id="page-data">') + len('id="page-data">')
    found: dict[str, Any] = json.loads(text[start : text.index("</script>", start)])
    return found


def count(browser: Browser) -> str:
    found: str = browser.run("document.getElementById('question-count').textContent")
    return found


def show(browser: Browser, page: Path, width: int = 1280, dark: bool = False) -> None:
    browser.complaints.clear()
    browser.open(page, width, dark=dark)
    browser.run("drawAll().then(() => null)")
    browser.run("document.documentElement.style.scrollBehavior = 'auto'")


# --- what replies can do ----------------------------------------------------------------------


def test_no_reply_breaks_the_page(browser: Browser, pages: dict[int, Path]) -> None:
    shown = data(pages[2])["questions"]
    assert any(reply["reply"].startswith(NASTY) for one in shown for reply in one["replies"])
    show(browser, pages[2])
    assert browser.run("document.title") != "harmed"
    assert " of " in count(browser)
    browser.run(
        "const menu = document.getElementById('pick-run'); menu.selectedIndex = 2;"
        "menu.dispatchEvent(new Event('change'))"
    )
    said = browser.run(
        "[...document.querySelectorAll('#question-shown pre')].map((one) => one.textContent)"
    )
    assert any(each.startswith(NASTY) for each in said)
    assert browser.complaints == []


# --- charts -------------------------------------------------------------------------------------

PLACE = """(() => {{
  const wide = (mark) => mark.getBoundingClientRect().width > 8;
  const mark = [...document.querySelectorAll('{}')].find(wide);
  mark.scrollIntoView({{block: 'center', behavior: 'instant'}});
  const box = mark.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}})()"""
TOOLTIP = """(() => {
  const tip = document.getElementById('vg-tooltip-element');
  const box = tip.getBoundingClientRect();
  return {shown: tip.classList.contains('visible'), text: tip.textContent, top: box.top,
    bottom: box.bottom, left: box.left, right: box.right,
    key: getComputedStyle(tip.querySelector('td.key')).display};
})()"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "mark",
    ['[data-figure="by-kind"] g.mark-rect path', '[data-figure^="support-"] g.mark-rect path'],
    ids=["bar", "cell"],
)
def test_tooltips_are_whole(
    browser: Browser, pages: dict[int, Path], mark: str, width: int
) -> None:
    show(browser, pages[1], width)
    browser.point(1, 1)
    browser.point(*browser.run(PLACE.format(mark)))
    tip = browser.run(TOOLTIP)
    assert tip["shown"]
    assert "baseline" in tip["text"]
    assert tip["key"] == "table-cell"
    assert tip["top"] >= 0
    assert tip["left"] >= 0
    assert tip["bottom"] <= 900
    assert tip["right"] <= width
    assert tip["bottom"] - tip["top"] < 330


def test_bars_have_value_and_number(browser: Browser, pages: dict[int, Path]) -> None:
    show(browser, pages[2])
    said = browser.run(
        "[...document.querySelectorAll('[data-figure=\"by-kind\"] svg text')]"
        ".map((one) => one.textContent)"
    )
    rows = data(pages[2])["figures"]["by-kind"]["data"]["values"]
    for row in rows:
        assert f"{row['accuracy']:.1%}  n {row['count']}" in said
    # within the picture, on narrow screens too
    for width in (390, 1600):
        show(browser, pages[2], width)
        over = browser.run(
            "[...document.querySelectorAll('[data-figure=\"by-kind\"] svg text')].filter((one) => "
            "one.getBoundingClientRect().right > one.closest('svg').getBoundingClientRect().right"
            " + 1).map((one) => one.textContent)"
        )
        assert over == []


def test_a_cell_picks_its_questions(browser: Browser, pages: dict[int, Path]) -> None:
    show(browser, pages[1])
    x, y = browser.run(PLACE.format('[data-figure="support-1"] g.mark-rect path'))
    browser.point(x, y, click=True)
    picked = browser.run(
        "['kind', 'size', 'composition'].map((n) => document.getElementById('pick-' + n).value)"
    )
    assert all(picked)
    assert picked[1] == "1"
    assert " of " in count(browser)
    fitting = [
        one
        for one in data(pages[1])["questions"]
        if [one["kind"], str(one["size"]), one["composition"]] == picked
    ]
    assert count(browser) == f"1 of {len(fitting)}"


# --- tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_tables_are_neither_cut_nor_hidden(
    browser: Browser, pages: dict[int, Path], width: int, dark: bool
) -> None:
    show(browser, pages[3], width, dark)
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.run("document.querySelectorAll('table').length") > 8
    cut = browser.run(
        "[...document.querySelectorAll('table')].map((t) => t.parentElement)"
        ".filter((s) => s.scrollWidth > s.clientWidth + 1).map((s) => s.textContent.slice(0, 60))"
    )
    assert cut == []
    hidden = browser.run(
        "[...document.querySelectorAll('tbody td')].filter((td) => { const box = "
        f"td.getBoundingClientRect(); return box.width < 10 || box.right > {width} + 1; }}).length"
    )
    assert hidden == 0
    assert browser.run("document.documentElement.scrollWidth") == width


# --- questions one by one -----------------------------------------------------------------------


def test_arrow_keys_and_links(browser: Browser, pages: dict[int, Path]) -> None:
    show(browser, pages[2])
    browser.run("document.getElementById('questions').scrollIntoView()")
    browser.run("new Promise((done) => setTimeout(done, 200))")  # until it is noticed
    first = count(browser)
    assert first.startswith("1 of ")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert count(browser) == first.replace("1 of", "3 of")
    browser.press("ArrowLeft")
    assert count(browser) == first.replace("1 of", "2 of")
    link = browser.run("document.getElementById('question-link').href")
    assert browser.run("location.href") == link
    asked = browser.run("document.querySelector('#question-shown .question').textContent")
    # what scrolls sideways has the arrow keys to itself
    browser.run("document.querySelector('.scroll').focus({preventScroll: true})")
    browser.press("ArrowRight")
    assert browser.run("document.getElementById('question-link').href") == link
    # the link leads back, from another place
    browser.open(Path("/dev/null"), 1280)
    browser.say("Page.navigate", url=link)
    browser._hear("Page.loadEventFired")
    assert browser.run("document.querySelector('#question-shown .question').textContent") == asked
    assert browser.run("document.getElementById('question-link').href") == link


def test_right_answers_and_runs_that_differ(browser: Browser, pages: dict[int, Path]) -> None:
    shown = data(pages[2])["questions"]
    assert all(len(one["replies"]) == 2 for one in shown)
    show(browser, pages[2])

    def pick(outcome: str) -> int:
        browser.run(
            "document.getElementById('pick-all').click();"
            f"document.getElementById('pick-outcome').value = '{outcome}';"
            "document.getElementById('pick-outcome').dispatchEvent(new Event('change'))"
        )
        return int(count(browser).split(" of ")[1])

    right = [[reply["outcome"] == "correct" for reply in one["replies"]] for one in shown]
    assert pick("correct") == sum(map(any, right)) > 0
    assert pick("failed") == sum(not all(both) for both in right) > 0
    assert pick("differ") == sum(any(both) and not all(both) for both in right) > 0
    said = browser.run(
        "[...document.querySelectorAll('#question-shown dt')].map((one) => one.textContent)"
    )
    assert {"echo-2", Nasty().name} <= set(said)


def test_the_prompt_is_the_one_that_was_put(pages: dict[int, Path]) -> None:
    lessons = list(fabula.generate("actors/mix", "train", 7, 2))
    for one in data(pages[1])["questions"][:5]:
        index = int(one["name"].rpartition(":")[2])
        instance = fabula.instance("actors/mix", "test", index, 7, questions=4)
        for reply in one["replies"]:
            assert prompt(instance, ASK.style, lessons, ASK.form) == reply["prompt"]


def test_the_command_makes_the_question_again(
    pages: dict[int, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for one in data(pages[1])["questions"][::25]:
        assert main([*shlex.split(one["again"])[1:], "--json"]) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["story"], made["question"]) == (one["story"], one["question"])


# --- for those who cannot see it, or not well -----------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_everything_has_a_name(browser: Browser, pages: dict[int, Path], count: int) -> None:
    show(browser, pages[count])
    nameless = browser.run(
        "[...document.querySelectorAll('.chart, select, button, nav, section, .scroll, table')]"
        ".filter((e) => !(e.ariaLabel || e.textContent.trim() || e.querySelector('caption')"
        " || e.getAttribute('aria-labelledby'))).map((e) => e.outerHTML.slice(0, 90))"
    )
    assert nameless == []
    assert browser.run(
        "[...document.querySelectorAll('.chart')].every((e) => e.role === 'img' && e.ariaLabel)"
    )
    # what scrolls can be reached by keyboard
    assert browser.run("[...document.querySelectorAll('.scroll')].every((e) => e.tabIndex === 0)")
    charts = browser.run("document.querySelectorAll('figure').length")
    tables = browser.run("document.querySelectorAll('figure details table').length")
    assert tables == charts - 1  # that of the baselines has a table of its own below
    assert browser.run("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size") == (
        browser.run("document.querySelectorAll('[id]').length")
    )
