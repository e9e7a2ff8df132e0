"""Speed and memory of Fabula, beside the published generators.

    python benchmarks/bench.py              all tables, some minutes
    python benchmarks/bench.py --quick      a smoke run
    python benchmarks/bench.py --full       up to a million instances
    python benchmarks/bench.py --only qa1   rows whose title has this text
    python benchmarks/bench.py --json FILE  also write the figures down

Figures are per loop (calibration.py) unless they say otherwise. Each row runs in a process of its
own, so that its peak memory is known.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import resource
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.calibration import loop, per_loop, seconds

ROUNDS = 7
QUICK_ROUNDS = 3


class Row(NamedTuple):
    """One line of a table."""

    title: str
    measure: Callable[[bool], float]
    """The figure; of a smoke run if true."""
    published: float = 0
    wanted: float = 0
    most: bool = False
    """Whether the figure is wanted to be at most this, not at least."""


# --- generators ---------------------------------------------------------------------------------


def generation(
    recipe: str, split: str, form: str, changes: dict[str, Any]
) -> Callable[[bool], float]:
    """Questions per loop from a recipe to the bytes of a format."""

    def measure(quick: bool) -> float:
        from fabula.datasets.formats import format_named
        from fabula.generation.author import Author
        from fabula.recipe.loading import load

        author, style = Author(load(recipe, changes), split, 0), format_named(form)
        size = max(20, author.block)
        starts = count(size, size)

        def piece() -> None:
            start = next(starts)
            style.piece(author, author.passages(start, start + size))

        style.piece(author, author.passages(0, size))  # loads what is needed
        gc.disable()  # as the engine does while it makes a piece
        unit = seconds(loop)
        each = max(seconds(piece), 1e-6)
        pieces = 1 if quick else max(1, int(unit / each))

        def work() -> int:
            for _ in range(pieces):
                piece()
            return pieces * size

        return per_loop([work] * (QUICK_ROUNDS if quick else ROUNDS))

    return measure


def generators() -> Iterator[Row]:
    """The published generators and ours."""
    table = tomllib.loads(Path(__file__).with_name("published.toml").read_text())
    for name, (published, *wanted) in table["babi"].items():
        for dialect, aim in zip(("release", "fixed"), wanted, strict=True):
            measure = generation(f"babi/{name}", "train", "babi", {"dialect": dialect})
            yield Row(f"babi/{name} {dialect}", measure, published, aim)
    for entry in (*table["chains"], *table["mixes"]):
        split, changes = entry.get("split", "test"), entry.get("changes", {})
        how = " ".join(f"{key} {value}" for key, value in changes.items())
        measure = generation(entry["recipe"], split, entry.get("form", "jsonl"), changes)
        yield Row(f"{entry['recipe']} {split} {how}".strip(), measure, *entry["figures"])


# --- scale --------------------------------------------------------------------------------------


def written(size: int, workers: int = 1) -> float:
    """Seconds of the clock to write a data set of actors/mix."""
    from fabula.datasets.engines import write
    from fabula.recipe.loading import load

    with TemporaryDirectory() as folder:
        start = perf_counter()
        write(load("actors/mix"), Path(folder) / "data", {"train": size}, "jsonl", 0, workers)
        return perf_counter() - start


def two_workers(quick: bool) -> float:
    """How many times as fast two workers are as one."""
    size = 1_000 if quick else 40_000
    return written(size) / written(size, 2)


def flat(size: int) -> Callable[[bool], float]:
    """Cost of an instance in a data set of this size, relative to one of 1,000."""

    def measure(quick: bool) -> float:
        from fabula.datasets.engines import write
        from fabula.recipe.loading import load

        def cost(size: int) -> float:
            with TemporaryDirectory() as folder:
                target, recipe = Path(folder) / "data", load("babi/qa1")
                return seconds(lambda: write(recipe, target, {"train": size}, "jsonl", 0, 1)) / size

        few = 200 if quick else 1_000
        cost(few)
        return cost(2 * few if quick else size) / min(cost(few) for _ in range(3))

    return measure


def linear(length: int) -> Callable[[bool], float]:
    """Cost of a sentence in stories of this length, relative to stories of 20."""

    def measure(quick: bool) -> float:
        from fabula.generation.author import Author
        from fabula.recipe.loading import load

        def cost(length: int, stories: int) -> float:
            author = Author(load("actors/mix", {"length": length}), "train", 0)
            return seconds(lambda: list(author.passages(0, stories))) / (length * stories)

        cost(20, 20)
        wanted = 40 if quick else length
        return cost(wanted, max(1, 2_000 // wanted)) / min(cost(20, 100) for _ in range(3))

    return measure


def proofs(logic: bool) -> Callable[[bool], float]:
    """Records per loop that `verify` proves; with `logic` by the logic program too."""

    def measure(quick: bool) -> float:
        import fabula

        names = ("babi/qa2", "stepgame/clean", "clutrr/gen-23", "babi/qa18", "babi/qa15")
        each = 2 if quick else 4 if logic else 40
        made = [list(fabula.generate(name, "test", 11, each)) for name in names]
        records = [record for group in made for record in group]

        def work() -> int:
            verdict = fabula.verify(records, logic=logic)
            assert verdict.proven == len(records)
            return len(records)

        work()
        return per_loop([work] * (1 if quick else 3))

    return measure


def two_verifiers(quick: bool) -> float:
    """How many times as fast `verify` is in two processes as in one."""
    import fabula

    with TemporaryDirectory() as folder:
        data, size = Path(folder) / "data", 100 if quick else 12_000
        fabula.write("actors/mix", data, sizes={"test": size})

        def clock(workers: int) -> float:
            start = perf_counter()
            assert fabula.verify(data, workers=workers).proven == size
            return perf_counter() - start

        return clock(1) / clock(2)


def start(*words: str) -> Callable[[bool], float]:
    """Loops of processor time that a command takes, interpreter included."""

    def measure(quick: bool) -> float:
        def run() -> None:
            with TemporaryDirectory() as folder:
                given = [word.replace("OUT", f"{folder}/data") for word in words]
                subprocess.run(
                    [sys.executable, "-P", "-m", "fabula", *given],
                    stdout=subprocess.DEVNULL, check=True,
                )  # fmt: skip

        def children() -> float:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        run()  # writes bytecode, if anything does
        figures = []
        for _ in range(1 if quick else 5):
            unit, before = seconds(loop), children()
            run()
            figures.append((children() - before) / unit)
        return min(figures)

    return measure


TEN = ("generate", "babi/qa1", "--size", "train=10", "--out", "OUT")


def scale(full: bool) -> Iterator[Row]:
    """What does not depend on the recipe."""
    yield Row("two workers against one, clock", two_workers, wanted=1.85)
    for size in (10_000, 100_000, *((1_000_000,) if full else ())):
        yield Row(f"an instance of {size:,}, against 1,000", flat(size), wanted=1.1, most=True)
    for length in (200, 2_000, 20_000):
        title = f"a sentence of {length:,}, against 20"
        yield Row(title, linear(length), wanted=1.3, most=True)
    yield Row("verify, records", proofs(logic=False))
    yield Row("verify with clingo, records", proofs(logic=True))
    yield Row("verify in two processes against one, clock", two_verifiers, wanted=1.85)
    yield Row("fabula --help, loops", start("--help"), wanted=0.9, most=True)
    yield Row("fabula generate, ten questions, loops", start(*TEN), wanted=1.43, most=True)


# --- tables -------------------------------------------------------------------------------------


def measured(row: Row, quick: bool) -> dict[str, float]:
    """The figure of a row and the peak memory of this process and its children, in MB."""
    figure = row.measure(quick)
    users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    scale = 1 if platform.system() == "Darwin" else 1024
    peak = max(resource.getrusage(who).ru_maxrss for who in users) * scale / 1e6
    return {"figure": figure, "peak": peak}


def table(rows: Sequence[Row], script: Sequence[str], options: argparse.Namespace) -> list[Any]:
    """Print the rows; what was measured."""
    found = []
    print(f"{'':46}{'ours':>9}{'published':>11}{'ratio':>8}{'wanted':>9}{'':5}{'MB':>6}")
    for number, row in enumerate(rows):
        if options.only not in row.title:
            continue
        flags = ["--quick"] if options.quick else ["--full"] if getattr(options, "full", 0) else []
        child = subprocess.run(
            [sys.executable, *script, *flags, "--row", str(number)],
            stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if child.returncode:
            print(f"{row.title:46}   failed", flush=True)
            found.append({"title": row.title, "failed": True})
            continue
        one = json.loads(child.stdout.splitlines()[-1])
        figure, aim = one["figure"], row.wanted
        met = not aim or (figure <= aim if row.most else figure >= aim)
        ratio = figure / row.published if row.published else 0
        cells = [
            f"{figure:9,.0f}" if figure >= 20 else f"{figure:9.2f}",
            f"{row.published:11,g}" if row.published else " " * 11,
            f"{ratio:8,.1f}" if ratio else " " * 8,
            f"{aim:9,g}" if aim else " " * 9,
            "" if not aim else "  met" if met else "   no",
        ]
        print(f"{row.title:46}{''.join(cells):42}{one['peak']:6.0f}", flush=True)
        found.append(
            {"title": row.title, **one, "published": row.published, "ratio": ratio, "wanted": aim}
        )
    return found


def arguments(about: str) -> argparse.ArgumentParser:
    """The options that all tables have."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    parser.add_argument("--only", default="", help="rows whose title has this text")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """Print all tables."""
    parser = arguments("Speed and memory of Fabula, beside the published generators.")
    parser.add_argument("--full", action="store_true", help="up to a million instances")
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    options = parser.parse_args()
    rows = [*generators(), *scale(options.full)]
    if options.row is not None:
        print(json.dumps(measured(rows[options.row], options.quick)))
        return 0
    from fabula.core import supports

    form = "interpreted" if supports.__file__.endswith(".py") else "compiled"
    print(f"Python {platform.python_version()}, {platform.machine()}, {form}\n")
    found = table(rows, ["-P", __file__], options)
    if options.json:
        options.json.write_text(json.dumps({"form": form, "rows": found}, indent=1) + "\n")
    return any("failed" in one for one in found)


if __name__ == "__main__":
    sys.exit(main())
