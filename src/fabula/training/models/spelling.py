"""Answers word by word: after each prefix of an answer, a word or STOP comes next."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fabula.training.model import NO_ANSWER, Shape


class Spelling(nn.Module):
    """The prefixes of all answers, and the path through them to each answer.

    A model scores all words and STOP after every prefix; the answer is where the best of them lead.
    It is a known answer or, if they lead elsewhere, none.
    """

    bags: Tensor
    """[P, V] how often each word is in each prefix."""
    path: Tensor
    """[A, L] the prefixes that an answer passes through, the empty one first."""
    step: Tensor
    """[A, L] the word, or STOP, that follows there."""
    length: Tensor
    """[A] number of steps of each answer, including STOP."""

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
        """From scores [B, P, V + 1]: [B, L, V + 1] on the path to the true answer, [B, L] which
        word is right there, and [B, L] whether the path goes that far.
        """
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
        """From scores [B, P, V + 1]: [B, A] the margin of each answer, and [B] the answer.

        The margin of an answer is that of its closest step, so only the answer that the best words
        spell has one above 0.
        """
        top = scores.topk(2, 2).values
        best, second = top[..., :1], top[..., 1:]
        lead = scores - torch.where(scores == best, second, best)
        steps = lead.flatten(1)[:, self.path * scores.shape[2] + self.step]
        going = torch.arange(self.path.shape[1], device=scores.device) < self.length.unsqueeze(1)
        wins = steps.masked_fill(~going, float("inf")).min(2).values
        most, answer = wins.max(1)
        return wins, torch.where(most > 0, answer, NO_ANSWER)
