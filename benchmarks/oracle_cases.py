"""The runs of the oracle's grid, as budgets: families, recipes, adapters, recomputation, lengths, kernels, optimizers, sharding."""

from __future__ import annotations

from collections.abc import Iterator

STACK = "stack torch@2.13 transformers@5.24 peft@0.21 accelerate@1.15"
FUSED = "optimizer adamw impl=fused"
RECIPES = {
    "fp32": "precision fp32",
    "autocast": "precision bf16-autocast",
    "pure": "precision bf16-pure",
    "lora": "precision bf16-pure autocast=on; lora r=16 targets=all dropout=0.05 dtype=fp32",
    "lora-plain": "precision bf16-pure; lora r=8 targets=all dtype=bf16",
}

FAMILIES = (
    ("qwen2.5-0.5b", "batch 4; seq 1024"),
    ("llama-3.2-1b", "batch 2; seq 2048"),
    ("qwen3-0.6b", "batch 4; seq 1024"),
    ("mistral-7b", "batch 1; seq 2048"),
    ("phi-3-mini", "batch 2; seq 1024"),
    ("phi-2", "batch 2; seq 1024"),
    ("pythia-410m", "batch 4; seq 1024"),
    ("opt-1.3b", "batch 2; seq 1024"),
    ("gpt2", "batch 8; seq 512"),
    ("starcoder2-3b", "batch 1; seq 2048"),
    ("olmo-2-7b", "batch 1; seq 2048"),
    ("bert-large-uncased head=lm", "batch 16; seq 512"),
)
"""Each with every recipe but fp32, with and without recomputation in turns."""

ONES = (
    # kernels and lengths
    ("gemma-2-2b", "pure", "batch 1; seq 2048; attention eager"),
    ("gemma-2-2b", "lora", "batch 2; seq 1024; attention flash; recompute full"),
    ("llama-3.2-1b", "pure", "batch 2; seq 1024; attention eager"),
    ("llama-3.2-1b", "autocast", "batch 2; seq 1024; attention eager; recompute full"),
    ("llama-3.2-1b", "fp32", "batch 2; seq 1024"),
    ("llama-3.2-1b", "pure", "batch 1; seq 8192; attention flash"),
    ("llama-3.2-1b", "pure", "batch 16; seq 256"),
    ("qwen2.5-0.5b", "fp32", "batch 2; seq 512; attention eager; recompute full"),
    ("pythia-410m", "fp32", "batch 4; seq 512"),
    ("pythia-410m", "fp32", "batch 4; seq 512; attention eager"),
    ("gpt2", "fp32", "batch 4; seq 1024; recompute full"),
    ("falcon-7b", "lora", "batch 1; seq 1024"),
    ("gemma-2b", "pure", "batch 1; seq 1024"),
    ("smollm3-3b", "autocast", "batch 1; seq 1024; recompute full"),
    # mixtures
    ("mixtral-8x7b", "pure", "batch 1; seq 1024"),
    ("mixtral-8x7b", "pure", "batch 1; seq 2048; recompute full"),
    ("qwen1.5-moe-a2.7b", "pure", "batch 2; seq 1024"),
    ("qwen3-30b-a3b", "pure", "batch 1; seq 2048; recompute full"),
    # large models
    ("llama-3-70b", "lora", "batch 1; seq 4096; recompute full"),
    ("qwen2.5-32b", "lora", "batch 1; seq 2048; recompute full reentrant=on"),
    # recomputation
    ("qwen2.5-1.5b", "lora", "batch 4; seq 1024; recompute full reentrant=on"),
    ("qwen2.5-1.5b", "pure", "batch 4; seq 1024; recompute full reentrant=on"),
    ("qwen2.5-1.5b", "autocast", "batch 4; seq 1024; recompute full"),
    # accumulation
    ("qwen2.5-1.5b", "autocast", "batch 2 accum=4; seq 1024"),
    ("llama-3.2-1b", "pure", "batch 1 accum=8; seq 512; recompute full"),
    # sharding
    ("llama-3.2-1b", "autocast", "batch 2; seq 1024; shard ddp"),
    ("llama-3.2-1b", "autocast", "batch 2; seq 1024; shard fsdp2"),
    ("llama-3.1-8b", "autocast", "batch 1; seq 2048; shard fsdp2; recompute full"),
    ("qwen2.5-1.5b", "autocast", "batch 2; seq 1024; shard fsdp2; recompute full"),
)

OPTIMIZERS = ("adamw impl=foreach", "adamw impl=for-loop", "adamw8bit", "sgd", "momentum", "lion", "adafactor")


def budgets() -> Iterator[str]:
    for number, (model, workload) in enumerate(FAMILIES):
        for turn, recipe in enumerate(("autocast", "pure", "lora", "lora-plain")):
            again = "; recompute full" if (number + turn) % 2 else ""
            yield _budget(model, recipe, workload + again, FUSED)
    for model, recipe, workload in ONES:
        yield _budget(model, recipe, workload, FUSED)
    for optimizer in OPTIMIZERS:
        yield _budget("qwen2.5-0.5b", "autocast", "batch 1; seq 512; recompute full", f"optimizer {optimizer}")
    yield _budget("qwen2.5-0.5b", "textbook", "batch 1; seq 512; recompute full", FUSED)


def _budget(model: str, recipe: str, workload: str, optimizer: str) -> str:
    sharded = "shard " in workload
    device = "device 8x a100-80gb" if sharded else "device a100-80gb"
    return f"{device}; model {model}; {RECIPES.get(recipe, 'precision bf16')}; {optimizer}; {workload}; {STACK}"
