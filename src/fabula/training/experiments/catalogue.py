"""The available experiments, by id or file, and the pages with their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from fabula.core.files import make_folder, write_json, write_whole
from fabula.errors import FabulaError, MissingExtraError, hint
from fabula.training.experiments.reading import load_experiment
from fabula.training.experiments.spec import Experiment

FOLDER = Path("experiments")
"""The folder that is searched first; without one, the experiments of the package are used."""
TITLE = "# Results\n"


class Catalogue:
    """The experiments of the current folder, or of the package."""

    def __init__(self) -> None:
        self.known: dict[str, Experiment] = {}
        self.broken: dict[str, FabulaError] = {}
        """The errors of files that cannot be read, by id and file name."""
        files: dict[str, list[Path]] = {}
        for path in _files():
            try:
                found = load_experiment(path)
            except FabulaError as error:
                self.broken[path.stem] = error
            else:
                self.known[found.id] = found
                files.setdefault(found.id, []).append(path)
        for name, paths in files.items():
            if len(paths) > 1:
                del self.known[name]
                both = " and ".join(map(str, paths))
                twice = FabulaError(f"{both} have the same id, '{name}'; change one.")
                self.broken |= dict.fromkeys((name, *(path.stem for path in paths)), twice)

    def named(self, name: str) -> Sequence[Experiment]:
        """The experiment with this id or file, or all of them."""
        if name in self.broken:
            raise self.broken[name]
        if name == "all":
            if self.broken:
                raise next(iter(self.broken.values()))
            if not self.known:
                raise FabulaError(
                    f"no experiments in {FOLDER}; run the command in a folder that has some."
                )
            return list(self.known.values())
        if name in self.known:
            return [self.known[name]]
        if Path(name).suffix == ".toml":
            return [load_experiment(Path(name))]
        raise FabulaError(
            f"no experiment '{name}'.{hint(name, self.known)} `fabula experiment` lists them."
        )


def _files() -> Sequence[Path]:
    package = Path(__file__).parent
    beside = package.parents[3] / FOLDER  # where an editable install has them
    places = (FOLDER, package / "files", beside)
    return next(filter(None, (sorted(place.glob("*.toml")) for place in places)), [])


def experiment(
    names: Sequence[str],
    scale: str = "small",
    out: str | Path = FOLDER / "results",
    store: str | Path = "out/experiments",
    workers: int = 1,
    begin: Callable[[Experiment], None] = lambda experiment: None,
    progress: Callable[[str], None] = lambda line: None,
    done: Callable[[dict[str, Any]], None] = lambda result: None,
) -> list[dict[str, Any]]:
    """Run experiments of the papers, write their pages, and return the results.

    Args:
        names: ids, .toml files, or 'all'.
        scale: 'small' for a laptop, 'full' as in the paper.
        out: the folder for the tables, as JSON and Markdown.
        store: the folder for trained models; existing ones are reused.
        workers: number of processes, one training each.
        begin: called with each experiment before it starts.
        progress: called with a line for each step.
        done: called with each result.
    """
    try:
        from fabula.training.experiments.page import file_name, overview, page
        from fabula.training.experiments.run import carry_out
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(
            "experiments need PyTorch. Install it: pip install 'fabula[train]'"
        ) from None
    catalogue, out = Catalogue(), Path(out)
    chosen = [each for name in names for each in catalogue.named(name)]
    make_folder(out)
    results = []
    for each in chosen:
        begin(each)
        result = carry_out(each, scale, Path(store), workers, progress)
        name = file_name(each.id, scale)
        write_json(out / f"{name}.json", result)
        write_whole(out / f"{name}.md", page(each, result))
        results.append(result)
        done(result)
    listed = {**catalogue.known, **{each.id: each for each in chosen}}
    table = overview(list(_results(out, listed.values(), progress)))
    _write_overview(out / "README.md", table, progress)
    return results


def _write_overview(path: Path, table: str, say: Callable[[str], None]) -> None:
    """Write the overview; a page that somebody else wrote is left alone."""
    if path.is_file() and not path.read_text(encoding="utf-8").startswith(TITLE):
        say(f"{path}: not an overview of results; left unchanged.")
    else:
        write_whole(path, f"{TITLE}\n{table}")


def _results(
    out: Path, known: Iterable[Experiment], say: Callable[[str], None]
) -> Iterator[tuple[Experiment, dict[str, Any]]]:
    """All results so far, at any scale; damaged files are skipped and reported."""
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
                say(
                    f"skipped in {out / 'README.md'}: {path}: damaged. "
                    f"`fabula experiment {each.id} --scale {scale}` writes it again."
                )
