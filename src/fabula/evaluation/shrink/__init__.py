"""Shrinking: the smallest proven story that a model still fails on (delta debugging with proof).

A failure is a story with a question that a model gets wrong. Step by step, sentences are dropped,
tellings made plain, words and names simplified. A step is kept if the question is still proven from
the text (the reader reads the new story) and the model still fails.

Promises:
1. The result is proven like any instance, and 1-minimal: every further step loses the proof or the
   failure (`steps.steps` lists them all).
2. Nothing is asked twice: replies are written as they come, and the same call resumes.
3. A model that does not always reply the same is asked several times, by a sequential test.
4. Failures with the same smallest form (names abstracted) are one group.

steps.py     the steps: smaller proven stories
search.py    which step to try next; a generator that asks and is told
asking.py    puts questions of many searches to the model in batches, and remembers replies
shrinking.py everything together: `fabula.shrink`
"""

from fabula.evaluation.shrink.shrinking import Shrunk, Smallest, shrink

__all__ = ["Shrunk", "Smallest", "shrink"]
