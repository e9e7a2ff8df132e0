"""The report: where a model fails and why, on one page, with all its numbers beside it.

cases.py      reads runs: the values of every scored reply that are counted
numbers.py    accuracy by everything that was measured
compare.py    several runs side by side: paired tests by story
figures.py    the figures, as Vega-Lite
theme.py      colours for light and dark
questions.py  questions to look at one by one, with every run's reply
proof.py      a proof step by step, by the reader
page.py       the page; page.html is its template, page.css and page.js its style and behaviour
pictures.py   figures as PNG and SVG, drawn in a child process
build.py      everything together, written to disk
"""

from fabula.evaluation.report.build import build

__all__ = ["build"]
