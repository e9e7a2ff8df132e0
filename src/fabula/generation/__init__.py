"""Generation: from a recipe to verified instances. START HERE: author.py, then down the list.

author.py       instance i of a split, made on its own: a story begins, is told and asked about
interview.py    which questions are put to a story, and when
examine.py      a question is accepted only if reader and simulator agree and its supports stand
record.py       the question as a record, with everything measured on it
composition.py  which events and tellings training and test combine
divergence.py   splits by compound divergence

May import: core, language, recipe, world. Nothing here knows which world a story comes from.
"""
