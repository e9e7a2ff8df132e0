"""The commands by group, and the texts of `fabula` and `fabula --help`; loads no other module."""

from __future__ import annotations

import os
from textwrap import wrap

COMMANDS: dict[str, dict[str, str]] = {
    "Explore": {
        "list": "List the recipes: the benchmarks that can be generated.",
        "show": "Show one instance: the story, the question, the answer and its proofs.",
        "play": "Walk through a world: type what happens, read it as a story, ask what follows "
        "from it.",
    },
    "Make data": {
        "generate": "Generate a benchmark into a folder, with every instance checked.",
        "rewrite": "Rewrite the instances of a data set, or of bAbI text, so that their answers "
        "stay proven.",
        "inject": "Extend bAbI files: after every question, ask all others that can be answered at "
        "that point.",
        "concat": "Join published bAbI files in the way a recipe joins its tasks.",
    },
    "Check data": {
        "verify": "Prove a data set: every answer and every support, by two independent routes.",
        "stats": "Count what is in a data set: answers, question kinds, lengths, supports, "
        "compositions.",
        "baselines": "Measure trivial baselines, such as the majority answer or the last mention.",
        "leak": "Measure how much of a test set already occurs in a training set.",
        "diff": "Compare two data sets: how they were generated, their records, their statistics.",
        "audit": "Audit published data: are its labels right, and do its supports prove them?",
    },
    "Evaluate": {
        "eval": "Ask a model every question of a benchmark, and score each reply as it arrives.",
        "probe": "Search for the kinds of question that a model fails on, and confirm them on "
        "fresh instances.",
        "calibrate": "Calibrate the difficulty of a recipe's instances from runs of several "
        "models.",
        "report": "Show on one page where and why models fail, and which differences are "
        "significant.",
        "shrink": "Find the smallest story that a model still fails on, for each of its failures.",
        "curves": "Show how many training examples a model needs, and whether a few of a new kind "
        "fix a failure.",
        "concurrence": "Measure whether benchmarks rank models alike: Pearson and Kendall, with "
        "95% intervals.",
        "lm-eval": "Write task files for lm-evaluation-harness: a folder for its --include_path.",
    },
    "Train": {
        "models": "List the models of the papers: input, supervision, size.",
        "train": "Train a model, test it, and report every restart.",
        "doses": "Draw doses: nested small sets of training examples that share nothing with the "
        "test set.",
        "experiment": "Repeat experiments from the papers: train what is missing, and check which "
        "claims hold.",
    },
}
"""Each command with the first sentence of its help, in the order of the help. Command `lm-eval` is
the function `lm_eval` of cli/lm_eval.py; a name that Python uses has an underscore (`list_`)."""

BEGIN = """\
Fabula generates story-understanding benchmarks with proven answers, and
evaluates models on them.

  See the benchmarks    fabula list
  Look at an instance   fabula show babi/qa2
  Make a data set       fabula generate babi/qa2 --out data/qa2
  Prove every answer    fabula verify data/qa2
  Evaluate your model   fabula eval py:model.py:answer babi/qa2 --out runs/mine
  See where it fails    fabula report runs/mine --out report.html

All commands: fabula --help. Help and examples for one: fabula COMMAND --help
"""

WIDEST = 100  # columns


def overview(columns: int | None = None, bold: bool = False) -> str:
    """The text of `fabula --help`."""
    if columns is None:
        columns = _columns()
    start, end = ("\033[1m", "\033[0m") if bold else ("", "")
    lines = [
        "Usage: fabula [OPTIONS] COMMAND [ARGS]...",
        "",
        "Generate story-understanding benchmarks with proofs, and evaluate models.",
    ]
    groups = {
        "Options": {"--version": "Print the version.", "-h, --help": "Show this message and exit."},
        **COMMANDS,
    }
    width = max(len(name) for names in groups.values() for name in names) + 2
    for title, names in groups.items():
        lines += ["", f"{start}{title}{end}"]
        for name, summary in names.items():
            first, *rest = wrap(summary, max(20, columns - width - 2))
            lines.append(f"  {start}{name}{end}{' ' * (width - len(name))}{first}")
            lines += [" " * (width + 2) + line for line in rest]
    lines += ["", "Begin with: fabula list, then fabula show babi/qa2"]
    return "\n".join(lines) + "\n"


def _columns() -> int:
    """The width of the terminal, within reason."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal():
        return min(WIDEST, max(40, int(given)))
    try:
        return min(WIDEST, os.get_terminal_size().columns)
    except OSError:
        return 80
