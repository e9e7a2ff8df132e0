"""Tests against the real harnesses; each runs where its package is installed (`make harnesses`)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGES = {
    "inspect_ai": "test_inspect_ai.py",
    "lm_eval": "test_lm_eval.py",
    "reasoning_gym": "test_reasoning_gym.py",
    "verifiers": "test_verifiers.py",
}
collect_ignore = [file for package, file in PACKAGES.items() if find_spec(package) is None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Warnings are errors elsewhere; those that harnesses give are theirs to put right."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
