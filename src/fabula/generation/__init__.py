"""Generation: from a recipe to verified instances. START HERE: author.py, then down the list.

author.py       `generate`, `instance`, and the author: a story begins, is told and asked about
address.py      which passage holds instance i
interview.py    which questions are put to a story, and when
examine.py      a question is accepted only if reader and simulator agree and its supports stand
translate.py    the passage in the language of the recipe, conventions first
record.py       the question as a record, with everything measured on it
shortfall.py    the errors of recipes that cannot be fulfilled
splitting.py    which content a split may have; divergence.py: splits by compound divergence
composition.py  which events and tellings training and test combine
shortcuts.py    guesses that need no understanding
passage.py      what the steps hand on: the assignment, the passage

From `fabula generate` to bytes on disk: cli/generate.py reads options, datasets/engines/run.py
plans the files (plan.py) and makes each of pieces (shard.py); a piece is `Author.passages`, written
down by a format (datasets/formats/) that takes `Author.fields` of each passage.

May import: core, language, recipe, world. Nothing here knows which world a story comes from.
"""
