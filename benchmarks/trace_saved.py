"""Trace which tensors one layer of a real transformers model keeps for its backward, without a GPU and without weights.

    pip install torch==2.13.0 transformers==5.24.0 peft==0.21.2 accelerate
    python benchmarks/trace_saved.py benchmarks/data/saved_transformers-5.24.0.jsonl

How: three layers of a small model on ``meta`` tensors, one forward. A TorchDispatchMode follows every storage; what is alive
after the forward and was made inside the middle layer is what a layer keeps. Three workloads tell bytes per token from bytes
per pair of positions; what does not grow with the batch (casts of weights, masks, rotary tables) is left out.

Where a CPU or meta tensor would take another path than CUDA there is a stand-in: the flash and memory-efficient kernels (what
their autograd formulas save: derivatives.yaml), native_dropout, and autocast (meta tensors have none): the lists of
ATen/autocast_mode.h, applied by a TorchFunctionMode. Experts are grouped_mm, the default of transformers 5.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import re
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch
import transformers
import transformers.utils.generic
from saved_cases import CASES, Case, symbols
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

WORKLOADS = ((2, 32), (3, 32), (2, 64))
MIDDLE = 1

# -- which storages live -----------------------------------------------------------------------------------------------


@dataclass
class Record:
    layer: int | None
    dtype: str
    shape: tuple[int, ...]
    op: str
    bytes: int
    alive: bool = True


@dataclass
class Storages(TorchDispatchMode):
    """Every storage that an operation makes, and whether it still lives."""

    records: list[Record] = field(default_factory=list)
    layer: int | None = None
    known: dict[int, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(made):
            if isinstance(leaf, torch.Tensor):
                self._track(leaf, func._overloadpacket.__name__)
        return made

    def _track(self, tensor: torch.Tensor, op: str) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.known:
            return
        record = Record(self.layer, str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), op, storage.nbytes())
        self.known[key] = record
        self.records.append(record)
        weakref.finalize(storage, self._freed, key, record).atexit = False

    def _freed(self, key: int, record: Record) -> None:
        record.alive = False
        if self.known.get(key) is record:
            del self.known[key]


# -- stand-ins for CUDA ------------------------------------------------------------------------------------------------


class Kernel(torch.autograd.Function):
    """Keeps what _scaled_dot_product_{flash,efficient}_attention keep: q, k, v, output, logsumexp, and the bias."""

    @staticmethod
    def forward(ctx: Any, query: Any, key: Any, value: Any, bias: Any) -> Any:
        batch, heads, seq, _ = query.shape
        out = torch.empty(batch, seq, heads, value.shape[-1], dtype=query.dtype, device=query.device).transpose(1, 2)
        statistics = torch.empty(batch, heads, seq, dtype=torch.float32, device=query.device)
        ctx.save_for_backward(*(t for t in (query, key, value, bias, out, statistics) if t is not None))
        return out


class GroupedMatmul(torch.autograd.Function):
    """torch.nn.functional.grouped_mm; its meta kernel knows 16-bit types only."""

    @staticmethod
    def forward(ctx: Any, rows: Any, weight: Any) -> Any:
        ctx.save_for_backward(*([rows] if weight.requires_grad else []), weight)
        return torch.empty(rows.shape[0], weight.shape[-1], dtype=rows.dtype, device=rows.device)


def grouped_mm(rows: Any, weight: Any, **_: Any) -> Any:
    return GroupedMatmul.apply(rows, weight)


def dropout(input: Any, p: float = 0.5, training: bool = True, *_: Any, **__: Any) -> Any:
    """ATen/native/Dropout.cpp: nothing for p = 0; the fused CUDA kernel keeps a bool mask."""
    return torch.ops.aten.native_dropout(input, p, True)[0] if training and p > 0 else input


used: set[str] = set()
forced: list[str] = []


def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, **options: Any) -> Any:
    """The order of sdp_utils.cpp (torch 2.13): flash takes 16-bit types and no mask, memory-efficient no grouped keys."""
    if Autocast.on:
        query, key, value = (Autocast.on[-1].low(t) for t in (query, key, value))
    half, wide = query.dtype != torch.float32, query.shape[-1] == value.shape[-1]
    if forced == ["math"]:
        pass
    elif half and wide and attn_mask is None:
        used.add("flash")
        return Kernel.apply(query, key, value, None)
    elif query.shape[1] == key.shape[1]:
        used.add("efficient")
        bias = None if attn_mask is None else torch.empty(attn_mask.shape, dtype=query.dtype, device=query.device)
        return Kernel.apply(query, key, value, bias)
    used.add("math")
    if dropout_p:
        raise NotImplementedError("the math kernel drops probabilities by another path on CUDA")
    return torch.ops.aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, **options)[0]


def flash_attention(_: Any, query: Any, key: Any, value: Any, *__: Any, **___: Any) -> Any:
    """transformers' flash_attention_2 (integrations/flash_attention.py), no padding: the kernel on grouped keys."""
    used.add("flash")
    if Autocast.on:
        query, key, value = (Autocast.on[-1].low(t) for t in (query, key, value))
    return Kernel.apply(query, key, value, None).transpose(1, 2).contiguous(), None


class Autocast(TorchFunctionMode):
    """CUDA's autocast lists (ATen/autocast_mode.h 2.13): a trainable fp32 leaf is cast once, everything else per call."""

    LOW = frozenset({"linear", "matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "addmm", "addbmm", "baddbmm", "mv", "einsum"})
    FULL = frozenset({"pow", "__pow__", "square", "rsqrt", "reciprocal", "exp", "log", "softplus", "layer_norm", "rms_norm", "logsumexp"})
    OPTION = frozenset({"softmax", "log_softmax", "sum", "cumsum", "prod", "cumprod"})
    on: ClassVar[list[Autocast]] = []

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[int, Any] = {}

    def low(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
            return value
        if not (value.is_leaf and value.requires_grad):
            return value.to(torch.bfloat16)
        return self.cache.setdefault(id(value), value.to(torch.bfloat16))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = kwargs or {}, getattr(func, "__name__", "")
        if not self.on:
            return func(*args, **kwargs)
        if name in self.LOW:
            args, kwargs = tree_map(self.low, (args, kwargs))
        elif name in self.FULL:
            args, kwargs = tree_map(_full, (args, kwargs))
        elif name in self.OPTION and args[0].is_floating_point() and kwargs.get("dtype") is None:
            kwargs = {**kwargs, "dtype": torch.float32}
        return func(*args, **kwargs)


def _full(value: Any) -> Any:
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16) else value


@contextlib.contextmanager
def maybe_autocast(_: str, enabled: bool = True, **__: Any) -> Iterator[None]:
    kept, Autocast.on = Autocast.on, Autocast.on if enabled else []
    try:
        yield
    finally:
        Autocast.on = kept


real_autocast = torch.autocast


def autocast(device_type: str, *args: Any, **kwargs: Any) -> Any:
    return maybe_autocast(device_type, *args, **kwargs) if device_type == "meta" else real_autocast(device_type, *args, **kwargs)


def stand_in(padded: bool) -> None:
    from transformers import masking_utils
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    torch.nn.functional.scaled_dot_product_attention = attention
    torch.nn.functional.dropout = dropout
    torch.nn.functional.grouped_mm = grouped_mm
    torch.histc = lambda t, bins, **_: torch.empty(bins, dtype=torch.int32, device=t.device)
    real = torch.is_autocast_enabled
    torch.is_autocast_enabled = lambda *kind: bool(Autocast.on) or real(*kind)
    torch.get_autocast_dtype = lambda *_: torch.bfloat16
    transformers.utils.generic.maybe_autocast = maybe_autocast
    torch.autocast = autocast
    masking_utils.find_packed_sequence_indices = lambda _: None
    masking_utils.fast_all = lambda _: not padded
    masking_utils._ignore_bidirectional_mask_sdpa = lambda *_, **__: not padded
    ALL_ATTENTION_FUNCTIONS.register("stand_in", flash_attention)


# -- one case ----------------------------------------------------------------------------------------------------------


def build(case: Case) -> Any:
    config = transformers.AutoConfig.for_model(case.family, **case.config)
    config.use_cache = False
    half = {"fp32": torch.float32, "bf16": torch.bfloat16}
    kernel = {"flash": "stand_in", "math": "sdpa"}.get(case.attention, case.attention)
    forced[:] = ["math"] if case.attention == "math" else []
    factory = transformers.AutoModelForSequenceClassification if case.classifier else transformers.AutoModelForCausalLM
    with torch.device("meta"):
        model = factory.from_config(config, attn_implementation=kernel, dtype=half[case.weights])
        if case.lora:
            import peft

            chosen = {key: value for key, value in case.lora.items() if key != "dtype"}
            task = "SEQ_CLS" if case.classifier else "CAUSAL_LM"
            model = peft.get_peft_model(model, peft.LoraConfig(task_type=task, **chosen))
            for name, parameter in model.named_parameters():
                if "lora_" in name:  # on a device peft follows the base layer's dtype; on meta it does not move
                    parameter.data = parameter.data.to(half[case.lora["dtype"]])
    return model.train()


def layers_of(model: Any) -> Any:
    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList) and len(module) == 3]
    return max(lists, key=lambda item: sum(p.numel() for p in item.parameters()))


def run(model: Any, case: Case, batch: int, seq: int) -> list[Record]:
    storages = Storages()

    def enter(index: int) -> Any:
        return lambda *_: setattr(storages, "layer", index)

    def leave(*_: Any) -> None:
        storages.layer = None

    layers = layers_of(model)
    hooks = [layer.register_forward_pre_hook(enter(index)) for index, layer in enumerate(layers)]
    hooks += [layer.register_forward_hook(leave) for layer in layers]
    ids = torch.zeros(batch, seq, dtype=torch.long, device="meta")
    mask = torch.ones(batch, seq, dtype=torch.long, device="meta") if case.padded else None
    mode = Autocast() if case.autocast else contextlib.nullcontext()
    Autocast.on = [mode] if isinstance(mode, Autocast) else []
    with storages, mode:
        out = model(input_ids=ids, attention_mask=mask).logits
    gc.collect()
    kept = [record for record in storages.records if record.alive and record.layer == MIDDLE]
    for hook in hooks:
        hook.remove()
    Autocast.on = []
    del out
    return kept


def trace(case: Case) -> dict[str, Any]:
    stand_in(case.padded)
    used.clear()
    model = build(case)
    runs = [run(model, case, batch, seq) for batch, seq in WORKLOADS]
    if len({len(item) for item in runs}) != 1:
        raise RuntimeError(f"{case.name}: the workloads keep different tensors")
    rows: dict[tuple[str, str], int] = {}
    token = pair = 0
    for one, more, longer in zip(*runs, strict=True):
        if more.bytes * 2 != one.bytes * 3:
            continue  # does not grow with the batch
        per_pair, rest = divmod(longer.bytes - 2 * one.bytes, 4096)
        per_token = (one.bytes - 2048 * per_pair) // 64
        assert not rest and (per_token or per_pair)
        token, pair = token + per_token, pair + per_pair
        label = (one.dtype, _label(case, one, per_token, per_pair))
        rows[label] = rows.get(label, 0) + 1
    tensors = [[count, dtype, label] for (dtype, label), count in rows.items()]
    kernel = "".join(sorted(used)) if case.attention in ("sdpa", "math") else case.attention
    experts = any("experts" in name for name, _ in model.named_parameters() if "lora_" in name)
    return {**case.row(), "experts_adapted": experts, "kernel": kernel, "per_token": token, "per_pair": pair, "tensors": tensors}


SIZE = {"float32": 4, "bfloat16": 2, "bool": 1, "int64": 8, "int32": 4, "float16": 2, "uint8": 1}


def _label(case: Case, record: Record, per_token: int, per_pair: int) -> str:
    names, size = symbols(case), SIZE[record.dtype]
    if per_pair:
        return f"{names.get(per_pair // size, per_pair // size)} s" + (" + a" if per_token else "") + f" {record.op}"
    count = per_token / size
    return f"{names.get(int(count), int(count)) if count == int(count) else count} {record.op}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    lines: list[str] = []
    failed = 0
    for case in CASES:
        if options.only and not re.search(options.only, case.name):
            continue
        try:
            lines.append(json.dumps(trace(case), separators=(",", ":")))
        except Exception as problem:
            failed += 1
            print(f"{case.name}: {type(problem).__name__}: {str(problem)[:300]}", file=sys.stderr)
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} cases, {failed} failed", file=sys.stderr)


if __name__ == "__main__":
    main()
