"""What a family calls its modules in its model code, and the words for their roles.

Paths are relative to one layer; ``*`` in `ModuleNames.layers` is the layer's index, in an expert's path the expert's.
"""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.base.record import field, record

Q, K, V, O = "q_proj", "k_proj", "v_proj", "o_proj"  # noqa: E741
GATE, UP, DOWN = "gate_proj", "up_proj", "down_proj"
QKV, GATE_UP = "qkv_proj", "gate_up_proj"

ATTENTION = {Q: "self_attn.q_proj", K: "self_attn.k_proj", V: "self_attn.v_proj", O: "self_attn.o_proj"}
"""The names of most decoders since LLaMA."""

GLU = {GATE: "mlp.gate_proj", UP: "mlp.up_proj", DOWN: "mlp.down_proj"}
FFN = {UP: "fc1", DOWN: "fc2"}
CLIP_FFN = {UP: "mlp.fc1", DOWN: "mlp.fc2"}


@record
class ModuleNames:
    """Module paths of one family; "" and an empty mapping for what it does not have.

    ``modules``: role -> path in a layer; ``norms``: the hidden-size norms of a layer, ``lone_norm`` the name of a single one where it
    has another, ``not_in_first`` the norm that the first layer lacks; ``decoder``: the layers of the second stack.
    """

    modules: Mapping[str, str]
    norms: tuple[str, ...]
    layers: str
    embed: str
    final_norm: str
    head: str
    positions: str = ""
    embed_norm: str = ""
    experts: Mapping[str, str] = field(default_factory=dict)
    router: str = ""
    shared: str = ""
    decoder: str = ""
    lone_norm: str = ""
    not_in_first: str = ""


FUSED_EXPERTS_SINCE = "5.0.0"
"""From this transformers version expert matrices are 3-D parameters (``experts.gate_up_proj``), no linears: neither PEFT's
``all-linear`` (before 0.21, which folds the update into a copy of the weights) nor bitsandbytes reaches them
(modeling_mixtral.py:65-66, modeling_qwen3_moe.py:219-220 of 5.24.0)."""
