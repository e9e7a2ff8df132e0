"""Errors of recipes that cannot be fulfilled: what was wanted, what came, what to change."""

from __future__ import annotations

from fabula.core.search import Reasons
from fabula.errors import QuotaError
from fabula.generation.examine import Requirement, condition_at
from fabula.generation.interview import HOPELESS
from fabula.generation.passage import Assignment
from fabula.recipe.cells import Cell


def belongs_elsewhere(assignment: Assignment) -> QuotaError:
    """Whatever was asked belonged to another split."""
    return QuotaError(
        f"recipe {assignment.whole.id}, split '{assignment.split}': what was asked belonged to "
        f"another split {HOPELESS:,} times. Give '{assignment.split}' a larger share."
    )


def out_of_tries(assignment: Assignment, index: int, cell: Cell, reasons: Reasons) -> QuotaError:
    """No story of `max_tries` had the question."""
    name = f"cell '{cell.name}'" if cell.name else "such an instance"
    return QuotaError(
        f"{_place(assignment, index)}: {name} did not come up in "
        f"{assignment.recipe.max_tries:,} stories. What came instead: {_top(reasons)}. "
        "Loosen the cell, change the weights or length, or raise max_tries."
    )


def never_met(
    assignment: Assignment, index: int, wanted: Requirement, reasons: Reasons, stories: int
) -> QuotaError:
    """One condition was never met; names it."""
    recipe, place = assignment.recipe, _place(assignment, index)
    if reasons.crowded:
        size, found = recipe.splits[assignment.split].size, len(reasons.signatures)
        return QuotaError(
            f"{place}: max_per_signature = {recipe.max_per_signature} is too low: {found} "
            f"different signatures came up for the {size:,} instances of the split. Raise it "
            f"to {-(-size // found):,} or more, or lower the size of the split."
        )
    return QuotaError(
        f"{place}: no question meets {condition_at(reasons.depth, wanted, recipe)}; "
        f"{reasons.chances:,} failed it in {stories:,} stories. What came instead: "
        f"{_top(reasons)}. Loosen this condition, or change what stories are made of: "
        "entities, events, length."
    )


def _place(assignment: Assignment, index: int) -> str:
    return f"recipe {assignment.recipe.id}, split {assignment.split}, instance {index}"


def _top(reasons: Reasons) -> str:
    """The commonest reasons."""
    top = "; ".join(f"{reason} ({count:,}×)" for reason, count in reasons.most_common(4))
    return top or "nothing"
