"""FSDP's words, as accelerate, axolotl and the HF trainer spell them, in our domain.

Sources: accelerate 1.15.0 ``utils/constants.py`` (FSDP_SHARDING_STRATEGY, numbered from 1; FSDP_AUTO_WRAP_POLICY) and
``utils/dataclasses.py`` FullyShardedDataParallelPlugin; transformers 5.14 ``training_args.py`` FSDPOption.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import Key, Unreadable, to_bool, to_text
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

STRATEGIES = {
    "full_shard": "full", "1": "full",
    "shard_grad_op": "grad-op", "2": "grad-op",
    "no_shard": "no-shard", "3": "no-shard",
    "hybrid_shard": "hybrid", "4": "hybrid",
    "hybrid_shard_zero2": "hybrid-grad-op", "5": "hybrid-grad-op",
}  # fmt: skip
WRAPS = {"transformer_based_wrap": "layer", "size_based_wrap": "size", "no_wrap": "none"}


def _member(value: Any) -> str:
    """``ShardingStrategy.FULL_SHARD`` and ``FULL_SHARD`` alike."""
    return str(value).strip().lower().rpartition(".")[2]


def to_strategy(value: Any) -> Any:
    strategy = STRATEGIES.get(_member(value))
    if strategy is None:
        raise Unreadable(f"'{value}' is not an FSDP sharding strategy", "write FULL_SHARD, SHARD_GRAD_OP, NO_SHARD or HYBRID_SHARD")
    return strategy


def to_wrap(value: Any) -> Any:
    wrap = WRAPS.get(_member(value))
    if wrap is None and str(value).upper() != "CUSTOM":
        raise Unreadable(f"'{value}' is not an auto-wrap policy", "write TRANSFORMER_BASED_WRAP, SIZE_BASED_WRAP or NO_WRAP")
    return wrap


def to_offload(value: Any) -> Any:
    return "cpu" if to_bool(value) is True else "none"


def to_recompute(value: Any) -> Any:
    """FSDP's switch adds checkpointing; off says nothing about the trainer's own."""
    return "full" if to_bool(value) is True else None


def fsdp_keys(prefix: str) -> tuple[Key, ...]:
    """The keys below ``prefix`` that both FSDP versions read. Offloaded parameters are stepped on the host, with their states."""
    return (
        Key(f"{prefix}offload_params", "offload_params", to_offload),
        Key(f"{prefix}offload_params", "offload_optimizer", to_offload),
        Key(f"{prefix}auto_wrap_policy", "wrap", to_wrap),
        Key(f"{prefix}state_dict_type", "state_dict_type", to_text),
        Key(f"{prefix}activation_checkpointing", "recompute", to_recompute),
    )


def option_settings(view: View, path: str) -> list[Setting]:
    """What the HF trainer's option list says (``fsdp: [full_shard, auto_wrap, offload]`` or ``"full_shard auto_wrap"``)."""
    options = [word.lower() for text in view.words(path) for word in text.replace(",", " ").split()]
    found = [view.setting("shard_strategy", STRATEGIES[word], path, word) for word in options if word in STRATEGIES]
    if "auto_wrap" in options:
        found.append(view.setting("wrap", "layer", path, "auto_wrap"))
    if "offload" in options:
        found += [view.setting(name, "cpu", path, "offload") for name in ("offload_params", "offload_optimizer")]
    return found
