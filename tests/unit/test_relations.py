"""Chains, noise and the path reader, on the grid and on an order."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from fabula.errors import ParseError
from fabula.world.relations import Graph, Walks, Wording, branch, chain, detour, island
from fabula.world.relations.chain import folded
from fabula.world.sizes.reading import BIGGER, ORDER, SMALLER
from fabula.world.space.grid import CARDINAL, KING, LABELS, ROOM, UNITS, Grid, label, vector, xyz


def test_walks_are_counted_and_each_is_as_likely_as_the_others() -> None:
    walks = Walks(KING, label)
    sums = [sum(steps) for steps in product(KING.steps, repeat=3)]
    for word in LABELS:
        assert walks.count(3, word) == sum(label(v) == word for v in sums)
    assert walks.count(3) == 8**3
    draw = Random(1).random
    seen = Counter(tuple(walks.draw(draw, 2, "overlap") or ()) for _ in range(4000))
    assert len(seen) == 8  # there and back, in eight directions
    assert min(seen.values()) > 400
    assert walks.draw(draw, 1, "overlap") is None


def test_walks_of_an_order_come_out_only_if_they_do_not_turn() -> None:
    walks = Walks(ORDER)
    assert walks.count(4) == 2
    assert walks.draw(Random(1).random, 3, BIGGER) == [BIGGER] * 3
    assert folded(ORDER, [BIGGER, SMALLER, BIGGER]) is None


def test_vectors_are_numbers() -> None:
    for x, y, z in product(range(-12, 13), repeat=3):
        assert xyz(vector(x, y, z)) == (x, y, z)
        assert xyz(-vector(x, y, z)) == (-x, -y, -z)
    assert sorted(map(label, ROOM.units.values())) == sorted(ROOM.units)
    assert len(ROOM.labels) == 27
    assert sorted(map(label, UNITS.values())) == sorted(UNITS)


@pytest.mark.parametrize("algebra", [KING, CARDINAL])
def test_noise_neither_changes_nor_shortens_the_answer(algebra: Grid) -> None:
    exact = Walks(algebra)
    for seed in range(60):
        draw = Random(seed).random
        hops = 1 + seed % 6
        names = [f"n{i}" for i in range(hops + 1)]
        steps = exact.draw(draw, hops)
        assert steps is not None
        fresh = iter([f"x{i}" for i in range(40)])
        links = chain(names, steps)
        links += detour(draw, exact, names, steps, fresh=fresh, links=2 + seed % 4)
        links += branch(draw, names, fresh, algebra.steps, 3)
        links += island(draw, fresh, algebra.steps, 2)
        graph = Graph(algebra)
        for number, link in enumerate(links, 1):
            graph.add(number, link.subject, link.relation, link.object)
        settled = graph.settled(names[0], names[-1])
        assert settled is not None
        relation, masks = settled
        assert relation == sum(steps)
        assert masks[0] == sum(1 << n for n in range(1, hops + 1))
        assert all(mask.bit_count() > hops for mask in masks[1:])
        assert graph.frame(0) is not None
        roles = Counter(link.role for link in links)
        assert roles["irrelevant"] == 3
        assert roles["disconnected"] == 2


def test_a_detour_that_cannot_be_is_none() -> None:
    fresh = iter("xyz")
    # on the cardinal grid two steps never lead where one does
    assert (
        detour(Random(1).random, Walks(CARDINAL), "ab", [UNITS["left"]], fresh=fresh, links=2) == []
    )
    assert island(Random(1).random, fresh, KING.steps, 0) == []
    assert next(fresh) == "x"


def test_paths_are_walked_in_order_and_nothing_else_is_a_path() -> None:
    graph = Graph(KING)
    graph.add(1, "B", 1, "A")
    graph.add(2, "C", 1, "B")
    graph.add(3, "D", 1, "B")
    graph.add(4, "B", 1, "A")
    assert graph.path(0b110, "A", "C") == [(1, -1), (2, -1)]
    assert graph.path(0b110, "C", "A") == [(2, 1), (1, 1)]
    assert graph.path(0b1110, "A", "C") is None  # a branch too many
    assert graph.path(0b10010, "A", "B") is None  # told twice
    assert graph.path(0b10, "A", "C") is None
    assert graph.path(0, "A", "C") is None
    assert graph.alone(0b110, "A", "C") == -2
    assert graph.settled("A", "C") == (-2, [0b10100, 0b110])
    assert graph.settled("A", "Z") is None
    graph.add(5, "C", 5, "A")
    assert graph.settled("A", "C") is None
    assert graph.frame(0) is None


def test_wording_says_and_parses() -> None:
    wording = Wording(
        {"on": ["{figure} is on {ground}.", "on {ground} is {figure}."]}, ["figure", "ground"]
    )
    for draw in (lambda: 0.1, lambda: 0.9):
        assert wording.parse(wording.say("on", ("a b", "c"), draw)) == ("on", "a b", "c")
    with pytest.raises(ParseError, match="no pattern fits"):
        wording.parse("a is under c.")
    with pytest.raises(ValueError, match="unknown slot"):
        Wording({"on": ["{thing} is."]}, ["figure"])
