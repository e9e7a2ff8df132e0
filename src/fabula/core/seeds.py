"""The only source of randomness.

Promises:
1. `stream(...)` depends only on its arguments: no clock, no global state, no process, no Python
   version, no byte order.
2. Streams with different names are independent, even for neighbouring seeds and indices: the name
   is hashed, because `seed + index` repeats items under neighbouring seeds.

The numbers are the output of a hash function of the name (SHAKE-128). For the few dozen numbers
that a story needs this is three times as fast as seeding a Mersenne Twister.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b, shake_128
from itertools import chain, repeat
from operator import mul
from struct import unpack
from sys import byteorder
from typing import TypeVar

T = TypeVar("T")

Draw = Callable[[], float]
"""A source of uniform numbers in [0, 1)."""

_UNIT = 2.0**-32
_LITTLE = byteorder == "little" and array("I").itemsize == 4


def stream(recipe: str, seed: int, split: str, number: str | int, stage: str) -> Draw:
    """The random numbers of one stage of one story."""
    name = f"{recipe}\x1f{seed}\x1f{split}\x1f{number}\x1f{stage}".encode()
    first = _uniform(shake_128(name).digest(256))
    return chain(first, chain.from_iterable(_later(name))).__next__


def streams(recipe: str, seed: int, split: str, number: str | int) -> tuple[Draw, Draw, Draw]:
    """The random numbers of one story: for what happens, for how it is told, and for asking.

    One hash makes the first numbers of all three; that takes half the time of three streams.
    """
    name = f"{recipe}\x1f{seed}\x1f{split}\x1f{number}".encode()
    data = shake_128(name).digest(448)
    return (
        chain(_uniform(data[:256]), chain.from_iterable(_later(name + b"\x1funfold"))).__next__,
        chain(_uniform(data[256:384]), chain.from_iterable(_later(name + b"\x1ftell"))).__next__,
        chain(_uniform(data[384:]), chain.from_iterable(_later(name + b"\x1fask"))).__next__,
    )


def _later(name: bytes) -> Iterator[Iterator[float]]:
    """The numbers after the first ones, block by block."""
    block = 0
    while True:
        block += 1
        yield _uniform(shake_128(b"%s\x1f%d" % (name, block)).digest(512))


def _uniform(data: bytes) -> Iterator[float]:
    """Every four bytes, the lowest first, as a number in [0, 1)."""
    words: Iterable[int] = (
        memoryview(data).cast("I") if _LITTLE else unpack(f"<{len(data) // 4}I", data)
    )
    return map(mul, words, repeat(_UNIT))


def below(draw: Draw, n: int) -> int:
    """A random integer from 0 to n - 1."""
    return int(draw() * n)


def pick(draw: Draw, items: Sequence[T]) -> T:
    """One of the items, drawn uniformly."""
    return items[int(draw() * len(items))]


def pick_weighted(draw: Draw, items: Sequence[T], weights: Sequence[float]) -> T:
    """One of the items, with probability proportional to its weight (at least one positive)."""
    point = draw() * sum(weights)
    for item, weight in zip(items, weights, strict=True):
        point -= weight
        if point < 0:
            return item
    return next(i for i, w in zip(reversed(items), reversed(weights), strict=True) if w > 0)


def shuffled(draw: Draw, items: Sequence[T]) -> list[T]:
    """The items in random order."""
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = int(draw() * (i + 1))
        result[i], result[j] = result[j], result[i]
    return result


def fingerprint(text: str) -> int:
    """A 64-bit hash that is the same on every machine and in every run."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
