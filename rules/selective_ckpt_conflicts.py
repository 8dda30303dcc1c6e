"""axolotl's `selective_checkpointing` beside settings that it refuses.

It saves some operations of a checkpointed layer, so it needs `gradient_checkpointing`, non-reentrant, and none of the offloaders that
bypass it.

## What it costs

axolotl stops when it reads the file.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
selective_checkpointing: true
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
selective_checkpointing: true
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: false
```

## Sources

- axolotl 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_selective_checkpointing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Safety, Setting, Severity, is_off, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    reading = document.reading
    asked = written_in(reading, "selective_checkpointing")
    if asked is None or not (is_on(asked) or isinstance(asked.value, Mapping)):
        return
    switch = written_in(reading, "gradient_checkpointing")
    reentrant = written_in(reading, "gradient_checkpointing_kwargs.use_reentrant")
    offload = written_in(reading, "activation_offloading")
    if switch is None or is_off(switch):
        yield _finding(document, switch or asked, "needs gradient_checkpointing", "gradient_checkpointing", True, asked)
    elif reentrant is not None and is_on(reentrant):
        yield _finding(document, reentrant, "needs non-reentrant checkpointing", "use_reentrant", False, asked)
    elif offload is not None and offload.known and not is_off(offload) and offload.value != "hidden_states":
        yield _finding(document, offload, "goes with the offloader 'hidden_states' only", "activation_offloading", "hidden_states", asked)


def _finding(document: DocumentContext, at: Setting, why: str, key: str, value: bool | str, asked: Setting) -> Finding:
    word = str(value).lower() if isinstance(value, bool) else value
    missing = at is asked
    return document.finding(
        at,
        f"selective_checkpointing {why}{'' if missing else f', and {key} is {at.text}'}: axolotl stops when it reads the file",
        help=f"{key}: {word}",
        related=[] if missing else [(asked, "what needs it")],
        fixes=document.insert_after(asked, key, value, safety=Safety.UNSAFE) if missing else document.set(at, value, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL806",
    name="selective-ckpt-conflicts",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    words=("selective_checkpointing",),
    harm=2.5,
    stops=True,
)
