"""The commands that evaluate models: eval, report, doses, curves, concurrence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Json, Seed, Settings, changes_of, print_json, terminal
from fabula.cli.stages import Stages, Tick, stages
from fabula.core.files import make_folder, write_whole
from fabula.errors import FabulaError

if TYPE_CHECKING:
    from fabula.core.instance import Instance
    from fabula.evaluation.model import Model
    from fabula.evaluation.report.curves import Curve


def eval_(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="The folder of a run of `fabula train`; hf:PATH_OR_NAME for a Hugging Face model "
            "(hf:FOLDER?gguf=FILE for GGUF); or PROVIDER/MODEL as Inspect AI names it.",
        ),
    ],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A recipe, or generated data (JSONL).")
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Folder of the run; resumes if there.")],
    split: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The split to ask.", show_default="test, or the last"),
    ] = None,
    size: Annotated[int | None, typer.Option(metavar="N", min=1, help="Questions to ask.")] = None,
    seed: Seed = None,
    shots: Annotated[
        int,
        typer.Option(metavar="K", min=0, max=100, help="Worked examples, from the training split."),
    ] = 0,
    style: Annotated[str, typer.Option(metavar="NAME", help="direct, or reason first.")] = "direct",
    form: Annotated[
        str, typer.Option(metavar="NAME", help="Form of the answer: word, sentence, letter, json.")
    ] = "word",
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language of the instructions: en, hi, hi-Deva.",
            show_default="that of the story",
        ),
    ] = None,
    tokens: Annotated[int, typer.Option(metavar="N", min=1, help="Most tokens of a reply.")] = 256,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Questions on their way at a time.")
    ] = 8,
    budget: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="API: stop after so many tokens in all.")
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT", help="API: dollars for a million tokens of prompts and of replies."
        ),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(metavar="DOLLARS", min=0, help="API: stop after so much; needs --price."),
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache", help="Take replies from Inspect AI's cache where it can.")
    ] = False,
    likelihood: Annotated[
        bool,
        typer.Option(
            "--likelihood", help="hf: take the likeliest choice instead of what is written."
        ),
    ] = False,
    device: Annotated[str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …")] = "cpu",
    train: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="What it was trained on, for the report to tell seen from unseen.",
            show_default="known for trained models",
        ),
    ] = None,
    track: Annotated[
        str | None, typer.Option(metavar="PROJECT", help="Also log the figures to trackio.")
    ] = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Ask a model every question of a benchmark; replies are scored and written as they come.

    Stopped at any time, the same command goes on: nothing is asked twice.

    Example: [bold]fabula eval runs/memn2n babi/qa2 --out runs/memn2n-qa2 --size 500[/bold]
    """
    from fabula.datasets.sources import evaluation_split, instances, is_data
    from fabula.evaluation.model import Ask
    from fabula.evaluation.models import model_named
    from fabula.evaluation.run import evaluate
    from fabula.prompting.prompt import forms, languages, styles
    from fabula.recipe.model import load
    from fabula.training.trained import Trained

    for option, value, known in (
        ("style", style, styles()),
        ("form", form, forms()),
        ("language", language or "en", languages()),
    ):
        if value not in known:
            raise FabulaError(f"--{option} {value}: known are {', '.join(known)}.")
    if track:
        from fabula.evaluation.tracking import check_tracking

        check_tracking(track)
    changes = changes_of(settings)
    chosen = split or evaluation_split(data, changes)
    ask = Ask(
        style, shots, tokens, form, concurrency, language or "", budget, _price(price), cost, cache
    )
    said = " ".join([data, chosen, *(settings or ()), *([] if seed is None else [f"seed={seed}"])])
    try:
        with stages() as stage:
            total = size if size or is_data(data) else load(data, changes).splits[chosen].size
            with stage(f"questions of {data}", total) as tick:
                asked = list(tick.each(instances(data, chosen, seed, size, changes)))
            examples = list(instances(data, "train", seed, shots, changes)) if shots else []
            if len(examples) < shots:
                raise FabulaError(f"--shots {shots}: {data} has {len(examples)} training examples.")
            with stage(f"loading {model}"):
                named = model_named(model, ask, likelihood, device)
                if isinstance(named, Trained):
                    named.check(asked)
            begun = partial(_learned, named, train, out, stage)
            with stage(model, len(asked)) as tick:
                found = evaluate(named, asked, out, ask, examples, said, _share(tick), begun)
    except KeyboardInterrupt:
        terminal(stderr=True).print(
            f"Replies so far are in {out}; the same command goes on from there.", soft_wrap=True
        )
        raise
    if track:
        from fabula.evaluation.tracking import log_run

        log_run(track, out, found)
    if json:
        print_json(found)
        return
    _tell(found, out)


def _price(said: str | None) -> tuple[float, float] | None:
    if said is None:
        return None
    try:
        read, written = map(float, said.split(","))
        if read < 0 or written < 0:
            raise ValueError
    except ValueError:
        raise FabulaError(
            f"--price {said}: two numbers are wanted, dollars for a million tokens of prompts and "
            "of replies, e.g. --price 0.5,1.5"
        ) from None
    return read, written


def _learned(model: Model, train: str | None, out: Path, stage: Stages) -> None:
    """Keep what the model has seen in training, if that is known, beside its replies."""
    from fabula.evaluation.seen import FILE, keep_seen, seen_in
    from fabula.integrations import instances

    lessons = getattr(model, "lessons", None)
    known = ", ".join(model.about().get("trained_on", ()))
    if (out / FILE).is_file():
        return
    if train is not None:
        source, examples = train, partial(instances, train, "train")
    elif known and lessons is not None:
        source, examples = known, lessons
    else:
        return
    try:
        with stage(f"what it learned from: {source}") as tick:
            seen = seen_in(tick.each(examples()), source)
    except FabulaError as error:
        if train is not None:
            raise
        terminal(stderr=True).print(
            f"What the model has seen in training is not known here: {error}", soft_wrap=True
        )
        return
    keep_seen(out, seen)


def _tell(found: dict[str, Any], out: Path) -> None:
    from fabula.evaluation.run import stories_of
    from fabula.evaluation.statistics import share

    value, low, high = share(stories_of(out))
    count = found["asked"]
    console = terminal()
    console.print(
        f"{found['model']} on {found['data']}: {value:.1%} of {count:,} right "
        f"({low:.1%} to {high:.1%})",
        style="bold",
        soft_wrap=True,
    )
    others = [f"{name} {n:,}" for name, n in found["outcomes"].items() if name != "correct"]
    if others:
        console.print(f"  {', '.join(others)}")
    best = _best_baseline(found)
    if best:
        part = best[1] / found["instances"]
        console.print(f"  best trivial baseline: {part:.1%} ({best[0]})", soft_wrap=True)
    if found["failed"]:
        console.print(
            f"  {found['failed']:,} got no reply; the same command asks them again: "
            f"{next(iter(found['failures']))}",
            soft_wrap=True,
        )
    console.print(f"Run in {out}; look at it: fabula report {out} --out report.html", style="dim",
                  soft_wrap=True)  # fmt: skip


def _best_baseline(found: dict[str, Any]) -> tuple[str, int] | None:
    from collections import Counter

    total: Counter[str] = Counter()
    for scored in found["baselines"].values():
        total.update(scored)
    return total.most_common(1)[0] if total else None


def _share(tick: Tick) -> Callable[[int, int], None]:
    """Counts questions, and says how many are right so far."""
    counted = [0, 0]

    def count(asked: int, right: int) -> None:
        counted[0] += asked
        counted[1] += right
        tick.on(asked, f"{counted[1] / counted[0]:.1%} right" if counted[0] else "")

    return count


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of `fabula eval`.")],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The page; numbers and pictures stand beside it.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    pictures: Annotated[bool, typer.Option(help="Also write each figure as PNG and SVG.")] = True,
    json: Json = False,
) -> None:
    """Show where and why models fail, and which differences can be believed, on one page.

    Example: [bold]fabula report runs/memn2n-qa2 runs/lstm-qa2 --out report.html[/bold]
    """
    from fabula.evaluation.report import build

    written, missing = build(runs, out, title, pictures)
    for line in missing:
        terminal(stderr=True).print(line, soft_wrap=True)
    if json:
        print_json([str(path) for path in written])
        return
    console = terminal()
    console.print(f"Wrote {written[0]}", soft_wrap=True)
    console.print(f"  numbers and pictures: {written[-1].parent}", soft_wrap=True)


def doses(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="What to dose: a recipe, or generated data.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the doses, one in each.")],
    sizes: Annotated[
        str, typer.Option(metavar="N,N…", help="Examples in each dose; a larger one holds all.")
    ] = "10,50,100,500",
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATA",
            help="What will be asked, and may not be in a dose.",
            show_default="the test split of DATA",
        ),
    ] = None,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Take doses of training examples, nested and none of it in the test, to inoculate a model.

    Train on the old data alone and with each dose beside them (`fabula train MODEL OLD
    doses/dose-10 --test OLD`), ask each model both tests with `fabula eval`, and look at `fabula
    curves`.

    Example: [bold]fabula doses dyna/diverse-t7 --sizes 10,100,1000 --out doses[/bold]
    """
    from fabula.datasets.sources import evaluation_split, instances
    from fabula.evaluation.curves import doses as take

    try:
        wanted = [int(size) for size in sizes.split(",")]
        if min(wanted) < 1:
            raise ValueError
    except ValueError:
        raise FabulaError(f"--sizes {sizes}: whole numbers are wanted, e.g. 10,100") from None
    with stages() as stage:
        asked: list[Instance] = []
        for source in test or [data]:
            with stage(f"what will be asked: {source}") as tick:
                split = evaluation_split(source)
                asked += tick.each(instances(source, split, None if test else seed))
        with stage(f"training examples: {data}") as tick:
            lessons = list(tick.each(instances(data, "train", seed)))
    found = take(lessons, wanted, asked, seed or 0)
    written = []
    for size, dose in found.items():
        place = out / f"dose-{size}" / "train-00000-of-00001.jsonl"
        make_folder(place.parent)
        write_whole(place, b"".join(each.to_json() + b"\n" for each in dose))
        written.append(place.parent)
    if json:
        print_json([str(path) for path in written])
        return
    for path in written:
        terminal().print(f"Wrote {path}", soft_wrap=True)


def curves(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Folders of `fabula eval`, of models of one kind."),
    ],
    goal: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Accuracy that counts as solved.")
    ] = 0.95,
    json: Json = False,
) -> None:
    """Show how many training examples a model needs, and whether a dose of others cures a failure.

    What a run was trained on is known for models of `fabula train`; for others, `fabula eval
    --train` tells it.

    Example: [bold]fabula curves runs/size-*[/bold]
    """
    from fabula.evaluation.report.cases import read_runs
    from fabula.evaluation.report.curves import doses, inoculations, learning

    read = read_runs(runs)
    learned, dosed = learning(read), doses(read)
    if not learned and not dosed:
        raise FabulaError(
            "no curve: at least two runs of one kind of model on the same questions are wanted, "
            "after training on different numbers of examples."
        )
    cures = inoculations(dosed)
    if json:
        print_json(
            {
                "learning": [{**c.to_dict(), "needed": c.needed(goal)} for c in learned],
                "doses": [c.to_dict() for c in dosed],
                "inoculations": [
                    {"old": c.old.test, "new": c.new.test, **c.cure._asdict()} for c in cures
                ],
            }
        )
        return
    for curve in learned:
        needed = curve.needed(goal)
        said = "is not reached" if needed is None else f"takes about {needed:,.0f} examples"
        _show_curve(curve, "examples", f"{goal:.0%} {said}")
    for curve in dosed:
        _show_curve(curve, "examples added", f"doses beside {curve.trained}")
    for each in cures:
        terminal().print(
            f"{each.old.model}: {each.cure.outcome}. Between {each.old.test} and {each.new.test} "
            f"the gap was {each.cure.gap_before:+.1%} and is {each.cure.gap_after:+.1%}; the old "
            f"test changed by {-each.cure.loss:+.1%}.",
            soft_wrap=True,
        )


def _show_curve(curve: Curve, axis: str, note: str) -> None:
    from rich.table import Table

    console = terminal()
    console.print(f"{curve.model} on {curve.test}: {note}", style="bold", soft_wrap=True)
    shown = Table(axis, "accuracy", "95 %", "questions", box=None, pad_edge=False)
    for column in shown.columns:
        column.justify = "right"
    for point in curve.points:
        value, low, high = point.accuracy
        shown.add_row(
            f"{point.examples:,}", f"{value:.1%}", f"{low:.1%} to {high:.1%}", f"{point.asked:,}"
        )
    console.print(shown)


def concurrence(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE.csv",
            help="A row for each model: its name, then a score on each benchmark.",
            show_default="the models of the Dyna-bAbI paper",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Benchmark the others are compared with.",
            show_default="the first",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell whether benchmarks rank models alike: Pearson and Kendall, with 95 % intervals.

    Example: [bold]fabula concurrence scores.csv --against squad[/bold]
    """
    from fabula.evaluation.concurrence import FEWEST, published
    from fabula.evaluation.concurrence import concurrence as compare

    found = compare(table or published(), against)
    if json:
        print_json([{**each._asdict(), "pearson": each.pearson._asdict(),
                     "kendall": each.kendall._asdict()} for each in found])  # fmt: skip
        return
    from rich.table import Table

    shown = Table("benchmarks", "models", "Pearson r", "Kendall τ", box=None, pad_edge=False)
    for each in found:
        shown.add_row(
            f"{each.first}, {each.second}",
            str(each.models),
            _interval(each.pearson),
            _interval(each.kendall),
        )
    terminal().print(shown)
    if any(each.models < FEWEST for each in found):
        terminal().print(f"A correlation needs {FEWEST} models that have both scores.", style="dim")


def _interval(found: Sequence[float]) -> str:
    value, low, high = found
    if value != value:
        return "–"
    return f"{value:.2f}" + (f"  ({low:.2f} to {high:.2f})" if low == low else "")
