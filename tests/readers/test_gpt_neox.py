"""GPT-NeoX: hyphens, two files that are one run, the model in numbers, one precision said in three ways."""

from __future__ import annotations

from textwrap import dedent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.documents.load import load
from budgetlint.language.custom_model import custom_architecture
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.gpt_neox.reader import READER
from budgetlint.settings.run import Stack

SEEDS = {
    "gpt_neox": "{pipe-parallel-size: 1, num-layers: 1, hidden-size: 1, no-weight-tying: true}",
}
"""Documents that it claims (`test_marks.py`)."""

SHAPE = """
"pipe_parallel_size": 1,
"model_parallel_size": 1,
"num_layers": 24,
"hidden_size": 2048,
"num_attention_heads": 16,
"seq_length": 2048,
"max_position_embeddings": 2048,
"pos_emb": "rotary",
"no_weight_tying": true,
"gpt_j_residual": true,
"""
TRAINING = """
"optimizer": {"type": "Adam", "params": {"lr": 0.0002, "betas": [0.9, 0.95], "eps": 1.0e-8}},
"zero_optimization": {"stage": 1, "reduce_bucket_size": 500000000},
"train_micro_batch_size_per_gpu": 4,
"checkpoint_activations": true,
"checkpoint_num_layers": 2,
"partition_activations": true,
"synchronize_each_layer": true,
"gradient_clipping": 1.0,
"weight_decay": 0.1,
"train_iters": 320000,
"lr_decay_style": "cosine",
"warmup": 0.01,
"""


def document(body: str, name: str = "model.yml"):
    return load(SourceFile(name, "{" + dedent(body) + "}"))[0]


def read(body: str):
    return READER.read(document(body))


def full(body: str):
    return complete(READER, read(body).settings, Stack())


def architecture(body: str):
    return custom_architecture(read(body).settings.value("model_custom"))


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (SHAPE + TRAINING, "a.yml"),
        (SHAPE, "model_only.yml"),
        (TRAINING, "training_only.yml"),
        ((SHAPE + TRAINING).replace("_", "-"), "hyphens.yml"),
        ((SHAPE + TRAINING).rstrip().rstrip(","), "a.json"),
    ],
)
def test_its_files_are_recognised(body, name):
    assert identify(document(body, name)) is READER


@pytest.mark.parametrize("text", ['{"zero_optimization": {"stage": 2}}', '{"num_layers": 2, "hidden_size": 8, "model_type": "gpt2"}', "{}"])
def test_other_files_are_not(text):
    assert READER.recognise(load(SourceFile("a.json", text))[0]) == 0


def test_hyphens_say_the_same():
    one, other = read(SHAPE + TRAINING).settings, read((SHAPE + TRAINING).replace("_", "-")).settings
    assert {name: setting.value for name, setting in one.items()} == {name: setting.value for name, setting in other.items()}


@pytest.mark.parametrize(
    ("extra", "count"),
    [
        ("", 1_414_647_808),  # Pythia 1.4B
        ('"num_layers": 44, "hidden_size": 6144, "num_attention_heads": 64, "model_parallel_size": 2,', 20_554_567_680),  # GPT-NeoX-20B
    ],
)
def test_the_numbers_are_the_published_models(extra, count):
    """Vocabularies: 50277 tokens padded to 50304 (steps of 128) and to 50432 (steps of 256)."""
    assert parameter_count(architecture(SHAPE + '"tokenizer_type": "HFTokenizer",' + extra)) == count


@pytest.mark.parametrize(
    ("extra", "width"),
    [
        ("", 8192),
        ('"intermediate_size": 5632,', 5632),
        ('"activation": "swiglu",', 2816),  # two thirds of 8192, half for gate and half for up, in steps of 256
        ('"activation": "swiglu", "intermediate_size": 16384,', 5632),
        ('"activation": "swiglu", "intermediate_size": 5632,', 5632),
    ],
)
def test_the_width_of_the_mlp(extra, width):
    assert architecture(SHAPE + extra).intermediate == width


def test_a_tokenizer_of_unknown_size_leaves_the_model_open():
    assert "model_custom" not in read(SHAPE + '"tokenizer_type": "SPMTokenizer",').settings
    assert "model_custom" not in read(SHAPE + '"norm": "rmsnorm",').settings, "its tokenizer stands in the training file"


@pytest.mark.parametrize("kind", ["mamba", "rwkv", "gmlp"])
def test_layers_that_are_no_transformer_blocks_are_not_counted(kind):
    assert "model_custom" not in read(SHAPE + f'"attention_config": [[["{kind}"], 24]],').settings


@pytest.mark.parametrize(
    ("said", "dtype"),
    [
        ('"precision": "bfloat16",', "bf16"),
        ('"fp16": {"enabled": true, "type": "bfloat16"},', "bf16"),
        ('"bf16": {"enabled": true},', "bf16"),
        ('"fp16": {"fp16": true, "enabled": true, "loss_scale": 0},', "fp16"),
        ("", "fp32"),
    ],
)
def test_one_precision_said_in_several_ways(said, dtype):
    settings = full(SHAPE + TRAINING + said)
    assert (settings.value("engine_dtype"), settings.value("weights_dtype")) == (dtype, dtype)


def test_adam_is_decoupled_here():
    settings = full(SHAPE + TRAINING)
    assert settings.value("optimizer") == "fused_adam"
    assert find_optimizer(settings.value("optimizer")).decay == "decoupled"
    assert full(SHAPE + TRAINING + '"use_bnb_optimizer": true,').value("optimizer") == "adam8bit"


def test_an_optimizer_nobody_sized_is_no_mistake():
    reading = read(SHAPE + TRAINING.replace("Adam", "sm3"))
    assert reading.settings["optimizer"].state == "symbolic"
    assert not reading.misreads


def test_workload_and_engine():
    settings = full(SHAPE + TRAINING + '"attention_config": [[["flash"], 24]], "train_impl": "dpo",')
    expected = {
        "micro_batch": 4, "seq_len": 2048, "shard": "zero1", "zero_bucket": 500_000_000, "recompute": "full", "recompute_every": 2,
        "attention": "flash", "learning_rate": 0.0002, "weight_decay": 0.1, "warmup_ratio": 0.01, "max_steps": 320_000,
        "task": "dpo", "reference_model": "policy", "model_code": "megatron", "pipeline_parallel": 1,
    }  # fmt: skip
    assert {name: settings.value(name) for name in expected} == expected


def test_pipelines_that_are_off_are_one_stage():
    assert read('"pipe_parallel_size": 0,' + SHAPE.replace('"pipe_parallel_size": 1,', "")).settings.value("pipeline_parallel") == 1


def test_a_malformed_number_is_told():
    (wrong,) = read(SHAPE + TRAINING.replace("1.0e-8", "1.0e_8")).misreads
    assert "1.0e_8" in wrong.message
