"""A LoRA whose alpha is 0: its output is scaled by nothing.

An adapter adds `alpha / r` times its product to what the layer gives. At 0 it adds nothing, and its gradients are 0 too.

## What it costs

The run trains to its end without a complaint, and the model is the one that it started from.

## Failing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_alpha: 0
lora_target_linear: true
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
```

## Sources

- PEFT 0.21.2 `tuners/lora/layer.py` `update_layer`: `scaling = lora_alpha / r`, with rsLoRA `lora_alpha / sqrt(r)`.
- axolotl 0.19.0 `loaders/adapter.py`, TRL 1.16.0 `trainer/utils.py` `get_peft_config`: handed on as it is.
- LLaMA-Factory 0.9.4 `hparams/finetuning_args.py` takes twice the rank for 0, and is not told.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import SCRIPTS, TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, as_written, stated, trainer_of

_TRAINERS = (*TRL_ARGUMENTS, *SCRIPTS, "axolotl")


def check(run: RunContext) -> Iterator[Finding]:
    alpha, adapter = run.setting("lora_alpha"), run.setting("adapter")
    if alpha is None or not stated(alpha) or not alpha.known or alpha.value != 0 or trainer_of(run, _TRAINERS) is None:
        return
    if adapter is None or not adapter.known or adapter.value != "lora":
        return
    yield run.finding(
        alpha,
        f"'{as_written(alpha)}' scales what the adapter gives to nothing: it has no effect and gets no gradient",
        help="lora_alpha: the rank, or twice as much",
        fixes=run.advice("an alpha above 0"),
    )


RULE = Rule(
    code="BL437",
    name="lora-alpha-zero",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("lora_alpha",),
    harm=8.0,
)
