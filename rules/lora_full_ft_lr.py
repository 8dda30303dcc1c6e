"""LoRA with the learning rate of full fine-tuning, or the reverse.

Only supervised fine-tuning of models with 1B parameters and more is judged, and only far outside the usual range: LoRA below 6.7e-6
(usual 1e-4 to 2e-4, at least 2e-5), full fine-tuning above 3e-4 (usual 1e-5 to 2e-5, at most 1e-4). Preference and reinforcement
learning use lower rates and are not told.

## What it costs

LoRA needs about ten times the rate of full fine-tuning. Far below that the adapter barely moves, and the run is wasted; far above,
full fine-tuning diverges.

## Failing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
learning_rate: 2e-6
```

## Passing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
learning_rate: 2e-4
```

## Sources

- TRL docs `lora_without_regret.md`: ten times the rate for LoRA; after Schulman et al. 2025, LoRA Without Regret.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    as_written,
    full_tuning,
    is_on,
    number_text,
    optimizer_of,
    stated,
    written_in,
)

LARGE = 1_000_000_000
LORA_LOW, FULL_HIGH, MARGIN = 2e-5, 1e-4, 3
USUAL_LORA, USUAL_FULL = "1e-4 to 2e-4", "1e-5 to 2e-5"
_OWN_RATES = ("loraplus_lr_ratio", "lora_plus_lr_ratio", "embedding_lr", "relora", "jagged_restart_steps", "lr_groups")
"""Keys under which the one learning rate is not what the adapter or the model trains with."""


def check(run: RunContext) -> Iterator[Finding]:
    rate, estimate = run.setting("learning_rate"), run.estimate
    if rate is None or estimate is None or not stated(rate) or (estimate.params or 0) < LARGE or run.value("task") != "sft":
        return
    optimizer, trainer = optimizer_of(run.setting("optimizer")), run.run.trainer
    if (
        optimizer is None
        or not plain_adam(optimizer.name)
        or trainer is None
        or any(written_in(trainer, key) is not None for key in _OWN_RATES)
    ):
        return
    if 0 < rate.value < LORA_LOW / MARGIN and _plain_lora(run):
        yield run.finding(
            rate,
            f"'{as_written(rate)}' is a rate for full fine-tuning, and this run trains LoRA: the adapter barely moves",
            help=f"LoRA trains at about ten times the rate: {USUAL_LORA} is usual for supervised fine-tuning",
            because=[found for found in (run.setting("adapter"),) if found],
            numbers={"learning_rate": rate.value, "usual_from": LORA_LOW},
        )
    elif (
        rate.value > FULL_HIGH * MARGIN
        and full_tuning(run)
        and "freeze" not in run.run.settings
        and not is_on(written_in(trainer, "use_galore"))
    ):
        yield run.finding(
            rate,
            f"'{as_written(rate)}' is a rate for LoRA, and this run trains all {estimate.params or 0:,} parameters: "
            "it is likely to diverge",
            help=f"{USUAL_FULL} is usual for full supervised fine-tuning; above {number_text(FULL_HIGH)} only with a reason",
            numbers={"learning_rate": rate.value, "usual_to": FULL_HIGH},
        )


def _plain_lora(run: RunContext) -> bool:
    """LoRA whose scaling and parts leave the learning rate its usual meaning."""
    scale = (run.value("lora_alpha") or 16) / (run.value("lora_r") or 8)
    return run.value("adapter") == "lora" and scale <= 4 and not run.value("lora_rslora") and not run.value("lora_modules_to_save")


def plain_adam(name: str) -> bool:
    """AdamW and its 8-bit, paged and fused kin; other optimizers have rates of their own."""
    return name.removeprefix("paged_").startswith(("adamw", "fused_adam", "cpu_adam", "optimi_adamw"))


RULE = Rule(
    code="BL406",
    name="lora-full-ft-lr",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("learning_rate", "estimate", "task"),
    harm=12.0,
)
