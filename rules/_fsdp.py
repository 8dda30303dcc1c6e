"""How the files of a run switch FSDP on, and which of its two versions they ask for."""

from __future__ import annotations

from budgetlint.readers.base import to_words
from budgetlint.rule import Mapping, Reading, Setting, written_in

SECOND_BY_DEFAULT = "5.10.0"
"""The first transformers whose Trainer takes FSDP2 and wraps every layer unless told otherwise (5.9.0 does not)."""

POLICIES = ("fsdp_config.fsdp_auto_wrap_policy", "fsdp_config.auto_wrap_policy")
STRATEGIES = ("fsdp_config.fsdp_sharding_strategy", "fsdp_config.sharding_strategy")
VERSIONS = ("fsdp_config.fsdp_version", "fsdp_config.version")


def option_words(options: Setting | None) -> tuple[str, ...]:
    """The words of the trainer's ``fsdp``; plain true means full_shard. Empty where FSDP is off or not known."""
    if options is None or not options.known or str(options.value).lower() in ("false", ""):
        return ()
    if str(options.value).lower() == "true":
        return ("full_shard",)
    return () if isinstance(options.value, Mapping) else tuple(word.lower() for word in to_words(options.value))


def is_launched(reading: Reading) -> bool:
    """accelerate's file asks for FSDP; else its ``fsdp_config`` is left over."""
    kind = written_in(reading, "distributed_type")
    return kind is not None and str(kind.value).upper() == "FSDP"


def version(reading: Reading) -> Setting | None:
    """The written version; None leaves it to the framework."""
    return written_in(reading, *VERSIONS)


def is_second(setting: Setting | None) -> bool:
    return setting is not None and str(setting.value) == "2"


def option(reading: Reading, name: str) -> Setting | None:
    """A key of ``fsdp_config``, with or without its prefix."""
    return written_in(reading, f"fsdp_config.fsdp_{name}", f"fsdp_config.{name}")
