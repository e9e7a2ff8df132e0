"""The commands that remake data sets: rewrite, inject, concat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Json, RecipeName, print_json, terminal
from fabula.core.files import hashed, whole_folder, write_json
from fabula.errors import FabulaError, OutputError

Out = Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder.")]
Source = Annotated[Path, typer.Argument(metavar="PATH", help="A data set or one file of it.")]
Kinds = Annotated[
    str | None,
    typer.Option(metavar="KINDS", help="Kinds of question, separated by commas."),
]

SHOWN = 5


def rewrite(
    operation: Annotated[str, typer.Argument(metavar="OPERATION", help="See the list above.")],
    path: Source,
    out: Out,
    length: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="padded: sentences in the end.")
    ] = None,
    filler: Annotated[
        bool, typer.Option("--filler", help="padded: with sentences that say nothing.")
    ] = False,
    tokens: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="trimmed: words and marks at most.")
    ] = None,
    sorts: Annotated[
        str | None,
        typer.Option(metavar="SORTS", help="renamed: persons, places, objects; by commas."),
    ] = None,
    kinds: Kinds = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Another seed.")] = None,
    json: Json = False,
) -> None:
    """Rewrite the instances of a data set, or of bAbI text, so that their answers stay proven.

    [bold]twin[/bold]        yes-no questions answered by yes, asked as 'where is'
    [bold]exhaustive[/bold]  the same story asked everything that can be asked
    [bold]bare[/bold]        all distractors removed
    [bold]gathered[/bold]    the support moved next to the question
    [bold]padded[/bold]      more distractors, up to --length, or --filler sentences
    [bold]renamed[/bold]     people (or --sorts) with unseen names
    [bold]trimmed[/bold]     the earliest distractors left out, down to --tokens
    [bold]cloze[/bold]       the names of kinship stories as @entity-0, @entity-1, …

    Example: [bold]fabula rewrite padded data/mix --length 100 --out data/long[/bold]
    """
    from fabula.analysis.rewrites import Dropped
    from fabula.analysis.rewrites import operation as operation_named
    from fabula.analysis.verify import from_text
    from fabula.core.instance import Instance
    from fabula.datasets.manifest import MANIFEST, manifest
    from fabula.datasets.stored import ENDINGS, data_files, records_of, split_of, stem_of

    make = operation_named(
        operation,
        length=length,
        filler=filler or None,
        tokens=tokens,
        sorts=_listed(sorts),
        kinds=_listed(kinds),
        seed=seed,
    )
    dropped: list[Dropped] = []
    written: list[tuple[str, dict[str, Any]]] = []
    counts: Counter[str] = Counter()
    with _folder(out) as folder:
        for file in data_files(path, *ENDINGS, ".txt"):
            records = from_text(file) if file.suffix == ".txt" else records_of(file)
            name = f"{stem_of(file)}.jsonl"
            before = counts["written"]
            with (folder / name).open("wb") as target:
                for instance in records:
                    counts["read"] += 1
                    for made in make(instance):
                        if isinstance(made, Instance):
                            counts["written"] += 1
                            target.write(made.to_json() + b"\n")
                        else:
                            counts["dropped"] += 1
                            if len(dropped) < SHOWN:
                                dropped.append(made)
            written.append(
                (
                    split_of(name),
                    {
                        "file": name,
                        "instances": counts["written"] - before,
                        "bytes": (folder / name).stat().st_size,
                        "sha256": hashed(folder / name),
                    },
                )
            )
        if not counts["written"]:
            reason = f" The first: {dropped[0].id}: {dropped[0].reason}." if dropped else ""
            raise FabulaError(f"{path}: nothing can be rewritten as '{operation}'.{reason}")
        told = {"rewrite": operation, "of": str(path), **counts}
        write_json(folder / MANIFEST, manifest(written, **told))
    if json:
        print_json({"out": str(out), **told, "examples": [each._asdict() for each in dropped]})
        return
    say = terminal().print
    say(f"Wrote {counts['written']:,} of {counts['read']:,} instances, {operation}, to {out}")
    if counts["dropped"]:
        say(f"{counts['dropped']:,} could not be, as their answers would not stay proven, e.g.")
        for each in dropped:
            say(f"  {each.id}: {each.reason}", soft_wrap=True)
    say(f"Prove it: fabula verify {out}", style="dim", soft_wrap=True)


def inject(path: Source, out: Out, kinds: Kinds = None, json: Json = False) -> None:
    """Add to every question of bAbI files all others that can be asked there.

    Where people and where things are, or the kinds you name; read back from the text, so that
    files of any origin will do. Answers cite a minimal proof. Tasks without people and things,
    such as 15 to 19, are left out of a folder.

    Example: [bold]fabula inject tasks/en --out data/inject[/bold]
    """
    from fabula.analysis.rewrites.text import ADDED, OtherWorldError, injected
    from fabula.datasets.stored import data_files
    from fabula.errors import hint
    from fabula.world.actors.questions import KINDS

    chosen = _listed(kinds) or ADDED
    for kind in chosen:
        if kind not in KINDS:
            raise FabulaError(f"--kinds {kinds}: unknown '{kind}'.{hint(kind, KINDS)}")
    files = [f for f in data_files(path, ".txt") if f.name.lower() != "readme.txt"]
    figures: dict[str, Any] = {}
    left_out: list[OtherWorldError] = []
    with _folder(out) as folder:
        for file in files:
            try:
                figures[file.name] = _write_stories(folder / file.name, injected(file, chosen))
            except OtherWorldError as error:
                (folder / file.name).unlink()
                left_out.append(error)
        if not figures and left_out:
            raise left_out[0]
    if json:
        print_json({"out": str(out), "questions": figures, "left_out": list(map(str, left_out))})
        return
    say = terminal().print
    for told in left_out:
        say(f"  left out: {told}", soft_wrap=True)
    for name, count in figures.items():
        say(f"  {name}: {count:,} questions", soft_wrap=True)
    say(f"Wrote {sum(figures.values()):,} questions to {out}. Check them: fabula audit babi {out}")


def concat(
    recipe: RecipeName,
    source: Annotated[
        Path, typer.Option("--from", metavar="DIR", help="A folder of published bAbI files.")
    ],
    out: Out,
    json: Json = False,
) -> None:
    """Join published bAbI files as a recipe of parts joins our own tasks.

    Byte by byte, in the order of the tasks; the recipe's test comes from `fabula generate`.

    Example: [bold]fabula concat dyna/concat-t7 --from tasks/en-valid-10k --out data/t7[/bold]
    """
    from fabula.analysis.rewrites.text import SPLITS, published, tasks_of
    from fabula.recipe.collection import Collection
    from fabula.recipe.loading import load

    chosen = load(recipe)
    parts = chosen.parts if isinstance(chosen, Collection) else ()
    tasks = tasks_of([part.recipe for part in parts])
    if not tasks:
        raise FabulaError(f"recipe {recipe}: it joins no bAbI tasks, as dyna/concat-t7 does.")
    found = published(source, tasks)
    with _folder(out) as folder:
        for split, files in found.items():
            with (folder / f"{SPLITS[split]}.txt").open("wb") as target:
                for file in files:
                    target.write(file.read_bytes().rstrip(b"\n") + b"\n")
    told = {SPLITS[split]: [file.name for file in files] for split, files in found.items()}
    if json:
        print_json({"out": str(out), "files": told})
        return
    for split, names in told.items():
        terminal().print(f"  {split}.txt: {', '.join(names)}", soft_wrap=True)


def _listed(text: str | None) -> tuple[str, ...] | None:
    return tuple(word.strip() for word in text.split(",")) if text else None


def _write_stories(path: Path, stories: Iterable[str]) -> int:
    """Write stories to a file; how many questions they have."""
    questions = 0
    with path.open("w", encoding="utf-8", newline="") as target:
        for story in stories:
            questions += story.count("\t") // 2
            target.write(story)
    return questions


@contextmanager
def _folder(out: Path) -> Iterator[Path]:
    """A folder to write into, which gets its name when it is complete."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{out} is not an empty folder; name another.")
    with whole_folder(out) as folder:
        yield folder
