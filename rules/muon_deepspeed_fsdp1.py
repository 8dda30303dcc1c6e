"""axolotl's Muon with DeepSpeed or FSDP 1, which it refuses.

A missing `fsdp_version` means FSDP 1 there. DeepSpeed has a Muon of its own; this is about axolotl's.

## What it costs

The run stops when the file is read: "Muon optimizer is currently incompatible with DeepSpeed".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: muon
deepspeed: deepspeed_configs/zero2.json
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: muon
fsdp_version: 2
fsdp_config:
  offload_params: false
```

## Sources

- axolotl 0.15.0, 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_muon_deepspeed_fsdp`; 0.8.0 to 0.12.0 refuse FSDP 2 too.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, stated, trainer_of, written_by


def check(run: RunContext) -> Iterator[Finding]:
    setting = run.setting("optimizer")
    if trainer_of(run, ("axolotl",)) is None or setting is None or not stated(setting) or setting.text != "muon":
        return
    engine, shard = written_by(run, "deepspeed"), run.setting("shard")
    beside = engine if engine is not None and engine.value else shard if shard is not None and shard.value == "fsdp" else None
    if beside is None:
        return
    what = "DeepSpeed" if beside is engine else "FSDP 1"
    yield run.finding(
        setting,
        f"'{as_written(setting)}' with {what}: axolotl stops when it reads the file",
        help="fsdp_version: 2 with an fsdp_config, or adamw_torch_fused",
        because=[beside],
    )


RULE = Rule(
    code="BL329",
    name="muon-deepspeed-fsdp1",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("optimizer",),
    words=("optimizer=muon",),
    harm=2.5,
    stops=True,
)
