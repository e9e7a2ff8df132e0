"""No input ends in a traceback, in silence, or outside the folder in which the command is given.

`make fuzz` runs many more cases than the tests do: FABULA_FUZZ=5000, FABULA_FUZZ_SEED for others.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import randoms
from tests.fuzz.cases import Case, case_of

from fabula.cli import main

COUNT = int(os.environ.get("FABULA_FUZZ", "250"))
SEED = int(os.environ.get("FABULA_FUZZ_SEED", "1"))
SECONDS = 20  # of processor time a case, so that a busy machine is no failure
LINES = 2  # of an error message


class Failure(Exception):
    """What a case did that it must not do."""


class SilentError(BaseException):
    """Raised in a case that takes too long; no `except Exception` hides it."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SilentError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(case: Case, folder: Path) -> None:
    """Give the command in a folder of its own; Failure if it ends as it must not."""
    box = folder / "a" / "b" / "c"
    box.mkdir(parents=True)
    for name, content in case.files.items():
        (box / name).parent.mkdir(parents=True, exist_ok=True)
        (box / name).write_bytes(content)
    here = Path.cwd()
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    os.chdir(box)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), limited():
            code = main(case.command)
    except SilentError:
        where = "".join(traceback.format_exc().splitlines(keepends=True)[-7:-1])
        raise Failure(f"more than {SECONDS} s of processor time in\n{where}") from None
    except BaseException as error:
        raise Failure("".join(traceback.format_exception(error)[-3:])) from None
    finally:
        os.chdir(here)
    for stream in (out, err):
        stream.flush()
    said = err.buffer.getvalue().decode(errors="replace")
    if code not in (0, 1, 2):
        raise Failure(f"exit code {code}: {said}")
    if "Traceback" in said or (code == 2 and not 0 < len(said.strip().splitlines()) <= LINES):
        raise Failure(f"exit code {code}, and on stderr: {said}")
    strays = [
        path for path in (folder, folder / "a", folder / "a" / "b") if len(list(path.iterdir())) > 1
    ]
    if strays:
        raise Failure(f"wrote outside its folder: {list(folder.rglob('*'))[:10]}")


def shown(case: Case) -> str:
    """A case as a person would repeat it."""
    files = "\n".join(f"--- {name}\n{content[:1500]!r}" for name, content in case.files.items())
    return f"fabula {case.command}\n{files}"


def test_bad_input_ends_in_a_clear_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    found: dict[str, str] = {}
    count = 0

    @seed(SEED)
    @settings(
        max_examples=COUNT,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(randoms(use_true_random=True))  # one seed a case: no two cases are alike
    def every(random: Random) -> None:
        nonlocal count
        count += 1
        case = case_of(random)
        folder = Path(tempfile.mkdtemp(prefix="fabula-fuzz-"))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run(case, folder)
        except Failure as failure:
            place = str(failure).strip().splitlines()[-2:]
            found.setdefault("\n".join(place)[:300], f"{failure}\n{shown(case)}")
            if log := os.environ.get("FABULA_FUZZ_LOG"):
                Path(log).write_text("\n\n=====\n".join(found.values()))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    every()
    assert count >= COUNT * 0.9
    assert not found, f"{len(found)} kinds of failure:\n\n" + "\n\n=====\n".join(found.values())
