"""A frozen base as bitsandbytes packs it: the block linears of a model on meta become 4-bit or 8-bit ones, then get random weights.

bitsandbytes 0.50 nn/modules.py: ``Params4bit`` and ``Int8Params`` pack when they are moved to a device. The head and the embeddings stay
(transformers 5.24 quantizers: ``get_keys_to_not_convert``).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import torch

from budgetlint.probe.build import layers_of
from budgetlint.probe.job import Inexpressible
from budgetlint.probe.work import Quantised

DTYPES = {2: torch.bfloat16, 4: torch.float32}


def quantise(model: Any, quant: Quantised) -> None:
    """Replace the linears of the blocks, and cast what the run casts. Raises `Inexpressible` without bitsandbytes."""
    if find_spec("bitsandbytes") is None:
        raise Inexpressible(f"a base in {quant.kind} is packed by bitsandbytes, which is not installed here: pip install bitsandbytes")
    for module in layers_of(model).modules():
        for name, child in list(module.named_children()):
            if type(child) is torch.nn.Linear:
                setattr(module, name, _linear(child, quant))
    for _, tensor in _upcast(model, quant.upcast):
        tensor.data = tensor.data.float()


def _linear(child: torch.nn.Linear, quant: Quantised) -> Any:
    import bitsandbytes.nn as bnb

    bias = child.bias is not None
    with torch.device("meta"):
        if quant.kind == "int8":
            made = bnb.Linear8bitLt(child.in_features, child.out_features, bias, has_fp16_weights=False, threshold=6.0)
        else:
            compute = DTYPES[quant.compute]
            made = bnb.Linear4bit(child.in_features, child.out_features, bias, compute, quant.double, quant.kind, torch.uint8)
    made.requires_grad_(False)
    made.raw_dtype = child.weight.dtype
    return made


def _upcast(model: Any, which: str) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """``norms``: vectors of the model; ``all``: whatever is not packed (peft ``prepare_model_for_kbit_training``)."""
    packed = {id(module.weight) for module in packed_in(model)}
    for name, parameter in model.named_parameters():
        if id(parameter) not in packed and (which == "all" or (which == "norms" and parameter.dim() == 1)):
            yield name, parameter


def packed_in(model: Any) -> Iterator[Any]:
    """The replaced linears, inside adapters too."""
    return (module for module in model.modules() if hasattr(module, "raw_dtype"))


def pack(model: Any, quant: Quantised, device: Any) -> None:
    """Random weights on the device, packed one by one: the largest linear is there in full for a moment."""
    import bitsandbytes.nn as bnb

    for module in packed_in(model):
        raw = torch.empty(module.out_features, module.in_features, dtype=module.raw_dtype, device=device).normal_(0, 0.02)
        if quant.kind == "int8":
            module.weight = bnb.Int8Params(raw.to("cpu"), requires_grad=False, has_fp16_weights=False).to(device)
        else:
            module.weight = bnb.Params4bit(
                raw, requires_grad=False, blocksize=64, compress_statistics=quant.double, quant_type=quant.kind, module=module
            ).to(device)


def scales_of(model: Any) -> Iterator[torch.Tensor]:
    """What is kept beside the packed weights: absmax, its own scales, and the code book."""
    for module in packed_in(model):
        state = getattr(module.weight, "quant_state", None)
        while state is not None:
            yield from (part for name in ("absmax", "code", "offset") if isinstance(part := getattr(state, name, None), torch.Tensor))
            state = getattr(state, "state2", None)
        yield from (part for name in ("CB", "SCB") if isinstance(part := getattr(module.weight, name, None), torch.Tensor))
