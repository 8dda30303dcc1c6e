"""peft-doctor: its total without the overhead that it adds for fragmentation. Given the counts that it would else guess."""

from __future__ import annotations

from asked import Run, answer
from peft_doctor.estimator import estimate_vram_gb


def ask(run: Run) -> float:
    if run["dtype"] == "fp32":
        raise ValueError("16-bit weights only")
    report = estimate_vram_gb(
        run["model"],
        seq_len=run["seq"],
        batch_size=run["batch"],
        qlora=run["method"] == "qlora",
        lora=run["method"] != "full",
        gradient_checkpointing=run["checkpointing"],
        params_billion=run["params"] / 1e9,
        hidden_size=run["config"]["hidden_size"],
        num_layers=run["config"]["num_hidden_layers"],
    )
    terms = next(issue.details for issue in report.issues if issue.code == "estimate.total_vram")
    return float(report.metadata["estimated_total_gb"] - terms["overhead_gb"]) * 2**30


answer(ask)
