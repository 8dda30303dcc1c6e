"""The flags of ``accelerate launch`` as the config file that they override, so that one reader reads both.

Source: accelerate 1.15 ``commands/launch.py``: ``--use_deepspeed``, ``--use_fsdp``, ``--use_megatron_lm`` and ``--multi_gpu`` say what
``distributed_type`` says in a file; prefixed flags are the fields of its sections.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.documents import Document, Entry, Mapping, Node, Scalar
from budgetlint.readers.base import names

_KINDS = {"use_deepspeed": "DEEPSPEED", "use_fsdp": "FSDP", "use_megatron_lm": "MEGATRON_LM", "multi_gpu": "MULTI_GPU"}
_DEEPSPEED = names(
    """zero_stage offload_optimizer_device offload_param_device gradient_accumulation_steps gradient_clipping zero3_init_flag
        zero3_save_16bit_model deepspeed_config_file"""
)
_PREFIXES = {"fsdp_": "fsdp_config", "megatron_lm_": "megatron_lm_config", "parallelism_config_": "parallelism_config"}
_PLAIN = frozenset(("num_processes", "num_machines", "mixed_precision", "dynamo_backend"))


def as_config(flags: Document, *, whole: bool = False) -> Document:
    """The document that a config file with the same contents would be. ``whole``: with the flags that no file has, at its top."""
    root = flags.mapping
    if root is None:
        return flags
    top: list[Entry] = []
    sections: dict[str, list[Entry]] = {}
    for entry in root.entries:
        section = _section(entry.key.text)
        if entry.key.text in _KINDS:
            top.append(Entry(Scalar("distributed_type", entry.key.span), Scalar(_KINDS[entry.key.text], entry.key.span)))
        elif section:
            sections.setdefault(section, []).append(entry)
        elif whole or entry.key.text in _PLAIN:
            top.append(entry)
    blocks = [Entry(Scalar(name, root.span), Mapping(tuple(entries), root.span)) for name, entries in sections.items()]
    return replace(flags, root=Mapping((*top, *blocks), root.span))


def _section(name: str) -> str:
    if name in _DEEPSPEED:
        return "deepspeed_config"
    return next((section for prefix, section in _PREFIXES.items() if name.startswith(prefix)), "")


def config_file(flags: Document) -> Scalar | None:
    """The value of ``--config_file``."""
    node: Node | None = flags.get("config_file")
    return node if isinstance(node, Scalar) and node.text else None
