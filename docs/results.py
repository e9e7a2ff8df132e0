"""Pages of experiment results: chart, table and claims, from the files in experiments/results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from docs.charts import svg
from docs.source import ROOT, BuildError, folded, table

from fabula.training.experiments.page import page
from fabula.training.experiments.reading import load_experiment
from fabula.training.experiments.spec import Experiment

Pair = tuple[Experiment, dict[str, Any]]
"""An experiment and its result."""

FAMILIES = {
    "B": ("babi", "bAbI", "The findings of the bAbI and End-to-end memory network papers."),
    "D": ("dyna", "Dyna-bAbI", "Do models that solve tasks side by side solve them combined?"),
    "C": ("clutrr", "CLUTRR", "Kinship over longer chains than in training, and with noise."),
    "S": ("stepgame", "StepGame", "Spatial relations over more steps than in training."),
    "X": ("corrected", "Corrected data", "What changes when a benchmark's faults are removed."),
}
"""Letter of the ids of an experiment, and the page for them: file, title, opening sentence."""

READING = (
    "Dots are means over seeds, with a line for the standard deviation; rings are the published "
    "figures; the tick is chance. Scale `small`: sizes and budgets for two CPU cores."
)


def results() -> list[Pair]:
    """Every committed result with its experiment."""
    found = []
    for file in sorted((ROOT / "experiments" / "results").glob("*.json")):
        result = orjson.loads(file.read_bytes())
        found.append((load_experiment(ROOT / "experiments" / f"{result['id']}.toml"), result))
    if not found:
        raise BuildError("no results of experiments; run: make experiments")
    return found


def result_pages() -> dict[str, str]:
    """A page for each benchmark, with a section for each experiment."""
    made = {}
    everything = results()
    for letter, (file, title, about) in FAMILIES.items():
        parts = [f"# Results: {title}", about, READING]
        for experiment, result in everything:
            if experiment.id.startswith(letter):
                parts += _section(experiment, result)
        made[f"results/{file}.md"] = "\n\n".join(parts)
    return made


def _section(experiment: Experiment, result: dict[str, Any]) -> Iterator[str]:
    """The page of an experiment: the chart, its table folded, and then the note."""
    title, *blocks = page(experiment, result).strip().split("\n\n")
    yield f"#{title} {{ #{anchor(experiment.id)} }}"
    for block in blocks:
        if block == experiment.note:
            continue
        if not block.startswith("|"):
            yield block
            continue
        yield f'<figure class="chart">\n{svg(experiment, result)}\n</figure>'
        yield folded(f"The figures of {experiment.id} as a table", block)
        if experiment.note:
            yield experiment.note


def anchor(name: str) -> str:
    """The anchor of an experiment's section."""
    return name.lower()


def overview() -> str:
    """All experiments in one table, with links."""
    rows = []
    for experiment, result in results():
        file = FAMILIES[experiment.id[0]][0]
        held = sum(claim["holds"] for claim in result["claims"])
        rows.append(
            [
                f"[{experiment.id}](results/{file}.md#{anchor(experiment.id)})",
                experiment.title,
                f"{held} of {len(result['claims'])}",
            ]
        )
    claims = [claim for _, result in results() for claim in result["claims"]]
    held = sum(claim["holds"] for claim in claims)
    return f"{len(rows)} experiments with {len(claims)} claims; {held} claims hold.\n\n" + table(
        ["", "finding", "claims that hold"], rows
    )
