"""Models that a program makes of a configuration, and configurations that change what is loaded.

``GPT2LMHeadModel(GPT2Config(n_layer=6))`` and ``AutoModelForCausalLM.from_config(config)`` are models by their sizes: the setting
``model_config`` holds the keys as a ``config.json`` would.

Sources: transformers 4.42.4, 4.49.0 and 5.24.0 ``modeling_utils.py`` _from_config (the configuration's dtype is taken since 4.49.0 at the
latest, float32 before), ``configuration_utils.py`` from_pretrained (keywords are set over what the file says), models/*/configuration_*.py
(a ``num_key_value_heads`` of None is the number of heads).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.catalog.hf_defaults import KEYS
from budgetlint.catalog.hf_families import SIZES
from budgetlint.documents import Entry, Mapping, Scalar
from budgetlint.documents.python_marks import CAST, REPLACED, is_open
from budgetlint.readers.base import default, hidden, to_dtype, to_text, unsettled
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Setting

MODEL_TYPES = {
    "GPT2Config": "gpt2", "GPTBigCodeConfig": "gpt_bigcode", "GPTNeoXConfig": "gpt_neox", "GPTJConfig": "gptj", "OPTConfig": "opt",
    "LlamaConfig": "llama", "MistralConfig": "mistral", "MixtralConfig": "mixtral", "Qwen2Config": "qwen2", "Qwen3Config": "qwen3",
    "GemmaConfig": "gemma", "Gemma2Config": "gemma2", "PhiConfig": "phi", "Phi3Config": "phi3", "OlmoConfig": "olmo",
    "StableLmConfig": "stablelm", "Starcoder2Config": "starcoder2", "BertConfig": "bert", "RobertaConfig": "roberta",
    "DistilBertConfig": "distilbert", "ElectraConfig": "electra", "T5Config": "t5", "BartConfig": "bart", "ViTConfig": "vit",
}  # fmt: skip
"""Classes whose defaults the catalog has (`budgetlint.catalog.families`)."""
_KEYS = frozenset(key for keys in KEYS.values() for key in keys) | frozenset(SIZES)
_RESIZES = _KEYS | {
    "tie_word_embeddings", "hidden_act", "activation_function", "attention_bias", "mlp_bias", "use_sliding_window", "layer_types",
    "is_decoder", "add_cross_attention", "is_encoder_decoder", "output_hidden_states", "output_attentions", "model_type",
    "feed_forward_proj", "qkv_bias", "use_qkv_bias", "auto_map", "use_parallel_residual", "pruned_heads",
}  # fmt: skip
"""Keys by which a model is another one."""
_DECIDES = _RESIZES | {
    "dropout", "attention_dropout", "hidden_dropout", "hidden_dropout_prob", "attention_probs_dropout_prob", "resid_pdrop", "dropout_rate",
}  # fmt: skip
"""Those, and what decides which masks it keeps."""
_NOT_HERE = frozenset(
    {"is_decoder", "add_cross_attention", "is_encoder_decoder", "output_hidden_states", "output_attentions", "pruned_heads"}
)
"""Those that make another model than the family's table has, where they are on."""
_SUFFIXES = (
    "", "Model", "ForCausalLM", "LMHeadModel", "ForMaskedLM", "ForConditionalGeneration", "ForSeq2SeqLM", "ForSequenceClassification",
    "ForTokenClassification", "ForImageClassification",
)  # fmt: skip
_NAMES = ("pretrained_model_name_or_path", "json_file")
_OFF = (False, None)


def read_built(inner: Lookup, section: str) -> list[Setting]:
    """What a model is that is made of a configuration."""
    config = classes.block(inner.document, inner.path("config"))
    raw = inner.raw("config")
    if raw is None:
        return []
    model = _model(
        section, config, Setting("model", None, raw.origin, raw.text if config is None else classes.class_of(config), "symbolic")
    )
    quant = REPLACED in (inner.document.mapping or ()) or inner.has("quantization_config")
    return [
        model,
        hidden("quant", ("nf4", "none"), f"{section}: modules may be replaced")
        if quant
        else default("quant", "none", f"{section} makes it"),
        *_attention(inner),
        _dtype(inner, section, config, by_name=model.name == "model"),
    ]


def _model(section: str, config: Mapping | None, unknown: Setting) -> Setting:
    """By the name of its configuration, by its numbers, or symbolic with what stands in the way."""
    if config is None:
        return unknown
    tag = classes.class_of(config)
    name = next((node for key in _NAMES if (node := config.get(key)) is not None), None)
    if name is not None and (not isinstance(name, Scalar) or is_open(name) or not name.text):
        return replace(unknown, text=name.text) if isinstance(name, Scalar) else unknown
    if isinstance(name, Scalar):
        return _checked(replace(unknown, value=name.text, text=name.text, state="known"), config)
    last = tag.rpartition(".")[2]
    model_type = MODEL_TYPES.get(last) if section in _classes(last.removesuffix("Config")) else None
    values = _values(config)
    if model_type is None or values is None or classes.is_partial(config) or any(values.get(key) not in _OFF for key in _NOT_HERE):
        return replace(unknown, text=f"<a model of {tag}>")
    if "num_key_value_heads" in values and values["num_key_value_heads"] is None:
        heads = values.get("num_attention_heads")
        values = {key: value for key, value in values.items() if key != "num_key_value_heads"}
        if heads is not None:
            values["num_key_value_heads"] = heads
    text = json.dumps({"model_type": model_type, **values}, sort_keys=False)
    return replace(unknown, name="model_config", value=text, text=text, state="known")


def _classes(stem: str) -> tuple[str, ...]:
    """What of a family the catalog's tensors are those of. Not ``T5EncoderModel``, which is half of it."""
    return tuple(f"{owner}{suffix}" for owner in (stem, "AutoModel") for suffix in _SUFFIXES)


def _values(config: Mapping) -> dict[str, Any] | None:
    """Those that decide what the model is; None where one of them is not known."""
    found: dict[str, Any] = {}
    for entry in config.entries:
        key = entry.key.text
        if key not in _DECIDES:
            continue
        if is_open(entry.value) or not isinstance(entry.value, Scalar):
            return None
        found[key] = _plain(entry.value)
    return found


def _plain(node: Scalar) -> Any:
    words = {"None": None, "True": True, "False": False}
    if node.text in words:
        return words[node.text]
    for read in (int, float):
        try:
            return read(node.text)
        except ValueError:
            continue
    return node.text


def resized(setting: Setting, inner: Lookup) -> Setting:
    """``from_pretrained(name, config=config)``: a model of another shape, where its configuration was changed."""
    config = classes.block(inner.document, inner.path("config"))
    return _checked(setting, config) if setting.name == "model" and setting.known and config is not None else setting


def _checked(setting: Setting, config: Mapping) -> Setting:
    changed = [entry.key.text for entry in config.entries if entry.key.text in _RESIZES and not _is_off(entry)]
    tag = classes.class_of(config)
    if not tag.endswith((".from_pretrained", ".from_json_file")):
        changed = [tag]
    if classes.is_partial(config):
        changed.append("keys that are not known")
    text = f"<{setting.text} with {', '.join(changed[:3])}>"
    return replace(setting, value=None, text=text, state="symbolic") if changed else setting


def _is_off(entry: Entry) -> bool:
    return entry.key.text in _NOT_HERE and isinstance(entry.value, Scalar) and entry.value.text in ("False", "None")


def _attention(inner: Lookup) -> Iterator[Setting]:
    found = inner.setting("attention", to_text, "attn_implementation") or inner.under("config").setting(
        "attention", to_text, "attn_implementation", "_attn_implementation"
    )
    word = _ATTENTION.get(str(found.value)) if found is not None and found.known else None
    if found is not None:
        yield replace(found, value=word, state="known" if word else "symbolic")


_ATTENTION = {"flash_attention_2": "flash", "flash_attention_3": "flash", "sdpa": "sdpa", "eager": "eager"}


def _dtype(inner: Lookup, section: str, config: Mapping | None, *, by_name: bool) -> Setting:
    """Torch makes parameters in float32; ``from_config`` in what it is told, or the configuration has."""
    given = inner.raw("torch_dtype", "dtype")
    made = classes.block(inner.document, inner.prefix)
    of_class = made is not None and not made.tag.removesuffix("?").endswith(".from_config")
    told = config is not None and any(isinstance(config.get(key), Scalar) for key in ("torch_dtype", "dtype"))
    if CAST in (inner.document.mapping or ()) or classes.is_partial(made) or (given is not None and is_open(given.node)):
        return hidden("weights_dtype", ("auto", "fp32"), f"{section}: what the script does with it cannot be told from its text")
    if given is not None and not of_class:
        return Setting("weights_dtype", to_dtype(given.value), given.origin, given.text)
    if told or (by_name and not of_class):
        return unsettled(
            "weights_dtype", ("auto", "fp32"), "transformers from_config: the configuration's dtype, float32 in older releases"
        )
    return default("weights_dtype", "fp32", f"torch makes the parameters of {section} in float32")
