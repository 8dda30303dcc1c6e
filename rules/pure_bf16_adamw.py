"""Full fine-tuning with weights, gradients and AdamW states all in bf16.

bf16 has 8 significant bits: a step smaller than 1/512 of a weight is rounded away. ZeRO, FSDP with mixed precision and fp32 weights
under autocast keep an fp32 copy; LoRA keeps fp32 adapters. Neither is told. Nor are optimizers with stochastic rounding or Kahan
summation, nor learning rates above 5e-5.

Some recipes do it on purpose, to fit one card (torchtune's single-device full recipes): the loss then ends higher.

## What it costs

At a learning rate of 2e-5 a weight above 0.01 never moves; typical weights are 0.02. A report on Qwen3-8B saw the loss stop at
about three times that of the run with fp32 weights. No error is raised.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
optimizer: adamw_torch
learning_rate: 2e-5
bf16: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_linear: true
optimizer: adamw_torch
learning_rate: 2e-4
bf16: true
```

## Sources

- Run on torch 2.13.0: 100 AdamW steps of 1e-5 leave a bf16 weight of 1.0 at exactly 1.0, an fp32 one at 0.999.
- axolotl 0.19.0 `utils/config/__init__.py` `resolve_dtype`: `bf16` loads the weights in bf16.
- <https://github.com/inclusionAI/AReaL/issues/1292>, <https://github.com/pytorch/torchtune/issues/2254>.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, as_written, full_tuning, stated, unsharded

from ._bf16 import SMALL_RATE, cost, rounding_optimizer


def check(run: RunContext) -> Iterator[Finding]:
    pure, rate = _pure(run), run.setting("learning_rate")
    if pure is None or not full_tuning(run) or run.value("quant", "none") != "none" or run.value("learning_rate", 0.0) > SMALL_RATE:
        return
    if rounding_optimizer(run) is None:
        return
    words, numbers = cost(rate)
    yield run.finding(
        pure,
        f"'{as_written(pure)}' keeps weights and gradients in bf16 with no fp32 copy: {words}",
        help="load the weights in fp32 and compute in bf16 (autocast), shard with ZeRO or FSDP mixed precision, or take an optimizer "
        "with stochastic rounding or Kahan summation (optimi_adamw, stable_adamw, torchao AdamW with bf16_stochastic_round)",
        because=[setting for setting in (rate, run.setting("optimizer")) if setting],
        numbers=numbers,
        severity=Severity.WARNING if rate is not None and rate.known else Severity.INFO,
    )


def _pure(run: RunContext) -> Setting | None:
    """The setting that leaves no fp32 copy anywhere."""
    recipe, weights = run.setting("precision"), run.setting("weights_dtype")
    if recipe is not None and recipe.value == "bf16-pure":
        return recipe
    loaded = weights is not None and stated(weights) and weights.value == "bf16"
    return weights if loaded and run.value("master_dtype", "none") == "none" and unsharded(run) else None


RULE = Rule(
    code="BL204",
    name="pure-bf16-adamw",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("precision=bf16-pure", "weights_dtype=bf16"),
    harm=13.2,
)
