"""From a measured row to the budget that says the same run: only what the row states, nothing tuned.

`budget_of` gives the text, or raises `Inexpressible` with the reason, which the accuracy page lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from row_words import (
    ADAPTER_DTYPES,
    ADAPTERS,
    DEVICES,
    EAGER_LOSS,
    ENGINES,
    FOUNDRY,
    FOUNDRY_VOCABULARY,
    FUSED_LOSS,
    METHODS,
    MODELS,
    NO_DEVICE,
    OFFLOADS,
    OPTIMIZERS,
    PACKAGES,
    RELEASES,
    SHARDS,
    TARGETS,
    TRAINERS,
    WITHOUT_GROUPS,
)

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import find_model
from budgetlint.catalog.targets import module_names

Row = Mapping[str, Any]
ALONE: Row = {"type": "none", "world": 1}


class Inexpressible(LookupError):
    """The row says something that the budget language, or the estimator, does not know."""


def budget_of(row: Row) -> str:
    """One line of budget language. Raises `Inexpressible`. A row of our own probe has it already (`probed.py`)."""
    if "budget" in row:
        return str(row["budget"])
    return "; ".join(part for part in _parts(row) if part)


def parallel_of(row: Row) -> Row:
    found: Row = row.get("parallel") or ALONE
    return found


def _parts(row: Row) -> Iterator[str]:
    _refuse(row)
    parallel = parallel_of(row)
    yield _device(row, parallel)
    yield f"model {model_of(row)}"
    yield from _recipe(row)
    yield _optimizer(row)
    yield _adapter(row)
    yield f"batch {row['batch']}" + (f" accum={row['accum']}" if row.get("accum", 1) > 1 else "") if "batch" in row else ""
    yield _length(row)
    yield _recompute(row)
    yield _attention(row)
    yield from _loss(row)
    yield _shard(row, parallel)
    yield _degrees(parallel)
    yield ("compile layers" if row["id"] in EAGER_LOSS else "compile on") if row.get("compile") is True else ""
    yield _stack(row)


def _refuse(row: Row) -> None:
    """What no budget can say yet."""
    parallel = parallel_of(row)
    checks = (
        (row["kind"] == "component", "a part of a step, not a run"),
        (str(row["model"]).startswith("single operator"), "a single operator, not a run"),
        ("tp" in parallel["type"].split(), "ZeRO-3 inside a fork of Megatron of 2021"),
        ((parallel.get("pipeline_parallel") or 1) > 1 and not row.get("accum"), "how the pipeline cuts the batch is not stated"),
        ("resolution-unknown" in row.get("flags", ()), "the size of the images is not stated"),
        ((parallel.get("expert_parallel") or 1) > 1, "the experts' own kernels are not stated"),
        ("in backward" in str(row.get("optimizer")), "the optimizer steps inside the backward"),
        (isinstance(row.get("compile"), str), f"compiled by {row.get('compile')}"),
        ("thunder" in row["family"] and "thunder" in str(row.get("attention")), "lightning-thunder executors"),
        (bool(re.search("activation", str(row.get("offload")))), "activations wait in host memory"),
    )
    for refused, why in checks:
        if refused:
            raise Inexpressible(why)


# -- machine and model -------------------------------------------------------------------------------------------------


def _device(row: Row, parallel: Row) -> str:
    """Nothing where one card is not named: an allocated peak does not depend on it."""
    named = str(row.get("gpu"))
    world = int(parallel["world"])
    name = DEVICES.get(named) or _by_class(named)
    if name is None and named in NO_DEVICE and world == 1:
        return ""
    if name is None:
        raise Inexpressible(f"the card is not stated exactly ({named})")
    per_node = min(world, 8)
    nodes = f"; nodes {world // per_node}" if world > per_node else ""
    count = f"{per_node}x " if parallel["type"] != "none" else ""
    return f"device {count}{name}{nodes}"


def _by_class(named: str) -> str | None:
    """``2x 48GB class``: any card of that size."""
    found = re.fullmatch(r"\d+x (\d+)GB class", named)
    return f"{found[1]}GiB" if found else None


def model_of(row: Row) -> str:
    """What stands behind `model` in the budget. Raises `Inexpressible`."""
    name = str(row["model"])
    if name in FOUNDRY:
        hidden, layers, heads = FOUNDRY[name]
        return (
            f"custom hidden={hidden} layers={layers} heads={heads} intermediate={4 * hidden} vocab={FOUNDRY_VOCABULARY} tied=on glu=off "
            f"norm=layernorm position=learned max_positions={row['seq']} qkv_bias=on family=gpt_neox"
        )
    named = MODELS.get(name, name)
    if named is name:
        named = re.sub(r"-(unsloth-)?bnb-4bit$", "", name.removeprefix("unsloth/"))
    if named.startswith("custom") or architecture_of_name(named.split()[0]):
        return named
    raise Inexpressible(f"the model is not in the catalog ({name})")


@cache
def architecture_of_name(name: str) -> Architecture | None:
    """The model in the catalog; None for a shape of its own."""
    found = find_model(name)
    return found if isinstance(found, Architecture) else None


# -- precision and method ----------------------------------------------------------------------------------------------


def _recipe(row: Row) -> Iterator[str]:
    weights, quant = str(row.get("weights")), str(row.get("quant") or row.get("weights"))
    half = "fp16" if "fp16" in weights + str(row.get("mixed_precision")) else "bf16"
    if "nf4" in quant:
        double = "on" if "double" in quant else "off"
        upcast = f" upcast={row['upcast']}" if "upcast" in row else ""
        yield f"quant nf4 double={double} compute={half}{upcast}"
    elif "gptq int4" in quant:
        yield "quant gptq compute=fp16" + (" group=0" if row["model"] in WITHOUT_GROUPS else "")
    elif "int8" in quant:
        yield "quant int8"
    elif "fp4" in quant:
        raise Inexpressible(f"the quantisation {quant}")
    yield f"precision {_precision(weights, str(row.get('mixed_precision')), half)}"


def _precision(weights: str, mixed: str, half: str) -> str:
    """Engines with a policy (FSDP2, llm-foundry) hold fp32 and compute in 16 bit without autocast."""
    if mixed.startswith(("FSDP2", "amp_bf16 / FSDP", "bf16 / FSDP", "amp_fp8 / FSDP")):
        return f"{half} weights=fp32 grads=fp32 master=none"
    if mixed == "HF Trainer bf16=True + FSDP1" or weights.startswith("fp32"):
        return "fp32" if mixed.startswith("none") else f"{half}-autocast"
    if "DeepSpeed" in mixed or "Megatron" in mixed or "master" in mixed or "master" in weights:
        return half
    if mixed.startswith(("none", "precision=")) or "pure" in mixed:
        return f"{half}-pure"
    return f"{half}-pure autocast=on"


def _optimizer(row: Row) -> str:
    named = str(row.get("optimizer"))
    if named == "None":
        return ""
    if named not in OPTIMIZERS:
        raise Inexpressible(f"the optimizer {named}")
    return f"optimizer {OPTIMIZERS[named]}"


def _adapter(row: Row) -> str:
    method, lora = str(row["method"]), row.get("lora") or {}
    if method.split(" ")[0] in ("full", "sft"):
        return ""
    if method in ADAPTERS:
        return f"adapter {ADAPTERS[method]}"
    if method not in METHODS:
        raise Inexpressible(f"the method {method}")
    if not lora.get("rank"):
        raise Inexpressible("the LoRA rank is not stated")
    parts = [f"lora r={lora['rank']}", f"targets={_targets(row)}", f"dropout={lora.get('dropout') or 0}"]
    dtype = row.get("adapter_dtype") or ADAPTER_DTYPES.get(row["family"])
    parts += [f"dtype={dtype}"] if dtype else []
    parts += ["dora=on"] if "dora" in method else ["rslora=on"] if "rslora" in method else []
    parts += ["save=[wte, lm_head]"] if method == "lora+emb" else []
    return " ".join(parts)


def _targets(row: Row) -> str:
    named = row["lora"].get("targets")
    if not isinstance(named, list) or any(name.startswith("all") for name in named):
        return "all"
    architecture = architecture_of_name(model_of(row).split()[0])
    modules = module_names(architecture) if architecture else {}
    leaves = {leaf for names in modules.values() for leaf in names}
    if "litgpt" in row["family"]:
        # litgpt/lora.py adapts q, k and v apart, also where one weight packs them
        parts = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "query": "q_proj", "key": "k_proj", "value": "v_proj"}
        named = [parts.get(name, name) for name in named]
        leaves |= set(parts.values())
    found = [leaf for name in named for leaf in _leaves(name, modules, leaves)]
    return f"[{', '.join(dict.fromkeys(found))}]"


def _leaves(name: str, modules: Mapping[str, tuple[str, ...]], leaves: set[str]) -> tuple[str, ...]:
    """The modules that a target names: as PEFT would find it, else by its role."""
    if name in leaves or name not in TARGETS:
        return (name,)
    found = [leaf for role in TARGETS[name] for leaf in modules.get(role, ())]
    return tuple(found[:1] if name in ("q", "k", "v", "query", "key", "value") else found) or TARGETS[name][:1]


# -- the step ----------------------------------------------------------------------------------------------------------


def _length(row: Row) -> str:
    if "seq" not in row:
        return ""
    return f"seq {row['seq']}" + (" packing=on" if row.get("packing") else "")


def _degrees(parallel: Row) -> str:
    """Of a pipeline, the stage whose rank was read."""
    pairs = (("tp", "tensor_parallel"), ("pp", "pipeline_parallel"), ("cp", "context_parallel"), ("stage", "stage"))
    named = [f"{short}={parallel[name]}" for short, name in pairs if parallel.get(name) is not None]
    return f"parallel {' '.join(named)}" if named else ""


def _recompute(row: Row) -> str:
    text = str(row.get("recompute"))
    if text.startswith(("None", "not ", "unclear", "on")) or "graph" in text or "toml default" in text:
        raise Inexpressible(f"recomputation is not stated ({text})" if text != "None" else "recomputation is not stated")
    if text.startswith(("none", "False")):
        return "recompute none"
    if text.startswith("selective"):
        return "recompute selective"
    return "recompute full" + (" reentrant=on" if "reentrant" in text and "non-reentrant" not in text else "")


def _attention(row: Row) -> str:
    text = str(row.get("attention"))
    kinds = (
        ("eager", "eager"),
        ("unfused", "eager"),
        ("from scratch", "eager"),
        ("need_weights", "eager"),
        ("flash_", "flash"),
        ("triton", "flash"),
    )
    for word, kind in kinds:
        if word in text:
            return f"attention {kind}"
    return "" if text == "None" else "attention sdpa"


def _loss(row: Row) -> Iterator[str]:
    text = str(row.get("loss"))
    kernels = list(row.get("kernels", ()))
    if text == "liger" or text.startswith("Liger fused") or "LigerPlugin" in text:
        kernels = ["liger"]
    elif "foak fast cross entropy" in text or row["family"] in FUSED_LOSS:
        kernels.append("cross_entropy")
    elif "linear cross entropy" in text or "CutCrossEntropy" in text or "FusedLinear" in text:
        kernels.append("linear_cross_entropy")
    elif "unsloth" in text:
        kernels = ["unsloth"]
    yield f"kernels [{', '.join(kernels)}]" if kernels else ""
    yield "loss plain" if "no upcast" in text else ""
    yield "loss chunked" if "chunked" in text.lower() and "full logits" not in text and not kernels else ""


def _shard(row: Row, parallel: Row) -> str:
    kind, offload = str(parallel["type"]), str(row.get("offload", "none"))
    if kind == "none" and offload == "none":
        return ""
    if offload not in ("none", *OFFLOADS) or (kind not in SHARDS and kind != "none"):
        raise Inexpressible(f"the layout {kind}, offload {offload}")
    if kind == "none":
        raise Inexpressible(f"offload {offload} without an engine")
    return f"shard {SHARDS[kind]}{OFFLOADS.get(offload, '')}{_bucket(parallel)}"


def _bucket(parallel: Row) -> str:
    size = parallel.get("reduce_bucket_size")
    return f" bucket={int(size)}" if size else ""


def _stack(row: Row) -> str:
    versions = row.get("versions") or {}
    named = [f"{package}@{version}" for package in PACKAGES if (version := _plain(str(versions.get(package, ""))))]
    named += [trainer for word, trainer in TRAINERS.items() if word in row["family"] or word in row["model"]][:1]
    named += [RELEASES[row["family"]]] if row["family"] in RELEASES else []
    named += [ENGINES[parallel_of(row)["engine"]]] if parallel_of(row).get("engine") in ENGINES else []
    return f"stack {' '.join(named)}" if named else ""


def _plain(version: str) -> str:
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else ""
