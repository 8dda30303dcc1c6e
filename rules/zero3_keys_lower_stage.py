"""Settings that only ZeRO stage 3 reads, under a lower stage.

Parameters can be offloaded only when they are partitioned, which stage 3 does. Under stage 1 or 2 `offload_param` and every
`stage3_…` key are accepted and ignored. A key at its resting value (`device: none`) is silent.

## What it costs

The parameters stay on the GPU: 2 bytes for each of them that the plan had counted as host memory.

## Failing

```json ds.json
{"zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}}, "train_micro_batch_size_per_gpu": 1}
```

## Passing

```json ds.json
{"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}, "train_micro_batch_size_per_gpu": 1}
```

## Sources

- DeepSpeed 0.19.8 `runtime/zero/config.py` `offload_param`: "Valid only with stage 3".
- huggingface/accelerate#2298: a posted config with `offload_param` under stage 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Setting, Severity, number_of, written_in

from ._flags import may_be_elsewhere

STAGE3_ONLY = "stage3_"
DEFAULT_STAGE = {"deepspeed": 0, "accelerate": 2}
"""DeepSpeed ``DeepSpeedZeroConfig.stage``; accelerate 1.15 ``DeepSpeedPlugin``: ACCELERATE_DEEPSPEED_ZERO_STAGE, 2."""


def check(document: DocumentContext) -> Iterator[Finding]:
    accelerate = document.format == "accelerate"
    if accelerate and not _inline_deepspeed(document):
        return
    stage = written_in(document.reading, "deepspeed_config.zero_stage" if accelerate else "zero_optimization.stage")
    value = number_of(stage) if stage is not None else DEFAULT_STAGE[document.format]
    if value is None or value >= 3 or (stage is None and may_be_elsewhere(document)):
        return
    device = written_in(document.reading, *_DEVICES[document.format])
    if device is not None and device.known and device.value in ("cpu", "nvme", True):
        yield _offload(document, device, stage, int(value))
    if not accelerate:
        yield from _prefixed(document, stage, int(value))


_DEVICES = {
    "deepspeed": ("zero_optimization.offload_param.device", "zero_optimization.cpu_offload_param"),
    "accelerate": ("deepspeed_config.offload_param_device",),
}


def _inline_deepspeed(document: DocumentContext) -> bool:
    kind = written_in(document.reading, "distributed_type")
    named = written_in(document.reading, "deepspeed_config.deepspeed_config_file")
    return kind is not None and str(kind.value).upper() == "DEEPSPEED" and (named is None or named.value == "none")


def _offload(document: DocumentContext, device: Setting, stage: Setting | None, value: int) -> Finding:
    return document.finding(
        device,
        f"{device.name.partition('.')[2]} {device.text} under ZeRO stage {value} has no effect: the parameters stay on the GPU",
        help="use stage 3, or delete it",
        because=[stage] if stage else (),
    )


def _prefixed(document: DocumentContext, stage: Setting | None, value: int) -> Iterator[Finding]:
    """One finding for all of them: such a file was copied from one for stage 3."""
    section = document.node("zero_optimization")
    entries = section.entries if isinstance(section, Mapping) else ()
    names = [entry.key.text for entry in entries if entry.key.text.startswith(STAGE3_ONLY)]
    first = written_in(document.reading, f"zero_optimization.{names[0]}") if names else None
    if first is None:
        return
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    yield document.finding(
        first,
        f"{names[0]}{others} has no effect under ZeRO stage {value}",
        help="delete what only stage 3 reads, or use stage 3",
        because=[stage] if stage else (),
        severity=Severity.INFO,
    )


RULE = Rule(
    "BL503",
    "zero3-keys-lower-stage",
    Severity.WARNING,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("deepspeed", "accelerate"),
    flags=True,
    harm=11.7,
)
