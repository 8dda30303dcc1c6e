"""vramcalc: the total of its terms, which leaves its flat overhead out. It knows no 4-bit base."""

from __future__ import annotations

from asked import Run, answer
from vramcalc import estimate


def ask(run: Run) -> float:
    if run["method"] == "qlora":
        raise ValueError("no 4-bit base")
    found = estimate(
        run["config"],
        mode="train",
        dtype=run["dtype"],
        batch=run["batch"],
        seq_len=run["seq"],
        lora_rank=run["rank"],
        grad_checkpoint=run["checkpointing"],
        optimizer="adamw",
        precision="pure",
        attn_impl=run["attention"],
    )
    return float(found.total)


answer(ask)
