"""The command that carries out experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from fabula.cli.common import Json, print_json, terminal
from fabula.core.files import make_folder, write_json, write_whole
from fabula.errors import FabulaError, MissingExtraError, hint

if TYPE_CHECKING:
    from fabula.training.experiments.spec import Experiment

FOLDER = Path("experiments")
"""Where experiments are looked for first; without any there, those of the package are meant."""


def experiment(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME…", help="Ids, files, or 'all'; without: a list of them."),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="SCALE", help="small: for two cores; full: as the paper has it.")
    ] = "small",
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where tables go, as JSON and Markdown.")
    ] = FOLDER / "results",
    store: Annotated[
        Path, typer.Option(metavar="DIR", help="Where trainings are kept; what is there is used.")
    ] = Path("out/experiments"),
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes, each with a training of its own.")
    ] = 1,
    json: Json = False,
) -> None:
    """Carry out experiments of the papers: train what is missing, and say which claims hold.

    Example: [bold]fabula experiment B8 --workers 2[/bold]
    """
    known, broken = _known()
    if not names:
        _list(known, json)
        for error in dict.fromkeys(broken.values()):
            terminal(stderr=True).print(f"left out: {error}", style="red", soft_wrap=True)
        return
    try:
        from fabula.training.experiments.page import file_name, overview, page
        from fabula.training.experiments.run import carry_out
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(
            "experiments need PyTorch. Install it: pip install 'fabula[train]'"
        ) from None
    chosen = [each for name in names for each in _named(name, known, broken)]
    make_folder(out)
    say = terminal(stderr=True).print
    results = []
    for each in chosen:
        say(f"{each.id}  {each.title}", style="bold", soft_wrap=True)
        result = carry_out(
            each, scale, store, workers, lambda line: say(f"  {line}", soft_wrap=True)
        )
        name = file_name(each.id, scale)
        write_json(out / f"{name}.json", result)
        write_whole(out / f"{name}.md", page(each, result))
        results.append(result)
        if not json:
            _tell(result)
    told = {**known, **{each.id: each for each in chosen}}
    _list_results(out / "README.md", overview(list(_results(out, told.values()))))
    if json:
        print_json(results)


def _list_results(path: Path, table: str) -> None:
    """The overview; a page that somebody else wrote is left as it is."""
    title = "# Results\n"
    if path.is_file() and not path.read_text(encoding="utf-8").startswith(title):
        terminal(stderr=True).print(
            f"{path}: not an overview of results, and left as it is.", soft_wrap=True
        )
    else:
        write_whole(path, f"{title}\n{table}")


def _known() -> tuple[dict[str, Experiment], dict[str, FabulaError]]:
    """The experiments of this folder, and what is wrong with the files that are none."""
    import fabula.training.experiments
    from fabula.training.experiments.reading import load_experiment

    known, broken = {}, {}
    files: dict[str, list[Path]] = {}
    package = Path(fabula.training.experiments.__file__).parent
    beside = package.parents[3] / FOLDER  # where an editable install has them
    places = (FOLDER, package / "files", beside)
    listed = next(filter(None, (sorted(place.glob("*.toml")) for place in places)), [])
    for path in listed:
        try:
            found = load_experiment(path)
        except FabulaError as error:
            broken[path.stem] = error
        else:
            known[found.id] = found
            files.setdefault(found.id, []).append(path)
    for name, paths in files.items():
        if len(paths) > 1:
            del known[name]
            told = " and ".join(map(str, paths))
            twice = FabulaError(f"{told} have one id, '{name}'; give each an id of its own.")
            broken |= dict.fromkeys((name, *(path.stem for path in paths)), twice)
    return known, broken


def _named(
    name: str, known: dict[str, Experiment], broken: dict[str, FabulaError]
) -> Sequence[Experiment]:
    from fabula.training.experiments.reading import load_experiment

    if name in broken:
        raise broken[name]
    if name == "all":
        if broken:
            raise next(iter(broken.values()))
        if not known:
            raise FabulaError(f"no experiments in {FOLDER}: go to a folder that has some.")
        return list(known.values())
    if name in known:
        return [known[name]]
    if Path(name).suffix == ".toml":
        return [load_experiment(Path(name))]
    raise FabulaError(f"no experiment '{name}'.{hint(name, known)} `fabula experiment` lists them.")


def _list(known: dict[str, Experiment], json: bool) -> None:
    if json:
        print_json([{"id": e.id, "title": e.title, "paper": e.paper} for e in known.values()])
        return
    from rich.table import Table

    table = Table("id", "finding", "paper", box=None, pad_edge=False)
    for each in known.values():
        table.add_row(each.id, each.title, each.paper)
    terminal().print(table)


def _tell(result: dict[str, Any]) -> None:
    console = terminal()
    for claim in result["claims"]:
        mark, style = ("holds        ", "green") if claim["holds"] else ("does not hold", "red")
        console.print(f"  {mark}  {claim['says']}", style=style, soft_wrap=True)


def _results(out: Path, known: Iterable[Experiment]) -> Iterator[tuple[Experiment, dict[str, Any]]]:
    """What came of the experiments so far, at any scale; what is damaged is left out and told."""
    from fabula.training.experiments.page import file_name

    for each in known:
        for scale in each.scales:
            path = out / f"{file_name(each.id, scale)}.json"
            try:
                found = orjson.loads(path.read_bytes()) if path.is_file() else None
            except orjson.JSONDecodeError:
                found = {}
            if isinstance(found, dict) and found.keys() >= {"claims", "seconds", "scale"}:
                yield each, found
            elif found is not None:
                terminal(stderr=True).print(
                    f"left out of {out / 'README.md'}: {path}: damaged. "
                    f"`fabula experiment {each.id} --scale {scale}` writes it anew.",
                    style="red",
                    soft_wrap=True,
                )
