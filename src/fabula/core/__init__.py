"""What every other package builds on, and nothing that knows stories.

seeds.py      the only source of randomness
instance.py   the record: one question about one story, with its proof
supports.py   sets of sentences as bit masks
split.py      which split may have which content
files.py      files that are written whole or not at all, and locks
workers.py    worker processes
registry.py   worlds, formats and models by name, those of other packages included

May import: errors only.
"""
