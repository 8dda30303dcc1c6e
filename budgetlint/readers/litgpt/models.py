"""Which model a LitGPT file trains: by folder of the checkpoint, by name, or by the numbers of a ``model_config``.

Source: litgpt 0.5.13 ``config.py`` Config (its fields and defaults).
"""

from __future__ import annotations

from budgetlint.documents import Mapping, Scalar
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_NUMBERS = {
    "n_embd": "hidden", "n_layer": "layers", "n_head": "heads", "n_query_groups": "kv_heads", "padded_vocab_size": "vocab",
    "intermediate_size": "intermediate", "head_size": "head_dim", "block_size": "max_positions",
}  # fmt: skip
_NEEDED = frozenset(("hidden", "layers", "heads", "vocab", "intermediate"))
_GATED = frozenset(("LLaMAMLP", "GemmaMLP"))


def model_settings(view: View) -> list[Setting]:
    """``model_config`` wins over ``model_name`` (pretrain.py)."""
    numbers = _numbers(view)
    if numbers:
        return [view.setting("model_custom", numbers, "model_config")]
    path = view.first("checkpoint_dir", "model_name")
    return [view.setting("model", view.text(path), path)] if path else []


def _numbers(view: View) -> tuple[tuple[str, object], ...]:
    block = view.value("model_config")
    if not isinstance(block, Mapping):
        return ()
    pairs = ((_NUMBERS.get(entry.key.text), entry.value) for entry in block.entries)
    found = {name: node.value(view.loader) for name, node in pairs if name and isinstance(node, Scalar)}
    whole = {name: value for name, value in found.items() if isinstance(value, int) and not isinstance(value, bool) and value > 0}
    if not whole.keys() >= _NEEDED or view.first_on("model_config.n_expert"):
        return ()
    return (*whole.items(), *_kinds(view))


def _kinds(view: View) -> tuple[tuple[str, object], ...]:
    """The layer's parts: GPT-NeoX's MLP and LayerNorm unless said otherwise; a bias in every linear unless ``bias: false``."""
    biased = not view.has("model_config.bias") or view.on("model_config.bias")
    norm = "rmsnorm" if view.word("model_config.norm_class_name") == "rmsnorm" else "layernorm"
    return (
        ("glu", str(view.value("model_config.mlp_class_name")) in _GATED),
        ("norm", norm),
        ("norm_bias", norm == "layernorm"),
        *((name, biased) for name in ("qkv_bias", "o_bias", "mlp_bias")),
        ("tied", view.on("train.tie_embeddings")),
    )
