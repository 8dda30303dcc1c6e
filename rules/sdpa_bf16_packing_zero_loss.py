"""axolotl packs samples for torch's attention in bf16, on a card older than Hopper.

## What it costs

axolotl warns that this "is unsupported" and may give a loss of 0.0: the run goes on and learns nothing.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
bf16: true
sample_packing: true
attn_implementation: sdpa
```

```budget
device a100-80gb
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
bf16: true
sample_packing: true
attn_implementation: flash_attention_2
```

```budget
device a100-80gb
```

## Sources

- axolotl 0.8.0, 0.12.2, 0.18.0 and 0.19.0 `utils/schemas/config.py` `check_sample_packing_w_sdpa_bf16`.
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
    capability_of,
    card_words,
    device_line,
    is_on,
    stated,
    trainer_of,
    written_by,
)

from ._apple import for_apple

HOPPER = (9, 0)


def check(run: RunContext) -> Iterator[Finding]:
    packing, attention, compute = written_by(run, "sample_packing"), run.setting("attention"), run.setting("autocast")
    if for_apple(run) or trainer_of(run, ("axolotl",)) is None or not is_on(packing):
        return
    if packing is None or attention is None or compute is None:
        return
    by_torch = attention.origin.key == "sdp_attention" or attention.text in ("sdpa", "sdp")
    capability = capability_of(run)
    if not by_torch or not stated(attention) or compute.value != "bf16" or (capability is not None and capability >= HOPPER):
        return
    card = f" on {card_words(run)}" if capability else ", unless the card is a Hopper or newer"
    yield run.finding(
        attention,
        f"'{as_written(attention)}' with sample_packing in bf16{card}: the loss may be 0.0",
        help="attn_implementation: flash_attention_2 (older axolotl: flash_attention: true)",
        because=[packing, compute],
        related=device_line(run),
        severity=None if capability else Severity.INFO,
    )


RULE = Rule(
    "BL709",
    "sdpa-bf16-packing-zero-loss",
    Severity.WARNING,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("attention", "autocast"),
    words=("sdp_attention", "attention=sdpa", "attention=sdp"),
    harm=9.0,
)
