"""The built-in rules: one module each, listed in `RULES` in order of code.

The list is written out: a walk over the folder would bring back rules that were deleted from a stale build.
"""

from __future__ import annotations

from budgetlint.rule import Rule

from . import (
    accelerate_ds_file_inline_fields,
    assert_broken,
    batch_is_not_the_cause,
    bf16_pre_ampere,
    budget_config_mismatch,
    does_not_fit,
    ds_batch_arithmetic,
    ds_hf_batch_mismatch,
    ds_static_loss_scale,
    fp16_bf16_both,
    fp16_without_loss_scaling,
    fsdp_and_deepspeed,
    fsdp_min_params_zero,
    fsdp_no_auto_wrap,
    logits_spike,
    offload_no_host_ram,
    over_reserve,
    pure_bf16_adamw,
    static_state_as_total,
    tf32_pre_ampere,
    tight_fit,
    unit_mixup,
    v5_dtype_auto_pure_bf16,
    zero3_gather16_false,
    zero3_keys_lower_stage,
)

RULES: tuple[Rule, ...] = (
    does_not_fit.RULE,
    tight_fit.RULE,
    assert_broken.RULE,
    budget_config_mismatch.RULE,
    unit_mixup.RULE,
    static_state_as_total.RULE,
    batch_is_not_the_cause.RULE,
    logits_spike.RULE,
    offload_no_host_ram.RULE,
    over_reserve.RULE,
    fp16_without_loss_scaling.RULE,
    ds_static_loss_scale.RULE,
    bf16_pre_ampere.RULE,
    pure_bf16_adamw.RULE,
    fp16_bf16_both.RULE,
    tf32_pre_ampere.RULE,
    v5_dtype_auto_pure_bf16.RULE,
    ds_hf_batch_mismatch.RULE,
    ds_batch_arithmetic.RULE,
    zero3_keys_lower_stage.RULE,
    zero3_gather16_false.RULE,
    fsdp_no_auto_wrap.RULE,
    fsdp_and_deepspeed.RULE,
    accelerate_ds_file_inline_fields.RULE,
    fsdp_min_params_zero.RULE,
)
