"""What a report says: its sections in their order, with what is left out and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fabula.evaluate.curves import GOAL
from fabula.report import curves
from fabula.report import figures as draw
from fabula.report import numbers as count
from fabula.report.cases import Run
from fabula.report.compare import comparisons
from fabula.report.figures import Figure
from fabula.report.numbers import DIMENSIONS, FEW, Row
from fabula.report.page import (
    BROWSER,
    HEATMAP_KEY,
    Section,
    cards,
    chart,
    notes,
    p_value,
    percent,
    points,
    table,
)

BELIEVED = 0.05
SHARES = ("heatmap", "steps", "learning", "doses", "noise", "giving", "seen", "baselines")
"""Numbers that are tables of shares."""
LONGEST = 4_000  # characters of a reply that are shown


class Content(NamedTuple):
    """A report before it is a page."""

    head: str
    sections: list[Section]
    figures: list[Figure]
    failures: list[dict[str, Any]]
    numbers: dict[str, Any]

    def shares(self) -> Iterator[tuple[str, list[Row]]]:
        """The tables of shares, by name."""
        for name, rows in self.numbers.items():
            if name == "by":
                yield from ((f"by {key}", values) for key, values in rows.items())
            elif name in SHARES:
                yield name, rows


def content_of(runs: Sequence[Run]) -> Content:
    """All that the report of these runs says."""
    return _Writer(runs).content()


class _Writer:
    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.names = [run.name for run in runs]
        self.sections: list[Section] = []
        self.figures: list[Figure] = []
        self.left_out: list[str] = []
        self.numbers: dict[str, Any] = {}

    def content(self) -> Content:
        rows = [count.overall(run) for run in self.runs]
        self.numbers["runs"] = [
            {**row, "folder": run.folder.name, "data": run.manifest["data"],
             "digest": run.manifest.get("digest")}
            for row, run in zip(rows, self.runs, strict=True)
        ]  # fmt: skip
        about = [{**row, "about": _about(run)} for row, run in zip(rows, self.runs, strict=True)]
        self.compared()
        self.add("outcomes", "Outcomes", "Right, wrong, and three ways of giving no answer.",
                 self.chart(draw.outcomes(rows, self.names)))  # fmt: skip
        self.broken_down()
        self.compositions()
        self.chains()
        self.learning()
        self.inoculation()
        self.noise()
        self.giving()
        self.phrasing()
        self.seen()
        self.baselines()
        failures = [_failure(run, said) for run in self.runs for said in run.failures]
        if failures:
            self.add(
                "failures",
                "Failures",
                "A sample of all kinds. What the answer follows from is highlighted.",
                BROWSER,
            )
        else:
            self.left_out.append("Failures: there are none.")
        if self.left_out:
            self.add("missing", "Left out", "What these runs have no data for.",
                     notes(self.left_out))  # fmt: skip
        self.numbers["left_out"] = self.left_out
        return Content(cards(about), self.sections, self.figures, failures, self.numbers)

    def add(self, name: str, title: str, lead: str, body: str) -> None:
        self.sections.append(Section(name, title, lead, body))

    def chart(self, figure: Figure) -> str:
        self.figures.append(figure)
        return chart(figure)

    # --- the sections, in their order -----------------------------------------------------

    def compared(self) -> None:
        if len(self.runs) < 2:
            self.left_out.append("Differences: only one run is named.")
            return
        whole, by_kind, why = comparisons(self.runs)
        self.numbers["differences"], self.numbers["differences_by_kind"] = whole, by_kind
        self.left_out += why
        if not whole:
            return
        body = _differences(whole, ["runs"])
        if by_kind:
            body += "<h3>By kind of question</h3>" + _differences(by_kind, ["runs", "question"])
        self.add(
            "differences",
            "Differences",
            "On the same questions: cases in which just one is right, the difference with an "
            "interval by stories, the exact p-value of McNemar and the same after Holm's "
            "correction. What may be believed is set in bold.",
            body,
        )

    def broken_down(self) -> None:
        found, lines = count.breakdowns(self.runs)
        self.numbers["by"] = found
        self.left_out += lines
        titles = {dimension.name: dimension.title for dimension in DIMENSIONS}
        body = "".join(
            self.chart(draw.bars(f"by-{name}", titles[name], rows, self.names))
            for name, rows in found.items()
        )
        if body:
            self.add(
                "accuracy",
                "Accuracy",
                f"By everything that varies, with 95 % intervals; fewer than {FEW} cases are pale.",
                f'<div class="grid">{body}</div>',
            )

    def compositions(self) -> None:
        every: list[Row] = []
        body = ""
        for number, run in enumerate(self.runs, 1):
            rows = count.heatmap(run)
            every += rows
            if len(self.runs) > 1 and rows:
                body += f"<h3>{_escape(run.name)}</h3>"
            panels, thin = "", []
            for size in sorted({row["support_size"] for row in rows}):
                panel = [row for row in rows if row["support_size"] == size]
                if all(row["few"] for row in panel):
                    thin.append(str(size))
                    continue
                title = f"{size} sentence{'s' * (size != 1)} in the support"
                name = f"support-{size}" if len(self.runs) == 1 else f"support-{size}-run{number}"
                panels += self.chart(draw.heatmap(name, title, panel))
            body += f'<div class="panels">{panels}</div>'
            if thin:
                body += notes(
                    [f"Supports of {', '.join(thin)} sentences: no cell has {FEW} cases; they are "
                     "in numbers.json."]
                )  # fmt: skip
        self.numbers["heatmap"] = every
        if not every:
            self.left_out.append("Composition of the support: these data name none.")
            return
        self.add(
            "compositions",
            "What the support consists of",
            "Events and tellings that the answer follows from, against the kind of question. "
            f"The {draw.ROWS} commonest of each size; hover for examples.",
            HEATMAP_KEY + body,
        )

    def chains(self) -> None:
        rows = [row for run in self.runs for row in count.steps(run)]
        self.numbers["steps"] = rows
        if not rows:
            self.left_out.append("Accuracy against k: there are no chains of several lengths.")
            return
        trained = any(row["trained"] for row in rows)
        self.add(
            "steps",
            "Longer chains",
            "Accuracy against the number of steps"
            + (", the range of the training shaded." if trained else "."),
            self.chart(draw.steps(rows, self.names)),
        )

    def learning(self) -> None:
        found = curves.learning(self.runs)
        rows = curves.rows(found)
        names = curves.names(found)
        self.numbers["learning"] = rows
        self.numbers["examples_needed"] = {
            name: curve.needed() for name, curve in zip(names, found, strict=True)
        }
        if not rows:
            self.left_out.append(
                "Learning curve: it needs runs on the same questions after training on different "
                "numbers of examples."
            )
            return
        lines = [
            [name, *("–" if n is None else f"{n:,.0f}" for n in [curve.needed()]),
             f"{curve.points[0].examples:,} to {curve.points[-1].examples:,}"]
            for name, curve in zip(names, found, strict=True)
        ]  # fmt: skip
        self.add(
            "learning",
            "Learning curve",
            f"Accuracy against training examples, and how many it takes to have {GOAL:.0%} right.",
            self.chart(
                draw.curve("learning", "Accuracy against training examples", rows,
                           "training examples", GOAL)
            )
            + table(["curve", f"examples for {GOAL:.0%}", "trained on"], lines),
        )  # fmt: skip

    def inoculation(self) -> None:
        found = curves.doses(self.runs)
        done = curves.inoculations(found)
        rows = curves.rows(found)
        self.numbers["doses"] = rows
        self.numbers["inoculations"] = [
            {"model": each.old.model, "old": each.old.test, "new": each.new.test,
             **each.cure._asdict()}
            for each in done
        ]  # fmt: skip
        if not rows:
            self.left_out.append(
                "Inoculation: it needs runs after training on the same data with doses of others."
            )
            return
        lines = [
            [each.old.model, each.old.test, each.new.test, points(each.cure.gap_before),
             points(each.cure.gap_after), points(-each.cure.loss), each.cure.outcome]
            for each in done
        ]  # fmt: skip
        head = ["model", "old test", "new test", "gap before", "after", "old test since", "so"]
        self.add(
            "inoculation",
            "Inoculation",
            "Accuracy against the dose of other examples in training. Cured: the gap between the "
            "tests closes, the training data had lacked these cases. Immune: it stays. Harmed: the "
            "old test suffers.",
            self.chart(
                draw.curve("inoculation", "Accuracy against the dose", rows, "examples added")
            )
            + (table(head, lines) if lines else ""),
        )

    def noise(self) -> None:
        rows = count.noise(self.runs)
        self.numbers["noise"] = rows
        if not rows:
            self.left_out.append("Noise: there is none in these stories.")
            return
        trained = [run.seen.noise for run in self.runs if run.seen]
        by_training = len(trained) == len(self.runs) == len(set(trained))
        self.add("noise", "Noise", "Accuracy by what was mixed into the stories.",
                 self.chart(draw.noise(rows, by_training)))  # fmt: skip

    def giving(self) -> None:
        rows = [row for run in self.runs for row in count.giving(run)]
        self.numbers["giving"] = rows
        if not rows:
            self.left_out.append("With and without GIVE: the supports do not differ in it.")
            return
        shown = [
            {**row, "value": f"{row['support_size']}, {row['give']}", "order": number}
            for number, row in enumerate(rows)
        ]
        self.add(
            "giving",
            "Giving",
            "By sentences in the support, with and without a GIVE among them.",
            self.chart(draw.bars("giving", "Support", shown, self.names)),
        )

    def phrasing(self) -> None:
        rows = [row for run in self.runs if (row := count.phrasing(run))]
        self.numbers["phrasing"] = rows
        if not rows:
            self.left_out.append("Phrasing: nobody is asked for both by where and by yes or no.")
            return
        head = ["run", "pairs", "both right", "only where", "only yes-no", "both wrong",
                "consistent", "McNemar p"]  # fmt: skip
        lines = [
            [row["run"], *(f"{row[key]:,}" for key in ("pairs", "both_right", "only_where",
             "only_yes_no", "both_wrong")), percent(row["consistent"]), p_value(row["p"])]
            for row in rows
        ]  # fmt: skip
        self.add(
            "phrasing",
            "Phrasing",
            "The same person at the same moment, asked for in two ways: Where is …? and Is … in "
            "the …? Who knows where somebody is has both right.",
            table(head, lines),
        )

    def seen(self) -> None:
        rows = [row for run in self.runs for row in count.leakage(run)]
        self.numbers["seen"] = rows
        if not rows:
            self.left_out.append(
                "Seen and unseen: what was seen in training is not known; "
                "`fabula eval --train DATA` tells it."
            )
            return
        lines = [
            [row["run"], row["of"], row["value"], percent(row["accuracy"]),
             f"{percent(row['low'])} to {percent(row['high'])}", f"{row['count']:,}"]
            for row in rows
        ]  # fmt: skip
        shown = [
            {**row, "value": f"{row['of']} {row['value']}", "order": at}
            for at, row in enumerate(rows)
        ]
        known = [name for name in self.names if any(row["run"] == name for row in rows)]
        self.add(
            "seen",
            "Seen and unseen",
            "A signature is question and support with the names abstracted; a composition is what "
            "the support consists of. Both against the training data.",
            self.chart(draw.bars("seen", "In training", shown, known))
            + table(["run", "of the", "in training", "accuracy", "95 %", "cases"], lines),
        )

    def baselines(self) -> None:
        rows, body = [], ""
        told: set[Any] = set()
        for number, run in enumerate(self.runs, 1):
            found = count.baselines(run)
            data = run.manifest.get("digest")
            if not found:
                self.left_out.append(f"Baselines: the run {run.name} is not finished.")
            if not found or data in told:
                continue
            told.add(data)
            rows += found
            shown = [{**row, "run": "baselines", "value": row["baseline"], "order": at}
                     for at, row in enumerate(found)]  # fmt: skip
            name = "baselines" if len(told) == 1 else f"baselines-{number}"
            body += self.chart(draw.bars(name, str(run.manifest["data"]), shown, ["baselines"]))
        self.numbers["baselines"] = rows
        if body:
            self.add(
                "baselines",
                "Without understanding",
                "What trivial guesses get right on the same questions. Those that know the labels "
                "are flattered.",
                body,
            )


def _escape(text: str) -> str:
    from html import escape

    return escape(text)


def _about(run: Run) -> str:
    said = run.manifest
    asked = [f"{said.get('ask.style', 'direct')}", f"answer as {said.get('ask.form', 'word')}"]
    if said.get("ask.shots"):
        asked.append(f"{said['ask.shots']} examples")
    unfinished = len(run.cases) < said["instances"]
    rest = f"; {len(run.cases):,} of {said['instances']:,} asked so far" if unfinished else ""
    return f"{said['data']} · {', '.join(asked)}{rest}"


def _differences(rows: Sequence[dict[str, Any]], first: Sequence[str]) -> str:
    head = [*first, "questions", "only first", "only second", "difference", "95 %", "p", "p (Holm)"]
    lines = []
    for row in rows:
        interval = "–"
        if row["low"] is not None:
            interval = f"{points(row['low'])} to {points(row['high'])}"
        lines.append(
            [
                f"{row['first']} − {row['second']}",
                *([row["kind"]] if len(first) > 1 else []),
                f"{row['count']:,}",
                f"{row['only_first']:,}",
                f"{row['only_second']:,}",
                points(row["difference"]),
                interval,
                p_value(row["p"]),
                p_value(row["p_holm"]),
            ]
        )
    return table(head, lines, [row["p_holm"] < BELIEVED for row in rows])


def _failure(run: Run, said: dict[str, Any]) -> dict[str, Any]:
    record = said["instance"]
    made = record["provenance"]
    return {
        "run": run.name,
        "kind": record["query"][0],
        "outcome": said["outcome"],
        "story": record["story"],
        "support": record["support"],
        "roles": record["roles"],
        "question": record["question"],
        "answer": record["answer"],
        "said": said["answer"],
        "reply": said["reply"][:LONGEST],
        "proof": _proof(record),
        "composition": " + ".join(record["composition"]),
        "again": f"fabula show {made.get('recipe')} --split {made.get('split')} "
        f"--index {made.get('index')} --seed {made.get('seed')}",
    }


def _proof(record: dict[str, Any]) -> str:
    """What the answer follows from, in a line; the steps too where the world tells them."""
    numbers = ", ".join(map(str, sorted(record["support"])))
    others = len(record["supports"]) - 1
    told = f"follows from {numbers}" if numbers else "does not follow from the text"
    if others > 0:
        told += f" (and {others} other way{'s' * (others > 1)})"
    steps = record["features"].get("proof")
    if isinstance(steps, list) and steps:
        told += ": " + "; ".join(
            f"{_fact(step['fact'])} because {' and '.join(map(_fact, step['from']))}"
            for step in steps
            if isinstance(step, dict) and "fact" in step
        )
    return told


def _fact(fact: Sequence[str]) -> str:
    """A relation as words: Angela –son→ Saul."""
    return (
        f"{fact[0]} –{fact[1]}→ {fact[2]}" if len(fact) == 3 else re.sub(r"[\[\]']", "", str(fact))
    )
