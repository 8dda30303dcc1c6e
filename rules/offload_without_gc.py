"""Activations are to be offloaded, but none are checkpointed.

axolotl and torchtune move checkpoints to the host, so they need checkpointing. TRL's `activation_offloading` stands alone.

## What it costs

The run stops at start: "activation_offloading requires gradient_checkpointing".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 1
learning_rate: 0.00002
activation_offloading: true
gradient_checkpointing: false
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 1
learning_rate: 0.00002
activation_offloading: true
gradient_checkpointing: true
```

## Sources

- axolotl 0.19.0 `utils/schemas/validation.py` `check_activation_offloading_wo_gc`; the key exists from 0.9.
- torchtune `recipes/full_finetune_single_device.py`: "enable_activation_offloading should only be True when
  enable_activation_checkpointing is True".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_off, written_in

KEYS = {
    "axolotl": ("activation_offloading", "gradient_checkpointing"),
    "torchtune": ("enable_activation_offloading", "enable_activation_checkpointing"),
}


def check(document: DocumentContext) -> Iterator[Finding]:
    offload, switch = KEYS[document.format]
    asked, checkpoints = written_in(document.reading, offload), written_in(document.reading, switch)
    if asked is None or not asked.known or is_off(asked) or asked.value == "":
        return
    if checkpoints is not None and not is_off(checkpoints):
        return
    yield document.finding(
        asked,
        f"{offload} {asked.text} with {switch} {checkpoints.text if checkpoints else 'not set'}: the run stops at start",
        help=f"{switch}: true",
        because=[checkpoints] if checkpoints else (),
        fixes=document.set(checkpoints, True, safety=Safety.UNSAFE)
        if checkpoints
        else document.insert_after(asked, switch, True, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL804",
    name="offload-without-gc",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(KEYS),
    words=("activation_offloading", "enable_activation_offloading"),
    harm=7.0,
    stops=True,
)
