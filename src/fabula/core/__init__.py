"""The foundation of all other packages; nothing here knows about stories.

    seeds.py      the only source of randomness
    instance.py   the record: one question about one story, with its proof
    supports.py   sets of sentences as bit masks
    split.py      which split may have which content
    files.py      atomic writing, bounded reading, locks
    workers.py    worker processes
    registry.py   worlds, formats and models by name, including those of other packages
    soundness.py  checks of records from files
    search.py     when to give up the search for an instance
    progress.py   progress reports

May import: errors only.
"""
