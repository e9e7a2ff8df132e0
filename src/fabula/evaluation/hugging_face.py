"""Hugging Face models, from a folder or by their name on the hub, with any head.

    hf:FOLDER_OR_NAME               as the model's own configuration says
    hf:FOLDER?gguf=FILE             weights in a GGUF file
    hf:FOLDER?head=qa               another head: causal, seq2seq, qa, classes
    hf:smollm2                      one that comes with a package

A causal or sequence-to-sequence model generates its reply greedily; with `likelihood`, the most
likely choice is taken. An extractive one selects a span of the story; a classifier gives one of its
labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.evaluation.checkpoint import HEADS, Checkpoint, transformers
from fabula.evaluation.model import Ask, Reply, Usage
from fabula.prompting.prompt import lead

LONGEST_SPAN = 8  # maximum number of tokens in an extracted answer


class HuggingFace:
    """A model of the transformers library."""

    def __init__(self, name: str, ask: Ask, likelihood: bool, device: str = "cpu") -> None:
        transformers()
        import torch

        self.torch, self.ask, self.likelihood = torch, ask, likelihood
        source = Checkpoint.named(f"hf:{name}")
        self.name = f"hf:{source.short}" + " by likelihood" * likelihood
        self.place = source.place
        self.head = source.answers_by()
        self.tokens = source.tokens()
        self.model = source.model(HEADS[self.head])
        if likelihood and self.head not in ("causal", "seq2seq"):
            raise FabulaError(
                f"--likelihood: not for a model that {self._does()}; drop the option."
            )
        self.model.to(device).eval()
        self.device = device

    def _does(self) -> str:
        return {"qa": "extracts spans", "classes": "says labels"}.get(self.head, "writes")

    def about(self) -> dict[str, Any]:
        """The source and kind of the model."""
        return {
            "kind": "hugging face",
            "model": self.place,
            "head": self.head,
            "likelihood": self.likelihood,
            "architecture": type(self.model).__name__,
        }

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """Replies in order, in batches of `concurrency` questions."""
        answer: dict[str, Callable[[Sequence[tuple[Instance, str]]], list[Reply]]] = {
            "causal": self._write,
            "seq2seq": self._write,
            "qa": self._point,
            "classes": self._label,
        }
        size = max(1, self.ask.concurrency)
        with self.torch.inference_mode():
            for start in range(0, len(asked), size):
                batch = asked[start : start + size]
                if self.likelihood:
                    made = [self._likeliest(*one) for one in batch]
                else:
                    made = answer[self.head](batch)
                yield from enumerate(made, start)

    # --- generation -----------------------------------------------------------------------

    def _text(self, prompt: str) -> str:
        """The text before the reply; for a chat model, a turn of a chat."""
        if self.head == "seq2seq":
            return prompt
        if not self.tokens.chat_template:
            return f"{prompt}\n"
        said: str = self.tokens.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        return said

    def _write(self, batch: Sequence[tuple[Instance, str]]) -> list[Reply]:
        self.tokens.padding_side = "left" if self.head == "causal" else "right"
        texts = [self._text(prompt) for _, prompt in batch]
        special = not (self.head == "causal" and self.tokens.chat_template)
        read = self.tokens(texts, return_tensors="pt", padding=True, add_special_tokens=special).to(
            self.device
        )
        read.pop("token_type_ids", None)
        made = self.model.generate(
            **read,
            max_new_tokens=self.ask.tokens,
            do_sample=False,
            pad_token_id=self.tokens.pad_token_id,
        )
        if self.head == "causal":
            made = made[:, read["input_ids"].shape[1] :]
        found = []
        for row, mask in zip(made.tolist(), read["attention_mask"].tolist(), strict=True):
            ended = self._ended(row)
            text = self.tokens.decode(row, skip_special_tokens=True)
            written = sum(token != self.tokens.pad_token_id for token in row)
            found.append(Reply(text, not ended, Usage(sum(mask), written)))
        return found

    def _ended(self, row: Sequence[int]) -> bool:
        """Whether the model stopped by itself."""
        ends = self.model.generation_config.eos_token_id
        known = set(ends) if isinstance(ends, list) else {ends, self.tokens.eos_token_id}
        first = (
            1 if self.head == "seq2seq" else 0
        )  # the decoder begins with a token that may be one
        return len(row) - first < self.ask.tokens or any(token in known for token in row[first:])

    # --- likelihood -----------------------------------------------------------------------

    def _likeliest(self, instance: Instance, prompt: str) -> Reply:
        """The most likely choice as the reply; without choices, generated text."""
        if not instance.choices:
            return self._write([(instance, prompt)])[0]
        begun = lead(instance, self.ask.language)
        if self.head == "seq2seq":
            likely = self._seq2seq_likelihoods(prompt, [f"{begun} {c}" for c in instance.choices])
        else:
            likely = self._causal_likelihoods(
                f"{self._text(prompt)}{begun}", [f" {choice}" for choice in instance.choices]
            )
        best = max(range(len(likely)), key=likely.__getitem__)
        return Reply(f"{begun} {instance.choices[best]}")

    def _causal_likelihoods(self, before: str, choices: Sequence[str]) -> list[float]:
        torch = self.torch
        special = not self.tokens.chat_template
        start = self.tokens(before, add_special_tokens=special)["input_ids"]
        ends = [self.tokens(choice, add_special_tokens=False)["input_ids"] for choice in choices]
        longest = max(map(len, ends))
        rows = [end + [self.tokens.pad_token_id] * (longest - len(end)) for end in ends]
        # the common prefix of all choices is processed once
        read = self.model(input_ids=torch.tensor([start], device=self.device), use_cache=True)
        read.past_key_values.batch_repeat_interleave(len(ends))
        written = self.model(
            input_ids=torch.tensor(rows, device=self.device), past_key_values=read.past_key_values
        ).logits
        first = read.logits[:, -1:].expand(len(ends), 1, -1)
        scores = torch.cat([first, written[:, :-1]], 1).log_softmax(-1)
        return [
            float(sum(scores[row, at, token] for at, token in enumerate(end)))
            for row, end in enumerate(ends)
        ]

    def _seq2seq_likelihoods(self, prompt: str, choices: Sequence[str]) -> list[float]:
        read = self.tokens(prompt, return_tensors="pt").to(self.device)
        found = []
        for choice in choices:
            label = self.tokens(choice, return_tensors="pt")["input_ids"].to(self.device)
            loss = self.model(input_ids=read["input_ids"], labels=label).loss
            found.append(-float(loss) * label.shape[1])
        return found

    # --- extraction and classification ----------------------------------------------------

    def _pair(self, batch: Sequence[tuple[Instance, str]]) -> Any:
        self.tokens.padding_side = "right"
        questions = [instance.question for instance, _ in batch]
        stories = [" ".join(instance.story) for instance, _ in batch]
        return self.tokens(
            questions, stories, return_tensors="pt", padding=True, truncation="only_second"
        )

    def _point(self, batch: Sequence[tuple[Instance, str]]) -> list[Reply]:
        read = self._pair(batch)
        output = self.model(**read.to(self.device))
        starts, ends = output.start_logits.tolist(), output.end_logits.tolist()
        ids = read["input_ids"].tolist()
        found = []
        for row, (instance, _) in enumerate(batch):
            inside = [at for at, part in enumerate(read.sequence_ids(row)) if part == 1]
            spans = (
                (starts[row][first] + ends[row][last], first, last)
                for first in inside
                for last in range(first, min(first + LONGEST_SPAN, inside[-1] + 1))
            )
            _, first, last = max(spans)
            words = self.tokens.decode(ids[row][first : last + 1], skip_special_tokens=True)
            found.append(
                Reply(f"{lead(instance, self.ask.language)} {words}", usage=Usage(len(inside)))
            )
        return found

    def _label(self, batch: Sequence[tuple[Instance, str]]) -> list[Reply]:
        chosen = self.model(**self._pair(batch).to(self.device)).logits.argmax(-1).tolist()
        labels = self.model.config.id2label
        return [
            Reply(f"{lead(instance, self.ask.language)} {labels[at]}")
            for (instance, _), at in zip(batch, chosen, strict=True)
        ]
