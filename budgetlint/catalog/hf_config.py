"""An architecture from a local ``config.json``, or from the numbers in a budget. Problems are returned, never raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_defaults import KEYS, LIKE, NESTED, NUMBERS, SAME_CODE, SHAPE

DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "torch.bfloat16": "bf16",
    "torch.float16": "fp16",
    "torch.float32": "fp32",
}

Q_K_V_ONLY = frozenset({"glm"})
"""Families whose ``attention_bias`` leaves the output projection without one (modeling_glm.py)."""

LARGEST = 10**9
"""No size of a model is larger; a bigger number is a slip, and multiplying it would only hide that."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Why a config gives no architecture. ``key`` as written in the file, "" for the whole of it."""

    key: str
    message: str


def architecture_from_config(config: Mapping[str, Any], name: str) -> Architecture | tuple[ConfigProblem, ...]:
    """Read a transformers ``config.json``; missing keys take the defaults of the 5.24.0 config classes.

    A multimodal config is read through its ``text_config``; only Gemma 3's vision tower is counted, others are noted.
    """
    text = config.get("text_config") or config.get("llm_config") or config.get("language_config")
    outer = str(config.get("model_type") or "")
    if isinstance(text, Mapping) and outer not in NESTED:
        return (ConfigProblem("model_type", _unknown(outer)),)
    merged = {**_inherited(config), **text} if isinstance(text, Mapping) else dict(config)
    kind = str(merged.get("model_type") or outer)
    family = "gemma3" if outer == "gemma3" else SAME_CODE.get(kind, kind)
    if family not in SHAPE:
        return (ConfigProblem("model_type", _unknown(kind)),)
    problems: list[ConfigProblem] = []
    values = _values(merged, family, problems)
    if problems:
        return tuple(problems)
    _SPECIAL.get(family, _nothing)(merged, values)
    note = "" if not isinstance(text, Mapping) or family == "gemma3" else "only the language model is counted, not the tower beside it"
    if outer == "gemma3" and isinstance(config.get("vision_config"), Mapping):
        values["parts"] = (("vision", _siglip(config["vision_config"])),)
    return Architecture(name=name, hub_id="", family=family, note=note, sources=(f"{name}: config.json",), **_finished(values))


def _unknown(kind: str) -> str:
    cure = "give its numbers with 'model custom hidden=… layers=…'"
    return f"the layers of model_type '{kind}' are not known: {cure}" if kind else f"no model_type: {cure}"


def _inherited(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: config[key] for key in ("tie_word_embeddings", "torch_dtype", "dtype", "vocab_size") if key in config}


def _values(config: Mapping[str, Any], family: str, problems: list[ConfigProblem]) -> dict[str, Any]:
    defaults = NUMBERS.get(LIKE.get(family, family), {})
    values: dict[str, Any] = {"kind": "decoder", **{k: dict(v) if isinstance(v, Mapping) else v for k, v in SHAPE[family].items()}}
    values.setdefault("extra", {})
    for field, keys in KEYS.items():
        value = _number(config, keys, problems)
        if value is None:
            value = defaults.get(field)
        if value is not None:
            values[field] = value
    missing = [KEYS[field][0] for field in ("hidden", "layers", "heads") if field not in values]
    problems += [ConfigProblem(key, f"'{key}' is missing") for key in missing]
    if not problems:
        _common(config, values, problems, family)
    return values


def _number(config: Mapping[str, Any], keys: tuple[str, ...], problems: list[ConfigProblem]) -> int | None:
    for key in keys:
        value = config.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            problems.append(ConfigProblem(key, f"'{key}' is {value!r}, no whole number from 0 to {LARGEST:,}"))
            return None
        return value
    return None


def _common(config: Mapping[str, Any], values: dict[str, Any], problems: list[ConfigProblem], family: str) -> None:
    hidden, heads = values["hidden"], values["heads"]
    if not heads or not hidden or not values["layers"]:
        problems.append(ConfigProblem("", "hidden size, layers and heads must be at least 1"))
        return
    if not values.get("head_dim"):
        if hidden % heads:
            problems.append(ConfigProblem("", f"{heads} heads do not divide a hidden size of {hidden}"))
            return
        values["head_dim"] = hidden // heads
    values["kv_heads"] = values.get("kv_heads") or heads
    values["intermediate"] = values.get("intermediate") or 4 * hidden
    values.setdefault("vocab", 0)
    values.setdefault("max_positions", None)
    _flags(config, values, family)


def _flags(config: Mapping[str, Any], values: dict[str, Any], family: str) -> None:
    values["tied"] = bool(config.get("tie_word_embeddings", values.get("tied", False)))
    if "attention_bias" in config:
        values["qkv_bias"] = bool(config["attention_bias"])
        values["o_bias"] = values["qkv_bias"] and family not in Q_K_V_ONLY
    for key, field in (("qkv_bias", "qkv_bias"), ("use_qkv_bias", "qkv_bias"), ("mlp_bias", "mlp_bias")):
        if isinstance(config.get(key), bool):
            values[field] = config[key]
    activation = config.get("hidden_activation") or config.get("hidden_act") or config.get("activation_function")
    if isinstance(activation, str):
        values["activation"] = activation
    values["checkpoint_dtype"] = DTYPES.get(str(config.get("torch_dtype") or config.get("dtype") or ""))
    for key in ("resid_pdrop", "hidden_dropout", "residual_dropout", "hidden_dropout_prob", "dropout_rate", "dropout"):
        if isinstance(config.get(key), (int, float)):
            values["dropout"] = float(config[key])
            break
    _windows(config, values)


def _windows(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """``sliding_window`` counts where it is used: layer_types say which layers, ``use_sliding_window`` false none."""
    window, kinds = config.get("sliding_window"), config.get("layer_types")
    if not isinstance(window, int) or not window or config.get("use_sliding_window") is False:
        return
    sliding = sum(kind == "sliding_attention" for kind in kinds) if isinstance(kinds, list) else values["layers"]
    if sliding:
        values["sliding_window"], values["sliding_layers"] = window, min(sliding, values["layers"])


# -- what one family does differently ---------------------------------------------------------------------------------


def _nothing(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Most families need no more."""


def _gemma_windows(every: int) -> Callable[[Mapping[str, Any], dict[str, Any]], None]:
    def apply(config: Mapping[str, Any], values: dict[str, Any]) -> None:
        layers = values["layers"]
        if not isinstance(config.get("layer_types"), list):
            window = config.get("sliding_window", 4096)
            step = config.get("sliding_window_pattern", every)
            if isinstance(window, int) and window and isinstance(step, int) and step > 0:
                values["sliding_window"], values["sliding_layers"] = window, layers - layers // step

    return apply


def _gpt_oss(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["moe_intermediate"] = values["intermediate"]
    if not isinstance(config.get("layer_types"), list):
        values["sliding_window"], values["sliding_layers"] = config.get("sliding_window", 128), -(-values["layers"] // 2)


def _mixture(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Qwen-MoE: layers named in mlp_only_layers, or off the sparse step, are dense (modeling_qwen3_moe.py decoder layer)."""
    only, step = config.get("mlp_only_layers") or (), config.get("decoder_sparse_step") or 1
    if isinstance(only, (list, tuple)) and isinstance(step, int):
        dense = sum(index in only or (index + 1) % step != 0 for index in range(values["layers"]))
        values["first_dense_layers"] = dense or None


def _mistral(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    if "sliding_window" not in config:
        values["sliding_window"], values["sliding_layers"] = 4096, values["layers"]


def _mixtral(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["moe_intermediate"] = values["intermediate"]


def _deepseek(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    sizes = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
    given = {key: config.get(key, default) for key, default in sizes.items()}
    values["mla"] = tuple((key, value) for key, value in given.items() if isinstance(value, int) and value)
    values["head_dim"] = dict(values["mla"]).get("qk_nope_head_dim", 0) + dict(values["mla"]).get("qk_rope_head_dim", 0)


def _falcon(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """modeling_falcon.py: one kv head unless new_decoder_architecture; two norms there or without parallel attention."""
    new, heads = bool(config.get("new_decoder_architecture", False)), values["heads"]
    multi = bool(config.get("multi_query", True))
    values["kv_heads"] = (config.get("num_kv_heads") or config.get("n_head_kv") or heads) if new else 1 if multi else heads
    norms = config.get("num_ln_in_parallel_attn") or (2 if new else 1)
    values["norms_per_layer"] = norms if new or config.get("parallel_attn", True) else 2
    values["qkv_bias"] = values["o_bias"] = values["mlp_bias"] = bool(config.get("bias", False))


def _big_code(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["kv_heads"] = 1 if config.get("multi_query", True) else values["heads"]


def _one_per_head(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["kv_heads"] = values["heads"]


def _starcoder2(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["qkv_bias"] = values["o_bias"] = values["mlp_bias"] = bool(config.get("use_bias", True))


def _qwen(_config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Remote code of Qwen 1: ``intermediate_size`` is twice the width of each of its two matrices."""
    values["intermediate"] //= 2
    values["kv_heads"] = values["heads"]


def _t5(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    feed = str(config.get("feed_forward_proj", "relu" if values["activation"] == "relu" else "gated-gelu"))
    values["glu"], values["kv_heads"] = feed.startswith("gated"), values["heads"]
    values["activation"] = {"gated-gelu": "gelu_new"}.get(feed, feed.removeprefix("gated-"))
    values["extra"]["decoder_layers"] = config.get("num_decoder_layers") or values["layers"]
    values["extra"]["rel_buckets"] = config.get("relative_attention_num_buckets", 32)


def _bert(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["extra"].update(type_vocab=config.get("type_vocab_size", 2), pooler=1)


def _deberta(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    buckets = config.get("position_buckets", -1)
    if config.get("relative_attention", False):
        values["extra"]["rel_buckets"] = buckets if isinstance(buckets, int) and buckets > 0 else values["max_positions"]
    if config.get("position_biased_input", True):
        values["position"] = "learned"
    values["extra"]["type_vocab"] = config.get("type_vocab_size", 0)


def _whisper(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["extra"].update(
        decoder_layers=config.get("decoder_layers") or values["layers"],
        mel_bins=config.get("num_mel_bins", 80),
        source_positions=config.get("max_source_positions", 1500),
    )


def _vit(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    values["extra"].update(image_size=config.get("image_size", 224), patch_size=config.get("patch_size", 16))


def _siglip(config: Mapping[str, Any]) -> Architecture:
    """SigLIP of Gemma 3 (configuration_siglip.py SiglipVisionConfig defaults)."""
    hidden, heads = config.get("hidden_size", 768), config.get("num_attention_heads", 12)
    return Architecture(
        name="siglip",
        hub_id="",
        family="siglip",
        kind="vision",
        hidden=hidden,
        layers=config.get("num_hidden_layers", 12),
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        intermediate=config.get("intermediate_size", 3072),
        vocab=0,
        tied=True,
        max_positions=None,
        glu=False,
        activation="gelu_pytorch_tanh",
        norm="layernorm",
        norm_bias=True,
        qkv_bias=True,
        o_bias=True,
        mlp_bias=True,
        position="learned",
        extra=(("image_size", config.get("image_size", 224)), ("patch_size", config.get("patch_size", 16))),
    )


_SPECIAL: dict[str, Callable[[Mapping[str, Any], dict[str, Any]], None]] = {
    "gemma2": _gemma_windows(2),
    "gemma3": _gemma_windows(6),
    "gemma3_text": _gemma_windows(6),
    "olmo3": _gemma_windows(4),
    "gpt_oss": _gpt_oss,
    "qwen2_moe": _mixture,
    "qwen3_moe": _mixture,
    "mistral": _mistral,
    "mixtral": _mixtral,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "falcon": _falcon,
    "gpt_bigcode": _big_code,
    "gpt_neox": _one_per_head,
    "bloom": _one_per_head,
    "starcoder2": _starcoder2,
    "qwen": _qwen,
    "t5": _t5,
    "mt5": _t5,
    "bert": _bert,
    "roberta": _bert,
    "xlm-roberta": _bert,
    "deberta-v2": _deberta,
    "whisper": _whisper,
    "vit": _vit,
}


def _finished(values: dict[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in values["extra"].items() if isinstance(value, int) and value}
    return {**values, "extra": tuple(extra.items())}


# -- model custom -----------------------------------------------------------------------------------------------------

CUSTOM = (
    "hidden",
    "layers",
    "heads",
    "kv_heads",
    "head_dim",
    "intermediate",
    "vocab",
    "tied",
    "experts",
    "experts_per_token",
    "moe_intermediate",
    "max_positions",
)
"""The options of ``model custom``: a Llama-shaped decoder of these sizes."""


def architecture_custom(numbers: Mapping[str, int | bool], name: str = "custom") -> Architecture | tuple[ConfigProblem, ...]:
    """A Llama-shaped decoder from a budget's own numbers; ``hidden``, ``layers``, ``heads`` and ``vocab`` must be there.

    ``kv_heads`` defaults to ``heads``, ``intermediate`` to 4 x hidden, ``tied`` to off.
    """
    problems = [ConfigProblem(key, f"'{key}' is no option of 'model custom'") for key in numbers if key not in CUSTOM]
    problems += [ConfigProblem(key, f"'model custom' needs {key}=") for key in ("hidden", "layers", "heads", "vocab") if key not in numbers]
    values: dict[str, Any] = {"kind": "decoder", "extra": {}}
    for key, value in numbers.items():
        if key in CUSTOM and key != "tied":
            found = _number(numbers, (key,), problems)
            values.update({key: found} if found is not None else {})
        elif key == "tied":
            values[key] = bool(value)
    if not problems:
        _common({"tie_word_embeddings": values.get("tied", False)}, values, problems, "llama")
    if problems:
        return tuple(problems)
    return Architecture(name=name, hub_id="", family="llama", **_finished(values))
