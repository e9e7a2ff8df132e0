"""Data sets: instances in a sequence, on disk, and in other people's formats.

dataset.py   Dataset, what a user holds: a sequence of instances made when they are asked for
stored.py    the one reader: a folder, a file or a URL of records
writing.py   writes a Dataset to a folder
engines/     run a recipe into a folder: here, on several processes, on a Ray cluster
formats/     JSONL, Parquet, and the formats of published loaders and trainers
card.py      what a data set says of itself, for people
suite.py     writes a suite

May import: everything up to prompting. Start with dataset.py.
"""
