"""An architecture from a local ``config.json``, or from the numbers in a budget. Problems are returned, never raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from budgetlint.base.numerals import finite
from budgetlint.base.record import record
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import SAME_CODE, SHARED_LAYERS, known_family
from budgetlint.catalog.family import Family
from budgetlint.catalog.hf_defaults import KEYS
from budgetlint.catalog.hf_families import LARGEST, SIZES

DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "torch.bfloat16": "bf16",
    "torch.float16": "fp16",
    "torch.float32": "fp32",
}


@record
class ConfigProblem:
    """Why a config gives no architecture. ``key`` as written in the file, "" for the whole of it."""

    key: str
    message: str


def architecture_from_config(config: Mapping[str, Any], name: str) -> Architecture | tuple[ConfigProblem, ...]:
    """Read a transformers ``config.json``; missing keys take the defaults of the 5.24.0 config classes.

    A multimodal config is read through its ``text_config``, with the vision tower of `hf_vision.WHOLES`; others are noted.
    """
    text = config.get("text_config") or config.get("llm_config") or config.get("language_config")
    outer = str(config.get("model_type") or "")
    if isinstance(text, Mapping) and not _is_whole(outer):
        return (ConfigProblem("model_type", _unknown(outer)),)
    merged = {**_inherited(config), **text} if isinstance(text, Mapping) else dict(config)
    kind = str(merged.get("model_type") or outer)
    family = known_family("gemma3" if outer == "gemma3" else SAME_CODE.get(kind, kind))
    if family is None or not family.said("config"):
        return (ConfigProblem("model_type", _unknown(kind)),)
    problems: list[ConfigProblem] = []
    values = _values(merged, family, problems)
    if problems:
        return tuple(problems)
    if family.config.reader:
        _reader(family)(merged, values)
    counted = _towers(config, values) or not isinstance(text, Mapping)
    note = "" if counted else "only the language model is counted, not the tower beside it"
    return Architecture(name=name, hub_id="", family=family.name, note=note, sources=(f"{name}: config.json",), **_finished(values))


def _is_whole(model_type: str) -> bool:
    from budgetlint.catalog.hf_vision import WHOLES  # most configs are of text models

    return model_type in WHOLES


def _reader(family: Family) -> Callable[[Mapping[str, Any], dict[str, Any]], None]:
    """What reads the keys of the family's own."""
    module, _, name = family.config.reader.partition(".")
    found: Callable[[Mapping[str, Any], dict[str, Any]], None] = getattr(import_module(f"budgetlint.catalog.{module}"), name)
    return found


def _towers(config: Mapping[str, Any], values: dict[str, Any]) -> bool:
    """Put the vision tower beside the language model; True where it is one that the ledger lists."""
    if "vision_config" not in config:
        return False
    from budgetlint.catalog.hf_vision import vision_part  # most configs are of text models

    found = vision_part(config)
    if found is not None:
        values["parts"] = (("vision", found),)
    return found is not None


def _unknown(kind: str) -> str:
    if kind in SHARED_LAYERS:
        return f"the layers of model_type '{kind}' share their weights: not modelled"
    cure = "give its numbers with 'model custom hidden=… layers=…'"
    return f"the layers of model_type '{kind}' are not known: {cure}" if kind else f"no model_type: {cure}"


def _inherited(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: config[key] for key in ("tie_word_embeddings", "torch_dtype", "dtype", "vocab_size") if key in config}


def _values(config: Mapping[str, Any], family: Family, problems: list[ConfigProblem]) -> dict[str, Any]:
    defaults, shape = family.config.sizes, family.config.shape
    values: dict[str, Any] = {"kind": "decoder", **{k: dict(v) if isinstance(v, Mapping) else v for k, v in shape.items()}}
    values.setdefault("extra", {})
    for field, keys in KEYS.items():
        value = _number(config, keys, problems)
        if value is None:
            value = defaults.get(field)
        if value is not None:
            values[field] = value
    for key in SIZES:
        _number(config, (key,), problems)
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
            shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
            problems.append(ConfigProblem(key, f"'{key}' is {shown}, no whole number from 0 to {LARGEST:,}"))
            return None
        return value
    return None


def _common(config: Mapping[str, Any], values: dict[str, Any], problems: list[ConfigProblem], family: Family) -> None:
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


def _flags(config: Mapping[str, Any], values: dict[str, Any], family: Family) -> None:
    values["tied"] = bool(config.get("tie_word_embeddings", values.get("tied", False)))
    if "attention_bias" in config:
        values.update(qkv_bias=False, o_bias=False)
        values.update(dict.fromkeys(family.attention_bias, bool(config["attention_bias"])))
    for key, field in (("qkv_bias", "qkv_bias"), ("use_qkv_bias", "qkv_bias"), ("mlp_bias", "mlp_bias")):
        if isinstance(config.get(key), bool):
            values[field] = config[key]
    activation = config.get("hidden_activation") or config.get("hidden_act") or config.get("activation_function")
    if isinstance(activation, str):
        values["activation"] = activation
    values["checkpoint_dtype"] = DTYPES.get(str(config.get("torch_dtype") or config.get("dtype") or ""))
    for key in ("resid_pdrop", "hidden_dropout", "residual_dropout", "hidden_dropout_prob", "dropout_rate", "dropout"):
        rate = finite(config.get(key))
        if rate is not None:
            values["dropout"] = rate
            break
    _windows(config, values)


def _windows(config: Mapping[str, Any], values: dict[str, Any]) -> None:
    """``sliding_window`` counts where it is used: layer_types say which layers, ``use_sliding_window`` false none."""
    window, kinds = config.get("sliding_window"), config.get("layer_types")
    if not isinstance(window, int) or not 0 < window <= LARGEST or config.get("use_sliding_window") is False:
        return
    sliding = sum(kind == "sliding_attention" for kind in kinds) if isinstance(kinds, list) else values["layers"]
    if sliding:
        values["sliding_window"], values["sliding_layers"] = window, min(sliding, values["layers"])


def _finished(values: dict[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in values["extra"].items() if isinstance(value, int) and value}
    return {**values, "extra": tuple(extra.items())}
