"""Probe: where does a model fail?

conditions.py  what instances measure and recipes control, as conditions and cells
pool.py        fresh instances with what was measured on them, more of any cell on demand
passrate.py    a model of the pass rate over all cells, to draw the next ones from
evidence.py    how strongly replies speak for each cell; the exact test
search.py      START HERE: start, explore, confirm
budget.py      a budget in questions, tokens or dollars
narrowed.py    a recipe that makes more of a cell
wording.py     findings in plain sentences
probing.py     what `fabula.probe` does
content.py     what a report shows of a probe
"""
