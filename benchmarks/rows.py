"""From a measured row to the budget that says the same run: only what the row states, nothing tuned.

A row that the language cannot express gives a `Reason` instead, which the accuracy page lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]

MODELS = {
    "Llama-3.1-8B (torchtitan llama3 8B)": "llama-3.1-8b",
    "Llama-3.1-70B": "llama-3.1-70b",
    "Llama-2-7B (torchtrain llama 7B)": "llama-2-7b",
    "TinyLlama/TinyLlama-1.1B (litgpt tiny-llama-1.1b)": "tinyllama-1.1b",
    "GPT-2 124M (book implementation, untied head)": "gpt2",
    "bert-large-uncased (sequence classification)": "bert-large-uncased",
    "OpenBuddy/openbuddy-zephyr-7b (Mistral-7B arch)": "mistral-7b-v0.1",
    "timm/vit_huge_patch14_224.orig_in21k": "vit_huge_patch14_224",
    "Llama-3-8B cut to 9 layers (litgpt)": "",
}
DEVICES = {"A100-80GB": "a100-80gb", "NVIDIA A100-SXM4-80GB": "a100-80gb", "A100 (80GB class; values up to 78.7 GiB)": "a100-80gb", "A100-SXM4-40GB": "a100-40gb",
           "A10G 24GB": "a10g", "H100 (95.04 GiB)": "96GiB usable=95.04GiB", "V100 32GB": "v100-32gb", "V100 16GB": "v100-16gb", "RTX 3090": "rtx-3090", "RTX 4090": "rtx-4090",
           "A100": "a100-80gb", "L40S": "l40s", "RTX 4070 Ti SUPER 16GB": "rtx-4070-ti-super", "A100 40GB": "a100-40gb", "H100": "h100-80gb", "A100 80GB (79.15 GiB usable)": "a100-80gb"}  # fmt: skip
OPTIMIZERS = {
    "HF adamw_torch (foreach default; eps 1e-4)": "adamw", "AdamW": "adamw", "adamw_torch": "adamw", "AdamW fused": "adamw impl=fused", "AdamW foreach": "adamw impl=foreach",
    "AdamW (foreach)": "adamw impl=foreach", "bnb PagedAdamW (32-bit)": "paged_adamw_32bit", "AdamW (HF default)": "adamw", "AdamW (HF adamw_hf)": "adamw_hf", "bnb Adam8bit": "adamw8bit",
    "bnb AdamW 8-bit": "adamw8bit", "torchao AdamW8bit": "adamw_torch_8bit", "torchao AdamW4bit": "adamw_torch_4bit", "Adafactor": "adafactor", "DeepSpeed FusedAdam (AdamW)": "fused_adam",
    "DeepSpeed FusedAdam": "fused_adam", "AdamW fused, optimizer step in backward": "adamw impl=fused", "none": "", "Adam (apex fused)": "fused_adam",
}  # fmt: skip
PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "deepspeed", "bitsandbytes")


def budget_of(row: Row) -> str:
    """One line of budget language. Raises `LookupError`, with the reason, for a row the language does not cover."""
    return "; ".join(part for part in _parts(row) if part)


def _parts(row: Row) -> Iterator[str]:
    parallel = row.get("parallelism") or {"type": "none", "world_size": 1}
    yield f"device {_device(row, parallel)}"
    yield f"model {_model(row)}"
    yield from _recipe(row, parallel)
    yield f"optimizer {_optimizer(row)}" if _optimizer(row) else ""
    yield from _method(row)
    yield f"batch {row['micro_batch']}" + (f" accum={row['grad_accum']}" if (row.get("grad_accum") or 1) > 1 else "")
    yield f"seq {row['seq_len']}" + (" packing=on" if row.get("packing") else "")
    yield _recompute(row)
    yield f"attention {_attention(row)}"
    yield _loss(row)
    yield from _shard(row, parallel)
    yield "compile on" if row.get("compile") is True else ""
    yield _stack(row)


def _device(row: Row, parallel: Row) -> str:
    name = DEVICES.get(str(row.get("gpu")))
    if name is None:
        raise LookupError(f"the card is not stated exactly ({row.get('gpu')})")
    world = int(parallel.get("world_size") or 1)
    if world == 1:
        return name
    per_node = min(world, 8)
    return f"{per_node}x {name}" + (f"; nodes {world // per_node}" if world > per_node else "")


def _model(row: Row) -> str:
    name = str(row["model"])
    if name.startswith("single operator"):
        raise LookupError("a single operator, not a run")
    named = MODELS.get(name, name)
    if not named or " " in named:
        raise LookupError(f"a shape of its own: {name}")
    return named


def _recipe(row: Row, parallel: Row) -> Iterator[str]:
    weights, mixed = str(row.get("weight_dtype")), str(row.get("mixed_precision"))
    if "nf4" in weights:
        double = "on" if "double" in weights or "double quantisation" in str(row.get("notes")) else "off"
        yield f"quant nf4 double={double} compute={'fp16' if 'fp16' in weights else 'bf16'}" + (" upcast=norms" if "baseline-peft-bnb" in str(row.get("notes")) else "")
    elif "gptq" in weights:
        yield "quant gptq compute=fp16"
    yield f"precision {_precision(weights, mixed, parallel)}"


def _precision(weights: str, mixed: str, parallel: Row) -> str:
    half = "fp16" if "fp16" in mixed or "fp16" in weights else "bf16"
    if "fp32" in weights and ("FSDP" in weights or "FSDP" in mixed or "upcast" in weights):
        return f"{half}-autocast"
    if weights in ("fp32", "torch.float32 (script default)"):
        return "fp32" if mixed.startswith("none") else f"{half}-autocast"
    if "DeepSpeed" in mixed or "Megatron" in mixed or "master" in weights:
        return half
    if mixed.startswith("none") or "pure" in mixed:
        return f"{half}-pure"
    return f"{half}-pure autocast=on"


def _optimizer(row: Row) -> str:
    name = OPTIMIZERS.get(str(row.get("optimizer")))
    if name is None:
        raise LookupError(f"the optimizer is not in the language: {row.get('optimizer')}")
    return name


def _method(row: Row) -> Iterator[str]:
    method, lora = str(row["method"]), row.get("lora")
    if method.startswith("full"):
        return
    if method not in ("lora", "qlora", "gptq-lora") or not lora:
        raise LookupError(f"the method {method} is not modelled")
    targets = ", ".join(lora["targets"]) if isinstance(lora.get("targets"), list) else "all"
    dtype = "bf16" if str(row.get("adapter_dtype")).startswith(("bf16", "follows")) else "fp32"
    yield f"lora r={lora['rank']} targets=[{targets}] dropout={lora.get('dropout') or 0} dtype={dtype}" if targets != "all" else f"lora r={lora['rank']} dropout={lora.get('dropout') or 0} dtype={dtype}"


def _recompute(row: Row) -> str:
    text = str(row.get("gradient_checkpointing"))
    if text.startswith("none"):
        return "recompute none"
    if text.startswith("selective"):
        return "recompute selective"
    return "recompute full" + (" reentrant=on" if "reentrant" in text and "non-reentrant" not in text else "")


def _attention(row: Row) -> str:
    text = str(row.get("attention"))
    if "flash" in text:
        return "flash"
    if "sdpa" in text or "default" in text:
        return "sdpa"
    return "eager"


def _loss(row: Row) -> str:
    text, notes = str(row.get("loss")), str(row.get("notes"))
    kernels = []
    if "foak = fused" in notes:
        kernels = ["rms_norm", "rope"] + (["lora"] if "RoPE/LoRA" in notes else [])
    if "foak fast cross entropy" in text:
        kernels.append("cross_entropy")
    if "linear cross entropy" in text or text == "liger" or "Liger fused linear" in text:
        kernels.append("linear_cross_entropy")
    if text == "liger" or "Liger fused linear" in text:
        kernels = ["liger"]
    shown = f"kernels [{', '.join(kernels)}]" if kernels and kernels != ["liger"] else ("kernels liger" if kernels else "")
    return shown + ("; loss chunked" if "chunked" in text.lower() and "full logits" not in text else "")


def _shard(row: Row, parallel: Row) -> Iterator[str]:
    kind = str(parallel.get("type"))
    if kind == "none":
        return
    if kind.startswith("3d"):
        raise LookupError("tensor and pipeline parallel layouts come with a later version")
    names = {"fsdp2_full_shard": "fsdp2", "fsdp_full_shard": "fsdp", "fsdp1_full_shard": "fsdp", "zero2": "zero2", "zero3": "zero3", "ddp": "ddp", "fsdp_no_shard (ddp mode)": "ddp"}
    if kind not in names:
        raise LookupError(f"the layout {kind} is not modelled")
    offload = " offload=[params, optimizer]" if "FSDP cpu_offload" in str(row.get("offload")) else ""
    yield f"shard {names[kind]}{offload}"
    if parallel.get("tensor_parallel") or parallel.get("context_parallel"):
        tensor, context = parallel.get("tensor_parallel") or 1, parallel.get("context_parallel") or 1
        yield f"parallel tp={tensor} cp={context}"


def _stack(row: Row) -> str:
    versions = row.get("versions") or {}
    named = [f"{package}@{version}" for package in PACKAGES if (version := _plain(str(versions.get(package) or "")))]
    family = str(row.get("family"))
    named += ["litgpt"] if "litgpt" in family else ["torchtitan"] if "torchtitan" in family else ["torchtune"] if "torchtune" in family else []
    return f"stack {' '.join(named)}" if named else ""


def _plain(version: str) -> str:
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else ""
