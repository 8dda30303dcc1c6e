"""The run's model as the trainer would build it, on meta tensors: architecture, dtype, adapter, recomputation. No hub, no weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from budgetlint.catalog.models import architecture_of
from budgetlint.probe.config import config_of
from budgetlint.probe.job import Job, Lora

DTYPES = {4: torch.float32, 2: torch.bfloat16}
ADAPTER_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
CLASSES = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "classifier": "AutoModelForSequenceClassification",
}

Checkpoint = Callable[..., Any]
"""What `torch.utils.checkpoint.checkpoint` is."""


def build(job: Job, layers: int | None = None, *, flash: str = "flash_attention_2", checkpoint: Checkpoint | None = None) -> Any:
    """The model in training mode, on meta tensors; ``layers`` for a shallower one. ``flash``: the name under which transformers finds
    FlashAttention. Raises `Inexpressible` for a model that transformers has no code for."""
    import transformers

    config = config_of(architecture_of(job.arch), layers)
    factory = getattr(transformers, CLASSES[job.task])
    named = {"flash": flash}.get(job.attention, job.attention)
    with torch.device("meta"):
        model = factory.from_config(config, attn_implementation=named, **{dtype_word(transformers): DTYPES[job.weights]})
        if job.lora is not None:
            model = adapted(model, job.lora, job.task)
    model.train()
    if job.recompute == "full":
        recompute(model, job, checkpoint or torch.utils.checkpoint.checkpoint)
    return model


def dtype_word(transformers: Any) -> str:
    """``dtype`` since transformers 4.56, ``torch_dtype`` before."""
    major, minor = (int(part) for part in transformers.__version__.split(".")[:2])
    return "dtype" if (major, minor) >= (4, 56) else "torch_dtype"


def adapted(model: Any, lora: Lora, task: str) -> Any:
    import peft

    kind = {"causal": "CAUSAL_LM", "classifier": "SEQ_CLS"}.get(task)
    config = peft.LoraConfig(
        r=lora.r, lora_dropout=lora.dropout, target_modules=list(lora.targets), task_type=kind, use_dora=lora.dora,
        modules_to_save=list(lora.save) or None,
    )  # fmt: skip
    model = peft.get_peft_model(model, config)
    for name, parameter in model.named_parameters():
        if "lora_" in name:  # on a device peft gives it a dtype; on meta it leaves the base layer's
            parameter.data = parameter.data.to(ADAPTER_DTYPES[lora.dtype])
    return model


def recompute(model: Any, job: Job, checkpoint: Checkpoint) -> None:
    """transformers' own switch (``_set_gradient_checkpointing``), on the layers that the run says."""
    inner = base_of(model)

    def again(function: Any, *args: Any, **kwargs: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=job.reentrant, **kwargs)

    inner._set_gradient_checkpointing(enable=True, gradient_checkpointing_func=again)
    if job.lora is not None:
        inner.enable_input_require_grads()
    if job.every > 1 or job.first is not None:
        for index, layer in enumerate(layers_of(model)):
            layer.gradient_checkpointing = index % job.every == 0 and (job.first is None or index < job.first)


def materialise(model: Any, device: Any, fill: Callable[[torch.Tensor], Any] | None = None) -> None:
    """Give every parameter and buffer memory on ``device``; ties stay ties. ``fill`` writes values where there are any."""
    made: dict[int, torch.Tensor] = {}

    def real(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_meta:  # packed already
            return tensor
        if id(tensor) not in made:
            copy = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
            made[id(tensor)] = torch.nn.Parameter(copy, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else copy
            if fill is not None:
                fill(made[id(tensor)].data)
        return made[id(tensor)]

    for module in model.modules():
        for place in (module._parameters, module._buffers):
            place.update({name: real(tensor) for name, tensor in place.items() if tensor is not None})


def base_of(model: Any) -> Any:
    """The transformers model inside PEFT's wrapper."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def layers_of(model: Any) -> Any:
    """The stack of blocks: the list of modules with the most parameters."""
    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    return max(lists, key=lambda item: sum(parameter.numel() for parameter in item.parameters()))


def inputs_of(job: Job, device: Any) -> Mapping[str, Any]:
    """One micro batch: token ids, and labels for the loss."""
    ids = torch.zeros(job.batch, job.seq, dtype=torch.long, device=device)
    labels = torch.zeros(job.batch, dtype=torch.long, device=device) if job.task == "classifier" else torch.zeros_like(ids)
    return {"input_ids": ids, "labels": labels}
