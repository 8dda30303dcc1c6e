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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from saved_cases import CASES, SHAPES, Case, symbols
from saved_stand_ins import Autocast, forced, stand_in, used
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

WORKLOADS = ((2, 32), (3, 32), (2, 64))
ALONE = ((1, 32), (1, 48), (1, 64))
"""Workloads of one sequence, where eager attention needs no copies of its operands."""
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
    live: int = 0
    peak: int = 0

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
        self.live += record.bytes
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._freed, key, record).atexit = False

    def _freed(self, key: int, record: Record) -> None:
        record.alive = False
        self.live -= record.bytes
        if self.known.get(key) is record:
            del self.known[key]


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


def adapted(model: Any) -> list[str]:
    """Modules of one layer that carry an adapter, as paths in the layer. peft 0.21 adapts stacked experts as one."""
    layer = layers_of(model)[MIDDLE]
    found = {name.split(".lora_")[0].replace(".base_layer", "") for name, _ in layer.named_parameters() if ".lora_" in name}
    return sorted(found)


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
    workloads = WORKLOADS if case.batch != 1 else ALONE
    runs = [run(model, case, batch, seq) for batch, seq in workloads]
    if len({len(item) for item in runs}) != 1:
        raise RuntimeError(f"{case.name}: the workloads keep different tensors")
    rows: dict[tuple[str, str], int] = {}
    token = pair = 0
    for one, more, longer in zip(*runs, strict=True):
        if one.bytes == more.bytes or (case.batch != 1 and more.bytes * 2 != one.bytes * 3):
            continue  # does not grow with the batch
        per_token, per_pair = _split(one.bytes, longer.bytes, workloads[0][0])
        token, pair = token + per_token, pair + per_pair
        label = (one.dtype, _label(case, one, per_token, per_pair))
        rows[label] = rows.get(label, 0) + 1
    tensors = [[count, dtype, label] for (dtype, label), count in rows.items()]
    kernel = "".join(sorted(used)) if case.attention in ("sdpa", "math") else case.attention
    return {**case.row(), "adapted": adapted(model), "kernel": kernel, "per_token": token, "per_pair": pair, "tensors": tensors}


def _split(short: int, long: int, batch: int) -> tuple[int, int]:
    """Bytes per token and per pair from the same tensor at 32 and at 64 positions."""
    pairs, rest = divmod(long - 2 * short, 2048 * batch)
    tokens, left = divmod(short - 1024 * batch * pairs, 32 * batch)
    assert not rest and not left and (tokens or pairs)
    return tokens, pairs


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
    lines, failed = [header()], 0
    for case in CASES:
        if options.only and not re.search(options.only, case.name):
            continue
        try:
            lines.append(trace(case))
        except (RuntimeError, ValueError, NotImplementedError) as problem:
            failed += 1
            print(f"{case.name}: {type(problem).__name__}: {str(problem)[:300]}", file=sys.stderr)
    options.out.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines) - 1} cases, {failed} failed", file=sys.stderr)


def header() -> dict[str, Any]:
    """The first line: what was traced, and the configs that the rows name."""
    import peft

    versions = {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0], "peft": peft.__version__}
    return {"versions": versions, "shapes": {name: {"model_type": family, **config} for name, (family, config) in SHAPES.items()}}


if __name__ == "__main__":
    main()
