"""The common part of models of the transformers library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from torch import nn

from fabula.errors import FabulaError
from fabula.evaluation.checkpoint import Checkpoint, quietly, transformers
from fabula.training.data import Batch
from fabula.training.model import Model, Shape

KEPT = "checkpoint"  # configuration and tokenizer, in the folder of a run


@dataclass(frozen=True)
class Loading:
    """Where the weights come from, and how much is read."""

    checkpoint: str = "minilm"
    """A folder, a name on the hub, minilm or smollm2."""
    limit: int = 512
    """Maximum number of tokens; the beginning of a longer story is dropped."""
    dropout: float = 0.0
    """In training; rule-generated stories need none, and training is faster without it."""
    fixed_layers: int = 0
    """Number of first layers that are frozen, together with the embeddings."""


class Pretrained(Model):
    """A model that starts from the weights of a checkpoint and uses its tokenizer."""

    inputs = "text"
    at_once = 32
    kind: ClassVar[str] = "AutoModel"
    """The class of the library that is loaded."""

    def __init__(self, sizes: Any, shape: Shape, kept: Path | None = None) -> None:
        """`kept`: a folder with configuration and tokenizer, instead of the checkpoint."""
        super().__init__(sizes, shape)
        self.source = Checkpoint.named(str(kept) if kept else sizes.checkpoint)
        self.tokens = self.source.tokens()
        self.tokens.truncation_side = "left"
        with quietly():
            self.net = self.load(weights=kept is None)
        fix_layers(self.net, sizes.fixed_layers)
        self.limit = min(sizes.limit, places(self.net.config))
        self.trimmed: set[int] = set()

    @classmethod
    def check(cls, sizes: Any) -> None:
        """Check that the library is installed and the checkpoint exists."""
        transformers()
        Checkpoint.named(sizes.checkpoint).config()

    @classmethod
    def restored(cls, sizes: Any, shape: Shape, folder: Path) -> Self:
        """The model from the folder of a run alone."""
        return cls(sizes, shape, folder / KEPT)

    def load(self, weights: bool) -> Any:
        """The network."""
        return without_pooler(self.source.model(self.kind, self.sizes.dropout, weights))

    def keep(self, folder: Path) -> None:
        """Write configuration and tokenizer; the weights are stored with those of the model."""
        self.net.config.architectures = [type(self.net).__name__]
        self.tokens.save_pretrained(folder / KEPT)
        self.net.config.save_pretrained(folder / KEPT)

    def remarks(self) -> dict[str, Any]:
        """The number of stories that were too long."""
        return {"trimmed_stories": len(self.trimmed)}

    def tokenised(self, *texts: Sequence[str], **more: Any) -> Any:
        """Texts, or pairs of them, as tokens; the beginning of texts that are too long is
        dropped.
        """
        try:
            read = self.tokens(
                *texts,
                truncation="only_second" if len(texts) == 2 else True,
                max_length=self.limit,
                padding=True,
                return_tensors="pt",
                **more,
            )
        except Exception as error:  # the library has no class for it
            if "Truncation error" not in str(error):
                raise
            raise FabulaError(
                f"limit={self.limit}: a question alone has more tokens; set a higher limit."
            ) from None
        for row, encoding in enumerate(read.encodings):
            if encoding.overflowing:
                self.trimmed.add(hash(texts[-1][row]))
        return read


def stories(batch: Batch) -> list[tuple[str, ...]]:
    """The sentences of each story, as many as the training lets a model read."""
    return [
        each.told[len(each.told) - count :]
        for each, count in zip(batch.examples, batch.sentences.tolist(), strict=True)
    ]


def places(config: Any) -> int:
    """The maximum number of tokens of a network; very large if it has no position embeddings."""
    found = getattr(config, "max_position_embeddings", None)
    if not found:
        return 1 << 20
    # RoBERTa and its relatives start counting after the padding
    return int(found) - 2 * (config.model_type in ("roberta", "xlm-roberta", "camembert"))


def fix_layers(net: nn.Module, count: int) -> None:
    """Freeze the first layers and the word embeddings."""
    if not count:
        return
    stacks = [part for part in net.modules() if isinstance(part, nn.ModuleList)]
    layers = max(stacks, key=len, default=nn.ModuleList())
    if count > len(layers):
        raise FabulaError(f"fixed_layers={count}: the network has {len(layers)} layers.")
    words = [part for part in net.modules() if isinstance(part, nn.Embedding)]
    for part in (*words, *layers[:count]):
        part.requires_grad_(False)


def without_pooler(net: Any) -> Any:
    """The network without its pooling layer, which we do not need."""
    if getattr(net, "pooler", None) is not None:
        net.pooler = None
    return net
