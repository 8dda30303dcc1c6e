"""Models that a program makes of a configuration: by the numbers of its class, by the name that it is loaded by, or not known."""

from __future__ import annotations

import json

import pytest

from budgetlint.catalog.ledger import parameter_count
from budgetlint.files.disk import TextFiles
from budgetlint.resolve.architecture import architecture_of
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run, Setting

HEAD = "import torch\nfrom transformers import *\nimport transformers as tf\n"
TRAIN = "\ntf.Trainer(model=model, args=tf.TrainingArguments('out', per_device_train_batch_size=2, bf16=True)).train()\n"
SIZES = "vocab_size=32000, hidden_size=512, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=2, intermediate_size=1024"
LLAMA = 2 * 32000 * 512 + 4 * (2 * 512 * 512 + 2 * 512 * 128 + 3 * 512 * 1024 + 2 * 512) + 512
GPT2 = 50257 * 768 + 1024 * 768 + 12 * (12 * 768 * 768 + 13 * 768) + 2 * 768
BERT = (30522 + 512 + 2) * 256 + 512 + 2 * (4 * (256 * 256 + 256) + 2 * 256 * 1024 + 1280 + 4 * 256) + 256 * 256 + 256
T5 = 32128 * 64 + 2 * (4 * 64 * 64 + 2 * 64 * 128 + 128) + 2 * (8 * 64 * 64 + 2 * 64 * 128 + 192) + 2 * (32 * 4 + 64)

BUILT = {
    "its own sizes": (f"tf.LlamaForCausalLM(tf.LlamaConfig({SIZES}))", LLAMA),
    "made by an Auto class": (f"tf.AutoModelForCausalLM.from_config(tf.LlamaConfig({SIZES}))", LLAMA),
    "the defaults of the class": ("tf.GPT2LMHeadModel(tf.GPT2Config())", GPT2),
    "sizes that are set later": ("c = tf.GPT2Config(n_layer=2)\nc.n_layer = 12\nmodel = tf.GPT2LMHeadModel(config=c)", GPT2),
    "sizes of a dict": ("tf.GPT2LMHeadModel(tf.GPT2Config(**{'n_layer': 3, 'n_embd': 768}))", GPT2 - 9 * (12 * 768 * 768 + 13 * 768)),
    "as many key heads as heads": (
        f"tf.LlamaForCausalLM(tf.LlamaConfig({SIZES.replace('heads=2', 'heads=None')}))",
        LLAMA + 4 * 2 * 512 * 384,
    ),
    "one tied table": (f"tf.LlamaForCausalLM(tf.LlamaConfig({SIZES}, tie_word_embeddings=True))", LLAMA - 32000 * 512),
    "an encoder": (
        "tf.BertForSequenceClassification(tf.BertConfig("
        "hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024))",
        BERT,
    ),
    "both halves": ("tf.T5ForConditionalGeneration(tf.T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4))", T5),
}  # fmt: skip
"""The model's expression, and its parameters by hand."""

NOT_KNOWN = {
    "a size that nobody knows": "tf.GPT2LMHeadModel(tf.GPT2Config(n_layer=int(input())))",
    "more that is not seen": "tf.GPT2LMHeadModel(tf.GPT2Config(**eval(input())))",
    "sizes by position": "tf.GPT2LMHeadModel(tf.GPT2Config(1000))",
    "half of the family's model": "tf.T5EncoderModel(tf.T5Config())",
    "a class that the catalog has not": "tf.MambaForCausalLM(tf.MambaConfig())",
    "a decoder of an encoder's class": "tf.BertModel(tf.BertConfig(is_decoder=True))",
    "sizes that a text brings": "c = tf.GPT2Config()\nc.update_from_string(input())\nmodel = tf.GPT2LMHeadModel(c)",
    "a size that a condition decides": "c = tf.GPT2Config()\nif input(): c.n_layer = 2\nmodel = tf.GPT2LMHeadModel(c)",
}


def run_of(body: str) -> Run:
    text = body if "\n" in body else f"model = {body}"
    first, _, rest = text.rpartition("\n")
    text = f"{first}\n{rest if rest.startswith('model =') else 'model = ' + rest}"
    (run,) = judge_texts({"train.py": HEAD + text + TRAIN, "run.sh": "python train.py\n"}).runs
    return run.run


@pytest.mark.parametrize(("body", "parameters"), BUILT.values(), ids=BUILT)
def test_a_model_by_its_sizes(body: str, parameters: int) -> None:
    run = run_of(body)
    found = architecture_of(TextFiles({}), run)
    assert found is not None
    assert parameter_count(found) == parameters
    assert run.settings.value("weights_dtype") == "fp32"
    assert (run.settings.value("adapter"), run.settings.value("quant")) == ("none", "none")


@pytest.mark.parametrize("body", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_a_model_of_sizes_that_are_not_known(body: str) -> None:
    run = run_of(body)
    assert architecture_of(TextFiles({}), run) is None
    assert "model" not in run.settings or not run.settings["model"].known


NAMED = {
    "its configuration": ("tf.AutoModelForCausalLM.from_config(tf.AutoConfig.from_pretrained('gpt2'))", "gpt2"),
    "what changes no size": ("tf.AutoModelForCausalLM.from_config(tf.AutoConfig.from_pretrained('gpt2', use_cache=False))", "gpt2"),
    "a class of its own": ("tf.GPT2LMHeadModel(tf.GPT2Config.from_pretrained('gpt2'))", "gpt2"),
    "a file": ("tf.GPT2LMHeadModel(tf.GPT2Config.from_json_file('conf/small.json'))", "conf/small.json"),
    "other sizes": ("tf.AutoModelForCausalLM.from_config(tf.AutoConfig.from_pretrained('gpt2', n_layer=2))", "<gpt2 with n_layer>"),
    "weights with other sizes": (
        "c = tf.AutoConfig.from_pretrained('gpt2')\nc.n_layer = 2\nmodel = tf.AutoModelForCausalLM.from_pretrained('gpt2', config=c)",
        "<gpt2 with n_layer>",
    ),
    "weights with labels": (
        "c = tf.AutoConfig.from_pretrained('gpt2', num_labels=2)\nmodel = tf.AutoModelForCausalLM.from_pretrained('gpt2', config=c)",
        "gpt2",
    ),
    "weights with an update": (
        "c = tf.AutoConfig.from_pretrained('gpt2')\nc.update({'n_layer': 2})\n"
        "model = tf.AutoModelForCausalLM.from_pretrained('gpt2', config=c)",
        "<gpt2 with n_layer>",
    ),
}


@pytest.mark.parametrize(("body", "text"), NAMED.values(), ids=NAMED)
def test_a_model_by_the_name_of_its_configuration(body: str, text: str) -> None:
    model = run_of(body).settings["model"]
    assert (model.text, model.known) == (text, not text.startswith("<"))


def test_a_file_of_sizes_beside_the_run() -> None:
    body = "model = tf.GPT2LMHeadModel(tf.GPT2Config.from_json_file('conf/small.json'))"
    small = json.dumps({"model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 4, "vocab_size": 100, "n_positions": 32})
    (run,) = judge_texts({"train.py": HEAD + body + TRAIN, "run.sh": "python train.py\n", "conf/small.json": small}).runs
    found = architecture_of(TextFiles({"conf/small.json": small}), run.run)
    assert found is not None
    assert (found.layers, found.hidden, found.vocab) == (2, 64, 100)


DTYPES = {
    "a class": ("tf.GPT2LMHeadModel(tf.GPT2Config())", "fp32", ()),
    "from_config": ("tf.AutoModelForCausalLM.from_config(tf.GPT2Config())", "fp32", ()),
    "a dtype": ("tf.AutoModelForCausalLM.from_config(tf.GPT2Config(), torch_dtype=torch.bfloat16)", "bf16", ()),
    "the configuration's": ("tf.AutoModelForCausalLM.from_config(tf.AutoConfig.from_pretrained('gpt2'))", None, ("auto", "fp32")),
    "a dtype of the configuration": ("tf.AutoModelForCausalLM.from_config(tf.GPT2Config(torch_dtype='bfloat16'))", None, ("auto", "fp32")),
}


@pytest.mark.parametrize(("body", "value", "readings"), DTYPES.values(), ids=DTYPES)
def test_the_dtype_of_what_is_made(body: str, value: str | None, readings: tuple[str, ...]) -> None:
    found: Setting = run_of(body).settings["weights_dtype"]
    assert (found.value, found.readings) == (value, readings)


HEADS = {
    "tf.AutoModelForMaskedLM.from_pretrained('google-bert/bert-base-uncased')": "lm",
    "tf.BertForMaskedLM(tf.BertConfig())": "lm",
    "tf.AutoModel.from_pretrained('gpt2')": "none",
    "tf.AutoModel.from_pretrained('THUDM/chatglm2-6b', trust_remote_code=True)": None,
    "tf.GPT2LMHeadModel(tf.GPT2Config())": None,
    "tf.RobertaForTokenClassification.from_pretrained('FacebookAI/roberta-base')": "classification",
}


@pytest.mark.parametrize(("body", "head"), HEADS.items(), ids=HEADS)
def test_what_stands_at_the_end(body: str, head: str | None) -> None:
    assert run_of(body).settings.value("model_head") == head
