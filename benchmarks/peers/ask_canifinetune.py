"""canifinetune: its total without CUDA overhead and safety margin; it aims at reserved memory, this is the nearest to allocated."""

from __future__ import annotations

from asked import Run, answer
from canifinetune.estimator.memory import EstimateRequest, estimate

ATTENTION = {"flash": "flash_attention_2"}


def ask(run: Run) -> float:
    config = run["config"]
    spec = {
        "hidden_size": config["hidden_size"],
        "num_hidden_layers": config["num_hidden_layers"],
        "num_attention_heads": config["num_attention_heads"],
        "num_key_value_heads": config["num_key_value_heads"],
        "intermediate_size": config["intermediate_size"],
        "vocab_size": config["vocab_size"],
        "tie_word_embeddings": config["tie_word_embeddings"],
        "total_params": run["params"],
        "family": config["model_type"],
        **({"num_local_experts": run["experts"], "num_experts_per_tok": run["experts_per_token"]} if run["experts"] > 1 else {}),
    }
    request = EstimateRequest(
        model_id=run["model"],
        method=run["method"],
        seq_len=run["seq"],
        micro_batch_size=run["batch"],
        base_dtype=run["dtype"],
        quantization="nf4_double_quant" if run["double"] else "nf4",
        lora_rank=run["rank"] or 16,
        lora_target_scope="all_linear" if "up_proj" in run["targets"] else "attention",
        optimizer="adamw_torch",
        gradient_checkpointing=run["checkpointing"],
        attention_implementation=ATTENTION.get(run["attention"], run["attention"]),
        gpu_vram_gb=80,
        override=spec,
        use_network=False,
    )
    found = estimate(request).memory
    return (found.total_estimated_gb - found.cuda_overhead_gb - found.safety_margin_gb) * 2**30


answer(ask)
