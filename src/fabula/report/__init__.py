"""The report: where a model fails and why, on one page, with all its numbers beside it.

cases.py      reads runs: of every scored reply just what is counted
numbers.py    accuracy by everything that was measured; what needs no pictures
compare.py    several runs side by side: paired tests, bootstrap over stories
figures.py    the figures, as Vega-Lite
theme.py      colours for light and dark
page.py       the page; page.css and page.js are what it wears and does
build.py      everything together, written to disk
"""

from fabula.report.build import build

__all__ = ["build"]
