"""What is known of LitGPT beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, Tool, names

MANIFEST = Manifest(
    "litgpt",
    (
        Format(
            "litgpt",
            "LitGPT",
            spellings={
                "micro_batch": "train.micro_batch_size",
                "seq_len": "train.max_seq_length",
                "quant": "quantize",
                "lora_r": "lora_r",
            },
        ),
    ),
    top=("train",),
    programs=(Program(r"litgpt \S+", "litgpt", "jsonargparse", "LitGPT 0.5 __main__.py"),),
    tools=(
        Tool(
            "litgpt",
            names("pretrain finetune finetune_full finetune_lora finetune_adapter finetune_adapter_v2"),
            modules={"litgpt": ""},
        ),
    ),
    packages=(Package("litgpt"),),
    model_code="litgpt",
    code_by_stack=True,
    without=(  # litgpt 0.5.13 finetune/lora.py: the loss is chunked already, fabric shards
        "recompute full",
        "recompute every",
        "offload checkpoints",
        "sqrt checkpoints",
        "fused loss",
        "chunked loss",
        "flash attention",
        "offload optimizer",
    ),
)
