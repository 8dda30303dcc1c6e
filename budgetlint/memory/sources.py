"""Where the code is that makes a tensor of the bill: framework, version, file, class or function, as they were read.

Informational: a line that says where to look. Nothing is computed by it, and what nobody looked up is None. What the code that runs the
model makes itself, its module tells (`budgetlint.memory.code`); here stands what it leaves to others.
"""

from __future__ import annotations

import re

from budgetlint.memory.code import pick, was_read
from budgetlint.memory.code.base import PEFT
from budgetlint.memory.code.transformers import modeling
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Source


def source_of(slug: str, plan: Plan | None) -> Source | None:
    """The code behind the term of this id in a run; None where nobody looked it up."""
    if plan is None:
        return None
    first, _, rest = slug.partition(".")
    if first in ANOTHER:
        return source_of(rest, plan)
    if first in LAYERS or first == "final-norm":
        return pick(plan).place_in_layer(rest if first in LAYERS else slug, plan)
    return pick(plan).place(slug, plan) or _of_any(slug, plan)


def _of_any(slug: str, plan: Plan) -> Source | None:
    """Of what most codes leave to torch, to a library, or to transformers."""
    first, _, rest = slug.partition(".")
    if first == "logits":
        return _of_logits(plan) if was_read(plan) else None
    if first in ("scoring", "sampling", "kv-cache"):
        return FIXED[first]
    if slug == f"{_optimizer(plan)}.{rest}":
        return _of_optimizer(plan)
    return FIXED.get(slug) or FIXED.get(first) or _of_sharding(slug, plan)


def _optimizer(plan: Plan) -> str:
    return "adam" if plan.optimizer.adam_like else plan.optimizer.name


ANOTHER = frozenset({"critic", "reference", "reward", "teacher", "encoder"})
"""Whose tensors another stack or model is: the rest of the id says which tensor."""

LAYERS = frozenset({"layers", "dense-layers", "passing", "recomputed"})

_FSDP1 = Source("torch", "2.13", "distributed/fsdp/_runtime_utils.py")
_FSDP2 = Source("torch", "2.13", "distributed/fsdp/_fully_shard/_fsdp_param_group.py")
_ZERO3 = Source("deepspeed", "0.19.6", "runtime/zero/partitioned_param_coordinator.py")

FIXED = {
    "weights.nf4": Source("bitsandbytes", "0.43.3", "nn/modules.py", "Linear4bit"),
    "weights.fp4": Source("bitsandbytes", "0.43.3", "nn/modules.py", "Linear4bit"),
    "quantised": Source("bitsandbytes", "0.43.3", "nn/modules.py", "Linear4bit"),
    "weights.adapter": PEFT,
    "adapter": Source("peft", "0.21", "tuners/lora/layer.py", "ParamWrapper"),
    "autocast": Source("torch", "", "aten/src/ATen/autocast_mode.cpp", "cached_cast"),
    "ddp": Source("torch", "", "nn/parallel/distributed.py", "DistributedDataParallel"),
    "checkpoints": Source("torch", "", "utils/checkpoint.py", "checkpoint"),
    "gradients-left": Source("Megatron-LM", "2.5", "optimizer/optimizer.py", "_copy_model_grads_to_main_grads"),
    "deepspeed.16-bit-gradients": Source("deepspeed", "0.18.6", "runtime/bf16_optimizer.py", "BF16_Optimizer"),
    "fsdp": _FSDP1,
    "ring": Source("transformer_engine", "", "context_parallel.py", "p2p_comm_buffers"),
    "evaluation": Source("transformers", "5.24.0", "trainer.py", "prediction_step"),
    "scoring": Source("verl", "0.6.1", "workers/actor/dp_actor.py", "compute_log_prob"),
    "sampling": Source("transformers", "5.24.0", "generation/utils.py", "_sample"),
    "kv-cache": Source("transformers", "5.24.0", "cache_utils.py", "DynamicLayer.update"),
}

LOSSES = {
    "full": Source("transformers", "5.24.0", "loss/loss_utils.py", "ForCausalLMLoss"),
    "full-shifted": Source("transformers", "4.48", "loss/loss_utils.py", "ForCausalLMLoss"),
    "full-upcast": Source("transformers", "4.45.2", "models/mistral/modeling_mistral.py", "MistralForCausalLM"),
    "full-plain": Source("transformers", "4.48.1", "models/gpt_bigcode/modeling_gpt_bigcode.py", "GPTBigCodeForCausalLM"),
    "full-split": Source("megatron-core", "0.14.0", "tensor_parallel/cross_entropy.py"),
    "full-dtensor": Source("torch", "2.9", "distributed/tensor/parallel/loss.py", "loss_parallel"),
    "logps": Source("trl", "0.24", "trainer/utils.py", "selective_log_softmax"),
    "fused": Source("liger_kernel", "", "ops/fused_linear_cross_entropy.py"),
}
"""By `Plan.loss`."""

MASKED = Source("transformers", "5.24.0", "loss/loss_utils.py", "ForMaskedLMLoss")
_RL_FUSED = Source("liger_kernel", "0.6.4", "chunked_loss/fused_linear_ppo.py")


def _of_logits(plan: Plan) -> Source | None:
    if plan.loss == "fused" and plan.completion is not None:
        return _RL_FUSED
    if plan.masked:
        return MASKED
    if plan.shape.encoder is not None:
        return modeling(plan.arch.family)
    return LOSSES.get(plan.loss)


def _of_sharding(slug: str, plan: Plan) -> Source | None:
    sharding = plan.sharding
    if slug.startswith(("gathered.", "gradients.unsharded", "reduce-scatter.")):
        return {"fsdp": _FSDP1, "fsdp2": _FSDP2, "zero3": _ZERO3}.get(sharding.kind)
    if slug in _OF_DEEPSPEED and sharding.is_zero:
        return Source("deepspeed", "0.19.8", f"runtime/zero/{'stage3' if sharding.kind == 'zero3' else 'stage_1_and_2'}.py")
    return None


_OF_DEEPSPEED = frozenset(
    {"deepspeed.reduce-bucket", "deepspeed.gradient-partition", "deepspeed.gradient-on-its-way", "deepspeed.flat-copy-to-reduce"}
    | {"weights.master", "step.fp32-gradients", "step.flat-gradients", "step.norm-fp64", "step.overflow-masks", "gradients.own-partition"}
)

_SOURCE = re.compile(r"(?P<framework>[\w-]+) (?P<version>\d[\w.]*) (?P<file>[\w/]+\.py)")


def _of_optimizer(plan: Plan) -> Source | None:
    """As its row in the catalog says; not where nobody read the code."""
    for text in plan.optimizer.sources:
        found = _SOURCE.match(text)
        if found and "not read" not in text:
            return Source(found["framework"], found["version"], found["file"].removeprefix(f"{found['framework']}/"))
    return None
