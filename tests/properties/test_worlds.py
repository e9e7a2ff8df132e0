"""Every registered world passes the conformance tests, those of plug-ins included."""

from __future__ import annotations

import pytest

from fabula.testing import check_world
from fabula.world import WORLDS


@pytest.mark.parametrize("name", list(WORLDS))
def test_conformance(name: str) -> None:
    assert check_world(name, size=6) > 0
