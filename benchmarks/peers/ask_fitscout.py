"""fitscout: its total without the flat overhead."""

from __future__ import annotations

from asked import Run, answer
from fitscout.memory.estimator import estimate_memory
from fitscout.model.profile import ModelProfile

SIZE = {"fp32": 4, "fp16": 2, "bf16": 2}


def ask(run: Run) -> float:
    config = run["config"]
    profile = ModelProfile(
        params=run["params"],
        num_layers=config["num_hidden_layers"],
        hidden_size=config["hidden_size"],
        num_attention_heads=config["num_attention_heads"],
        num_kv_heads=config["num_key_value_heads"],
        intermediate_size=config["intermediate_size"],
        vocab_size=config["vocab_size"],
        tie_word_embeddings=config["tie_word_embeddings"],
        num_experts=run["experts"],
        dtype_bytes=SIZE[run["dtype"]],
    )
    found = estimate_memory(
        profile,
        method=run["method"],
        micro_batch=run["batch"],
        seq_len=run["seq"],
        grad_ckpt=run["checkpointing"],
        lora_rank=run["rank"] or 16,
        grad_dtype_bytes=SIZE[run["dtype"]],
    )
    return (found.total_gb - found.overhead_gb) * 2**30


answer(ask)
