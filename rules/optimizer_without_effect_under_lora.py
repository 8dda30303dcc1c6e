"""An 8-bit or paged optimizer on a LoRA run, where there is next to no optimizer state to shrink.

Told when the rank is known and what it saves is under 2% of the device (of what the run needs, where the device is not known), and under
5% of what the run needs. High ranks with trained embeddings (`modules_to_save`) have real state, and are not told. Nor is what a program
has as its default, and what Unsloth's own notebooks write: nobody meant to save memory by it.

## What it costs

Nothing but time and a wrong belief: an out-of-memory error of a LoRA run comes from activations and logits, and the 8-bit states
make every step a little slower and less exact.

## Failing

```budget
device 24GiB
model qwen2.5-1.5b
optimizer paged_adamw_8bit
lora r=16
batch 2
seq 1024
```

## Passing

```budget
device 24GiB
model qwen2.5-1.5b
optimizer adamw
lora r=16
batch 2
seq 1024
```

## Sources

- bitsandbytes 0.50.2 `optim/optimizer.py`: about 2 bytes of state per parameter instead of 8; tensors below 4,096 elements keep
  fp32, tensors below 100,000 elements are not paged.
- <https://github.com/pytorch/torchtune/issues/1576>.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Finding,
    Optimizer,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    gib,
    optimizer_of,
    stated,
    written_by,
)

from ._offload import experts_differ
from ._scripts import is_literal

SHARE = 0.02
"""Of the device, or of what the run needs where no device is known."""
OF_NEED = 0.05
"""Of a need that may be larger where the batches are not known: then it is less still."""
_COUNTED = ("lora_targets", "lora_modules_to_save", "adapter")
"""What decides how much an adapter trains."""


def check(run: RunContext) -> Iterator[Finding]:
    setting, estimate = run.setting("optimizer"), run.estimate
    optimizer = optimizer_of(setting)
    if setting is None or optimizer is None or estimate is None or not stated(setting) or not _shrinks(optimizer):
        return
    params, plan = estimate.trainable_params, run.plan
    rank = run.setting("lora_r")
    if params is None or plan is None or plan.adapter is None or rank is None or not rank.known:
        return
    if any(found is not None and not found.known for found in map(run.setting, _COUNTED)):
        return  # what trains is not known: one of several lists of targets
    if written_by(run, "unfrozen_parameters") is not None or experts_differ(run) or not _is_meant(run, setting):
        return
    saved = _saved(optimizer, params, plan.adapter.dtype)
    if saved > SHARE * (estimate.usable_low or estimate.need.bytes) or saved > OF_NEED * estimate.need.bytes:
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' saves at most {gib(saved)} here: LoRA trains {params:,} parameters of {estimate.params or 0:,}",
        help="write adamw_torch (adamw in a budget); recomputation, a shorter length or a smaller micro batch save memory",
        because=[found for found in (run.setting("adapter"), run.setting("lora_r")) if found],
        numbers={"saved_bytes": saved, "need_bytes": estimate.need.bytes, "trainable_parameters": params},
    )


def _is_meant(run: RunContext, setting: Setting) -> bool:
    """Written for this run: no default of the program's own option, no word of Unsloth's template."""
    model, trainer = run.setting("model"), run.run.trainer
    of_unsloth = model is not None and model.origin.key.partition(".")[0].startswith("Fast")
    mentioned = trainer is not None and "unsloth" in trainer.document.source.text.lower()
    return is_literal(setting) and not (setting.value == "adamw8bit" and (of_unsloth or mentioned))


def _shrinks(optimizer: Optimizer) -> bool:
    return optimizer.adam_like and (optimizer.paged or any(state.block for state in optimizer.states))


def _saved(optimizer: Optimizer, params: int, width: int) -> int:
    """Two moments of the adapter's own width against one byte each; a paged one can move all of it to the host."""
    full = 2 * width * params
    return full if optimizer.paged else max(0, full - 2 * params)


RULE = Rule(
    code="BL306",
    name="optimizer-without-effect-under-lora",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    needs=("optimizer", "plan", "estimate"),
    aliases=("paged-optimizer-with-lora",),
    harm=5.5,
)
