"""FSDP as TrainingArguments writes it: ``fsdp: "full_shard auto_wrap offload"`` (a word list, or true) and ``fsdp_config``.

Source: transformers 5.24.0 ``training_args.py`` ``_process_fsdp_args``, ``_apply_legacy_fsdp_to_config``; 4.57.6 the same file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.documents import Scalar
from budgetlint.readers.base import Misread, Raw, Unreadable, is_symbolic, read_raw, to_bool, to_int, to_text, to_words
from budgetlint.readers.fsdp_words import STRATEGIES, to_wrap
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Reference, Role, Setting

_OPTIONS = {*STRATEGIES, "offload", "auto_wrap"}


def read_fsdp(look: Lookup) -> list[Setting]:
    """Nothing without ``fsdp``: then ``fsdp_config`` has no effect."""
    raw = look.raw("fsdp")
    if raw is None:
        return []
    if is_symbolic(raw.value):
        return [Setting("shard", None, raw.origin, raw.text, "symbolic")]
    try:
        words = _words(raw)
    except Unreadable as wrong:
        look.misreads.append(Misread(f"{raw.path}: {wrong}", wrong.cure, raw.origin))
        return []
    return list(_settings(look.under("fsdp_config"), raw, words)) if words is not None else []


def fsdp_reference(look: Lookup) -> list[Reference]:
    """``fsdp_config`` may be the path of a JSON file."""
    raw = look.raw("fsdp_config")
    named = raw is not None and look.has("fsdp") and isinstance(raw.node, Scalar) and raw.text
    return [Reference(Role.ENGINE, raw.text, raw.origin)] if raw and named else []


def _words(raw: Raw) -> tuple[str, ...] | None:
    """The option words; empty for plain true, None where FSDP is off."""
    if raw.value in (False, "", "false", "False"):
        return None
    if raw.value in (True, "true", "True"):
        return ()
    words = tuple(word.lower() for word in to_words(raw.value))
    unknown = [word for word in words if word not in _OPTIONS]
    if unknown:
        raise Unreadable(f"'{unknown[0]}' is no FSDP option", "write full_shard, shard_grad_op, hybrid_shard, no_shard, offload, auto_wrap")
    return words or None


def _settings(config: Lookup, raw: Raw, words: tuple[str, ...]) -> Iterator[Setting]:
    def say(name: str, value: Any) -> Setting:
        return Setting(name, value, raw.origin, raw.text)

    yield _shard(config, raw)
    yield from (say("shard_strategy", STRATEGIES[word]) for word in words if word in STRATEGIES)
    offload = config.switch("cpu_offload", "offload_params", "fsdp_cpu_offload", "fsdp_offload_params")
    if offload or "offload" in words:
        on = offload or say("", True)
        for name in ("offload_params", "offload_optimizer"):  # torch FSDP CPUOffload keeps parameters, gradients and states on the host
            yield renamed(on, name, "cpu" if on.value else "none")
    yield from _wrap(config, say("wrap", "layer") if "auto_wrap" in words else None)
    recompute = config.switch("activation_checkpointing", "fsdp_activation_checkpointing")
    if recompute and recompute.value:
        yield renamed(recompute, "recompute", "full")
    yield from _given(
        config.setting("reshard_after_forward", _to_reshard, "reshard_after_forward", "fsdp_reshard_after_forward"),
        config.setting("state_dict_type", to_text, "state_dict_type", "fsdp_state_dict_type"),
    )


def _shard(config: Lookup, raw: Raw) -> Setting:
    version = config.setting("shard", to_int, "version", "fsdp_version")
    if version:
        return renamed(version, "shard", "fsdp2" if version.value == 2 else "fsdp")
    return Setting("shard", None, raw.origin, raw.text, "auto", readings=("fsdp2", "fsdp"))


def _wrap(config: Lookup, auto_wrap: Setting | None) -> Iterator[Setting]:
    size = config.setting("wrap", to_int, "min_num_params", "fsdp_min_num_params")
    policy = config.raw("auto_wrap_policy", "fsdp_auto_wrap_policy")
    by_size = policy is not None and "SIZE" in policy.text.upper()
    if size and size.known and size.value > 0 and (auto_wrap or by_size):
        yield renamed(size, "wrap", "size")
    elif policy is not None:
        yield from _given(read_raw(policy, "wrap", to_wrap, config.misreads))
    elif auto_wrap:
        yield auto_wrap


def _to_reshard(value: Any) -> Any:
    """FSDP1 writes a strategy here, FSDP2 a boolean."""
    word = str(value).lower()
    return word != "shard_grad_op" if word in STRATEGIES else to_bool(value)


def _given(*settings: Setting | None) -> Iterator[Setting]:
    yield from (setting for setting in settings if setting)
