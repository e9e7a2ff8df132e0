"""Graph attention over the stated facts: an upper bound for reasoning without reading."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import elu, leaky_relu

from fabula.errors import FabulaError
from fabula.training.data import PLACEHOLDERS, Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import classifier


@dataclass(frozen=True)
class Widths:
    """Widths and rounds."""

    node: int = 100
    edge: int = 20
    heads: int = 3
    rounds: int = 3
    dropout: float = 0.3
    """The paper's is 0.6, which needs many more epochs."""
    reverse: bool = False
    """Whether messages also travel against edges; otherwise their reach is six edges."""


class _Attention(nn.Module):
    """One layer: each node attends to the nodes that have an edge to it, and to itself."""

    def __init__(self, sizes: Widths, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.change = nn.Linear(sizes.node, sizes.node * heads, bias=False)
        self.target = nn.Parameter(torch.randn(heads, sizes.node) * sizes.node**-0.5)
        self.source = nn.Parameter(torch.randn(heads, sizes.node + sizes.edge) * sizes.node**-0.5)
        self.out = nn.Linear(sizes.node + sizes.edge, sizes.node)

    def forward(self, nodes: Tensor, edges: Tensor, linked: Tensor) -> Tensor:
        """`edges` [B, from, to, edge]; `linked` [B, from, to]."""
        count, size, width = nodes.shape
        changed = self.change(nodes).view(count, size, self.heads, width)
        to = (changed * self.target).sum(3)
        by_node = (changed * self.source[:, :width]).sum(3)
        by_edge = edges @ self.source[:, width:].T
        score = leaky_relu(to.unsqueeze(1) + by_node.unsqueeze(2) + by_edge, 0.2)
        weight = score.masked_fill(~linked.unsqueeze(3), float("-inf")).softmax(1)
        weight = weight.nan_to_num(0.0)  # padded nodes receive nothing
        from_nodes = torch.einsum("bijh,bihd->bjhd", weight, changed)
        from_edges = torch.einsum("bijh,bije->bjhe", weight, edges)
        result: Tensor = self.out(torch.cat([from_nodes, from_edges], 3).mean(2))
        return result


class GAT(Model):
    """Needs a graph: questions about two entities, facts about two entities."""

    Sizes = Widths
    # longer chains than those of training are learned only after these are all right
    regime = Regime(epochs=60, batch=100, lr=1e-3, clip=1, patience=20, enough=0)
    paper = "Velickovic et al. 2018; the structured model of CLUTRR"
    inputs = "graph"
    of_two = True

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.nodes: Tensor
        self.register_buffer("nodes", torch.randn(max(PLACEHOLDERS, 64), sizes.node))
        kinds = shape.relations * (2 if sizes.reverse else 1) + 1
        self.edge = nn.Embedding(kinds, sizes.edge, padding_idx=0)
        self.first = _Attention(sizes, sizes.heads)
        self.second = _Attention(sizes, 1)
        self.drop = nn.Dropout(sizes.dropout)
        self.decide = classifier(sizes.node, shape.answers)

    def _drawn(self, count: int, size: int) -> Tensor:
        """[B, E] a row for each node; random in training, so that larger graphs have no untrained
        rows.
        """
        if size > len(self.nodes):
            raise FabulaError(
                f"a graph has {size} entities, but there are only {len(self.nodes)} rows."
            )
        if not self.training:
            return torch.arange(size, device=self.nodes.device).expand(count, -1)
        order = torch.rand(count, len(self.nodes), device=self.nodes.device)
        return order.argsort(1)[:, :size]

    def forward(self, batch: Batch) -> Output:
        """Pass messages, then compare the two."""
        size = batch.edges.shape[1]
        there = torch.arange(size, device=batch.edges.device) < batch.nodes.unsqueeze(1)
        loops = torch.eye(size, dtype=torch.bool, device=there.device) & there.unsqueeze(1)
        kinds = batch.edges
        if self.sizes.reverse:
            back = kinds.transpose(1, 2)
            kinds = torch.where(
                kinds > 0, kinds, torch.where(back > 0, back + self.shape.relations, 0)
            )
        linked, edges = (kinds > 0) | loops, self.edge(kinds)
        state = self.nodes[self._drawn(len(batch), size)]
        for _ in range(self.sizes.rounds):
            state = elu(self.first(self.drop(state), edges, linked))
            state = self.second(self.drop(state), edges, linked)
        mean = (state * there.unsqueeze(2)).sum(1) / batch.nodes.clamp(min=1).unsqueeze(1)
        rows = torch.arange(len(batch), device=there.device)
        ends = [state[rows, batch.query[:, end]] for end in (0, 1)]
        return Output(self.decide(torch.cat([mean, *ends], 1)))
