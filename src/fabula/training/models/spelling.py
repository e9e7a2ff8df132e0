"""Answers word by word: at each beginning of an answer, a word or STOP comes next."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fabula.training.model import NO_ANSWER, Shape


class Spelling(nn.Module):
    """The beginnings of all answers, and the way through them to each answer.

    A model scores, at every beginning, all words and STOP; the answer is what the best of them
    lead to. It is a known answer or, where they lead elsewhere, none.
    """

    bags: Tensor
    """[P, V] how often each word is in each beginning."""
    path: Tensor
    """[A, L] the beginnings that an answer passes through, the empty one first."""
    step: Tensor
    """[A, L] the word, or STOP, that it goes on with there."""
    length: Tensor
    """[A] steps of each answer, STOP included."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        parts = shape.answer_parts
        self.words = 1 + max(max(words) for words in parts)  # the number of STOP, too
        beginnings = sorted({words[:n] for words in parts for n in range(len(words) + 1)})
        number = {beginning: at for at, beginning in enumerate(beginnings)}
        bags = torch.zeros(len(beginnings), self.words)
        for row, beginning in enumerate(beginnings):
            for word in beginning:
                bags[row, word] += 1
        longest = 1 + max(map(len, parts))
        path, step = torch.zeros(2, len(parts), longest, dtype=torch.long)
        for row, words in enumerate(parts):
            for at, word in enumerate((*words, self.words)):
                path[row, at], step[row, at] = number[words[:at]], word
        length = torch.tensor([len(words) + 1 for words in parts])
        for name, value in (("bags", bags), ("path", path), ("step", step), ("length", length)):
            self.register_buffer(name, value, persistent=False)

    def taught(self, scores: Tensor, answer: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """From scores [B, P, V + 1]: [B, L, V + 1] on the way to the true answer, [B, L] which word
        is right there, and [B, L] whether the way goes so far."""
        known = answer.clamp(min=0)
        rows = torch.arange(len(answer), device=answer.device).unsqueeze(1)
        going = torch.arange(self.path.shape[1], device=answer.device) < self.length[
            known
        ].unsqueeze(1)
        return (
            scores[rows, self.path[known]],
            self.step[known],
            going & (answer >= 0).unsqueeze(1),
        )

    def answers(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """From scores [B, P, V + 1]: [B, A] by how much each answer wins, and [B] the answer.

        An answer wins by its closest step, so only the answer that the best words spell has a
        score above 0.
        """
        top = scores.topk(2, 2).values
        best, second = top[..., :1], top[..., 1:]
        lead = scores - torch.where(scores == best, second, best)
        steps = lead.flatten(1)[:, self.path * scores.shape[2] + self.step]
        going = torch.arange(self.path.shape[1], device=scores.device) < self.length.unsqueeze(1)
        wins = steps.masked_fill(~going, float("inf")).min(2).values
        most, answer = wins.max(1)
        return wins, torch.where(most > 0, answer, NO_ANSWER)
