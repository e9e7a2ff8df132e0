"""The report: where a model fails and why, on one page, with all numbers in files next to it.

cases.py      reads runs: the fields of every scored reply that are counted
numbers.py    accuracy by every measured feature
compare.py    several runs side by side: paired tests by story
curves.py     learning curves and doses over runs
content.py    the sections of the report
takeaways.py  the sentences at the top of the page
extras.py     sections that only some runs have: smallest.py, probed.py, cited.py, contrast.py
figures.py    the figures, as Vega-Lite
theme.py      colours for light and dark
questions.py  questions to browse, with every run's reply
proof.py      a proof step by step, by the reader
page.py       the page; page.html is its template, page.css and page.js its style and behaviour
pictures.py   figures as PNG and SVG, drawn in a child process
build.py      puts everything together and writes it
"""

from fabula.evaluation.report.build import build

__all__ = ["build"]
