"""Evaluation: any model on any benchmark, replies on disk, and sound statistics.

evaluate.py      `fabula.evaluate`: any model, any data, one result
model.py         the interface of a model: instances in, replies out, with usage
models.py        finds a model by name; function.py, hugging_face.py, inspect_api.py: the kinds
checkpoint.py    checkpoints of the transformers library
run.py           asks, scores and writes replies as they arrive; resumable
guesses.py       the trivial baselines that get each question right
seen.py          summary of the training data, to tell seen from unseen
statistics.py    intervals, paired tests, correlations
curves.py        learning curves, inoculation by dose
tracking.py      logs runs and metrics to trackio
concurrence.py   do two benchmarks rank models alike?
report/          one page that shows where and why models fail
"""
