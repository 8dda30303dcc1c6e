"""Vision towers of the catalog and of config.json: their counts are those of the published checkpoints."""

from __future__ import annotations

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.catalog.ledger import linears, parameter_count, weight_tensors
from budgetlint.catalog.models import find_model


def found(text: str) -> Architecture:
    model = find_model(text)
    assert isinstance(model, Architecture), model
    return model


@pytest.mark.parametrize(
    ("hub_id", "count"),
    [
        ("Qwen/Qwen2-VL-2B-Instruct", 2_208_985_600),
        ("Qwen/Qwen2-VL-7B-Instruct", 8_291_375_616),
        ("Qwen/Qwen2.5-VL-3B-Instruct", 3_754_622_976),
        ("unsloth/Qwen2.5-VL-7B-Instruct-bnb-4bit", 8_292_166_656),
        ("Qwen/Qwen2.5-VL-32B-Instruct", 33_452_718_336),
        ("Qwen/Qwen3-VL-2B-Instruct", 2_127_532_032),
        ("Qwen/Qwen3-VL-4B-Thinking", 4_437_815_808),
        ("Qwen/Qwen3-VL-8B-Instruct", 8_767_123_696),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", 31_070_754_032),
        ("Qwen/Qwen3-VL-235B-A22B-Instruct", 235_670_022_896),
        ("llava-hf/llava-1.5-7b-hf", 7_063_427_072),
        ("liuhaotian/llava-v1.5-7b", 7_063_427_072),
        ("OpenGVLab/InternVL2-2B", 2_205_754_368),
        ("OpenGVLab/InternVL2_5-1B", 938_193_024),
        ("OpenGVLab/InternVL2_5-4B", 3_712_637_952),
        ("OpenGVLab/InternVL2_5-8B", 8_075_365_376),
        ("OpenGVLab/InternVL2_5-26B", 25_514_186_112),
        ("OpenGVLab/InternVL2_5-38B", 38_388_164_992),
        ("OpenGVLab/InternVL3-78B-Instruct", 78_408_318_336),
        ("OpenGVLab/InternVL3-1B-hf", 938_193_024),
        ("OpenGVLab/InternVL3-8B", 7_944_373_760),
        ("google/gemma-3-4b-it", 4_300_079_472),
        ("Qwen/Qwen3.5-0.8B", 852_985_920),
        ("Qwen/Qwen3.5-2B", 2_213_241_664),
        ("Qwen/Qwen3.5-4B", 4_539_265_536),
        ("Qwen/Qwen3.5-9B", 9_409_813_744),
        ("Qwen/Qwen3.5-27B", 27_356_728_560),
        ("Qwen/Qwen3.5-35B-A3B-Base", 35_107_181_936),
        ("Qwen/Qwen3.5-397B-A17B", 396_802_360_816),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", 79_674_391_296),
    ],
)
def test_a_hub_id_finds_decoder_tower_and_projector(hub_id: str, count: int) -> None:
    """Each count was read in a public file."""
    assert parameter_count(found(hub_id)) == count


def test_the_language_model_of_a_mixture_of_layers() -> None:
    """Public files count 122,111,526,912 in the language model of Qwen3.5-122B-A10B."""
    tensors = weight_tensors(found("Qwen/Qwen3.5-122B-A10B"))
    assert sum(one.elements for one in tensors if one.where not in ("vision", "projector")) == 122_111_526_912


def test_a_connector_is_counted_apart() -> None:
    """A public run of InternVL2-2B that trains its projector only printed 12,595,200."""
    tensors = weight_tensors(found("internvl2-2b"))
    assert sum(one.elements for one in tensors if one.where == "projector") == 12_595_200


def test_modules_lie_where_the_code_has_them() -> None:
    names = {item.module for item in linears(found("qwen2.5-vl-7b"))}
    assert {"model.language_model.layers.*.self_attn.q_proj", "model.visual.blocks.*.attn.qkv", "model.visual.merger.mlp.0"} <= names


_SIGLIP = {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "patch_size": 14}
_LLAMA = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32}
CONFIGS = {
    "idefics3": (
        {"scale_factor": 3, "text_config": {**_LLAMA, "vocab_size": 49155}, "vision_config": {**_SIGLIP, "image_size": 384}},
        2_246_272_880,
    ),
    "mistral3": (
        {
            "tie_word_embeddings": False,
            "text_config": {
                "model_type": "mistral",
                "hidden_size": 5120,
                "intermediate_size": 32768,
                "num_hidden_layers": 40,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "vocab_size": 131072,
                "tie_word_embeddings": False,
            },
            "vision_config": {"model_type": "pixtral", "patch_size": 14, "image_size": 1540},
        },
        24_011_361_280,
    ),
    "internvl": (
        {
            "tie_word_embeddings": True,
            "text_config": {
                "model_type": "qwen2",
                "hidden_size": 896,
                "intermediate_size": 4864,
                "num_hidden_layers": 24,
                "num_attention_heads": 14,
                "num_key_value_heads": 2,
                "vocab_size": 151674,
                "tie_word_embeddings": True,
            },
            "vision_config": {"attention_bias": True},
        },
        802_293_120,
    ),
    "paligemma": (
        {
            "text_config": {
                "model_type": "gemma",
                "hidden_size": 2048,
                "intermediate_size": 16384,
                "num_hidden_layers": 18,
                "num_attention_heads": 8,
                "num_key_value_heads": 1,
                "head_dim": 256,
                "vocab_size": 257216,
            },
            "vision_config": _SIGLIP,
        },
        2_923_466_480,
    ),
    "qwen2_vl": (
        {
            "hidden_size": 3584,
            "intermediate_size": 18944,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "vocab_size": 152064,
            "vision_config": {"hidden_size": 3584},
        },
        8_291_375_616,
    ),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_config_json_describes_the_tower_too(kind: str) -> None:
    """The counts of the transformers 5.24.0 classes on meta tensors."""
    config, count = CONFIGS[kind]
    read = architecture_from_config({"model_type": kind, **config}, "here")
    assert isinstance(read, Architecture) and read.note == ""
    assert parameter_count(read) == count
