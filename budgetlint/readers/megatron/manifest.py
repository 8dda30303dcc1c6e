"""What is known of Megatron-LM beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program

MANIFEST = Manifest(
    "megatron",
    (Format("megatron", "Megatron-LM"),),
    top=("MODEL_ARGS",),
    programs=(Program(r"pretrain_(gpt|bert|t5|mamba|vlm|retro|ict|vision_\w+)\.py", "megatron", "argparse", "Megatron-LM"),),
    packages=(Package("megatron", also=("megatron-core", "megatron-lm"), pins=False),),
    model_code="megatron",
    code_by_stack=True,
    without=("fused loss", "chunked loss", "zero1", "zero2", "zero3", "sgd"),  # megatron-core 0.14.0: its own distributed optimizer
)
