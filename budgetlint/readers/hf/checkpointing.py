"""Activation checkpointing of Hugging Face trainers: the switch, its keyword arguments, and the old and new names of both.

Sources: transformers 5.24.0 ``training_args.py`` (``activation_checkpointing`` from 5.23.0, ``every_n_layers``, ``offload``), TRL
1.16.0 ``sft_trainer.py`` (``selective``), ``sft_config.py`` (``activation_offloading``).
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Mapping, Scalar
from budgetlint.readers.base import Raw, read_raw, to_bool, to_count
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting

_SWITCHES = ("activation_checkpointing", "gradient_checkpointing")
_OWN_FLAGS = ("grad_checkpoint",)
"""What scripts around the Trainer call their own switch (InternVL ``internvl_chat_finetune.py``)."""
_KWARGS = ("activation_checkpointing_kwargs", "gradient_checkpointing_kwargs")
_ARGUMENTS = (
    ("use_reentrant", "recompute_reentrant", to_bool),
    ("every_n_layers", "recompute_every", to_count),
    ("offload", "recompute_offload", to_bool),
)


def read_checkpointing(look: Lookup) -> list[Setting]:
    """The newer name wins where both are written."""
    switch = look.switch(*_SWITCHES, *(_OWN_FLAGS if look.document.is_command else ()))
    found = dict(_arguments(look))
    offload = look.setting("recompute_offload", look.flag, "activation_offloading")
    if offload:
        found.setdefault("recompute_offload", offload)
    if switch:
        selective = found.pop("selective", None)
        depth = "selective" if selective and selective.value and switch.value else "full"
        found["recompute"] = renamed(switch, "recompute", depth if switch.value else "none")
    found.pop("selective", None)
    return list(found.values())


def _arguments(look: Lookup) -> list[tuple[str, Setting]]:
    raw = look.raw(*_KWARGS)
    if raw is None:
        return []
    rows = (*_ARGUMENTS, ("selective", "selective", to_bool))
    settings = ((name, _argument(look, raw, key, name, convert)) for key, name, convert in rows)
    return [(name, setting) for name, setting in settings if setting]


def _argument(look: Lookup, raw: Raw, key: str, name: str, convert: Any) -> Setting | None:
    if isinstance(raw.node, Mapping):
        inner = Lookup(look.document, look.loader, raw.path, look.misreads)
        return inner.setting(name, convert, key)
    value = _json_object(raw).get(key)
    return read_raw(replace(raw, value=value), name, convert, look.misreads) if value is not None else None


def _json_object(raw: Raw) -> dict[str, Any]:
    """Keyword arguments may be JSON in a string (``training_args.py`` ``_VALID_DICT_FIELDS``)."""
    if not isinstance(raw.node, Scalar) or not raw.text.lstrip().startswith("{"):
        return {}
    import json  # hardly a file has one

    try:
        parsed = json.loads(raw.text)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
