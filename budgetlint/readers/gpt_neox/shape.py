"""The model that a GPT-NeoX config builds, as a ``model_custom`` setting.

Sources: gpt-neox ``megatron/neox_arguments/neox_args.py`` (defaults), ``megatron/model/transformer.py`` ``ParallelMLP`` (a gated MLP keeps
two thirds of ``intermediate_size``, half of it each for gate and up, in steps of 256), ``ParallelSelfAttention``;
``megatron/tokenizer/tokenizer.py`` ``_vocab_size_with_padding``.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.documents import Document, Scalar, Sequence
from budgetlint.readers.base import to_text
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.megatron.shape import GPT2_VOCABULARY, LayerStyle, Names, custom_model, padded
from budgetlint.settings.run import Setting

NEOX = Names(
    groups=("num_kv_heads",),
    head_dim=(),
    wide=(),
    vocabulary=("padded_vocab_size",),
    experts=("moe_num_experts",),
    expert_wide=(),
    chosen=("moe_top_k",),
    dropout=0.0,  # gpt-neox ea7aefd8 (2026) neox_args.py; 0.1 in its first releases
)
_GATED = ("geglu", "reglu", "bilinear", "swiglu", "glu")
_UNSIZED = ("mamba", "rwkv", "gmlp", "amlp")
"""Entries of ``attention_config`` whose layers are no transformer blocks."""
_PYTHIA, _STEP = 50277, 128
"""The tokens of 20B_tokenizer.json, the tokenizer that EleutherAI ships with NeoX; ``make_vocab_size_divisible_by``."""
_SCALED_FROM = 6
"""From this multiple of the hidden size on, ``intermediate_size`` of a gated MLP must be the number that is scaled by a third: no
trained model is that wide. Narrower ones were written for the older ``LLaMAParallelMLP``, which took the number as it is."""


def read_model(look: Lookup) -> list[Setting]:
    kinds = set(attention_kinds(look.document))
    if kinds & set(_UNSIZED):
        return []
    found = custom_model(look, NEOX, _style(look), _vocabulary(look))
    return [_widened(look, setting) for setting in found]


def attention_kinds(document: Document) -> tuple[str, ...]:
    """The attention types of ``[[["flash", "local"], 16]]``."""
    node = document.get("attention_config")
    rows = node.items if isinstance(node, Sequence) else ()
    kinds = [row.items[0] if isinstance(row, Sequence) and row.items else row for row in rows]
    words = [item for kind in kinds for item in (kind.items if isinstance(kind, Sequence) else (kind,))]
    return tuple(word.text for word in words if isinstance(word, Scalar))


def _style(look: Lookup) -> LayerStyle:
    norm = _word(look, "norm", "layernorm")
    rms = norm in ("rmsnorm", "te_rmsnorm", "non_parametric_layernorm")
    bias = _on(look, "use_bias_in_attn_linear", True)
    return LayerStyle(
        gated=_word(look, "activation", "gelu") in _GATED,
        rms=rms,
        norm_bias=not rms and _on(look, "use_bias_in_norms", True),
        bias=bias,
        qkv_bias=bias,
        tied=not _on(look, "no_weight_tying", False),
        position={"rotary": "rope", "learned": "learned", "alibi": "alibi"}.get(_word(look, "pos_emb", "learned"), "none"),
        parallel=_on(look, "gpt_j_residual", False),
        qk_norm=_on(look, "use_qk_layernorm", False),
        gated_wide=lambda hidden: _gated_width(4 * hidden),
    )


def _gated_width(total: int) -> int:
    return padded(int(total * 2 / 3) // 2, 256)


def _vocabulary(look: Lookup) -> int | None:
    """The tokenizer's size in steps of ``make_vocab_size_divisible_by`` times the model-parallel degree; None where the tokenizer is
    a file whose size is not known, or stands in another file of the run."""
    kind = _text(look.setting("", to_text, "tokenizer_type"), "")
    if kind in ("HFTokenizer", "HFGPT2Tokenizer"):
        size = _PYTHIA if "20B_tokenizer" in _text(look.setting("", to_text, "vocab_file"), "20B_tokenizer") else None
    else:
        size = GPT2_VOCABULARY if kind == "GPT2BPETokenizer" or (not kind and not _like_llama(look)) else None
    step = _number(look, "make_vocab_size_divisible_by", _STEP) * _number(look, "model_parallel_size", 1)
    return padded(size, step) if size else None


def _like_llama(look: Lookup) -> bool:
    """Models after Llama bring their own tokenizer, which their training file names."""
    return _word(look, "norm", "layernorm") == "rmsnorm"


def _widened(look: Lookup, setting: Setting) -> Setting:
    """The sizes with ``intermediate_size`` read as this config means it, and a note on what is assumed about the vocabulary."""
    if not setting.known:
        return setting
    numbers = dict(setting.value)
    stated, hidden = _number(look, "intermediate_size", 0), numbers["hidden"]
    gated = numbers["glu"]
    if stated:
        numbers["intermediate"] = _gated_width(stated) if gated and stated >= _SCALED_FROM * hidden else stated
        numbers |= {"moe_intermediate": numbers["intermediate"]} if "moe_intermediate" in numbers else {}
    if look.has("use_bias_in_mlp"):
        numbers["mlp_bias"] = _on(look, "use_bias_in_mlp", True)
    note = f"vocabulary {numbers['vocab']}: that of the tokenizer type, padded"
    return replace(setting, value=tuple(numbers.items()), origin=replace(setting.origin, note=note))


def _word(look: Lookup, key: str, otherwise: str) -> str:
    return _text(look.setting("", to_text, key), otherwise).lower()


def _text(found: Setting | None, otherwise: str) -> str:
    return str(found.value) if found is not None and found.known else otherwise


def _on(look: Lookup, key: str, otherwise: bool) -> bool:
    found = look.switch(key)
    return bool(found.value) if found is not None and found.known else otherwise


def _number(look: Lookup, key: str, otherwise: int) -> int:
    raw = look.raw(key)
    return raw.value if raw is not None and isinstance(raw.value, int) and not isinstance(raw.value, bool) and raw.value > 0 else otherwise
