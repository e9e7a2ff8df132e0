"""Data sets: instances in a sequence, on disk, and in the formats of other tools.

    dataset.py   Dataset, the class that users work with: a sequence of instances, made on demand
    stored.py    the one reader: a folder, a file or a URL of records
    writing.py   writes a Dataset to a folder
    engines/     run a recipe into a folder: in this process, in several, on a Ray cluster
    formats/     JSONL, Parquet, and the formats of published loaders and trainers
    card.py      the dataset card
    suite.py     writes a suite

May import: everything up to prompting. Start with dataset.py.
"""
