"""fitcheck-llm: its terms without the overhead of the card."""

from __future__ import annotations

from asked import Run, answer
from fitcheck.config_parser import ModelConfig
from fitcheck.estimator import TrainingConfig, estimate
from fitcheck.gpu_db import GPU_DB


def ask(run: Run) -> float:
    config = run["config"]
    model = ModelConfig(
        name=run["model"],
        num_params=run["params"],
        hidden_size=config["hidden_size"],
        num_layers=config["num_hidden_layers"],
        num_attention_heads=config["num_attention_heads"],
        num_kv_heads=config["num_key_value_heads"],
        intermediate_size=config["intermediate_size"],
        vocab_size=config["vocab_size"],
        head_dim=config["head_dim"],
        tie_word_embeddings=config["tie_word_embeddings"],
    )
    plan = TrainingConfig(
        precision=run["dtype"],
        quantization="nf4" if run["method"] == "qlora" else "none",
        double_quant=run["double"],
        optimizer="adamw",
        optimizer_dtype=run["dtype"] if run["method"] == "full" else "fp32",
        batch_size=run["batch"],
        seq_len=run["seq"],
        lora_rank=run["rank"],
        lora_targets=run["targets"] or [],
        grad_checkpoint=run["checkpointing"],
        flash_attn=run["attention"] == "flash",
    )
    found = estimate(model, plan, GPU_DB["a100-80"])
    return (found.total_mib - found.overhead_mib) * 2**20


answer(ask)
