"""Evaluation: any model on any benchmark, replies on disk, statistics that can be trusted.

model.py        what a model is here: instances in, replies out, with usage
models/         trained checkpoints, Hugging Face models, API models through Inspect AI
run.py          asks, scores and writes as replies come; can be cut off and resumed
statistics.py   intervals, paired tests, correlations
concurrence.py  do two benchmarks rank models alike?
"""
