"""lm-evaluation-harness: a folder of task files for `--include_path`.

    fabula lm-eval --out tasks             # every recipe, generated when lm_eval starts
    fabula lm-eval out/rooms --out tasks   # a generated data set, copied into the folder
    lm_eval run --model hf --model_args pretrained=… --include_path tasks \\
        --tasks fabula_babi_qa2 --metadata '{"seed": 7, "size": 500}'

For a recipe, `custom_dataset` generates the data on the fly; `--metadata` may change seed, size,
style, split, settings (keys of the recipe), and, for the task `fabula_recipe`, the recipe itself.
Few-shot examples (`--num_fewshot`) come from the split `train`, if there is one.

The task files name functions of this module, so they need only this package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Any

from fabula._version import __version__
from fabula.core.files import plain_name, whole_folder
from fabula.core.instance import Instance
from fabula.core.registry import need
from fabula.errors import FabulaError, OutputError
from fabula.integrations import (
    evaluation_split,
    instances,
    is_data,
    splits_of,
    task_names,
)
from fabula.prompting.prompt import CITE, DEFAULT_STYLE, case, instruction, lead, next_case, reply
from fabula.recipe.loading import load, recipe_ids
from fabula.scoring import Outcome, score

EXAMPLES = 64
"""Number of training instances that few-shot examples are drawn from."""

METRICS = {"acc": Outcome.CORRECT} | {
    str(kind): kind for kind in Outcome if kind is not Outcome.CORRECT
}
"""The fraction of each outcome; that of correct answers under lm_eval's own name."""

TASK = """\
# {about}
task: {name}
{tags}custom_dataset: !function fabula.integrations.lm_eval.dataset
test_split: test
{examples}output_type: generate_until
description: "{{{{instruction}}}}\\n\\n"
doc_to_text: text
doc_to_target: target
target_delimiter: ""
process_results: !function fabula.integrations.lm_eval.process_results
generation_kwargs:
  do_sample: false
  max_gen_toks: 512
  until: [{until}]
metric_list:
{metrics}
metadata: {metadata}
"""


# --- called by lm_eval ------------------------------------------------------------------------


def dataset(
    recipe: str = "",
    data: str = "",
    seed: int | None = None,
    size: int | None = None,
    split: str | None = None,
    style: str = DEFAULT_STYLE,
    settings: Mapping[str, Any] | None = None,
    config_source: str = "",
    **other: Any,
) -> dict[str, Any]:
    """The splits of a task: 'test', which is measured, and 'train', for few-shot examples.

    lm_eval passes the task's metadata, merged with those of the command line and the arguments of
    the model; unknown keys are ignored.
    """
    if not recipe and not data:
        raise FabulaError('fabula_recipe: give a recipe: --metadata \'{"recipe": "babi/qa2"}\'.')
    source = str(Path(config_source).parent / data) if data else recipe
    Dataset = need("datasets", "lm-eval").Dataset  # noqa: N806
    chosen = split or evaluation_split(source, settings)
    measured = instances(source, chosen, seed, size, settings)
    splits = {"test": Dataset.from_list([row(one, style) for one in measured])}
    if chosen != "train" and "train" in splits_of(source, settings):
        examples = instances(source, "train", seed, EXAMPLES, settings)
        splits["train"] = Dataset.from_list([row(one, style) for one in examples])
    return splits


def row(instance: Instance, style: str) -> dict[str, str]:
    """An instance as a document of lm_eval; in style 'direct' the prompt ends in 'Answer:'."""
    direct = style == DEFAULT_STYLE
    return {
        "id": instance.id,
        "instruction": instruction(instance, style),
        "text": case(instance, style=style) + (f"\n{lead(instance)}" if direct else ""),
        "target": f" {', '.join(instance.answer)}"
        if direct
        else f"\n{reply(instance, style=style)}",
        "record": instance.to_json().decode(),
        "style": style,
    }


def process_results(doc: Mapping[str, str], results: Sequence[str]) -> dict[str, float]:
    """The outcome of a reply, as a 0/1 value for each kind of outcome."""
    cites = doc.get("style") == CITE  # numbers of sentences are not answers
    given = score(Instance.from_json(doc["record"], doc["id"]), results[0], evidence=cites)
    return {name: float(given.outcome is kind) for name, kind in METRICS.items()}


# --- the folder -------------------------------------------------------------------------------


def write(out: Path, sources: Sequence[str] = ()) -> list[str]:
    """Write a folder for `--include_path`, of all recipes or of these sources; returns the task
    names.

    The folder is written completely or not at all.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{out} is not empty; choose a new folder.")
    chosen = list(sources) or recipe_ids()
    tasks = {_task_name(source): source for source in chosen}
    if len(tasks) < len(chosen):
        raise FabulaError("two sources have the same name; write them into two folders.")
    with whole_folder(out) as partial:
        _yaml(partial / "fabula_recipe.yaml", "any recipe, named in --metadata", [], {})
        for name, source in tasks.items():
            place = partial / f"{name}.yaml"
            if is_data(source):
                _yaml(place, source, splits_of(source), _copy(source, partial / name))
            else:
                recipe = load(source)
                shipped = source in recipe_ids()
                made = {"recipe": source if shipped else str(Path(source).resolve())}
                tags = ["fabula", f"fabula_{source.partition('/')[0]}"] if shipped else []
                _yaml(place, recipe.title or source, list(recipe.splits), made, tags)
    return [*tasks, "fabula_recipe"]


def _copy(source: str, folder: Path) -> dict[str, str]:
    """Copy a data set into a folder next to its task file; returns the entries of the task file."""
    folder.mkdir()
    for split in splits_of(source):
        with (folder / f"{plain_name(split, 'split')}.jsonl").open("wb") as file:
            file.writelines(one.to_json() + b"\n" for one in instances(source, split))
    return {"data": folder.name}


def _task_name(source: str) -> str:
    known = {recipe: name for name, recipe in reversed(task_names().items())}
    name = known.get(source) or re.sub(r"\W+", "_", Path(source).resolve().stem)
    return plain_name(f"fabula_{name}", "task")


def _yaml(
    file: Path, about: str, splits: list[str], made: Mapping[str, str], tags: Sequence[str] = ()
) -> None:
    """Write a task file; JSON's strings, numbers and tables are also valid YAML."""
    has_examples = "train" in splits and len(splits) > 1
    metrics = [
        f"  - {{metric: {metric}, aggregation: mean, higher_is_better: {dumps(metric == 'acc')}}}"
        for metric in METRICS
    ]
    text = TASK.format(
        about=" ".join(about.split()),
        name=file.stem,
        tags=f"tag: {dumps(list(tags))}\n" if tags else "",
        examples="fewshot_split: train\n" if has_examples else "",
        until=dumps("\n\n" + next_case()),
        metrics="\n".join(metrics),
        metadata=dumps({"version": __version__, **made}),
    )
    file.write_text(text, encoding="utf-8")
