"""Parts that several models share."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fabula.training.data import PAD, PLACEHOLDERS


class Words(nn.Embedding):
    """A table of words: padding stays zero; rows of placeholders are random and never trained."""

    def __init__(self, count: int, size: int, spread: float = 0.1) -> None:
        super().__init__(count, size, padding_idx=PAD)
        nn.init.normal_(self.weight, 0.0, spread)
        with torch.no_grad():
            self.weight[PAD] = 0
        self.weight.register_hook(_freeze)  # type: ignore[no-untyped-call]


def _freeze(gradient: Tensor) -> Tensor:
    """No gradient for the rows of padding and placeholders."""
    kept = gradient.clone()
    kept[PAD] = 0
    kept[2 : 2 + PLACEHOLDERS] = 0
    return kept


class Mask(nn.Module):
    """A sentence as the sum of its words, each weighted by a learned vector of its position."""

    def __init__(self, width: int, size: int, start: float = 1.0, positions: bool = False) -> None:
        """With `positions`, the weights start from the position encoding, not from a constant."""
        super().__init__()
        weights = position_weights(width, size) / width if positions else None
        self.weight = nn.Parameter(torch.full((width, size), start) if weights is None else weights)

    def forward(self, vectors: Tensor) -> Tensor:
        """[..., W, d] to [..., d]; padded words are zero vectors already."""
        result: Tensor = (vectors * self.weight[: vectors.shape[-2]]).sum(-2)
        return result


def position_weights(width: int, size: int) -> Tensor:
    """The fixed position encoding of MemN2N, [W, d], for a sentence of `width` words."""
    word = torch.arange(1, width + 1).unsqueeze(1) - (width + 1) / 2
    part = torch.arange(1, size + 1).unsqueeze(0) - (size + 1) / 2
    return 1 + 4 * word * part / (width * size)


def told(sentences: Tensor, depth: int) -> Tensor:
    """[B, S]: which sentences are there, the rest being padding."""
    return torch.arange(depth, device=sentences.device) < sentences.unsqueeze(1)


def hashed_grams(words: Tensor, longest: int, buckets: int) -> Tensor:
    """The N-grams of rows of words, of up to `longest`, as numbers below `buckets`; padding 0."""
    found, gram, there = [], words, words != PAD
    for length in range(1, min(longest, words.shape[-1]) + 1):
        if length > 1:
            last = words[..., length - 1 :]
            gram, there = gram[..., :-1] * 1_000_003 + last, there[..., :-1] & (last != PAD)
        hashed = (gram * 2_654_435_761 + length) % (buckets - 1) + 1
        found.append(torch.where(there, hashed, 0))
    return torch.cat(found, -1)
