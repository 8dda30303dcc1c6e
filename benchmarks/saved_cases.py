"""The cases that `trace_saved.py` runs: small configs of every family, times precision, attention and adapter.

Sizes are distinct, so that a byte count says which tensor it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

RANK = 5


@dataclass(frozen=True)
class Case:
    family: str
    shape: str
    config: dict[str, Any]
    weights: str = "bf16"
    autocast: bool = False
    attention: str = "sdpa"
    padded: bool = False
    lora: dict[str, Any] = field(default_factory=dict)
    batch: int | None = None

    @property
    def name(self) -> str:
        lora = "".join(f" {key}={value}" for key, value in self.lora.items())
        flags = (
            " autocast" if self.autocast else "",
            f" {self.attention}",
            " padded" if self.padded else "",
            " alone" if self.batch else "",
        )
        return f"{self.shape} {self.weights}{''.join(flags)}{lora}"

    @property
    def classifier(self) -> bool:
        return self.family in ("bert", "roberta")

    def row(self) -> dict[str, Any]:
        return {
            "family": self.family,
            "shape": self.shape,
            "weights": self.weights,
            "autocast": self.autocast,
            "attention": self.attention,
            "padded": self.padded,
            "batch": self.batch,
            "lora": self.lora or None,
        }


def symbols(case: Case) -> dict[int, str]:
    """Element count per token -> name, for the tensor lists; the first name of a count wins."""
    config = case.config
    hidden, heads = _first(config, "hidden_size", "n_embd"), _first(config, "num_attention_heads", "n_head")
    keys = _first(config, "num_key_value_heads", "num_kv_heads") or heads
    width = _first(config, "head_dim") or hidden // heads
    inner = _first(config, "moe_intermediate_size", "intermediate_size", "ffn_dim", "ffn_hidden_size", "n_inner") or 4 * hidden
    chosen = _first(config, "num_experts_per_tok")
    named = [("h", hidden), ("a", heads), ("k", keys), ("A", heads * width), ("K", keys * width), ("i", inner), ("2i", 2 * inner)]
    named += [("1", 1), ("r", RANK), ("d", width), ("A+2K", (heads + 2 * keys) * width), ("3h", 3 * hidden)]
    named += [(f"{chosen}h", chosen * hidden), (f"{chosen}i", chosen * inner), (f"{2 * chosen}i", 2 * chosen * inner)] if chosen else []
    return {count: name for name, count in reversed(named)}


def _first(config: dict[str, Any], *keys: str) -> int:
    return next((config[key] for key in keys if config.get(key)), 0)


_COMMON = {"num_hidden_layers": 3, "vocab_size": 64}
_LLAMA = {
    **_COMMON,
    "hidden_size": 90,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 136,
    "pad_token_id": 0,
}
_WIDE = {**_LLAMA, "hidden_size": 120}  # grouped matmuls need rows of a multiple of 16 bytes
_SQUARE = {**{key: value for key, value in _LLAMA.items() if key != "head_dim"}, "hidden_size": 96}
_PLAIN = {key: value for key, value in _SQUARE.items() if key != "num_key_value_heads"}
_GPT2 = {"n_embd": 96, "n_head": 6, "n_inner": 136, "n_layer": 3, "vocab_size": 64}
_NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
_MOE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 56}
_DEEPSEEK = {
    **_COMMON,
    "hidden_size": 120,
    "num_attention_heads": 6,
    "num_key_value_heads": 6,
    "intermediate_size": 136,
    "kv_lora_rank": 40,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 56,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
}
_FALCON = {**_PLAIN, "ffn_hidden_size": 136, "bias": False, "alibi": False, "parallel_attn": True}
_FALCON_NEW = {**_FALCON, "num_kv_heads": 2, "new_decoder_architecture": True}
_OPT = {**_COMMON, "hidden_size": 96, "num_attention_heads": 6, "ffn_dim": 136, "word_embed_proj_dim": 96}

SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", _LLAMA),
    "mistral": ("mistral", _LLAMA),
    "qwen2": ("qwen2", _SQUARE),
    "qwen3": ("qwen3", _LLAMA),
    "granite": ("granite", _SQUARE),
    "smollm3": ("smollm3", _SQUARE),
    "gemma": ("gemma", _LLAMA),
    "gemma-one-key-head": ("gemma", {**_LLAMA, "num_key_value_heads": 1}),
    "gemma2": ("gemma2", _LLAMA),
    "gemma3": ("gemma3_text", _LLAMA),
    "olmo": ("olmo", _SQUARE),
    "olmo2": ("olmo2", _SQUARE),
    "olmo3": ("olmo3", _SQUARE),
    "phi3": ("phi3", _SQUARE),
    "cohere": ("cohere", _SQUARE),
    "stablelm": ("stablelm", _SQUARE),
    "starcoder2": ("starcoder2", _SQUARE),
    "starcoder2-dropout": ("starcoder2", {**_SQUARE, "residual_dropout": 0.1}),
    "phi": ("phi", _PLAIN),
    "gpt2": ("gpt2", _GPT2),
    "gpt2-no-dropout": ("gpt2", {**_GPT2, **_NO_DROPOUT}),
    "gpt_bigcode": ("gpt_bigcode", _GPT2),
    "gpt_bigcode-no-dropout": ("gpt_bigcode", {**_GPT2, **_NO_DROPOUT}),
    "gpt_bigcode-multi-head": ("gpt_bigcode", {**_GPT2, "multi_query": False}),
    "gptj": ("gptj", {**_GPT2, "rotary_dim": 8}),
    "gpt_neox": ("gpt_neox", {**_PLAIN, "hidden_dropout": 0.0, "attention_dropout": 0.0}),
    "gpt_neox-dropout": ("gpt_neox", {**_PLAIN, "hidden_dropout": 0.1, "attention_dropout": 0.1}),
    "falcon-7b": ("falcon", {**_FALCON, "multi_query": True, "new_decoder_architecture": False}),
    "falcon-40b": ("falcon", _FALCON_NEW),
    "falcon-11b": ("falcon", {**_FALCON_NEW, "num_ln_in_parallel_attn": 1}),
    "bloom": ("bloom", {"hidden_size": 96, "n_head": 6, "n_layer": 3, "vocab_size": 64}),
    "opt": ("opt", _OPT),
    "mixtral": ("mixtral", {**_WIDE, "num_local_experts": 8, "num_experts_per_tok": 2}),
    "qwen2_moe": ("qwen2_moe", {**_SQUARE, **_MOE, "shared_expert_intermediate_size": 72}),
    "qwen3_moe": ("qwen3_moe", {**_WIDE, **_MOE, "norm_topk_prob": True}),
    "gpt_oss": ("gpt_oss", {**_WIDE, "num_local_experts": 8, "num_experts_per_tok": 2}),
    "deepseek_v2": ("deepseek_v2", {**_DEEPSEEK, "q_lora_rank": 48, "topk_method": "greedy"}),
    "deepseek_v2-lite": ("deepseek_v2", {**_DEEPSEEK, "q_lora_rank": None, "topk_method": "greedy"}),
    "deepseek_v3": ("deepseek_v3", {**_DEEPSEEK, "q_lora_rank": 48}),
    "bert": ("bert", {**_PLAIN, "num_labels": 2}),
    "roberta": ("roberta", {**_PLAIN, "num_labels": 2}),
}

_ALL = {"r": RANK, "target_modules": "all-linear", "dtype": "fp32"}
RECIPES: tuple[dict[str, Any], ...] = (
    {"weights": "bf16"},
    {"weights": "fp32", "autocast": True},
    {"weights": "fp32"},
    {"weights": "bf16", "lora": _ALL, "autocast": True},
    {"weights": "bf16", "lora": {**_ALL, "lora_dropout": 0.05}, "autocast": True},
    {"weights": "bf16", "lora": _ALL},
    {"weights": "bf16", "lora": {**_ALL, "lora_dropout": 0.05}},
    {"weights": "bf16", "lora": {**_ALL, "dtype": "bf16"}},
    {"weights": "bf16", "lora": {**_ALL, "dtype": "bf16", "lora_dropout": 0.05}},
    {"weights": "fp32", "lora": _ALL, "autocast": True},
    {"weights": "fp32", "lora": _ALL},
)
"""Precision and adapters with the default attention of each family."""

EAGER_RECIPES = (RECIPES[0], RECIPES[1], RECIPES[2], RECIPES[3])
NO_SDPA = frozenset({"gemma2", "gpt_oss"})
ADAPTS_EXPERTS = frozenset({"mixtral", "qwen3_moe", "deepseek_v2", "deepseek_v3"})
"""peft 0.21.2 turns ``all-linear`` into adapters of the stacked expert matrices and of the router, and refuses dropout there."""
ALONE = (
    "llama",
    "qwen2",
    "phi3",
    "phi",
    "gpt2",
    "gpt_neox",
    "gpt_bigcode-multi-head",
    "falcon-7b",
    "falcon-40b",
    "bloom",
    "gemma2",
    "bert",
    "opt",
)
"""Shapes traced with a single sequence too."""

NAMED = {
    **dict.fromkeys(("llama", "mistral", "qwen2", "qwen3", "gemma", "olmo2", "phi", "stablelm", "opt", "mixtral"), ("q_proj", "v_proj")),
    **dict.fromkeys(("gpt_neox", "falcon-7b", "bloom"), ("query_key_value",)),
    **dict.fromkeys(("gpt2", "gpt_bigcode"), ("c_attn",)),
    **dict.fromkeys(("bert", "roberta"), ("query", "value")),
    "phi3": ("qkv_proj",),
    "deepseek_v3": ("kv_b_proj",),
    "qwen3_moe": ("q_proj", "o_proj"),
}
"""Adapters on some linears only."""


def _cases() -> Iterator[Case]:
    for shape, (family, config) in SHAPES.items():
        default = "eager" if family == "bloom" else "flash" if family in NO_SDPA else "sdpa"
        for recipe in RECIPES:
            if default == "flash" and recipe["weights"] == "fp32" and not recipe.get("autocast"):
                continue
            if family in ADAPTS_EXPERTS and recipe.get("lora", {}).get("lora_dropout"):
                continue
            yield Case(family, shape, config, attention=default, **recipe)
        for recipe in EAGER_RECIPES if default != "eager" else ():
            yield Case(family, shape, config, attention="eager", **recipe)
        for recipe in EAGER_RECIPES if shape in ALONE else ():
            yield Case(family, shape, config, attention="eager", batch=1, **recipe)
        if default == "sdpa":
            for recipe in (RECIPES[0], RECIPES[3]):
                yield Case(family, shape, config, attention="sdpa", padded=True, **recipe)
        if shape in ("llama", "gpt2-no-dropout", "gpt_neox", "gpt_bigcode-no-dropout"):
            for recipe in EAGER_RECIPES:
                yield Case(family, shape, config, attention="math", **recipe)
        for targets in (NAMED[shape],) if shape in NAMED else ():
            lora = {"r": RANK, "target_modules": list(targets), "dtype": "fp32"}
            for extra in ({}, {"lora_dropout": 0.05}):
                yield Case(family, shape, config, attention=default, weights="bf16", autocast=True, lora={**lora, **extra})
    for shape in ("llama", "qwen2", "gpt2", "phi3"):
        family, config = SHAPES[shape]
        for recipe in RECIPES[3:9]:
            yield Case(family, shape, config, **{**recipe, "lora": {**recipe["lora"], "use_dora": True}})


CASES = tuple(_cases())
