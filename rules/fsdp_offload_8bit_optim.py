"""FSDP keeps parameters and gradients on the host, with an 8-bit optimizer that only steps on the GPU.

## What it costs

axolotl stops when the file is read: "FSDP Offload not compatible with adamw_bnb_8bit". With FSDP2 it does not refuse them.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: adamw_bnb_8bit
fsdp: [full_shard, auto_wrap]
fsdp_config:
  fsdp_offload_params: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: adamw_torch_fused
fsdp: [full_shard, auto_wrap]
fsdp_config:
  fsdp_offload_params: true
```

## Sources

- axolotl 0.8.0, 0.10.0, 0.15.0 and 0.18.0 `utils/schemas/` `check_fsdp_offload_w_8bit_optimizer`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, as_written, stated, trainer_of


def check(run: RunContext) -> Iterator[Finding]:
    setting, offload = run.setting("optimizer"), run.setting("offload_params")
    if trainer_of(run, ("axolotl",)) is None or setting is None or offload is None or not stated(setting) or not stated(offload):
        return
    if "8bit" not in setting.text or offload.value != "cpu" or run.value("shard") != "fsdp":
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' cannot step parameters that FSDP keeps on the host ('{as_written(offload)}'): "
        "axolotl stops when it reads the file",
        help="adamw_torch_fused, or leave the parameters on the GPU",
        because=[offload],
        fixes=run.set(setting, "adamw_torch_fused", safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL321",
    name="fsdp-offload-8bit-optim",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer", "offload_params", "shard"),
    harm=6.5,
    stops=True,
)
