"""The runs that a GPU session measures: small models, every lever once, in the budget language. ``{device}`` is the card that is there."""

from __future__ import annotations

from dataclasses import dataclass

QWEN, LLAMA, GPT2, PYTHIA, GEMMA = "qwen2.5-0.5b", "llama-3.2-1b", "gpt2", "pythia-410m", "gemma-2-2b"
ATTENTION = "attention sdpa"


@dataclass(frozen=True, slots=True)
class Cell:
    """``imitate``: a smaller card that the allocator is held to."""

    id: str
    budget: str
    imitate: str = ""


def _cell(id: str, model: str, recipe: str, batch: int, seq: int, more: str = "recompute none", optimizer: str = "adamw") -> Cell:
    attention = "" if "attention" in more else f"; {ATTENTION}"
    text = f"device {{device}}; model {model}; precision {recipe}; optimizer {optimizer}; batch {batch}; seq {seq}; {more}{attention}"
    return Cell(id, text)


LORA = "lora r=16 targets=all dropout=0"
GRID: tuple[Cell, ...] = (
    _cell("full-autocast", QWEN, "bf16-autocast", 4, 1024),
    _cell("full-pure", QWEN, "bf16-pure", 4, 1024),
    _cell("full-master", QWEN, "bf16", 4, 1024),
    _cell("full-fp32", QWEN, "fp32", 2, 1024),
    _cell("recompute", QWEN, "bf16-autocast", 4, 1024, "recompute full"),
    _cell("recompute-reentrant", QWEN, "bf16-pure", 4, 1024, "recompute full reentrant=on"),
    _cell("eager", QWEN, "bf16-autocast", 2, 1024, "recompute none; attention eager"),
    Cell("accumulation", _cell("", QWEN, "bf16-autocast", 2, 1024).budget.replace("batch 2;", "batch 2 accum=4;")),
    _cell("long", QWEN, "bf16-pure", 1, 8192, "recompute full"),
    _cell("middling", QWEN, "bf16-pure", 2, 4096, "recompute full"),
    _cell("short", QWEN, "bf16-autocast", 16, 256),
    _cell("fused", QWEN, "bf16-pure", 4, 1024, optimizer="adamw impl=fused"),
    _cell("for-loop", QWEN, "bf16-pure", 4, 1024, optimizer="adamw impl=for-loop"),
    _cell("foreach", QWEN, "bf16-autocast", 4, 1024, optimizer="adamw impl=foreach"),
    _cell("sgd", QWEN, "bf16-pure", 4, 1024, optimizer="sgd"),
    _cell("8bit", QWEN, "bf16-autocast", 4, 1024, optimizer="adamw8bit"),
    _cell("paged", QWEN, "bf16-autocast", 4, 1024, optimizer="paged_adamw_8bit"),
    _cell("adafactor", QWEN, "bf16-autocast", 4, 1024, optimizer="adafactor"),
    _cell("lora", QWEN, "bf16-pure", 4, 1024, f"{LORA}; recompute none"),
    _cell("lora-dropout", QWEN, "bf16-pure autocast=on", 4, 1024, "lora r=16 targets=all dropout=0.1; recompute none"),
    _cell("lora-recompute", QWEN, "bf16-pure", 8, 1024, f"{LORA}; recompute full"),
    _cell("lora-attention-only", QWEN, "bf16-pure", 4, 1024, "lora r=64 targets=[q_proj, v_proj] dropout=0; recompute none"),
    _cell("dora", QWEN, "bf16-pure", 2, 1024, "lora r=16 targets=all dropout=0 dora=on; recompute none"),
    _cell("qlora", QWEN, "bf16", 4, 1024, f"quant nf4 double=on; {LORA}; recompute full"),
    _cell("qlora-single", QWEN, "bf16", 4, 1024, f"quant nf4 double=off; {LORA}; recompute none"),
    _cell("int8", QWEN, "bf16", 2, 1024, f"quant int8; {LORA}; recompute none"),
    _cell("llama-full", LLAMA, "bf16-pure", 2, 1024),
    _cell("llama-lora", LLAMA, "bf16-pure", 4, 2048, f"{LORA}; recompute full"),
    _cell("gpt2-fp32", GPT2, "fp32", 8, 1024),
    _cell("gpt2-autocast", GPT2, "bf16-autocast", 8, 1024),
    _cell("pythia", PYTHIA, "bf16-autocast", 4, 1024),
    _cell("gemma-lora", GEMMA, "bf16-pure", 2, 1024, f"{LORA}; recompute full; attention eager"),
    Cell("out-of-memory", _cell("", QWEN, "fp32", 16, 1024).budget, imitate="rtx-3060"),
)

_TINY = "custom family=llama hidden=64 layers=3 heads=4 kv_heads=2 intermediate=128 vocab=512 max_positions=512"
TINY: tuple[Cell, ...] = (
    _cell("tiny-full", _TINY, "bf16-autocast", 2, 64),
    _cell("tiny-lora", _TINY, "bf16-pure", 2, 64, f"{LORA}; recompute full"),
)
