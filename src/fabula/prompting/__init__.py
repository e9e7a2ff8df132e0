"""Prompts: how a model is asked.

    prompt.py    story, question, conventions, the form of the answer
    thoughts.py  proofs as chains of thought, for training data

May import: everything up to scoring.
"""
