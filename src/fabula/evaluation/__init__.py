"""Evaluation: any model on any benchmark, replies on disk, statistics that can be trusted.

evaluate.py      what `fabula.evaluate` does: any model, any data, a result
model.py         what a model is here: instances in, replies out, with usage
models.py        a model by name; function.py, hugging_face.py, inspect_api.py: the kinds there are
run.py           asks, scores and writes as replies come; can be cut off and resumed
seen.py          what a model has seen in training, to compare the test with
statistics.py    intervals, paired tests, correlations
curves.py        learning curves, inoculation by dose
tracking.py      runs and their figures to trackio
concurrence.py   do two benchmarks rank models alike?
"""
