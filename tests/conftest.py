"""The test run: its options, and what it needs of its surroundings."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Commands that tests start can be ended by Ctrl-C, also where the tests run in the background
    of a shell, which has what it starts there ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-golden",
        action="store_true",
        help="write the golden files and the gallery anew instead of comparing with them",
    )
    parser.addoption(
        "--refresh-distributions",
        action="store_true",
        help="take the snapshot of every recipe's distributions anew (some minutes; one process)",
    )


@pytest.fixture
def refresh(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--refresh-golden"))


@pytest.fixture
def redraw(request: pytest.FixtureRequest) -> bool:
    """Whether the snapshot of distributions is to be taken anew."""
    return bool(request.config.getoption("--refresh-distributions"))
