"""Shared by the relation worlds: an algebra folds a path of stated relations into one.

algebra  compose and invert: vector addition for space, a table for kinship, an order for sizes
graph    the reader: all minimal sets of sentences that settle how two entities are related
chain    draws chains of relations, freely or with a given outcome
noise    sentences that never change or shorten the answer, each with its role
wording  sentence patterns with named slots, rendered and parsed
amounts  numbers and ranges in recipes
"""

from fabula.world.relations.algebra import Algebra, Link
from fabula.world.relations.chain import Walks, chain
from fabula.world.relations.graph import Graph, Route
from fabula.world.relations.noise import branch, detour, island
from fabula.world.relations.wording import Wording

__all__ = [
    "Algebra",
    "Graph",
    "Link",
    "Route",
    "Walks",
    "Wording",
    "branch",
    "chain",
    "detour",
    "island",
]
