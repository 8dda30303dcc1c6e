"""axolotl splits the sequence over GPUs with an attention or a batch that cannot be split.

Context parallelism runs on ring attention, which is a flash attention; with packing, one rank takes one sequence.

## What it costs

The run stops when the config is read: "context_parallel_size > 1 requires flash attention", "micro_batch_size must be set to 1 when
sample_packing is enabled".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 8192
micro_batch_size: 2
learning_rate: 0.00002
sample_packing: true
flash_attention: true
context_parallel_size: 4
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 8192
micro_batch_size: 1
learning_rate: 0.00002
sample_packing: true
flash_attention: true
context_parallel_size: 4
```

## Sources

- axolotl 0.19.0 and 0.18.0 `utils/schemas/validation.py` `check_context_parallel_size` (`use_glm_dsa_kernels` goes its own way).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Setting, Severity, is_on, number_of, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    degree = written_in(document.reading, "context_parallel_size", "sequence_parallel_degree")
    size = number_of(degree)
    if degree is None or size is None or size <= 1 or is_on(written_in(document.reading, "use_glm_dsa_kernels")):
        return
    yield from _attention(document, degree)
    packing, batch = written_in(document.reading, "sample_packing"), written_in(document.reading, "micro_batch_size")
    sequences = number_of(batch)
    if batch is not None and sequences is not None and sequences > 1 and is_on(packing):
        yield document.finding(
            batch,
            f"micro_batch_size {batch.text} with sample_packing and {degree.name} {degree.text}: axolotl stops",
            help="micro_batch_size: 1",
            because=[degree, *([packing] if packing else [])],
            fixes=document.set(batch, 1, safety=Safety.UNSAFE),
            numbers={"micro_batch_sequences": int(sequences), "ranks_per_sequence": int(size)},
        )


def _attention(document: DocumentContext, degree: Setting) -> Iterator[Finding]:
    """An attention that is not written is torch's own; a word that the reader does not know may be a flash kernel."""
    attention = document.setting("attention")
    if attention is not None and (not attention.known or attention.value == "flash"):
        return
    shown = f"{attention.value} attention" if attention else "torch's attention, the default,"
    yield document.finding(
        attention or degree,
        f"{shown} cannot split a sequence over {degree.text} GPUs: axolotl stops",
        help="attn_implementation: flash_attention_2 (older axolotl: flash_attention: true)",
        because=[degree],
    )


RULE = Rule(
    "BL524",
    "axolotl-context-parallel",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    aliases=("zero-ulysses-sp",),
    words=("context_parallel_size", "sequence_parallel_degree"),
    harm=4.5,
)
