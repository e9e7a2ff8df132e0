"""Recipes: one benchmark as data.

model.py       the keys every recipe has, read strictly; each world adds its own
cells.py       quotas: kinds of instance
quotas.py      which instance belongs to which cell
collection.py  a recipe made of recipes
suite.py       many recipes in the folders of a published benchmark
library/       the recipes that come with the package; suites/ the suites

May import: core, language. Worlds are looked up by name in the registry. Start with model.py.
"""
