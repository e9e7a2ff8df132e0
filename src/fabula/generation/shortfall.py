"""Errors for recipes that cannot be fulfilled: what was required, what was found, how to fix it."""

from __future__ import annotations

from fabula.core.search import Reasons
from fabula.errors import QuotaError
from fabula.generation.examine import Requirement, condition_at
from fabula.generation.interview import HOPELESS
from fabula.generation.passage import Assignment
from fabula.recipe.cells import Cell


def belongs_elsewhere(assignment: Assignment) -> QuotaError:
    """Every question belonged to another split."""
    return QuotaError(
        f"recipe {assignment.whole.id}, split '{assignment.split}': {HOPELESS:,} questions "
        f"belonged to other splits. Give '{assignment.split}' a larger share."
    )


def out_of_tries(assignment: Assignment, index: int, cell: Cell, reasons: Reasons) -> QuotaError:
    """None of `max_tries` stories had a matching question."""
    name = f"cell '{cell.name}'" if cell.name else "such an instance"
    return QuotaError(
        f"{_place(assignment, index)}: {name} was not found in "
        f"{assignment.recipe.max_tries:,} stories. Found instead: {_top(reasons)}. "
        "Loosen the cell, change the weights or length, or raise max_tries."
    )


def never_met(
    assignment: Assignment, index: int, wanted: Requirement, reasons: Reasons, stories: int
) -> QuotaError:
    """One condition was never met; the error names it."""
    recipe, place = assignment.recipe, _place(assignment, index)
    if reasons.crowded:
        size, found = recipe.splits[assignment.split].size, len(reasons.signatures)
        return QuotaError(
            f"{place}: max_per_signature = {recipe.max_per_signature} is too low: {found} "
            f"different signatures were found for the {size:,} instances of the split. Raise it "
            f"to {-(-size // found):,} or more, or lower the size of the split."
        )
    return QuotaError(
        f"{place}: no question meets {condition_at(reasons.depth, wanted, recipe)}; "
        f"{reasons.chances:,} in {stories:,} stories failed it. Found instead: "
        f"{_top(reasons)}. Loosen this condition, or change the "
        "entities, events or length of the stories."
    )


def _place(assignment: Assignment, index: int) -> str:
    return f"recipe {assignment.recipe.id}, split {assignment.split}, instance {index}"


def _top(reasons: Reasons) -> str:
    """The most frequent reasons."""
    top = "; ".join(f"{reason} ({count:,}×)" for reason, count in reasons.most_common(4))
    return top or "nothing"
