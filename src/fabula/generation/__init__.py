"""Generation: from a recipe to verified instances. START HERE: author.py, then down the list.

    author.py       `generate`, `instance`, and the author, which makes a story with its questions
    address.py      which passage holds instance i
    interview.py    which questions are asked about a story, and when
    examine.py      accepts a question only if reader and simulator agree and its supports hold
    translate.py    the passage in the language of the recipe, conventions first
    record.py       the question as a record, with its measured features
    shortfall.py    errors for recipes that cannot be fulfilled
    splitting.py    which content a split may have; divergence.py: splits by compound divergence
    composition.py  which events and tellings training and test combine
    shortcuts.py    guesses that need no understanding
    passage.py      the data passed between the steps: the assignment, the passage

From `fabula generate` to bytes on disk: cli/generate.py parses options, datasets/engines/run.py
plans the files (plan.py) and builds each from pieces (shard.py). A piece is `Author.passages`,
written by a format (datasets/formats/) from `Author.fields` of each passage.

May import: core, language, recipe, world. Nothing here knows which world a story comes from.
"""
