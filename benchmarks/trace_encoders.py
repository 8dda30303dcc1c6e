"""Trace what one layer of encoders, encoder-decoders and vision models keeps; the method is that of `trace_saved.py`.

    pip install torch==2.13.0 transformers==5.24.0 peft==0.21.2 accelerate
    python benchmarks/trace_encoders.py benchmarks/data/saved_encoders_transformers-5.24.0.jsonl

A tensor's size is a whole number of bytes times one of a few products of batch, target length and source length; which one is seen
from workloads that change one of the three at a time. Positions of the encoder are the source, those of the decoder the target.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import re
import sys
from math import prod
from pathlib import Path
from typing import Any, TextIO

import torch
import transformers
from encoder_cases import SHAPES, Case, cases
from saved_stand_ins import Autocast, forced, stand_in, used
from trace_saved import Record, Storages
from transformers import masking_utils

MIDDLE = 1
SIDES = {40: 12, 56: 16, 72: 20}
"""Pixels of a side: what the source length stands for where it comes from an image."""

WORKLOADS = ((2, 40, 56), (3, 40, 72), (2, 48, 40))
ALONE = ((1, 40, 56), (1, 48, 56), (1, 40, 72))

# -- one case ----------------------------------------------------------------------------------------------------------

AUTO = {
    "text": transformers.AutoModelForSequenceClassification,
    "vision": transformers.AutoModelForImageClassification,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
    "speech": transformers.AutoModelForSpeechSeq2Seq,
}
HALF = {"fp32": torch.float32, "bf16": torch.bfloat16}


def build(case: Case, source: int) -> Any:
    shape = SHAPES[case.shape]
    config = transformers.AutoConfig.for_model(shape.family, **shape.config)
    config.use_cache = False
    if shape.kind == "vision":
        config.image_size = SIDES[source]
    if shape.family == "deit":  # two classes share the config
        config.architectures = ["DeiTForImageClassification"]
    if shape.kind == "speech":
        config.max_source_positions = source
    forced[:] = []
    with torch.device("meta"):
        model = AUTO[shape.kind].from_config(config, attn_implementation=case.attention, dtype=HALF[case.weights])
        if case.lora:
            import peft

            chosen = {key: value for key, value in case.lora.items() if key != "dtype"}
            model = peft.get_peft_model(model, peft.LoraConfig(**chosen))
            for name, parameter in model.named_parameters():
                if "lora_" in name:  # on a device peft follows the base layer's dtype; on meta it does not move
                    parameter.data = parameter.data.to(HALF[case.lora["dtype"]])
    return model.train()


def layers_of(model: Any, stack: str) -> Any:
    """The list of three layers of a stack."""
    found = [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.ModuleList) and len(module) == 3]
    found = [(name, module) for name, module in found if not re.search(r"layers?\.\d|block\.\d", name)]
    named = [module for name, module in found if stack in name]
    return named[0] if named else found[0][1]


def inputs(case: Case, batch: int, target: int, source: int) -> dict[str, Any]:
    kind = SHAPES[case.shape].kind
    dtype = HALF[case.weights]

    def ids(length: int) -> Any:
        return torch.zeros(batch, length, dtype=torch.long, device="meta")

    if kind == "vision":
        return {"pixel_values": torch.zeros(batch, 3, SIDES[source], SIDES[source], dtype=dtype, device="meta")}
    if kind == "speech":
        features = torch.zeros(batch, SHAPES[case.shape].config["num_mel_bins"], 2 * source, dtype=dtype, device="meta")
        return {"input_features": features, "decoder_input_ids": ids(target)}
    found = {"input_ids": ids(source)}
    if case.padded:
        found["attention_mask"] = torch.ones(batch, source, dtype=torch.long, device="meta")
    if kind == "seq2seq":
        found["decoder_input_ids"] = ids(target)
    return found


def run(case: Case, workload: tuple[int, int, int]) -> list[Record]:
    model = build(case, workload[2])
    storages = Storages()

    def enter(index: int) -> Any:
        return lambda *_: setattr(storages, "layer", index)

    def leave(*_: Any) -> None:
        storages.layer = None

    for index, layer in enumerate(layers_of(model, case.stack)):
        layer.register_forward_pre_hook(enter(index))
        layer.register_forward_hook(leave)
    arguments = inputs(case, *workload)
    mode = Autocast() if case.autocast else contextlib.nullcontext()
    Autocast.on = [mode] if isinstance(mode, Autocast) else []
    with storages, mode:
        out = model(**arguments).logits
    gc.collect()
    kept = [record for record in storages.records if record.alive and record.layer == MIDDLE]
    Autocast.on = []
    del out, model
    return kept


def adapted(case: Case) -> list[str]:
    layer = layers_of(build(case, 56), case.stack)[MIDDLE]
    return sorted({name.split(".lora_")[0].replace(".base_layer", "") for name, _ in layer.named_parameters() if ".lora_" in name})


def trace(case: Case) -> dict[str, Any]:
    stand_in(case.padded)
    masking_utils._ignore_causal_mask_sdpa = lambda *_, **__: True  # targets come without a mask; BART makes one of ones (modeling_bart.py)
    used.clear()
    workloads = WORKLOADS if case.batch != 1 else ALONE
    runs = [run(case, workload) for workload in workloads]
    if len({len(item) for item in runs}) != 1:
        raise RuntimeError(f"{case.name}: the workloads keep different tensors: {[len(item) for item in runs]}")
    lengths = [_lengths(case, workload) for workload in workloads]
    sums: dict[str, int] = {}
    rows: dict[tuple[str, str], int] = {}
    for same in zip(*runs, strict=True):
        term, size = _term(case, [record.bytes for record in same], lengths)
        if term != "1":
            sums[term] = sums.get(term, 0) + size
            label = (same[0].dtype, f"{size} {term} {same[0].op}")
            rows[label] = rows.get(label, 0) + 1
    tensors = [[count, dtype, label] for (dtype, label), count in rows.items()]
    kernel = "".join(sorted(used)) if case.attention == "sdpa" else case.attention
    return {**case.row(), "adapted": adapted(case), "kernel": kernel, "bytes": sums, "tensors": tensors}


def _lengths(case: Case, workload: tuple[int, int, int]) -> tuple[int, int, int]:
    """Batch, target and source in positions: an image of one side gives its patches and the learned tokens."""
    batch, target, source = workload
    if SHAPES[case.shape].kind != "vision":
        return workload
    before = 2 if SHAPES[case.shape].family == "deit" else 1
    return batch, target, (SIDES[source] // SHAPES[case.shape].config["patch_size"]) ** 2 + before


TERMS = ("bt", "bs", "btt", "bts", "bss", "tt", "ts", "ss", "b", "t", "s", "1")
"""Products of batch, target and source length, the likeliest first."""


def _term(case: Case, sizes: list[int], lengths: list[tuple[int, int, int]]) -> tuple[str, int]:
    """The product that a tensor's bytes go with, and the bytes of one. With one sequence alone, ``bt`` stands for ``t``."""
    for term in TERMS:
        ratios = {size / _product(term, *length) for size, length in zip(sizes, lengths, strict=True)}
        if len(ratios) == 1 and (whole := ratios.pop()) == int(whole):
            return "1" if term == "b" and case.batch else term, int(whole)  # of one sequence: weights and their casts
    raise RuntimeError(f"{case.name}: no product of the lengths gives {sizes}")


def _product(term: str, batch: int, target: int, source: int) -> int:
    values = {"b": batch, "t": target, "s": source, "1": 1}
    return prod(values[letter] for letter in term)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    chosen, failed = [case for case in cases() if re.search(options.only, case.name)], 0
    with options.out.open("w", encoding="utf-8") as out:
        _write(out, header())
        for case in chosen:
            try:
                _write(out, trace(case))
            except (RuntimeError, ValueError, NotImplementedError, TypeError, IndexError) as problem:
                failed += 1
                print(f"{case.name}: {type(problem).__name__}: {str(problem)[:300]}", file=sys.stderr)
    print(f"{len(chosen)} cases, {failed} failed", file=sys.stderr)


def _write(out: TextIO, row: dict[str, Any]) -> None:
    out.write(json.dumps(row, separators=(",", ":")) + "\n")
    out.flush()


def header() -> dict[str, Any]:
    """The first line: what was traced, and the configs that the rows name."""
    import peft

    versions = {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0], "peft": peft.__version__}
    return {"versions": versions, "shapes": {name: {"model_type": shape.family, **shape.config} for name, shape in SHAPES.items()}}


if __name__ == "__main__":
    main()
