"""Replies that repeat the prompt: the words of the story are not an answer."""

from __future__ import annotations

from fabula.core.instance import Instance

LEAST = 2
"""Sentences that a story has at least, so that repeating it is not just answering in a sentence."""


def without_prompt(instance: Instance, reply: str) -> str:
    """The rest of a reply that repeats the whole story; other replies as they are."""
    story = instance.story
    if len(story) < LEAST or len(reply) < sum(map(len, story)):
        return reply
    low = reply.lower()
    ends = [low.rfind(sentence.lower()) + len(sentence) for sentence in story]
    if any(sentence.lower() not in low for sentence in story):
        return reply
    start = max(ends)
    asked = low.rfind(instance.question.lower())
    return reply[max(start, asked + len(instance.question) if asked >= 0 else 0) :]
