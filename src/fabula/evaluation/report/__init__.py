"""The report: where a model fails and why, on one page, with all its numbers beside it.

cases.py      reads runs: of every scored reply just what is counted
numbers.py    accuracy by everything that was measured; what needs no pictures
compare.py    several runs side by side: paired tests by story
figures.py    the figures, as Vega-Lite
theme.py      colours for light and dark
questions.py  questions to look at one by one, with every run's reply
proof.py      a proof step by step, by the reader
page.py       the page; page.html is its template, page.css and page.js what it wears and does
pictures.py   figures as PNG and SVG, drawn in a child process
build.py      everything together, written to disk
"""

from fabula.evaluation.report.build import build

__all__ = ["build"]
