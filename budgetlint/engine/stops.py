"""Runs that end before they train: a bill that fits says nothing of a run whose arguments are refused.

Each rule of the table is an error only where its framework stops: while it reads the arguments, loads the model, or makes the trainer, the
optimizer or the schedule. The sources stand on the rules' own pages; a test holds each page to the word.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Finding, Severity
from budgetlint.readers.base import names
from budgetlint.rules_api.context import RunContext

STOPS = names(
    """accelerate-ds-file-inline-fields axolotl-lora-kernels axolotl-qlora-without-4bit cosine-min-lr-kwargs device-map-auto-distributed
    ds-hf-batch-mismatch ds-hf-precision-mismatch eval-without-dataset evaluation-strategy-renamed fp16-bf16-both fractional-save-steps
    fsdp-ac-and-gc-both fsdp-offload-8bit-optim fsdp2-bnb8bit-optim fused-and-foreach galore-with-deepspeed gc-unsupported-model
    grpo-divisibility grpo-num-generations-min hf-args-removed-v5 layerwise-optimizer-grad-accumulation llamafactory-ptq-sharded
    load-best-steps-multiple load-best-strategy-mismatch lora-plus-galore muon-deepspeed-fsdp1 offload-without-gc
    plateau-needs-eval predict-with-generate-zero3 prefetch-zero-workers qat-with-peft quantized-without-adapter save-best-needs-metric
    selective-ckpt-conflicts steps-and-strategy-conflict tp-8bit-optim unfrozen-reentrant unsloth-zero3 val-size-and-eval-dataset
    yaml-bool-strategy yaml-float-as-string"""
)


def stopped(findings: Iterable[Finding], runs: Iterable[RunContext]) -> dict[str, tuple[str, ...]]:
    """By run, the codes of the errors for which it does not start. A finding of a document is about each run that reads it."""
    found = [one for one in findings if one.name in STOPS and one.severity is Severity.ERROR]
    if not found:
        return {}
    by_path: dict[str, list[str]] = {}
    for run in runs:
        for path in {reading.document.path for reading in run.run.readings}:
            by_path.setdefault(path, []).append(run.label)
    codes: dict[str, dict[str, None]] = {}
    for one in found:
        for label in one.runs or by_path.get(one.location.file, ()):
            codes.setdefault(label, {})[one.code] = None
    return {label: tuple(sorted(told)) for label, told in codes.items()}
