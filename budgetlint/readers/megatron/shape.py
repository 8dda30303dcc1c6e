"""The model that Megatron builds from numbers on its command line, as a ``model_custom`` setting.

Sources: Megatron-LM ``megatron/training/arguments.py`` (``ffn_hidden_size``: 4h, or under ``swiglu`` two thirds of it in steps of 64;
``_vocab_size_with_padding``; ``hidden_dropout`` and ``attention_dropout``: 0.1), megatron-core 0.16.1 ``models/gpt/gpt_model.py``,
``transformer/transformer_config.py`` (0.1 too).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from budgetlint.base.record import open_record, record
from budgetlint.documents import Sequence
from budgetlint.readers.base import AUTO, Misread, to_bool, to_count, to_float, to_text
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting

GPT2_VOCABULARY = 50257
_VOCABULARIES = {"GPT2BPETokenizer": GPT2_VOCABULARY, "Llama2Tokenizer": 32_000}
"""Tokenizers whose name says their size; Llama 2's is a SentencePiece file (core ``tokenizers/utils/build_tokenizer.py``) of 32,000."""


@open_record
class Names:
    """What one framework calls the numbers; several spellings of one, the first found counts."""

    layers: tuple[str, ...] = ("num_layers",)
    hidden: tuple[str, ...] = ("hidden_size",)
    heads: tuple[str, ...] = ("num_attention_heads",)
    groups: tuple[str, ...] = ("num_query_groups",)
    head_dim: tuple[str, ...] = ("kv_channels",)
    wide: tuple[str, ...] = ("ffn_hidden_size",)
    vocabulary: tuple[str, ...] = ("padded_vocab_size", "vocab_size", "override_vocab_size")
    positions: tuple[str, ...] = ("max_position_embeddings",)
    experts: tuple[str, ...] = ("num_experts", "num_moe_experts")
    expert_wide: tuple[str, ...] = ("moe_ffn_hidden_size",)
    chosen: tuple[str, ...] = ("moe_router_topk",)
    dropout: float = 0.1
    """Of hidden states and of attention, where no argument says (``hidden_dropout``, ``attention_dropout``)."""


MEGATRON = Names(vocabulary=("padded_vocab_size", "override_vocab_size"))
"""``vocab_size`` is padded (`megatron_vocabulary`)."""
_UNSIZED = (
    "multi_latent_attention",
    "hybrid_override_pattern",
    "hybrid_layer_pattern",
    "is_hybrid_model",
    "heterogeneous_layers_config_path",
)
"""Models of these arguments have tensors that a handful of numbers does not tell."""


def custom_model(look: Lookup, names: Names, style: LayerStyle, vocabulary: int | None) -> list[Setting]:
    """``model_custom`` with the number of layers as its origin; symbolic where a number is; nothing where one is missing."""
    needed = {name: look.setting(name, to_count, *getattr(names, name)) for name in ("layers", "hidden", "heads")}
    stated = [setting for setting in needed.values() if setting is not None]
    if len(stated) < len(needed) or look.has(*_UNSIZED):
        return []
    rows = {name: look.setting(name, to_count, *getattr(names, name)) for name in ("groups", "head_dim", "wide", "vocabulary", "positions")}
    given = [*stated, *(row for row in rows.values() if row is not None and not _is_four_times(row))]
    origin, experts = stated[0].origin, look.setting("", to_experts, *names.experts)
    if any(not setting.known for setting in given) or (experts is not None and not experts.known):
        return [Setting("model_custom", None, origin, "sizes", state="symbolic")]
    sizes = {**{setting.name: setting.value for setting in given}}
    rows_of_vocabulary = sizes.pop("vocabulary", vocabulary)
    if sizes["hidden"] % sizes["heads"] and not sizes.get("head_dim"):
        _uneven(look, needed["heads"], needed["hidden"])
        return []
    if sizes.get("groups") and sizes["heads"] % sizes["groups"]:
        _uneven(look, rows["groups"], needed["heads"])
        return []
    if rows_of_vocabulary is None:
        return []
    numbers = (*_numbers(sizes, style, rows_of_vocabulary, _experts(look, names)), *_dropouts(look, names))
    return [Setting("model_custom", numbers, origin, _words(numbers))]


_NEAR = 64
"""How far below a number one that divides is looked for."""


def _uneven(look: Lookup, parts: Setting | None, whole: Setting | None) -> None:
    """Megatron-LM ``arguments.py`` ("hidden_size % num_attention_heads == 0" without ``kv_channels``), gpt-neox ``neox_args``
    ``hidden_size % num_attention_heads == 0``; query groups share heads evenly (``transformer/attention.py``)."""
    if parts is not None and whole is not None:
        said = f"{parts.origin.key} {parts.text}: {whole.origin.key} {whole.text} cannot be split into so many, and the model code stops"
        near = next((count for count in range(parts.value, max(parts.value - _NEAR, 0), -1) if whole.value % count == 0), None)
        such = f", such as {near}" if near is not None else ""
        look.misreads.append(Misread(said, f"write a number that divides {whole.value}{such}", parts.origin))


def _is_four_times(row: Setting) -> bool:
    """NeMo's ``${multiply:4, ${.hidden_size}}`` says the default."""
    return not row.known and "multiply:4" in row.text.replace(" ", "")


@record
class LayerStyle:
    """What is no number: gated MLP, norm, biases, ties, positions, residuals side by side."""

    gated: bool = False
    rms: bool = False
    norm_bias: bool = True
    bias: bool = True
    qkv_bias: bool = True
    tied: bool = True
    position: str = "learned"
    parallel: bool = False
    qk_norm: bool = False
    gated_wide: Callable[[int], int] = lambda hidden: int(4 * hidden * 2 / 3 / 64) * 64


def megatron_style(look: Lookup) -> LayerStyle:
    def on(*keys: str) -> bool:
        return any((found := look.setting("", to_bool, key)) is not None and found.value is True for key in keys)

    rms = (found := look.setting("", to_text, "normalization")) is not None and str(found.value).lower() == "rmsnorm"
    position = look.setting("", to_text, "position_embedding_type")
    rotary = on("use_rotary_position_embeddings") or (position is not None and str(position.value) in ("rope", "yarn", "mrope"))
    bias = not on("disable_bias_linear")
    return LayerStyle(
        gated=on("swiglu", "gated_linear_unit"),
        rms=rms,
        norm_bias=not rms,
        bias=bias,
        qkv_bias=bias or on("add_qkv_bias"),
        tied=not on("untie_embeddings_and_output_weights"),
        position="rope" if rotary else "none" if position is not None and position.value == "none" else "learned",
        qk_norm=on("qk_layernorm"),
    )


def megatron_vocabulary(look: Lookup, divisor: int = 128) -> int | None:
    """The rows in steps of ``make_vocab_size_divisible_by`` times the tensor-parallel degree (``vocab_size_with_padding``): those of
    ``--vocab-size``, else the tokenizer's; None where only its file tells. A merge file without a tokenizer's name is GPT-2's."""
    kind = look.setting("", to_text, "tokenizer_type")
    stated = look.setting("", to_count, "vocab_size")
    if stated is not None:
        size = int(stated.value) if stated.known else None
    elif kind is not None:
        size = _VOCABULARIES.get(str(kind.value))
    else:
        size = GPT2_VOCABULARY if look.has("merge_file") else None
    step = _count(look, divisor, "make_vocab_size_divisible_by") * _count(look, 1, "tensor_model_parallel_size", "model_parallel_size")
    return padded(size, step) if size else None


def padded(size: int, step: int) -> int:
    return -(-size // step) * step


def _count(look: Lookup, otherwise: int, *keys: str) -> int:
    found = look.setting("", to_count, *keys)
    return int(found.value) if found is not None and found.known else otherwise


def to_experts(value: Any) -> Any:
    """Megatron-DeepSpeed takes a number for each group of layers (``arguments.py``: ``nargs='+'``): several are a pyramid, which no formula
    here knows."""
    return AUTO if isinstance(value, Sequence) else to_count(value)


def _experts(look: Lookup, names: Names) -> dict[str, int]:
    found = look.setting("", to_experts, *names.experts)
    experts = int(found.value) if found is not None and found.known else 0
    if experts < 2:
        return {}
    wide = _count(look, 0, *names.expert_wide)
    chosen = {"experts": experts, "experts_per_token": _count(look, 2, *names.chosen)}
    return {**chosen, **({"moe_intermediate": wide} if wide else {})}


def _numbers(sizes: dict[str, int], style: LayerStyle, vocabulary: int, experts: dict[str, int]) -> tuple[tuple[str, Any], ...]:
    hidden, heads = sizes["hidden"], sizes["heads"]
    wide = sizes.get("wide") or (style.gated_wide(hidden) if style.gated else 4 * hidden)
    moe = {**experts, "moe_intermediate": experts.get("moe_intermediate", wide)} if experts else {}
    rows: dict[str, Any] = {
        "hidden": hidden,
        "layers": sizes["layers"],
        "heads": heads,
        "kv_heads": sizes.get("groups") or heads,
        "head_dim": sizes.get("head_dim") or hidden // heads,
        "intermediate": wide,
        "vocab": vocabulary,
        "max_positions": sizes.get("positions"),
        "tied": style.tied,
        "position": style.position,
        **moe,
        **_looks(style, bool(experts)),
    }
    return tuple(rows.items())


def _dropouts(look: Lookup, names: Names) -> Iterator[tuple[str, float]]:
    for field, key in (("dropout", "hidden_dropout"), ("attention_dropout", "attention_dropout")):
        found = look.setting("", to_float, key)
        yield field, float(found.value) if found is not None and found.known else names.dropout


def _looks(style: LayerStyle, mixture: bool) -> dict[str, Any]:
    """The nearest family whose modules are known: Llama for gated MLPs and experts, GPT-NeoX for plain ones."""
    norm = {"norm": "rmsnorm" if style.rms else "layernorm", "norm_bias": style.norm_bias, "qk_norm": "head" if style.qk_norm else None}
    biases = {"qkv_bias": style.qkv_bias, "o_bias": style.bias, "mlp_bias": style.bias}
    if style.gated or mixture:
        return {"family": "llama", "glu": style.gated, **norm, **biases}
    residual = {} if style.parallel else {"sequential_residual": 1}
    extra = (*residual.items(), *((("parallel_block", 1),) if style.parallel else ()))
    return {"family": "gpt_neox", "glu": False, "activation": "gelu", "extra": extra, **norm, **biases}


def _words(numbers: tuple[tuple[str, Any], ...]) -> str:
    shown = ("hidden", "layers", "heads", "kv_heads", "intermediate", "vocab")
    return " ".join(f"{name}={value}" for name, value in numbers if name in shown)
