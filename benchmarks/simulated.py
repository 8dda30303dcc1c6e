"""Simulated steps (`data/oracle.jsonl`) as budgets: transformers 5.24 code on fake tensors, torch 2.13, second of two steps."""

from __future__ import annotations

from collections.abc import Iterator

from rows import Inexpressible, Row

# A simulation has no cuBLAS workspaces; the estimate counts one for the forward thread and one for the backward thread.
WORKSPACES = 2 * 8_519_680

PRECISION = {
    "fp32": "fp32", "bf16": "bf16-pure", "amp_bf16": "bf16-autocast", "lora_bf16_autocast": "bf16-pure autocast=on",
    "bf16_autocast": "bf16-pure autocast=on",
}  # fmt: skip
OPTIMIZER = {"adamw_fused": "adamw impl=fused", "adamw_foreach": "adamw impl=foreach", "adamw_loop": "adamw impl=for-loop", "sgd": "sgd"}
MODELS = {"bert-large": "bert-large-uncased head=lm"}
RECOMPUTE = {"none": "none", "nonreentrant": "full", "reentrant": "full reentrant=on"}


def simulated_budget(case: Row) -> str:
    """One line of budget language. Raises `Inexpressible`."""
    return "; ".join(_parts(case))


def _parts(case: Row) -> Iterator[str]:
    if case.get("padded_mask"):
        raise Inexpressible("a padded batch turns flash attention off: inside the range, not in the best figure")
    if case.get("keep_outputs"):
        raise Inexpressible("the caller keeps the logits of the step before")
    yield "device a100-80gb"
    yield f"model {MODELS.get(case['model'], case['model'])}"
    yield f"precision {PRECISION[case['mode']]}"
    yield f"optimizer {OPTIMIZER[case.get('opt', 'adamw_fused')]}"
    lora = case.get("lora")
    if lora:
        targets = "all" if lora["targets"] == ["all-linear"] else f"[{', '.join(lora['targets'])}]"
        yield f"lora r={lora['r']} targets={targets} dropout={lora['dropout']} dtype=fp32"
    yield f"batch {case['batch']} accum={case.get('ga', 1)}"
    yield f"seq {case['seq']}"
    yield f"recompute {RECOMPUTE[case['checkpointing']]}"
    yield f"attention {case['attention']}"
    yield "stack torch@2.13 transformers@5.24 peft@0.21"


def simulated_rows(cases: list[Row]) -> Iterator[Row]:
    """The cases in the shape of measured rows: an allocated peak without workspaces, and what an allocator model reserved."""
    for number, case in enumerate(cases, 1):
        yield {
            "id": f"sim-{number:03d}",
            "source": "fake-tensor simulation, transformers 5.24.0, torch 2.13.0, peft 0.21.2",
            "family": "simulated",
            "kind": "end_to_end",
            "observation": "simulated",
            "judge": "two_sided",
            "detail": 3,
            "metric": "allocated",
            "bytes": case["peak"],
            "workspaces": WORKSPACES,
            "extra": [{"metric": "reserved", "bytes": case["reserved"]}],
            "model": case["model"],
            "method": case["mode"],
            "seq_kind": "exact",
            "case": case,
        }
