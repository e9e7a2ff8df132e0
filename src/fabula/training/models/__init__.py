"""The models of the four papers, each in a file of its own. Adding one: a file, and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from fabula.errors import FabulaError, MissingExtraError, hint

if TYPE_CHECKING:
    from fabula.training.model import Model

# name: (module, class)
MODELS: dict[str, tuple[str, str]] = {
    "ngram": ("ngram", "NGram"),
    "ssvm": ("ssvm", "StructuredSVM"),
    "lstm": ("lstm", "LSTM"),
    "memnn": ("memnn", "MemNN"),
    "memn2n": ("memn2n", "MemN2N"),
    "entnet": ("entnet", "EntNet"),
    "tpr-rnn": ("tpr", "TPRRNN"),
    "tp-mann": ("tpr", "TPMANN"),
    "ut": ("transformer", "UniversalTransformer"),
    "rn": ("relation", "RelationNetwork"),
    "rrn": ("relation", "RecurrentRelationalNetwork"),
    "bilstm": ("bilstm", "BiLSTM"),
    "bilstm-attention": ("bilstm", "BiLSTMAttention"),
    "mac": ("mac", "MAC"),
    "stm": ("stm", "STM"),
    "bidaf": ("bidaf", "BiDAF"),
    "gat": ("gat", "GAT"),
}
# those that begin with a checkpoint of the transformers library
PRETRAINED: dict[str, tuple[str, str]] = {
    "extractive": ("pretrained.extractive", "Extractive"),
    "generative": ("pretrained.generative", "Generative"),
    "classification": ("pretrained.classification", "Classification"),
    "bert": ("pretrained.bert", "Bert"),
    "bert-lstm": ("pretrained.bert", "BertLSTM"),
}
MODELS |= PRETRAINED


def model_named(name: str) -> type[Model]:
    """The model of this name."""
    if name not in MODELS:
        raise FabulaError(f"no model '{name}'.{hint(name, MODELS)}")
    module, kind = MODELS[name]
    try:
        found = import_module(f"fabula.training.models.{module}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(
            f"model '{name}' needs PyTorch. Install it: pip install 'fabula[train]'"
        ) from None
    model: type[Model] = getattr(found, kind)
    return model
