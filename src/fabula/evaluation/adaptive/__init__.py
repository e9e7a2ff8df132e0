"""Adaptive evaluation: a model's accuracy on a recipe, with as few questions as the error allows.

scale.py       the difficulty of an instance by its measured features; scales as data, in scales/
calibration.py fits a scale to runs: `fabula calibrate`
students.py    simulated students, for recipes without runs
estimate.py    accuracy and its standard error from chosen questions; which one to ask next
ability.py     `fabula.ability` and `fabula eval --adaptive`
"""
