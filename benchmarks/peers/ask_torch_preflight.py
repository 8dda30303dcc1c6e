"""torch-preflight: its breakdown without CUDA context and fragmentation. LoRA is a frozen fraction; it knows no 4-bit base."""

from __future__ import annotations

from asked import Run, answer
from torch_preflight.vram.costmodel import estimate
from torch_preflight.vram.types import Confidence, ModelKind, ModelProfile, OptimizerKind, PrecisionMode, RunConfig, TransformerShape

PRECISION = {"fp32": PrecisionMode.FP32, "fp16": PrecisionMode.PURE_FP16, "bf16": PrecisionMode.PURE_BF16}


def ask(run: Run) -> float:
    if run["method"] == "qlora":
        raise ValueError("no 4-bit base")
    config = run["config"]
    shape = TransformerShape(
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        kv_heads=config["num_key_value_heads"],
        vocab=config["vocab_size"],
        intermediate=config["intermediate_size"],
        tied_embeddings=config["tie_word_embeddings"],
        gated_mlp=run["gated"],
        has_lm_head=True,
    )
    profile = ModelProfile(run["model"], run["params"], run["trainable"], "given", Confidence.HIGH, ModelKind.TRANSFORMER, shape=shape)
    plan = RunConfig(
        batch_size=run["batch"],
        seq_len=run["seq"],
        precision=PRECISION[run["dtype"]],
        optimizer=OptimizerKind.ADAMW,
        gradient_checkpointing=run["checkpointing"],
        flash_attention=run["attention"] == "flash",
        frozen_fraction=1 - run["trainable"] / run["params"],
    )
    found = estimate(profile, plan).breakdown
    return float(found.total - found.cuda_context - found.fragmentation)


answer(ask)
