"""An 8-bit AdamW of bitsandbytes with FSDP2, which axolotl refuses.

bitsandbytes keeps plain tensors as states; FSDP2 shards parameters as DTensors, and the CUDA kernel fails on them. torchao's 8-bit AdamW
works.

## What it costs

The run stops when the file is read: "FSDP2 not compatible with adamw_8bit, use `adamw_torch_8bit` instead".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: adamw_bnb_8bit
fsdp_version: 2
fsdp_config:
  offload_params: false
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: adamw_torch_8bit
fsdp_version: 2
fsdp_config:
  offload_params: false
```

## Sources

- axolotl 0.10.0, 0.15.0, 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_fsdp2_w_8bit_optimizer`; 0.8.0 has no such check.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Mapping, Rule, RunContext, Safety, Severity, as_written, stated, trainer_of, written_by

REFUSED = frozenset(("adamw_8bit", "adamw_bnb_8bit"))
SINCE = "0.10.0"


def check(run: RunContext) -> Iterator[Finding]:
    setting, shard = run.setting("optimizer"), run.setting("shard")
    if trainer_of(run, ("axolotl",)) is None or setting is None or shard is None or not stated(setting):
        return
    config = written_by(run, "fsdp_config")
    filled = config is not None and isinstance(config.value, Mapping) and bool(config.value.entries)
    if setting.text not in REFUSED or shard.value != "fsdp2" or not filled or run.at_least("axolotl", SINCE) is False:
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' with FSDP2: axolotl stops when it reads the file, because bitsandbytes cannot step sharded DTensors",
        help="adamw_torch_8bit, torchao's 8-bit AdamW",
        because=[shard],
        fixes=run.set(setting, "adamw_torch_8bit", safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL313",
    name="fsdp2-bnb8bit-optim",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer", "shard"),
    applies="axolotl >= 0.10.0",
    harm=8.5,
    stops=True,
)
