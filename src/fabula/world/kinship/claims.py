"""Kin words for verification, and how claims about kin are checked.

The words are written a second time here: a mistake in algebra.py, which stories are told and read
with, must not verify itself. The two procedures of verification (families.py and the logic program)
share it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from fabula.world.base import Claim

GENDERS = ("male", "female")

# word: relation, gender, and how many people there may be between the two
WORDS: dict[str, tuple[str, str, int]] = {}
for _relation, _male, _female, _between in (
    ("child", "son", "daughter", 0),
    ("parent", "father", "mother", 0),
    ("spouse", "husband", "wife", 0),
    ("sibling", "brother", "sister", 0),
    ("grandchild", "grandson", "granddaughter", 1),
    ("grandparent", "grandfather", "grandmother", 1),
    ("child_in_law", "son-in-law", "daughter-in-law", 1),
    ("parent_in_law", "father-in-law", "mother-in-law", 1),
    ("nibling", "nephew", "niece", 1),
    ("pibling", "uncle", "aunt", 1),
    ("sibling_in_law", "brother-in-law", "sister-in-law", 1),
    ("great_grandchild", "great-grandson", "great-granddaughter", 2),
    ("great_grandparent", "great-grandfather", "great-grandmother", 2),
):
    WORDS[_male] = (_relation, "male", _between)
    WORDS[_female] = (_relation, "female", _between)
WORDS["cousin"] = ("cousin", "any", 2)
BASIC = tuple(WORDS)[:20]
"""The words that every question can have as an answer."""
assert BASIC[-1] == "aunt"


def examine(
    claim: Claim,
    count: int,
    conclude: Callable[[Collection[int] | None], str | None],
    possible: Callable[[], bool],
) -> list[str]:
    """Objections to a claim about a story of `count` sentences, in English.

    `conclude` gives the word that follows from a set of sentences, or from all; `possible` says
    whether any family fits all of them.
    """
    failures = []
    whole = conclude(None)
    if (whole,) != claim.answer:
        found = "leaves it open" if whole is None else f"entails '{whole}'"
        if not possible():
            found = "fits no family"
        failures.append(f"{', '.join(claim.answer)} is not entailed: the story {found}")
    if not claim.supports:
        failures.append("there is no support")
    everything = set(range(1, count + 1))
    for support in claim.supports:
        name = f"support {list(support)}"
        if len(set(support)) < len(support) or not set(support) <= everything:
            failures.append(f"{name} is not a set of sentences of the story")
            continue
        if (conclude(support),) != claim.answer:
            failures.append(f"{name} does not suffice")
        for number in support:
            rest = [other for other in support if other != number]
            if (conclude(rest),) == claim.answer:
                failures.append(f"{name} still suffices without sentence {number}")
    return failures
