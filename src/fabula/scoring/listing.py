"""Replies that list the vocabulary instead of answering.

'yes, no, maybe, the garden' names one answer to 'Where is Mary?' and one to other questions each:
said to every question, it would often be right. So a reply that does nothing but list words of the
recipe's vocabulary is wrong, unless they are the answer.

Not a list: an answer with an explanation ('garden, because …'), words of the question itself
('Mary: garden'), 'yes', 'no' or 'maybe' with one word that says more ('no, the garden'), and a
number with what was counted ('two, the apple and the milk').
"""

from __future__ import annotations

import re
from itertools import dropwhile

from fabula.core.instance import Instance
from fabula.scoring.answers import (
    NUMBERS,
    WAYS,
    answers_of,
    fold,
    objects_of,
    said,
    vocabulary,
)
from fabula.scoring.phrases import FILLER
from fabula.scoring.reading import answer_span
from fabula.scoring.vocabulary import wide

YES_NO = ("yes", "no", "maybe")
GENERAL = (*YES_NO, *NUMBERS, *WAYS, "left", "right", "above", "below", "nothing")
"""Answers that count as such whatever the recipe asks."""
_PARTS = re.compile(r"[,;/|&+\n]|\\n|\band\b|\bor\b|\bya\b|\baur\b|\bया\b|\bऔर\b", re.IGNORECASE)
_SIGNS = re.compile(r"[.!?\"'`*_\[\](){}:।\\$]|(?<!\w)-")
LEADS = frozenset({"the", "final", "answer", "is", "it", "boxed", "text", "json", "sure", "so"})
"""Words that may come before an answer and mean nothing."""


def may_list(reply: str) -> bool:
    """Whether a reply could be a list at all: quick, because most replies are not."""
    return _PARTS.search(reply) is not None


def listed(instance: Instance, reply: str) -> tuple[str, ...]:
    """The words of a reply that lists more than an answer; none if it does not."""
    answers = answers_of(instance)
    if answers.shape == "way":
        return ()
    text = answer_span(reply)
    before, paragraph, _ = text.partition("\n\n")
    text = before if paragraph and _items(before) else text
    items, after = _items(text), _items(reply.partition(text)[2])
    if len(items) + len(after) < 2:
        return ()
    known = {**vocabulary(GENERAL).names, **wide(instance).names, **answers.names}
    if all(item in known for item in after):
        items += after  # the list goes on below the line with the answer
    if len(items) < 2:
        return ()
    if not all(item in known for item in items):
        return ()  # it says something else as well
    echo = answers.echo()
    named = dict.fromkeys(known[item] for item in items if fold(known[item]) not in echo)
    right = {fold(word) for word in instance.answer}
    others = [word for word in named if fold(word) not in right]
    if not others:
        return ()
    return () if _elaborates(instance, fold(known[items[0]]), others) else tuple(named)


def _items(text: str) -> list[str]:
    """The parts of a text between commas, lines, 'and' and 'or', without words that say nothing."""
    found = []
    for part in _PARTS.split(text):
        words = fold(" ".join(_SIGNS.sub(" ", part).split())).split()
        bare = " ".join(dropwhile(LEADS.__contains__, words))
        if bare and not set(bare.split()) <= FILLER:
            found.append(bare)
    return found


def _elaborates(instance: Instance, first: str, others: list[str]) -> bool:
    """Whether the other words say more about a right answer that comes first."""
    if [first] != [fold(word) for word in instance.answer]:
        return False
    if first in NUMBERS:
        return set(others) <= set(said(instance, [*objects_of(instance)]))
    return first in YES_NO and len(others) == 1 and fold(others[0]) not in YES_NO
