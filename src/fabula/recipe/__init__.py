"""Recipes: one benchmark as data.

model.py       the keys every recipe has, as plain data; each world adds its own
cells.py       quotas: kinds of instance
quotas.py      which instance belongs to which cell
collection.py  a recipe made of recipes
loading.py     recipes found, read, extended, changed and built
explain.py     what is wrong with one, in words
settings.py    changes to a recipe as they are typed
suite.py       many recipes in the folders of a published benchmark
library/       the recipes that come with the package; suites/ the suites

May import: core, language. Worlds are looked up by name in the registry. Start with model.py.
"""
