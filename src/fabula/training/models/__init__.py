"""The models of the four papers, one file each. To add one: a file, and a line here.

Another package adds a model with an entry point that names a `fabula.training.model.Model`:

    [project.entry-points."fabula.models"]
    mine = "my_package:MyModel"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.core.registry import Registry

if TYPE_CHECKING:
    from fabula.training.model import Model

PAPERS = {
    "ngram": "ngram:NGram",
    "ssvm": "ssvm:StructuredSVM",
    "lstm": "lstm:LSTM",
    "memnn": "memnn:MemNN",
    "memn2n": "memn2n:MemN2N",
    "entnet": "entnet:EntNet",
    "tpr-rnn": "tpr:TPRRNN",
    "tp-mann": "tpr:TPMANN",
    "ut": "transformer:UniversalTransformer",
    "rn": "relation:RelationNetwork",
    "rrn": "relation:RecurrentRelationalNetwork",
    "bilstm": "bilstm:BiLSTM",
    "bilstm-attention": "bilstm:BiLSTMAttention",
    "mac": "mac:MAC",
    "stm": "stm:STM",
    "bidaf": "bidaf:BiDAF",
    "gat": "gat:GAT",
}
PRETRAINED = {
    "extractive": "pretrained.extractive:Extractive",
    "generative": "pretrained.generative:Generative",
    "classification": "pretrained.classification:Classification",
    "bert": "pretrained.bert:Bert",
    "bert-lstm": "pretrained.bert:BertLSTM",
}
"""Models that start from a checkpoint of the transformers library."""

MODELS: Registry[type[Model]] = Registry(
    "fabula.models",
    {name: f"fabula.training.models.{place}" for name, place in (PAPERS | PRETRAINED).items()},
    "model",
    extras={"torch": "train", "numpy": "train", "transformers": "hf"},
)


def model_named(name: str) -> type[Model]:
    """The model with this name."""
    return MODELS.find(name)
