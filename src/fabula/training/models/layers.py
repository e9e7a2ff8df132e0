"""Layers that several models share."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from fabula.training.data import PAD, PLACEHOLDERS

_KEY = (1 << 63) - 1  # larger than the key of any N-gram


Placeholders = Literal["fixed", "zeroed", "redrawn"]
"""Vectors of placeholders: drawn once; all zero, which the released text models of CLUTRR end up
with after a few batches; or drawn for every batch, as in its MAC.
"""


class Words(nn.Embedding):
    """A word table: padding stays zero; rows of placeholders are random and never trained."""

    drawn: Tensor
    """How often the rows of placeholders were drawn; it determines their values."""

    def __init__(
        self, count: int, size: int, spread: float = 0.1, placeholders: Placeholders = "fixed"
    ) -> None:
        super().__init__(count, size, padding_idx=PAD)
        nn.init.normal_(self.weight, 0.0, spread)
        with torch.no_grad():
            self.weight[PAD] = 0
            if placeholders == "zeroed":
                self.weight[2 : 2 + PLACEHOLDERS] = 0
        self.weight.register_hook(_freeze)  # type: ignore[no-untyped-call]
        self.spread, self.redrawn = spread, placeholders == "redrawn"
        if self.redrawn:  # a separate seed, so that each restart has other rows
            self.register_buffer("drawn", torch.randint(1 << 40, ()))

    def redraw(self) -> None:
        """Redraw the rows of placeholders for a batch, in training and if set."""
        if self.redrawn and self.training:
            self.drawn += 1
            generator = torch.Generator().manual_seed(int(self.drawn))
            rows = torch.randn(PLACEHOLDERS, self.embedding_dim, generator=generator)
            self.weight.data[2 : 2 + PLACEHOLDERS] = rows.to(self.weight) * self.spread


def _freeze(gradient: Tensor) -> Tensor:
    """No gradient for the rows of padding and placeholders."""
    kept = gradient.clone()
    kept[PAD] = 0
    kept[2 : 2 + PLACEHOLDERS] = 0
    return kept


class Sequences(nn.Module):
    """LSTMs over rows of different lengths, in one direction or in both.

    Rows stay padded, and a row that is read backwards is reversed within its length, which gives
    the same result as packing; PyTorch's fast LSTM needs rows of one length and is two to five
    times as fast on a CPU.
    """

    def __init__(self, inputs: int, hidden: int, layers: int = 1, both: bool = False) -> None:
        super().__init__()
        self.size = 2 * hidden if both else hidden
        widths = [inputs, *[self.size] * (layers - 1)]
        self.forth, self.back = (
            nn.ModuleList(nn.LSTM(width, hidden, batch_first=True) for width in used)
            for used in (widths, widths if both else [])
        )

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """[B, T, inputs] to the states [B, T, size]; 0 beyond the length of a row."""
        # not every CPU supports lower precision
        with torch.autocast(vectors.device.type, enabled=False):
            return self._read(vectors.float(), lengths)

    def _read(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        place = torch.arange(vectors.shape[1], device=vectors.device)
        there = place < lengths.unsqueeze(1)
        turned = torch.where(there, lengths.unsqueeze(1) - 1 - place, place).unsqueeze(2)
        states = vectors
        for layer, forth in enumerate(self.forth):
            read = [forth(states)[0]]
            if self.back:
                backwards = self.back[layer](states.gather(1, turned.expand_as(states)))[0]
                read.append(backwards.gather(1, turned.expand_as(backwards)))
            states = torch.cat(read, 2)
        return states * there.unsqueeze(2)

    def last(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """[B, size] the state after the last word of each row, read in one direction."""
        at = (lengths - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, self.size)
        found: Tensor = self(vectors, lengths).gather(1, at).squeeze(1)
        return found


class Mask(nn.Module):
    """A sentence as the sum of its words, each weighted by a learned vector of its position."""

    def __init__(self, width: int, size: int, start: float = 1.0, positions: bool = False) -> None:
        """With `positions`, the weights start from the position encoding instead of a constant."""
        super().__init__()
        weights = position_weights(width, size) / width if positions else None
        self.weight = nn.Parameter(torch.full((width, size), start) if weights is None else weights)

    def forward(self, vectors: Tensor) -> Tensor:
        """[..., W, d] to [..., d]; padded words are zero vectors already.

        Words beyond the longest sentence of training are weighted like the last.
        """
        wide = vectors.shape[-2]
        weight = self.weight[:wide]
        if wide > len(weight):
            weight = torch.cat([weight, weight[-1:].expand(wide - len(weight), -1)])
        result: Tensor = (vectors * weight).sum(-2)
        return result


def position_weights(width: int, size: int) -> Tensor:
    """The fixed position encoding of MemN2N, [W, d], for a sentence of `width` words.

    In the form of the released code, whose mean is 1: with the paper's formula, which is half as
    large, the content of a sentence would count less than its age.
    """
    word = torch.arange(1, width + 1).unsqueeze(1) - (width + 1) / 2
    part = torch.arange(1, size + 1).unsqueeze(0) - (size + 1) / 2
    return 1 + 4 * word * part / (width * size)


def told(sentences: Tensor, depth: int) -> Tensor:
    """[B, S] which sentences are not padding."""
    return torch.arange(depth, device=sentences.device) < sentences.unsqueeze(1)


def latest(story: Tensor, sentences: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """The most recent sentences of each story, and their number."""
    if story.shape[1] <= most:
        return story, sentences
    lost = (sentences - most).clamp(min=0)
    at = lost.unsqueeze(1) + torch.arange(most, device=story.device)
    return story.gather(1, at.unsqueeze(2).expand(-1, -1, story.shape[2])), sentences - lost


def with_padding(story: Tensor, depth: int) -> Tensor:
    """[B, S, W] padded with sentences up to `depth`."""
    return nn.functional.pad(story, (0, 0, 0, max(0, depth - story.shape[1])))


def gram_keys(words: Tensor, longest: int) -> Tensor:
    """The N-grams of rows of words, up to `longest`, as numbers of 63 bits; padding is 0."""
    found, gram, there = [], words, words != PAD
    for length in range(1, min(longest, words.shape[-1]) + 1):
        if length > 1:
            last = words[..., length - 1 :]
            gram, there = gram[..., :-1] * 1_000_003 + last, there[..., :-1] & (last != PAD)
        found.append(torch.where(there, gram * 4 + length, 0) & _KEY)
    return torch.cat(found, -1)


class Grams(nn.Module):
    """N-grams as rows of a table: each one in the training data has its own, in order of
    occurrence.

    Unknown ones are row 0, like padding, and so are those for which no row is left.
    """

    keys: Tensor
    """The known N-grams, sorted; padded with the largest number."""
    rows: Tensor
    """The row of each N-gram."""
    known: Tensor

    def __init__(self, count: int, longest: int = 3) -> None:
        super().__init__()
        self.count, self.longest = count, longest
        self.register_buffer("keys", torch.full((count,), _KEY))
        self.register_buffer("rows", torch.zeros(count, dtype=torch.long))
        self.register_buffer("known", torch.tensor(1))
        self.keys[0] = 0  # padding

    def forward(self, words: Tensor) -> Tensor:
        """[..., W] to [..., G] rows."""
        keys = gram_keys(words, self.longest)
        at, there = self._find(keys)
        if self.training and self.known < self.count and not bool(there.all()):
            self._learn(keys[~there].unique())  # type: ignore[no-untyped-call]
            at, there = self._find(keys)
        return torch.where(there, self.rows[at], 0)

    def remarks(self) -> dict[str, int]:
        """The number of N-grams with a row, and in all."""
        return {"ngrams": int(self.known) - 1, "ngrams_at_most": self.count - 1}

    def _find(self, keys: Tensor) -> tuple[Tensor, Tensor]:
        at = torch.searchsorted(self.keys, keys).clamp(max=self.count - 1)
        return at, self.keys[at] == keys

    def _learn(self, new: Tensor) -> None:
        """Assign rows to new N-grams, as long as there are any."""
        known = int(self.known)
        new = new[: self.count - known]
        self.keys[known : known + len(new)] = new
        self.rows[known : known + len(new)] = torch.arange(known, known + len(new))
        self.known += len(new)
        self.keys[:], order = self.keys.sort()
        self.rows[:] = self.rows[order].clone()


def classifier(width: int, answers: int) -> nn.Module:
    """Two layers over the story and the two entities of the question."""
    return nn.Sequential(nn.Linear(3 * width, 3 * width), nn.ReLU(), nn.Linear(3 * width, answers))
