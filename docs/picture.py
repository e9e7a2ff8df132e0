"""Takes the picture of a report for README and landing page:  python docs/picture.py

Runs the commands of the tutorial docs/pages/evaluate.md, opens its report in Chromium and writes
docs/assets/report.png. Run it again when the report looks different.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from docs.examples import output  # noqa: E402
from tests.evaluate.browser import Browser  # noqa: E402

WIDTH, HEIGHT = 1180, 1080
ONLY = """
for (const each of document.querySelectorAll("nav, section:not(#questions)")) each.remove();
document.querySelector("#questions") !== null
"""
"""Leaves the summary and one question with its proof."""
SIZE = 1000
"""Questions for each model."""


def files(page: str, folder: Path) -> None:
    """Write the files of a page."""
    for name, code in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", page, re.DOTALL):
        (folder / name).write_text(code, encoding="utf-8")


def take(target: Path) -> None:
    """Write the picture of a report on the two models of the tutorial."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        files((HERE / "pages" / "evaluate.md").read_text(encoding="utf-8"), folder)
        for model in ("my_model", "better"):
            run = f"--size {SIZE} --out runs/{model}"
            output(f"fabula eval py:{model}.py:answer house.toml {run}", folder)
        options = "--no-pictures --out report.html --title 'Where are people and things?'"
        output(f"fabula report runs/my_model runs/better {options}", folder)
        with Browser() as browser:
            browser.open(folder / "report.html", width=WIDTH, height=HEIGHT)
            assert browser.run(ONLY), "the report has no section 'questions'"
            target.write_bytes(browser.picture(whole=False))


if __name__ == "__main__":
    take(HERE / "assets" / "report.png")
