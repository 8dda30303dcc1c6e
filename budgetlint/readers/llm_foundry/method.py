"""What several LLM Foundry keys decide: the model, the task, the adapter, the optimizer's class, duration, sharding.

Sources: llm-foundry 0.22.0 ``models/mpt/configuration_mpt.py`` MPTConfig (its defaults), ``models/hf/hf_causal_lm.py``,
``models/hf/hf_base.py``; composer 0.32 ``core/time.py`` (``2ep``, ``4800ba``), ``optim``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base import numerals
from budgetlint.base.expression import expression
from budgetlint.readers.base import Misread, raw_at
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_UNSIZED = frozenset(("adalr_lion", "clip_lion", "no_op"))
"""Optimizers of llm-foundry that the catalog does not know (``optim/adaptive_lion.py``, ``no_op.py``)."""


def model_settings(view: View, home: str) -> list[Setting]:
    """A Hugging Face model by name; MPT by its numbers, where it is a plain dense one."""
    path = f"{home}model.pretrained_model_name_or_path"
    if view.first(path):
        return [view.setting("model", view.text(path), path)]
    name = f"{home}model.name"
    if view.word(name) != "mpt_causal_lm":
        return [view.symbolic("model", name)] if view.first(name) else []
    code = view.setting("model_code", "llm-foundry", name)
    numbers = _mpt(view, f"{home}model.")
    return [code, view.setting("model_custom", numbers, name, "mpt_causal_lm") if numbers else view.symbolic("model", name)]


def _mpt(view: View, model: str) -> tuple[tuple[str, Any], ...]:
    if view.first(f"{model}block_overrides") or view.word(f"{model}ffn_config.ffn_type") not in ("", "mptmlp", "mptglu"):
        return ()
    hidden, heads = _whole(view, f"{model}d_model", 2048), _whole(view, f"{model}n_heads", 16)
    ratio = view.value(f"{model}expansion_ratio") or 4
    if not hidden or not heads or not isinstance(ratio, (int, float)) or not 0 < ratio < 1000:
        return ()
    biased = not view.on(f"{model}no_bias")
    return (
        ("hidden", hidden),
        ("layers", _whole(view, f"{model}n_layers", 24)),
        ("heads", heads),
        ("kv_heads", _whole(view, f"{model}attn_config.kv_n_heads", heads)),
        ("vocab", _whole(view, f"{model}vocab_size", 50368)),
        ("intermediate", int(ratio * hidden)),
        ("max_positions", _whole(view, f"{model}max_seq_len", 2048)),
        ("glu", view.word(f"{model}ffn_config.ffn_type") == "mptglu"),
        ("activation", "gelu"),
        ("norm", "rmsnorm" if "rms" in view.word(f"{model}norm_type") else "layernorm"),
        *((name, biased) for name in ("norm_bias", "qkv_bias", "o_bias", "mlp_bias")),
        ("tied", not view.has(f"{model}tie_word_embeddings") or view.on(f"{model}tie_word_embeddings")),
        ("position", "learned" if _learned(view, model) else "rope"),
    )


def _learned(view: View, model: str) -> bool:
    """``learned_pos_emb`` is on unless ALiBi or rotary positions replace it."""
    said = view.has(f"{model}learned_pos_emb")
    other = view.first_on(f"{model}attn_config.alibi", f"{model}attn_config.rope")
    return view.on(f"{model}learned_pos_emb") if said else not other


def _whole(view: View, path: str, otherwise: int) -> int:
    value = view.value(path)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else otherwise


def adapter_settings(view: View, home: str) -> list[Setting]:
    path = f"{home}model.peft_config"
    if not view.on(path):
        return []
    kind = view.word(f"{path}.peft_type") or "lora"
    line = f"{path}.peft_type" if view.word(f"{path}.peft_type") else path
    named = [view.setting("adapter_kind", kind, line)] if kind != "lora" else []
    return [view.setting("adapter", "lora" if kind == "lora" else "other", line, kind), *named]


def task_settings(view: View, home: str) -> list[Setting]:
    """The ``text`` loader joins samples and cuts them at max_seq_len; ``finetuning`` pads to it unless told to trim (llm-foundry 0.14
    ``data/finetuning/collator.py``: ``allow_pad_trimming`` False ensures that all sequences are max_seq_len)."""
    path = f"{home}train_loader.name"
    kind = view.word(path)
    if kind == "text":
        joined = [view.setting(name, True, path, "text: samples are joined") for name in ("packing", "pad_to_seq_len")]
        return [view.setting("task", "pretrain", path), *joined]
    trims = f"{home}train_loader.dataset.allow_pad_trimming"
    padded = [view.setting("pad_to_seq_len", not view.on(trims), trims)] if view.first(trims) else []
    if kind != "finetuning":
        return padded
    return [view.setting("task", "sft", path), *(padded or [view.setting("pad_to_seq_len", True, path, "finetuning: rows are padded")])]


def optimizer_settings(view: View, home: str, misreads: list[Misread]) -> list[Setting]:
    path = f"{home}optimizer.name"
    raw = raw_at(view.document, view.loader, path)
    if raw is None:
        return []
    named = [view.symbolic("optimizer", path)] if view.word(path) in _UNSIZED else read_optimizer(raw, "llm_foundry", misreads)
    words = view.words(f"{home}optimizer.betas")
    pairs = zip(("adam_beta1", "adam_beta2"), words, strict=False)
    given = [(name, word, numerals.real(word)) for name, word in pairs]
    return [*named, *(view.setting(name, number, f"{home}optimizer.betas", word) for name, word, number in given if number is not None)]


_DURATION = expression(r"([0-9]{1,12})(ep|ba)")


def duration_settings(view: View, home: str) -> list[Setting]:
    """``2ep`` is epochs, ``4800ba`` steps; tokens and samples say neither."""
    path = f"{home}max_duration"
    found = _DURATION.fullmatch(view.word(path))
    if found is None:
        return []
    return [view.setting("num_epochs", float(found[1]), path) if found[2] == "ep" else view.setting("max_steps", int(found[1]), path)]


def shard_settings(view: View, home: str) -> list[Setting]:
    """FSDP with an ``fsdp_config``, DDP without one on several devices. Inside an mcli job the devices are ``compute.gpus``."""
    found = [view.setting("shard", "fsdp", f"{home}fsdp_config", "fsdp_config")] if view.on(f"{home}fsdp_config") else []
    gpus = view.value("compute.gpus") if home else None
    return [*found, view.setting("devices", gpus, "compute.gpus")] if isinstance(gpus, int) and gpus > 0 else found


def compile_settings(view: View, home: str) -> list[Setting]:
    path = f"{home}compile_config"
    return [view.setting("compile", True, path, "compile_config")] if view.has(path) and view.value(path) is not None else []
