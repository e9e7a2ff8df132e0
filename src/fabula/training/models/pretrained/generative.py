"""Writer: a sequence-to-sequence or causal model that writes the answer.

    answer: Mary went to the office. … $question$ Where is Mary?      →  office
    Mary went to the office. … $question$ Where is Mary? answer:      →  office   (causal)

What it writes counts only if it is an answer that training had, word for word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from fabula.errors import FabulaError
from fabula.evaluation.checkpoint import HEADS, Checkpoint
from fabula.training.data import Batch
from fabula.training.model import NO_ANSWER, Output, Regime, Shape
from fabula.training.models.pretrained.base import Loading, Pretrained, stories

IGNORED = -100  # tokens that are not written by the model


@dataclass(frozen=True)
class Writing(Loading):
    """How it answers: in its own words, or by the likelihood of each answer."""

    checkpoint: str = "google-t5/t5-base"
    answers: Literal["written", "likeliest"] = "written"


class Generative(Pretrained):
    """Answers word by word."""

    Sizes = Writing
    regime = Regime(epochs=12, batch=8, lr=5e-5, clip=1)
    paper = "Tamari et al. 2022 (Dyna-bAbI): T5"

    def __init__(self, sizes: Writing, shape: Shape, *kept: Any) -> None:
        super().__init__(sizes, shape, *kept)
        if self.tokens.eos_token_id is None:
            raise FabulaError(f"{sizes.checkpoint}: its tokenizer has no token for the end.")
        self.texts = [text.replace(",", ", ") for text in shape.labels]
        self.numbers = {spelling(text): at for at, text in enumerate(shape.labels)}
        self.longest = max(len(self._written(text)) for text in self.texts)

    @classmethod
    def check(cls, sizes: Writing) -> None:
        """It must be a model that writes."""
        super().check(sizes)
        writes(Checkpoint.named(sizes.checkpoint))

    def load(self, weights: bool) -> Any:
        """As the head that the checkpoint has."""
        self.head = writes(self.source)
        return self.source.model(HEADS[self.head], self.sizes.dropout, weights)

    def forward(self, batch: Batch) -> Output:
        """Learn to write the answer, or answer."""
        prompts = self._prompts(batch)
        if self.training:
            return self._learned(prompts, batch)
        read = self._asked(prompts).to(batch.answer.device)
        if self.sizes.answers == "likeliest":
            return Output(self._likelihoods(read))
        return self._said(read)

    def _prompts(self, batch: Batch) -> list[str]:
        """The input text; if a story is too long, its first sentences are left out."""
        prompts = []
        for told, each in zip(stories(batch), batch.examples, strict=True):
            first = self._first(told, each.asked)
            if first:
                self.trimmed.add(hash(told))
            prompts.append(self._prompt(told[first:], each.asked))
        return prompts

    def _first(self, told: Sequence[str], question: str) -> int:
        """The sentence from which on there is room for a story and for what is around it."""

        def fits(first: int) -> bool:
            read = self.tokens(self._prompt(told[first:], question), verbose=False)
            return bool(len(read["input_ids"]) <= self.limit)

        return 0 if fits(0) else bisect_left(range(len(told)), True, 1, key=fits)

    def _prompt(self, told: Sequence[str], question: str) -> str:
        text = " ".join([*told, "$question$", question])
        return f"{text} answer:" if self.head == "causal" else f"answer: {text}"

    def _asked(self, prompts: Sequence[str]) -> Any:
        """The text before the answer; a causal model continues it."""
        self.tokens.padding_side = "left" if self.head == "causal" else "right"
        return self.tokenised(prompts, return_token_type_ids=False)

    def _written(self, text: str) -> list[int]:
        """An answer as the model writes it, with its end."""
        if self.head == "seq2seq":
            return list(self.tokens(text_target=text)["input_ids"])
        start = self.tokens(f" {text}", add_special_tokens=False)["input_ids"]
        return [*start, self.tokens.eos_token_id]

    def _rows(self, texts: Sequence[str], device: torch.device) -> Tensor:
        """[B, L] answers as they are written, IGNORED beyond the end of each."""
        rows = [torch.tensor(self._written(text)) for text in texts]
        return pad_sequence(rows, batch_first=True, padding_value=IGNORED).to(device)

    def _open(self, read: Any) -> Callable[[Tensor], Tensor]:
        """Read once; then tell for each token of any [B, L] what would be written, [B, L, V]."""
        mask = read["attention_mask"]
        if self.head == "seq2seq":
            state = self.net.get_encoder()(**read)

            def decode(wanted: Tensor) -> Tensor:
                found = self.net(encoder_outputs=state, attention_mask=mask, labels=wanted)
                return cast(Tensor, found.logits)

            return decode
        begun = self.net(**read, position_ids=_places(mask), use_cache=True, logits_to_keep=1)
        length = mask.shape[1]

        def go_on(wanted: Tensor) -> Tensor:
            written = wanted != IGNORED
            full = torch.cat([mask, written.long()], 1)
            found = self.net(
                input_ids=wanted.masked_fill(~written, 0),
                attention_mask=full,
                position_ids=_places(full)[:, length:],
                past_key_values=begun.past_key_values,
            )
            begun.past_key_values.crop(-wanted.shape[1])  # the next answer goes on from here too
            return torch.cat([begun.logits, found.logits[:, :-1]], 1)

        return go_on

    def _learned(self, prompts: Sequence[str], batch: Batch) -> Output:
        """Right is an answer whose every token was the likeliest: what it would have written."""
        device = batch.answer.device
        wanted = self._rows([", ".join(each.answer) for each in batch.examples], device)
        scores = self._open(self._asked(prompts).to(device))(wanted)
        written = wanted != IGNORED
        losses = cross_entropy(
            scores.transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none"
        )
        loss = (losses.sum(1) / written.sum(1)).mean()  # of tokens, then of examples
        right = ((scores.argmax(2) == wanted) | ~written).all(1)
        answer = torch.where(right & (batch.answer >= 0), batch.answer, NO_ANSWER)
        return Output(self._chosen(answer), loss, spelled=answer)

    def _said(self, read: Any) -> Output:
        """Its output by greedy decoding."""
        made = self.net.generate(
            **read,
            max_new_tokens=self.longest,
            do_sample=False,
            num_beams=1,
            eos_token_id=self.tokens.eos_token_id,
            pad_token_id=self.tokens.pad_token_id,
        )
        if self.head == "causal":
            made = made[:, read["input_ids"].shape[1] :]
        texts = self.tokens.batch_decode(made, skip_special_tokens=True)
        found = [self.numbers.get(spelling(text), NO_ANSWER) for text in texts]
        answer = torch.tensor(found, device=read["input_ids"].device)
        return Output(self._chosen(answer), spelled=answer)

    def _likelihoods(self, read: Any) -> Tensor:
        """[B, A] the logarithm of the probability that each answer is written."""
        count, device = len(read["input_ids"]), read["input_ids"].device
        write, found = self._open(read), []
        for text in self.texts:
            wanted = self._rows([text] * count, device)
            scores = write(wanted).log_softmax(2)
            found.append(scores.gather(2, wanted.unsqueeze(2)).sum((1, 2)))
        return torch.stack(found, 1)

    def _chosen(self, answer: Tensor) -> Tensor:
        """[B, A] 1 for the answer given, 0 for all others: there are no other scores."""
        return (
            answer.unsqueeze(1) == torch.arange(self.shape.answers, device=answer.device)
        ).float()


def writes(source: Checkpoint) -> str:
    """The head of a checkpoint that writes."""
    head = source.answers_by()
    if head not in ("causal", "seq2seq"):
        raise FabulaError(
            f"{source.said}: it does not write; train it as 'extractive' or 'classification'."
        )
    return head


def spelling(text: str) -> str:
    """A text without blanks and capitals."""
    return "".join(text.lower().split())


def _places(mask: Tensor) -> Tensor:
    """[B, T] the number of each token, padding left out."""
    return (mask.cumsum(1) - 1).clamp(min=0)
