"""A local config.json gives the shape; what cannot be read gives a problem with the key."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import all_families
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.hf_families import SIZES
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import find_model

TYPES = sorted(one.name for one in all_families() if one.said("config"))
"""The model_types that have a record."""


def read(config: dict[str, Any]) -> Architecture:
    arch = architecture_from_config(config, "here")
    assert isinstance(arch, Architecture), arch
    return arch


CLASS_DEFAULTS = {
    "llama": 6_738_415_616,
    "mistral": 7_241_732_096,
    "mixtral": 46_702_792_704,
    "qwen2": 12_049_846_272,
    "qwen3": 12_049_461_248,
    "qwen2_moe": 14_315_784_192,
    "gemma": 8_537_680_896,
    "gemma2": 2_614_341_888,
    "phi": 1_418_270_720,
    "phi3": 3_821_079_552,
    "gpt2": 124_439_808,
    "gpt_neox": 20_554_567_680,
    "gptj": 6_050_882_784,
    "falcon": 6_921_720_704,
    "opt": 125_239_296,
    "starcoder2": 3_030_371_328,
    "stablelm": 2_795_443_200,
    "olmo": 6_888_095_744,
    "deepseek_v3": 671_026_404_352,
    "gpt_oss": 116_829_156_672,
    "smollm3": 3_075_098_624,
    "bert": 109_482_240,
    "roberta": 124_644_864,
    "distilbert": 66_362_880,
    "modernbert": 149_014_272,
    "t5": 60_506_624,
    "vit": 85_798_656,
    "whisper": 37_760_640,
}
"""Parameters of the classes of transformers 5.24.0 with no argument given; where a catalog model has this shape, its count."""


@pytest.mark.parametrize(("kind", "count"), CLASS_DEFAULTS.items())
def test_a_missing_key_takes_the_class_default(kind: str, count: int) -> None:
    assert parameter_count(read({"model_type": kind})) == count


WITHOUT_SIZES = {
    *("gemma3", "deepseek", "internlm2", "qwen", "chatglm", "baichuan"),
    *("codegen", "gpt_neo", "mpt", "olmoe", "seed_oss"),
}
"""Types whose class defaults are not in the table: a config.json of theirs writes its sizes."""


@pytest.mark.parametrize("kind", sorted(set(TYPES) - WITHOUT_SIZES))
def test_every_known_type_gives_a_countable_shape(kind: str) -> None:
    assert parameter_count(read({"model_type": kind})) > 10_000_000


KEYS = {"hidden": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads", "kv_heads": "num_key_value_heads"}
LLAMA_LIKE = (
    "llama-3.1-8b",
    "qwen2.5-1.5b",
    "qwen3-8b",
    "gemma-2-9b",
    "phi-4",
    "mistral-nemo-12b",
    "smollm2-1.7b",
    "olmo-2-7b",
    "stablelm-2-1.6b",
)


@pytest.mark.parametrize("name", LLAMA_LIKE)
def test_a_config_of_a_catalog_model_gives_the_catalog_shape(name: str) -> None:
    model = find_model(name)
    assert isinstance(model, Architecture)
    config = {
        "model_type": model.family,
        **{key: getattr(model, field) for field, key in KEYS.items()},
        "head_dim": model.head_dim,
        "intermediate_size": model.intermediate,
        "vocab_size": model.vocab,
        "tie_word_embeddings": model.tied,
        "use_qkv_bias": model.qkv_bias,
    }
    assert parameter_count(read(config)) == model.params_published


@pytest.mark.parametrize(
    ("config", "count"),
    [
        (
            {
                "model_type": "falcon",
                "hidden_size": 8192,
                "num_hidden_layers": 60,
                "num_attention_heads": 128,
                "num_kv_heads": 8,
                "new_decoder_architecture": True,
            },
            41_303_293_952,
        ),
        (
            {
                "model_type": "qwen",
                "hidden_size": 4096,
                "intermediate_size": 22016,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "vocab_size": 151936,
            },
            7_721_324_544,
        ),
        (
            {
                "model_type": "chatglm",
                "hidden_size": 4096,
                "ffn_hidden_size": 13696,
                "num_layers": 28,
                "num_attention_heads": 32,
                "multi_query_group_num": 2,
                "kv_channels": 128,
                "padded_vocab_size": 65024,
            },
            6_243_584_000,
        ),
        (
            {"model_type": "gpt_bigcode", "n_embd": 2048, "n_head": 16, "n_layer": 24, "n_positions": 2048, "vocab_size": 49280},
            1_124_886_528,
        ),
        (
            {
                "model_type": "t5",
                "d_model": 2048,
                "d_ff": 5120,
                "num_layers": 24,
                "num_heads": 32,
                "feed_forward_proj": "gated-gelu",
                "tie_word_embeddings": False,
            },
            2_849_757_184,
        ),
        (
            {
                "model_type": "opt",
                "hidden_size": 1024,
                "word_embed_proj_dim": 512,
                "do_layer_norm_before": False,
                "ffn_dim": 4096,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
            },
            331_196_416,
        ),
        ({"model_type": "codegen", "n_embd": 2560, "n_layer": 32, "n_head": 32, "vocab_size": 51200}, 2_779_356_160),
        (
            {
                "model_type": "gpt_neo",
                "hidden_size": 768,
                "num_layers": 12,
                "num_heads": 12,
                "vocab_size": 50257,
                "max_position_embeddings": 2048,
            },
            125_198_592,
        ),
        ({"model_type": "mpt", "d_model": 4096, "n_layers": 32, "n_heads": 32, "vocab_size": 50432}, 6_649_286_656),
        (
            {
                "model_type": "olmoe",
                "hidden_size": 2048,
                "intermediate_size": 1024,
                "num_hidden_layers": 16,
                "num_attention_heads": 16,
                "num_experts": 64,
                "num_experts_per_tok": 8,
                "vocab_size": 50304,
            },
            6_919_161_856,
        ),
        (
            {
                "model_type": "seed_oss",
                "hidden_size": 5120,
                "intermediate_size": 27648,
                "num_hidden_layers": 64,
                "num_attention_heads": 80,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "attention_bias": True,
                "vocab_size": 155136,
            },
            36_151_104_512,
        ),
        (
            {
                "model_type": "cohere2",
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
            },
            8_028_033_024,
        ),
        (
            {
                "model_type": "glm4",
                "hidden_size": 6144,
                "intermediate_size": 23040,
                "num_hidden_layers": 61,
                "num_attention_heads": 48,
                "num_key_value_heads": 2,
                "attention_bias": False,
            },
            32_566_081_536,
        ),
        (
            {
                "model_type": "deberta-v2",
                "num_hidden_layers": 48,
                "relative_attention": True,
                "position_buckets": 256,
                "position_biased_input": False,
                "conv_kernel_size": 3,
            },
            1_564_549_632,
        ),
        ({"model_type": "opt", "hidden_size": 2048, "ffn_dim": 8192, "num_hidden_layers": 24, "num_attention_heads": 32}, 1_315_758_080),
    ],
)
def test_families_with_keys_of_their_own(config: dict[str, Any], count: int) -> None:
    assert parameter_count(read(config)) == count


def test_a_multimodal_config_is_read_through_its_text_config() -> None:
    text = {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "vocab_size": 262208,
    }
    vision = {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
        "image_size": 896,
        "patch_size": 14,
    }
    assert parameter_count(read({"model_type": "gemma3", "text_config": text, "vision_config": vision})) == 4_300_079_472
    other = read({"model_type": "llava_onevision", "text_config": {"model_type": "llama"}, "vision_config": {}})
    assert "not the tower" in other.note


def test_falcon_with_alibi_has_no_rotary_positions() -> None:
    assert read({"model_type": "falcon"}).position == "rope"
    assert read({"model_type": "falcon", "alibi": True}).position == "alibi"


@pytest.mark.parametrize(("parallel", "extra"), [(None, (1, 0)), (True, (1, 0)), (False, (0, 1))])
def test_gpt_neox_runs_attention_and_mlp_side_by_side_unless_it_says_otherwise(parallel: bool | None, extra: tuple[int, int]) -> None:
    arch = read({"model_type": "gpt_neox", **({} if parallel is None else {"use_parallel_residual": parallel})})
    assert (arch.number("parallel_block"), arch.number("sequential_residual")) == extra
    assert parameter_count(arch) == CLASS_DEFAULTS["gpt_neox"]


@pytest.mark.parametrize(
    ("config", "window", "layers"),
    [
        ({"model_type": "gemma2"}, 4096, 13),
        ({"model_type": "mistral", "sliding_window": None}, None, None),
        ({"model_type": "mistral"}, 4096, 32),
        ({"model_type": "qwen2", "sliding_window": 32768, "use_sliding_window": False}, None, None),
        ({"model_type": "gpt_oss"}, 128, 18),
        ({"model_type": "cohere2"}, 4096, 30),
        ({"model_type": "gpt_neo", "hidden_size": 768, "num_layers": 12, "num_heads": 12}, 256, 6),
    ],
)
def test_a_sliding_window_counts_where_it_is_used(config: dict[str, Any], window: int | None, layers: int | None) -> None:
    arch = read(config)
    assert (arch.sliding_window, arch.sliding_layers) == (window, layers)


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({}, "model_type"),
        ({"model_type": "mamba"}, "model_type"),
        ({"model_type": "flamingo", "text_config": {"model_type": "llama"}}, "model_type"),
        ({"model_type": "llama", "hidden_size": "4096"}, "hidden_size"),
        ({"model_type": "llama", "num_hidden_layers": -1}, "num_hidden_layers"),
        ({"model_type": "llama", "num_hidden_layers": True}, "num_hidden_layers"),
        ({"model_type": "llama", "vocab_size": 10**12}, "vocab_size"),
        ({"model_type": "llama", "hidden_size": 100, "num_attention_heads": 7}, ""),
        ({"model_type": "llama", "hidden_size": 0}, ""),
        ({"model_type": "baichuan"}, "hidden_size"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_key(config: dict[str, Any], key: str) -> None:
    problems = architecture_from_config(config, "here")
    assert isinstance(problems, tuple)
    assert problems[0].key == key


def test_the_dtype_of_the_checkpoint_is_kept() -> None:
    assert read({"model_type": "llama", "torch_dtype": "bfloat16"}).checkpoint_dtype == "bf16"
    assert read({"model_type": "llama", "dtype": "float16"}).checkpoint_dtype == "fp16"


@pytest.mark.parametrize("kind", TYPES)
def test_no_value_of_the_wrong_kind_raises(kind: str) -> None:
    for key in (*SIZES, "layer_types", "mlp_only_layers", "text_config", "vision_config", "hidden_act", "feed_forward_proj", "head_dim"):
        for value in (None, "x", -1, 0, [], {}, True, 1.5, 10**30):
            for config in (
                {"model_type": kind, key: value},
                {"model_type": kind, "text_config": {key: value}, "vision_config": {key: value}},
            ):
                arch = architecture_from_config(config, "here")
                assert isinstance(arch, tuple) or parameter_count(arch) >= 0
