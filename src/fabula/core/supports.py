"""Sets of sentences as bit masks.

A *mask* is an int whose bit n stands for sentence n (numbered from 1), e.g. 0b1100 = {2, 3}.
A *label* is a list of masks none of which contains another: the minimal supports of something.
"""

from __future__ import annotations

from collections.abc import Iterable


def mask_of(numbers: Iterable[int]) -> int:
    """The mask with exactly these bits."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def numbers_of(mask: int) -> tuple[int, ...]:
    """The sentence numbers of a mask, ascending."""
    if not mask & (mask - 1):
        return (mask.bit_length() - 1,) if mask else ()
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return tuple(numbers)


def minimal(masks: Iterable[int]) -> list[int]:
    """The masks that contain no other mask, each once, best first."""
    masks = set(masks)
    if len(masks) < 2:
        return list(masks)
    kept: list[int] = []
    for mask in sorted(masks, key=preference):
        for other in kept:
            if not other & ~mask:
                break
        else:
            kept.append(mask)
    return kept


def preference(mask: int) -> tuple[int, int]:
    """Sort key: the smallest support first, among equals the latest."""
    return mask.bit_count(), -mask


def product(first: Iterable[int], second: Iterable[int]) -> list[int]:
    """The label of 'both': every union of one mask from each side, minimal ones only."""
    second = tuple(second)
    return minimal([a | b for a in first for b in second])
