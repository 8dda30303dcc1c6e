"""axolotl's LoRA kernels with an 8-bit base or with code from the checkpoint.

The Triton kernels compute LoRA and the base matrix in one function, for 16-bit and 4-bit weights of the models that axolotl knows.

## What it costs

axolotl stops when it reads the file.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
load_in_8bit: true
lora_qkv_kernel: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: qlora
lora_r: 8
load_in_4bit: true
lora_qkv_kernel: true
```

## Sources

- axolotl 0.18.0 `utils/schemas/validation.py` `check_lora_kernels_8bit`, `check_lora_kernels_trust_remote_code`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Setting, Severity, is_on, written_in

KERNELS = ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel")


def check(document: DocumentContext) -> Iterator[Finding]:
    reading = document.reading
    on = [kernel for kernel in (written_in(reading, name) for name in KERNELS) if kernel is not None and is_on(kernel)]
    refused = _refused(document)
    if not on or refused is None:
        return
    names = ", ".join(kernel.name for kernel in on)
    yield document.finding(
        on[0],
        f"{names} with '{refused.name}: {refused.text}': axolotl stops when it reads the file",
        help=f"write false for {names}, or remove {refused.name}",
        because=[*on[1:], refused],
        fixes=document.set(on[0], False, safety=Safety.UNSAFE) if len(on) == 1 else (),
    )


def _refused(document: DocumentContext) -> Setting | None:
    adapter, eight = written_in(document.reading, "adapter"), written_in(document.reading, "load_in_8bit")
    if is_on(eight) and adapter is not None and adapter.value == "lora":
        return eight
    remote = written_in(document.reading, "trust_remote_code")
    return remote if is_on(remote) else None


RULE = Rule(
    code="BL433",
    name="axolotl-lora-kernels",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    words=KERNELS,
    harm=2.5,
    stops=True,
)
