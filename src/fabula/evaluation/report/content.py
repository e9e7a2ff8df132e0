"""The content of a report: its sections in order, and which are omitted and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fabula.evaluation.curves import GOAL
from fabula.evaluation.report import compare, curves, extras
from fabula.evaluation.report import figures as draw
from fabula.evaluation.report import numbers as count
from fabula.evaluation.report.cases import Run
from fabula.evaluation.report.figures import Figure
from fabula.evaluation.report.numbers import DIMENSIONS, FEW, Row
from fabula.evaluation.report.page import (
    Card,
    Chart,
    Group,
    Heading,
    Legend,
    Notes,
    Questions,
    Section,
    Table,
    p_value,
    percent,
    points,
)
from fabula.evaluation.report.questions import questions
from fabula.evaluation.report.takeaways import takeaways
from fabula.scoring import Outcome

BELIEVED = 0.05
SHARES = ("heatmap", "steps", "learning", "doses", "noise", "giving", "seen", "baselines")
"""Numbers that are tables of accuracies."""


class Content(NamedTuple):
    """A report before it is a page."""

    takeaways: list[str]
    """The main results, in plain sentences."""
    cards: list[Card]
    sections: list[Section]
    figures: list[Figure]
    questions: list[dict[str, Any]]
    numbers: dict[str, Any]

    def shares(self) -> Iterator[tuple[str, list[Row]]]:
        """The tables of accuracies, by name."""
        for name, rows in self.numbers.items():
            if name == "by":
                yield from ((f"by {key}", values) for key, values in rows.items())
            elif name in SHARES:
                yield name, rows


def content_of(runs: Sequence[Run]) -> Content:
    """The content of the report of these runs."""
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
        cards = [_card(run, row) for run, row in zip(self.runs, rows, strict=True)]
        said = [*self.extra(extras.FIRST)]
        self.compared()
        self.baselines()
        self.add("outcomes", "Outcomes", "Right, wrong, and three ways of giving no answer.",
                 self.chart(draw.outcomes(rows, self.names), _outcomes(rows)))  # fmt: skip
        said += self.extra(extras.LATER)
        self.broken_down()
        self.compositions()
        self.chains()
        self.learning()
        self.inoculation()
        self.noise()
        self.giving()
        self.phrasing()
        self.seen()
        found = questions(self.runs)
        self.add(
            "questions",
            "Questions",
            "A sample of all kinds, wrong and right, with what every run said. The sentences that "
            "the answer follows from are highlighted. The arrow keys turn the pages; a click on a "
            "cell of the heatmap picks its questions.",
            Questions(),
        )
        if self.left_out:
            self.add("missing", "Left out", "Sections for which these runs have no data.",
                     Notes(self.left_out))  # fmt: skip
        self.numbers["left_out"] = self.left_out
        told = takeaways(self.runs, rows, self.numbers, said)
        self.numbers["takeaways"] = told
        return Content(told, cards, self.sections, self.figures, found, self.numbers)

    def extra(self, finders: Sequence[extras.Finder]) -> list[str]:
        """Add the sections that these runs have; their sentences for the summary."""
        added = extras.found(finders, self.runs)
        for section, _, numbers in added:
            self.sections.append(section)
            self.numbers[section.name] = numbers
        return [line for each in added for line in each.takeaways]

    def add(self, name: str, title: str, lead: str, *blocks: Any) -> None:
        self.sections.append(Section(name, title, lead, blocks))

    def chart(self, figure: Figure, table: Table | None = None) -> Chart:
        self.figures.append(figure)
        return Chart(figure, table)

    def bars(self, name: str, title: str, rows: Sequence[Row], runs: Sequence[str]) -> Chart:
        """Bars with their numbers as a table."""
        return self.chart(draw.bars(name, title, rows, runs), _shares(title, rows))

    # --- the sections, in their order -----------------------------------------------------

    def compared(self) -> None:
        if len(self.runs) < 2:
            self.left_out.append("Differences: there is only one run.")
            return
        whole, by_kind, why = compare.comparisons(self.runs)
        self.numbers["differences"], self.numbers["differences_by_kind"] = whole, by_kind
        self.left_out += [] if whole else why
        if not whole:
            return
        blocks: list[Any] = [_differences("Differences", whole, ["runs"])]
        if why:
            blocks.append(Notes(why))
        if by_kind:
            blocks.append(Heading("By kind of question"))
            blocks.append(
                _differences("Differences by kind of question", by_kind, ["runs", "question"])
            )
        self.add(
            "differences",
            "Differences",
            "On the questions that both were asked: how many only one got right, the difference in "
            "points with its interval, its p-value, and the same after Holm's correction. "
            "Questions about one story count together: the test flips the signs of whole stories, "
            "and with one question per story it is McNemar's. Significant differences are in "
            "bold.",
            *blocks,
        )

    def baselines(self) -> None:
        """Trivial baselines next to the runs, by question kind; one table for the same data."""
        rows: list[Row] = []
        blocks: list[Any] = []
        told: dict[frozenset[int], list[Run]] = {}
        for run in self.runs:
            if run.guessed:
                told.setdefault(frozenset(case.asked for case in run.cases), []).append(run)
            else:
                self.left_out.append(
                    f"Trivial baselines: {run.name} was made by an earlier version, which did not "
                    "store them; run the evaluation again to see them."
                )
        for number, runs in enumerate(told.values(), 1):
            found = count.baselines(runs[0])
            rows += found
            whole = [
                {**row, "run": "baselines", "value": row["baseline"], "order": at}
                for at, row in enumerate(found)
                if row["kind"] == "all"
            ]
            name = "baselines" if len(told) == 1 else f"baselines-{number}"
            data = str(runs[0].manifest["data"])
            blocks.append(self.chart(draw.bars(name, data, whole, ["baselines"])))
            blocks.append(_beside(data, runs, found))
        self.numbers["baselines"] = rows
        if blocks:
            self.add(
                "baselines",
                "Trivial baselines",
                "How often trivial guesses are right on the same questions. Those that "
                "look up the most frequent answer know the labels, which flatters them; the others "
                "only read. A model that does no better has shown nothing.",
                *blocks,
            )

    def broken_down(self) -> None:
        found, lines = count.breakdowns(self.runs)
        self.numbers["by"] = found
        self.left_out += lines
        titles = {dimension.name: dimension.title for dimension in DIMENSIONS}
        charts = [
            self.bars(f"by-{name}", titles[name], rows, self.names) for name, rows in found.items()
        ]
        if charts:
            self.add(
                "accuracy",
                "Accuracy",
                "By every feature that varies, with the number of questions.",
                Legend("bars"),
                Group("grid", charts),
            )

    def compositions(self) -> None:
        each: list[Any] = []
        every: list[Row] = []
        for number, run in enumerate(self.runs, 1):
            rows = count.heatmap(run)
            every += rows
            if len(self.runs) > 1 and rows:
                each.append(Heading(run.name))
            ending = "" if len(self.runs) == 1 else f"-run{number}"
            each += self.panels(rows, f"support-{{}}{ending}", draw.heatmap)
        self.numbers["heatmap"] = every
        if not every:
            self.left_out.append("Composition of the support: not recorded in these data.")
            return
        blocks = [Legend("heatmap"), *each]
        lead = (
            "Events and tellings that prove the answer, by question kind. "
            f"The {draw.ROWS} most frequent of each size, those unseen in training first, "
            "the worst on top."
        )
        if len(self.runs) == 2:
            first, second = self.runs
            rows = compare.heatmap(first, second)
            self.numbers["heatmap_differences"] = rows
            if rows:
                blocks = [
                    Heading(f"{first.name} − {second.name}, in points"),
                    Legend("differences"),
                    *self.panels(
                        rows,
                        "support-{}-difference",
                        lambda name, title, panel: draw.differences(
                            name, title, panel, first.name, second.name
                        ),
                    ),
                    Group("details", blocks, "Each run by itself"),
                ]
        self.add("compositions", "What the support consists of", lead, *blocks)

    def panels(self, rows: Sequence[Row], name: str, figure: Any) -> list[Any]:
        """A figure for each size of support, and a note on those with too few cases."""
        charts, thin = [], []
        for size in sorted({row["support_size"] for row in rows}):
            panel = [row for row in rows if row["support_size"] == size]
            if all(row["few"] for row in panel):
                thin.append(str(size))
                continue
            title = f"{size} sentence{'s' * (size != 1)} in the support"
            charts.append(self.chart(figure(name.format(size), title, panel), _cells(title, panel)))
        found: list[Any] = [Group("panels", charts)] if charts else []
        if thin:
            found.append(
                Notes([f"Supports of {', '.join(thin)} sentences: no cell has {FEW} questions; "
                       "they are in numbers.json."])
            )  # fmt: skip
        return found

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
            + (", the range of the training shaded" if trained else "")
            + "; dashed: the best trivial baseline.",
            self.chart(
                draw.steps(rows, self.names),
                _shares("k", [{**row, "value": str(row["k"])} for row in rows]),
            ),
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
            f"Accuracy against training examples, and how many it takes to reach {GOAL:.0%}.",
            self.chart(
                draw.curve("learning", "Accuracy against training examples", rows,
                           "training examples", GOAL)
            ),
            Table("Examples needed", ["curve", f"examples for {GOAL:.0%}", "trained on"], lines),
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
            ),
            *([Table("Inoculation", head, lines)] if lines else []),
        )

    def noise(self) -> None:
        rows = count.noise(self.runs)
        self.numbers["noise"] = rows
        if not rows:
            kinds = {case.noise for run in self.runs for case in run.cases}
            self.left_out.append(
                "Noise: there is none in these stories."
                if kinds == {"none"}
                else f"Noise: all stories have the same ({', '.join(sorted(kinds))})."
            )
            return
        trained = [run.seen.noise for run in self.runs if run.seen]
        by_training = len(trained) == len(self.runs) == len(set(trained))
        self.add("noise", "Noise", "Accuracy by the noise in the stories.",
                 self.chart(
                     draw.noise(rows, by_training),
                     _shares("noise in the test", [{**r, "value": r["tested"]} for r in rows]),
                 ))  # fmt: skip

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
            self.bars("giving", "Support", shown, self.names),
        )

    def phrasing(self) -> None:
        rows = [row for run in self.runs if (row := count.phrasing(run))]
        self.numbers["phrasing"] = rows
        if not rows:
            self.left_out.append(
                "Phrasing: no person is asked about by both 'where' and 'yes or no'."
            )
            return
        head = ["run", "pairs", "both right", "only where", "only yes-no", "both wrong",
                "consistent", "p"]  # fmt: skip
        lines = [
            [row["run"], *(f"{row[key]:,}" for key in ("pairs", "both_right", "only_where",
             "only_yes_no", "both_wrong")), percent(row["consistent"]), p_value(row["p"])]
            for row in rows
        ]  # fmt: skip
        self.add(
            "phrasing",
            "Phrasing",
            "The same person at the same moment, asked about in two ways: Where is …? and Is … in "
            "the …? A model that knows it gets both right. The p-value counts stories.",
            Table("Phrasing", head, lines),
        )

    def seen(self) -> None:
        rows = [row for run in self.runs for row in count.leakage(run)]
        self.numbers["seen"] = rows
        if not rows:
            self.left_out.append(
                "Seen and unseen: the training data are not known; "
                "name them with `fabula eval --train DATA`."
            )
            return
        shown = [
            {**row, "value": f"{row['of']} {row['value']}", "order": at}
            for at, row in enumerate(rows)
        ]
        known = [name for name in self.names if any(row["run"] == name for row in rows)]
        self.add(
            "seen",
            "Seen and unseen",
            "A signature is question and support with the names abstracted; a composition is the "
            "set of events and tellings in the support. Both are compared with the training data.",
            self.bars("seen", "In training", shown, known),
        )


# --- blocks of numbers ----------------------------------------------------------------------------


def _card(run: Run, row: Row) -> Card:
    said = run.manifest
    alone = row["stories"] == row["count"]
    lines = [
        f"95%: {percent(row['low'])} to {percent(row['high'])}"
        + ("" if alone else f", by its {row['stories']:,} stories"),
        f"{row['right']:,} of {row['count']:,} right",
    ]
    above = row["above_baseline"]
    if above:
        interval = "" if above["low"] is None else (
            f" ({points(above['low'])} to {points(above['high'])} points)"
        )  # fmt: skip
        verdict = (
            "not significantly different"
            if above["p"] >= BELIEVED
            else "better" if above["difference"] > 0 else "worse"
        )  # fmt: skip
        lines.append(
            f"Best trivial baseline: {percent(above['accuracy'])} ({above['baseline']}). The model "
            f"differs by {points(above['difference'])} points{interval}, "
            f"p {_equals(above['p'])}: {verdict}."
        )
    asked = [f"{said.get('ask.style', 'direct')}", f"answer as {said.get('ask.form', 'word')}"]
    if said.get("ask.shots"):
        asked.append(f"{said['ask.shots']} examples")
    unfinished = len(run.cases) < said["instances"]
    rest = f"; {len(run.cases):,} of {said['instances']:,} asked so far" if unfinished else ""
    lines.append(f"{said['data']} · {', '.join(asked)}{rest}")
    return Card(run.name, percent(row["accuracy"]), lines)


def _equals(p: float) -> str:
    said = p_value(p)
    return said if said.startswith("<") else f"= {said}"


def _beside(data: str, runs: Sequence[Run], rows: Sequence[Row]) -> Table:
    """Runs and baselines next to each other, by question kind."""
    names = list(dict.fromkeys(row["baseline"] for row in rows))
    known = {(row["baseline"], row["kind"]): row for row in rows}
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        cells = [[case for case in run.cases if kind in ("all", case.kind)] for run in runs]
        lines.append(
            [
                kind,
                f"{len(cells[0]):,}",
                *(percent(sum(case.right for case in cases) / len(cases)) for cases in cells),
                *(percent(known[name, kind]["accuracy"]) for name in names),
            ]
        )
    head = ["question", "n", *(run.name for run in runs), *names]
    return Table(f"Runs and trivial baselines on {data}", head, lines, [True])


def _shares(title: str, rows: Sequence[Row]) -> Table:
    """Accuracies with all their columns."""
    several = len({row["run"] for row in rows}) > 1
    head = [*(["run"] if several else []), title.lower(), "accuracy", "95%", "n", "stories",
            "best trivial baseline"]  # fmt: skip
    lines = [
        [*([row["run"]] if several else []), row["value"], percent(row["accuracy"]),
         f"{percent(row['low'])} to {percent(row['high'])}", f"{row['count']:,}",
         f"{row['stories']:,}", draw.trivial(row)]
        for row in rows
    ]  # fmt: skip
    return Table(title, head, lines)


def _cells(title: str, rows: Sequence[Row]) -> Table:
    """The cells of a heatmap, of accuracies or of differences."""
    training = {True: "seen", False: "not seen", None: "not known"}
    two = "difference" in rows[0]
    head = ["support", "question", *(["difference", "95%"] if two else ["accuracy", "95%"]), "n",
            *([] if two else ["best trivial baseline"]), "in training"]  # fmt: skip
    lines = []
    for row in rows:
        show = points if two else percent
        interval = "–" if row["low"] is None else f"{show(row['low'])} to {show(row['high'])}"
        lines.append(
            [
                row["composition"],
                row["kind"],
                show(row["difference"] if two else row["accuracy"]),
                interval,
                f"{row['count']:,}",
                *([] if two else [draw.trivial(row)]),
                training[row["seen"]],
            ]
        )
    return Table(title, head, lines)


def _outcomes(rows: Sequence[Row]) -> Table:
    kinds = [str(outcome) for outcome in Outcome]
    lines = [[row["run"], *(f"{row[kind]:,}" for kind in kinds)] for row in rows]
    return Table("Outcomes", ["run", *kinds], lines)


def _differences(caption: str, rows: Sequence[Row], first: Sequence[str]) -> Table:
    head = [*first, "questions", "stories", "only first", "only second", "difference", "95%", "p",
            "p (Holm)"]  # fmt: skip
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
                f"{row['stories']:,}",
                f"{row['only_first']:,}",
                f"{row['only_second']:,}",
                points(row["difference"]),
                interval,
                p_value(row["p"]),
                p_value(row["p_holm"]),
            ]
        )
    return Table(caption, head, lines, [row["p_holm"] < BELIEVED for row in rows])
