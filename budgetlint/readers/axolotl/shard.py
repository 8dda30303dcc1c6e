"""How axolotl splits a run over devices and batches, and when it evaluates.

Sources: axolotl 0.19.0 ``utils/trainer.py`` prepare_optim_env (FSDP wins over DeepSpeed), ``utils/schemas/validation.py``
check_fsdp_version_in_fsdp_config (an unversioned ``fsdp_config`` is FSDP 1) and check_fsdp_config_kwargs_prefix (keys with and
without ``fsdp_``), ``core/builders/base.py`` _configure_save_and_eval_strategy; 0.8.0 ``core/trainer_builder.py`` for evaluation.
"""

from __future__ import annotations

from budgetlint.readers.base import Key, to_bool
from budgetlint.readers.fsdp_words import fsdp_keys, option_settings
from budgetlint.readers.view import View
from budgetlint.settings.run import Reference, Role, Setting

FSDP = tuple(
    key
    for prefix in ("fsdp_config.fsdp_", "fsdp_config.")
    for key in (*fsdp_keys(prefix), Key(f"{prefix}reshard_after_forward", "reshard_after_forward", to_bool))
)
NO_MOMENT = "never (axolotl >= 0.10) or every epoch (axolotl <= 0.8): no eval_steps, evals_per_epoch or eval_strategy"
_VERSIONS = ("fsdp_version", "fsdp_config.fsdp_version", "fsdp_config.version")


def uses_fsdp(view: View) -> bool:
    return view.on("fsdp") or view.on("fsdp_config")


def shard_settings(view: View) -> list[Setting]:
    if not uses_fsdp(view):
        return []
    line = view.first(*_VERSIONS)
    second = bool(line) and view.word(line) == "2"
    anchor = line or view.first_on("fsdp_config", "fsdp")
    shard = view.setting("shard", "fsdp2" if second else "fsdp", anchor, "fsdp_version 2" if second else "fsdp")
    return [shard, *option_settings(view, "fsdp"), *_hybrid(view)]


def _hybrid(view: View) -> list[Setting]:
    """Shard groups of ``dp_shard_size``: what is left of the processes holds replicas of them, whether ``dp_replicate_size`` says so or not
    (0.12.2 and 0.19.0 ``utils/distributed.py`` _get_parallel_config_kwargs; 0.11 has neither key)."""
    replicas, size = (view.value(path) for path in ("dp_replicate_size", "dp_shard_size"))
    if not isinstance(size, int) or size < 2:
        return []
    group = view.setting("shard_size", size, "dp_shard_size")
    if not isinstance(replicas, int) or replicas < 2:
        return [view.setting("shard_strategy", "hybrid", "dp_shard_size", f"groups of {size}"), group]
    hybrid = view.setting("shard_strategy", "hybrid", "dp_replicate_size", f"{replicas} x {size}")
    return [hybrid, group, view.setting("shard_replicas", replicas, "dp_replicate_size")]


def references(view: View) -> tuple[Reference, ...]:
    return () if uses_fsdp(view) else view.reference(Role.ENGINE, "deepspeed")


def accumulation_settings(view: View) -> list[Setting]:
    """The old ``batch_size`` counts micro batch times accumulation. It decides an empty accumulation, and up to 0.3 a missing one."""
    total, micro = view.value("batch_size"), view.value("micro_batch_size")
    if view.first("gradient_accumulation_steps") or not isinstance(total, int) or not isinstance(micro, int) or not 0 < micro <= total:
        return []
    if view.has("gradient_accumulation_steps"):
        return [view.setting("grad_accum", total // micro, "batch_size", f"{total} // {micro}")]
    return [view.either("grad_accum", "batch_size", (1, total // micro), f"1 (axolotl >= 0.6) or {total} // {micro} (before its schema)")]


def evaluation_settings(view: View) -> list[Setting]:
    """Evaluation needs both data and a moment. Data without a moment: up to 0.8 every epoch, from 0.10 never."""
    data = view.first_on("test_datasets", "val_set_size")
    if not data:
        line = view.first("val_set_size")
        return [view.setting("eval_on", False, line)] if line else []
    moment = view.first_on("eval_steps", "evals_per_epoch", "eval_strategy", "evaluation_strategy")
    if moment:
        return [view.setting("eval_on", True, moment)]
    said = view.first("eval_strategy", "evaluation_strategy")
    if said:
        return [view.setting("eval_on", False, said)]
    return [view.either("eval_on", data, (False, True), NO_MOMENT)]


def saving_settings(view: View) -> list[Setting]:
    steps = view.first_on("save_steps", "saves_per_epoch")
    if steps:
        return [view.setting("save_strategy", "steps", steps)]
    return [view.setting("save_strategy", view.word("save_strategy"), "save_strategy")] if view.word("save_strategy") else []
