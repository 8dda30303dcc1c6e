"""Trace which tensors one block of a real vision tower keeps for its backward; the method is that of `trace_saved.py`.

    pip install torch==2.13.0 transformers==5.24.0 peft==0.21.2 accelerate
    python benchmarks/trace_towers.py benchmarks/data/saved_towers_transformers-5.24.0.jsonl

Three blocks of a small tower run on ``meta`` tensors, on several images of one size; what is alive behind them and was made in the
middle one is what a block keeps. Lengths of images are real numbers on the CPU, as the code splits by them. The dtype that the stream
between blocks has under autocast is that of the patch embedding in front of them: 16 bit out of a convolution, fp32 where fp32
positions or norm weights come on top.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from saved_stand_ins import Autocast, forced, stand_in, used
from trace_saved import MIDDLE, Record, Storages, _split

WORKLOADS = ((2, 32), (5, 32), (2, 64))
SIZES = {"hidden_size": 96, "num_attention_heads": 6, "intermediate_size": 136}


@dataclass(frozen=True)
class Tower:
    """``block``: module and class of one block; ``stream32``: fp32 between blocks under autocast; ``by_image``: the code takes all
    patches in one row and splits it by ``cu_seqlens``; ``tables``: it takes rotary tables; ``variant``: what to call it
    beside another of its code."""

    family: str
    module: str
    block: str
    config: str
    sizes: dict[str, Any]
    stream32: bool = True
    by_image: bool = False
    tables: bool = False
    variant: str = ""


_QWEN = {"hidden_size": 96, "num_heads": 6, "intermediate_size": 136, "depth": 3}
TOWERS = (
    Tower("qwen2_vl_vision", "qwen2_vl", "Qwen2VLVisionBlock", "Qwen2VLVisionConfig",
          {"embed_dim": 96, "num_heads": 6, "mlp_ratio": 2, "depth": 3}, False, True, True),
    Tower("qwen2_5_vl_vision", "qwen2_5_vl", "Qwen2_5_VLVisionBlock", "Qwen2_5_VLVisionConfig", _QWEN, False, True, True),
    Tower("qwen3_vl_vision", "qwen3_vl", "Qwen3VLVisionBlock", "Qwen3VLVisionConfig", _QWEN, False, True, True),
    Tower("clip_vision", "clip", "CLIPEncoderLayer", "CLIPVisionConfig", SIZES),
    Tower("siglip", "siglip", "SiglipEncoderLayer", "SiglipVisionConfig", SIZES),
    Tower("siglip", "idefics3", "Idefics3EncoderLayer", "Idefics3VisionConfig", SIZES),
    Tower("internvl_vision", "internvl", "InternVLVisionLayer", "InternVLVisionConfig", {**SIZES, "attention_bias": True}),
    Tower("internvl_vision", "internvl", "InternVLVisionLayer", "InternVLVisionConfig",
          {**SIZES, "attention_bias": False, "use_qk_norm": True, "norm_type": "rms_norm"}, variant="internvl-6b"),
    Tower("pixtral_vision", "pixtral", "PixtralAttentionLayer", "PixtralVisionConfig", SIZES, tables=True),
)  # fmt: skip
PRECISIONS = (("bf16", False), ("fp32", True), ("fp32", False))
KERNELS = ("sdpa", "flash", "eager")


def build(tower: Tower, weights: str, kernel: str) -> Any:
    config = getattr(importlib.import_module(f"transformers.models.{tower.module}.configuration_{tower.module}"), tower.config)(
        **tower.sizes
    )
    config._attn_implementation = "stand_in" if kernel == "flash" else kernel
    code = importlib.import_module(f"transformers.models.{tower.module}.modeling_{tower.module}")
    code.is_flash_attention_requested = lambda *_, **__: kernel == "flash"  # type: ignore[attr-defined]
    block = getattr(code, tower.block)
    with torch.device("meta"):
        blocks = torch.nn.ModuleList([block(config) for _ in range(3)])
    return blocks.to({"fp32": torch.float32, "bf16": torch.bfloat16}[weights]).train()


def arguments(tower: Tower, stream: torch.dtype, images: int, patches: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if tower.by_image:
        found["cu_seqlens"] = torch.arange(images + 1, dtype=torch.int32) * patches
        found["max_seqlen"] = patches
    elif tower.module != "internvl":
        found["attention_mask"] = None
    if tower.tables:
        rows = images * patches if tower.by_image else patches
        half = torch.float32 if tower.by_image else stream  # the Qwen code rotates in fp32
        table = torch.zeros(rows, 16, dtype=half, device="meta")
        found["position_embeddings"] = (table, table)
    return found


def run(tower: Tower, blocks: Any, autocast: bool, weights: str, images: int, patches: int) -> list[Record]:
    storages = Storages()
    half = torch.bfloat16 if weights == "bf16" or (autocast and not tower.stream32) else torch.float32
    shape = (images * patches, 96) if tower.by_image else (images, patches, 96)
    hidden = torch.zeros(*shape, dtype=half, device="meta", requires_grad=True)
    given = arguments(tower, half, images, patches)
    mode = Autocast() if autocast else contextlib.nullcontext()
    Autocast.on = [mode] if isinstance(mode, Autocast) else []
    with storages, mode:
        for index, block in enumerate(blocks):
            storages.layer = index
            hidden = block(hidden, **given)
            hidden = hidden[0] if isinstance(hidden, tuple) else hidden
        storages.layer = None
    gc.collect()
    Autocast.on = []
    weights_of = {tuple(parameter.shape) for parameter in blocks.parameters()}  # autocast keeps copies of them
    return [one for one in storages.records if one.alive and one.layer == MIDDLE and one.shape not in weights_of]


def trace(tower: Tower, weights: str, autocast: bool, kernel: str) -> dict[str, Any]:
    stand_in(False)
    forced[:] = []
    used.clear()
    blocks = build(tower, weights, kernel)
    one, more, longer = (run(tower, blocks, autocast, weights, images, patches) for images, patches in WORKLOADS)
    token = pair = 0
    tensors = []
    for label, first, second, third in _by_kind(one, more, longer):
        if first == second or second * 2 != first * 5:
            continue
        per_token, per_pair = _split(first, third, WORKLOADS[0][0])
        token, pair = token + per_token, pair + per_pair
        tensors.append([label, per_token, per_pair])
    row = {"family": tower.family, "code": tower.variant or tower.module, "weights": weights, "autocast": autocast, "attention": kernel}
    ran = "".join(sorted(used)) if kernel == "sdpa" else kernel
    return {**row, "kernel": ran, "per_token": token, "per_pair": pair, "tensors": tensors}


def _by_kind(*runs: list[Record]) -> Any:
    """Bytes by dtype and operation: code that goes image by image makes as many tensors as there are images."""
    sums: list[dict[str, int]] = []
    for records in runs:
        found: dict[str, int] = {}
        for record in records:
            key = f"{record.dtype} {record.op}"
            found[key] = found.get(key, 0) + record.bytes
        sums.append(found)
    for key in sums[0]:
        yield (key, *(found.get(key, 0) for found in sums))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    transformers.logging.set_verbosity_error()
    versions = {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0]}
    lines: list[dict[str, Any]] = [{"versions": versions}]
    for tower in TOWERS:
        for weights, autocast in PRECISIONS:
            for kernel in KERNELS:
                try:
                    lines.append(trace(tower, weights, autocast, kernel))
                except (RuntimeError, ValueError, NotImplementedError, AssertionError) as problem:
                    print(f"{tower.module} {weights} {autocast} {kernel}: {type(problem).__name__}: {str(problem)[:200]}", file=sys.stderr)
    out.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
