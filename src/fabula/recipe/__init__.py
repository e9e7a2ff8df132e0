"""Recipes: one benchmark as data.

    model.py       the keys of every recipe, as plain data; each world adds its own
    cells.py       quotas: kinds of instance
    quotas.py      which instance belongs to which cell
    collection.py  recipes made of recipes
    loading.py     finds, reads, extends, changes and builds recipes
    renamed.py     old names of keys
    explain.py     error messages for invalid recipes
    settings.py    changes to a recipe as typed on the command line
    suite.py       many recipes in the folders of a published benchmark
    library/       the built-in recipes; suites/ the built-in suites

May import: core, language. Worlds are looked up by name in the registry. Start with model.py.
"""
