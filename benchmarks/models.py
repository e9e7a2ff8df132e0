"""Training speed of every model: examples per calibration loop, beside the aim.

    python -m benchmarks.models            the whole table, a few minutes
    python -m benchmarks.models --quick    a smoke run

One thread, processor time. Stories are random words in fixed shapes: this measures the forward and
backward pass and the step, with batches made by the training loop.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.bench import Row, arguments, measured, table
from benchmarks.calibration import loop, seconds

os.environ.setdefault("OMP_NUM_THREADS", "1")

UNIT = 0.28  # seconds of the loop on the machine on which the aims were set, per second
WORDS, ANSWERS = 138, 20  # a table of 160 rows, with padding, unknown and placeholders


def training(
    name: str, aim: int, batch: int, sentences: int, words: int, entities: int = 0, **sizes: Any
) -> Callable[[bool], float]:
    """A measure of one epoch, after one that is not counted."""

    def measure(quick: bool) -> float:
        import torch

        from fabula.training.data import Tensors, Vocabulary
        from fabula.training.loop import Trainer, shape_of
        from fabula.training.models import model_named
        from fabula.training.plan import settings

        torch.set_num_threads(1)
        kind = model_named(name)
        count = batch if quick else max(batch, 2 * aim or 200)
        made = examples(count, sentences, words, entities)
        said = {"epochs": 2, "batch": batch, "patience": 0, "select": "train"}
        chosen, regime = settings(kind, sizes, said)
        data, few = (
            Tensors(part, Vocabulary.of(made), regime.max_sentences, regime.cloze)
            for part in (made, made[:1])
        )
        trainer = Trainer(kind(chosen, shape_of(data.vocabulary, data)), regime, data, few, seed=0)
        ends: list[float] = []
        units = [seconds(loop)]

        def note(row: dict[str, Any]) -> None:
            ends.append(trainer.progress.seconds)

        trainer.run(note)
        units.append(seconds(loop))
        return len(made) * min(units) / (ends[1] - ends[0])

    return measure


def examples(count: int, sentences: int, words: int, entities: int) -> list[Any]:
    """Random stories; with entities, facts about a chain of them."""
    from random import Random

    from fabula.training.data import Example, Graph

    draw = Random(0)
    known = [f"w{n}" for n in range(WORDS)]
    names = [f"e{n}" for n in range(entities)]
    facts = tuple((n, f"r{draw.randrange(ANSWERS)}", n + 1) for n in range(entities - 1))
    graph = Graph(tuple(names), facts, (0, entities - 1)) if entities else None
    made = []
    for number in range(count):
        story = [draw.choices(known, k=words) for _ in range(sentences)]
        for at, name in enumerate(names):
            story[at % sentences][at // sentences % words] = name
        made.append(
            Example(
                story=tuple(map(tuple, story)),
                question=(*draw.choices(known, k=3), *(names[:1] + names[-1:])),
                answer=(known[number % ANSWERS],),
                support=tuple(draw.sample(range(sentences), min(2, sentences))),
                graph=graph,
                group=str(number),
                features={},
                told=tuple(" ".join(sentence) + "." for sentence in story),
                asked="Where is it?",
            )
        )
    return made


def rows() -> list[Row]:
    """What is measured, examples per second aimed at, model, and shape of the data."""
    said: list[tuple[str, int, str, dict[str, Any]]] = [
        ("ngram, 10 sentences", 15_000, "ngram", {"batch": 32, "sentences": 10, "words": 7}),
        ("ssvm, 10 sentences", 0, "ssvm", {"batch": 32, "sentences": 10, "words": 7}),
        ("lstm 100, 90 words", 1_259, "lstm", {"batch": 32, "sentences": 12, "words": 7}),
        ("memnn, 10 sentences", 1_100, "memnn", {"batch": 32, "sentences": 10, "words": 7}),
        (
            "memnn AM+NG+NL, 10 sentences", 430, "memnn",
            {"batch": 32, "sentences": 10, "words": 7, "adaptive": True, "ngrams": True,
             "nonlinear": True},
        ),
        ("memn2n 20, 20 sentences", 5_914, "memn2n", {"batch": 32, "sentences": 20, "words": 7}),
        ("memn2n 20, 50 sentences", 2_689, "memn2n", {"batch": 32, "sentences": 50, "words": 7}),
        (
            "memn2n 50, 50 sentences, batch 128", 1_656, "memn2n",
            {"batch": 128, "sentences": 50, "words": 12, "size": 50},
        ),
        (
            "entnet 100, 20 sentences", 739, "entnet",
            {"batch": 32, "sentences": 20, "words": 7, "size": 100},
        ),
        (
            "entnet 100, 70 sentences", 210, "entnet",
            {"batch": 32, "sentences": 70, "words": 7, "size": 100},
        ),
        (
            "entnet 50, 20 sentences, batch 128", 1_853, "entnet",
            {"batch": 128, "sentences": 20, "words": 7},
        ),
        (
            "stm 90/20, 20 sentences", 24, "stm",
            {"batch": 32, "sentences": 20, "words": 7, "slot": 90, "hidden": 80, "relations": 20},
        ),
        ("stm 32/8, 20 sentences", 361, "stm", {"batch": 32, "sentences": 20, "words": 7}),
        ("stm 32/8, 5 sentences", 1_393, "stm", {"batch": 64, "sentences": 5, "words": 24}),
        ("tpr-rnn, 5 sentences", 5_814, "tpr-rnn", {"batch": 64, "sentences": 5, "words": 24}),
        ("tpr-rnn, 20 sentences", 1_886, "tpr-rnn", {"batch": 32, "sentences": 20, "words": 7}),
        ("tpr-rnn, 70 sentences", 352, "tpr-rnn", {"batch": 32, "sentences": 70, "words": 7}),
        (
            "tp-mann, 4 rounds", 1_531, "tp-mann",
            {"batch": 64, "sentences": 5, "words": 24, "layers": 4},
        ),
        (
            "tp-mann, 8 rounds", 1_260, "tp-mann",
            {"batch": 64, "sentences": 5, "words": 24, "layers": 8},
        ),
        (
            "tp-mann, published size", 103, "tp-mann",
            {"batch": 40, "sentences": 5, "words": 24, "layers": 8, "word": 256, "entity": 200,
             "role": 80, "hidden": 200},
        ),
        (
            "ut 128 x 8, 20 sentences", 189, "ut",
            {"batch": 32, "sentences": 20, "words": 7, "size": 128, "inner": 512, "steps": 8},
        ),
        ("ut 64 x 4, 20 sentences", 849, "ut", {"batch": 32, "sentences": 20, "words": 7}),
        (
            "rn 256, 20 sentences", 103, "rn",
            {"batch": 32, "sentences": 20, "words": 7, "pair": 256},
        ),
        ("rn 128, 5 sentences", 2_073, "rn", {"batch": 64, "sentences": 5, "words": 24}),
        (
            "rrn 128 x 5, 20 sentences", 49, "rrn",
            {"batch": 32, "sentences": 20, "words": 7, "pair": 128, "steps": 5},
        ),
        ("rrn 64 x 3, 5 sentences", 1_513, "rrn", {"batch": 64, "sentences": 5, "words": 24}),
        (
            "bilstm 100, 60 words", 384, "bilstm",
            {"batch": 100, "sentences": 5, "words": 12, "entities": 4, "word": 100},
        ),
        (
            "bilstm-attention 100, 60 words", 295, "bilstm-attention",
            {"batch": 100, "sentences": 5, "words": 12, "entities": 4, "word": 100},
        ),
        (
            "bilstm 64, 40 words", 1_170, "bilstm",
            {"batch": 64, "sentences": 4, "words": 10, "entities": 4},
        ),
        (
            "mac 100, 6 steps, 60 words", 129, "mac",
            {"batch": 16, "sentences": 5, "words": 12, "entities": 4, "word": 100},
        ),
        ("gat, 5 people", 2_136, "gat", {"batch": 100, "sentences": 4, "words": 5, "entities": 5}),
        ("gat, 11 people", 549, "gat", {"batch": 100, "sentences": 10, "words": 5, "entities": 11}),
        ("bidaf 50, 120 words", 109, "bidaf", {"batch": 32, "sentences": 15, "words": 8}),
    ]  # fmt: skip
    return [
        Row(f"train {title}", training(name, aim, **shape), wanted=round(aim * UNIT))
        for title, aim, name, shape in said
    ]


def main() -> int:
    """Print the table."""
    options, _ = arguments("Training speed of every model.").parse_known_args()
    if options.row is not None:
        print(json.dumps(measured(rows()[options.row], options.quick)))
        return 0
    found = table(rows(), ["-m", "benchmarks.models"], options)
    return any("failed" in one for one in found)


if __name__ == "__main__":
    sys.exit(main())
