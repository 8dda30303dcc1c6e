"""The estimator beside compiled steps: `data/compiled.jsonl`, and the measured rows that say what was compiled.

    python benchmarks/compiled_rows.py [--on] [--all]

Each row of the file is one step through the whole of torch.compile (dynamo, AOTAutograd, min-cut partitioner, inductor's scheduler and
wrapper) on tensors without memory, torch 2.13.0 or 2.6.0: ``saved`` is alive at the end of the forward, ``forward`` and ``backward`` are
peaks, all without the weights; no optimizer steps inside. Worst first; ``--on`` says no more than ``compile on`` of each, ``--all`` prints
every row.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from accuracy_score import DATA

from budgetlint.memory.buffers import WORKSPACES
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.phases import before_the_logits, step_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, written
from budgetlint.resolve.runs import judge_texts

Row = dict[str, Any]
DEFAULTS: Row = {
    "family": "llama", "hidden": 512, "inter": 1408, "heads": 8, "kv": 8, "hd": None, "layers": 2, "vocab": 8192, "b": 2, "s": 256,
    "tied": False, "dtype": "bf16", "autocast": False, "scope": "whole", "loss": "inside", "train": "full", "ckpt": None, "ckpt_every": 1,
    "attn": "sdpa", "style": "litgpt", "norm": "rms", "glu": True, "rope": True, "repeat": False, "bias": False, "qcontig": False,
    "gelu": "none", "lossf": "hf", "extra": {}, "dropout": None, "r": 16, "accum": 1, "mask": False, "accelerate": False, "backend": None,
}  # fmt: skip
PRECISIONS = {
    ("bf16", False): "bf16-pure",
    ("bf16", True): "bf16-pure autocast=on",
    ("fp32", True): "bf16-autocast",
    ("fp32", False): "fp32",
}
STACKS = {"litgpt": "litgpt@0.5.13", "titan": "torchtitan@0.2.2"}
RECOMPUTE = {None: "none", "no": "full", "reentrant": "full reentrant=on", "sac": "selective"}

WORKLOG = (
    "device h100-80gb; model custom hidden=2048 layers=16 heads=32 kv_heads=8 head_dim=64 intermediate=8192 vocab=131072 tied=on "
    "family=llama max_positions=4096; precision bf16-autocast; optimizer adamw impl=fused; seq 2048 packing=on; attention sdpa; "
    "compile step; "
)
THUNDER = (
    "device h100-80gb; model custom hidden=5120 layers={} heads=40 kv_heads=40 intermediate=13824 vocab=32000 max_positions=4096 "
    "family=llama; batch 2; seq 4096 packing=on; precision bf16-pure; optimizer adamw impl=fused; attention sdpa; loss plain; "
    "compile model; stack litgpt@0.5 torch@2.4"
)
FSDP = (
    "device 8x h100-80gb; model llama-2-7b; batch 1; seq 4096 packing=on; shard {} grad-op; precision bf16-pure; "
    "optimizer adamw impl=fused; attention sdpa; loss plain; compile {}; stack litgpt@0.5 torch@2.4"
)
TUNE = (
    "device a100-80gb; model llama-3.2-3b; batch 2; seq 4096 packing=on; precision bf16-pure; optimizer adamw impl=fused; loss {}; "
    "compile [layers, loss]; recompute {}; stack torchtune@0.4 torch@2.5"
)
MEASURED = (
    ("worklog bs16", 73.06e9, WORKLOG + "batch 16"),
    ("worklog bs16 every 2", 49.10e9, WORKLOG + "batch 16; recompute full every=2"),
    ("worklog bs16 checkpoints", 29.03e9, WORKLOG + "batch 16; recompute full"),
    ("worklog bs32 checkpoints", 42.05e9, WORKLOG + "batch 32; recompute full"),
    ("worklog bs64 checkpoints", 68.09e9, WORKLOG + "batch 64; recompute full"),
    *(
        (f"thunder 474 {layers} layers", size, THUNDER.format(layers))
        for layers, size in ((2, 11.33e9), (4, 18.35e9), (10, 39.43e9), (20, 74.56e9))
    ),
    ("thunder 940 compiled", 40.21e9, FSDP.format("fsdp", "model")),
    ("thunder 940 eager", 47.45e9, FSDP.format("fsdp2", "off")),
    ("torchtune 3B", 54760833024, TUNE.format("full", "none")),
    ("torchtune 3B chunked", 46063524249, TUNE.format("chunked", "none")),
    ("torchtune 3B chunked, checkpoints", 26736171417, TUNE.format("chunked", "full")),
)
"""Sources: the worklog's first step (its loss lies in the model and returns no logits); Lightning-AI/lightning-thunder issue 474 and pull
request 940, ``max_memory_allocated`` / 1e9; torchtune's memory page (``data/measurements.jsonl`` ttflag-003 to 005, active memory)."""


def rows() -> list[Row]:
    with (DATA / "compiled.jsonl").open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [{**row, "spec": {**DEFAULTS, **row["spec"]}} for row in found]


def parts_of(spec: Row) -> str:
    """What the step of a row compiles, as the statement says it."""
    if spec["scope"] == "eager":
        return "off"
    if spec["scope"] == "layer":
        return "[layers, loss]" if spec["loss"] == "outside-compiled" else "layers"
    if spec["loss"] == "outside-compiled":
        return "[model, loss]"
    return "step" if spec["loss"] == "inside" and spec["family"] == "own" else "model"


def texts_of(row: Row, *, only_on: bool = False) -> dict[str, str]:
    """The model as a config.json, and the budget."""
    spec = row["spec"]
    parts = parts_of(spec)
    said = ("off" if parts == "off" else "on") if only_on else parts
    lines = [
        "device h100-80gb", "model ./config.json", f"precision {PRECISIONS[spec['dtype'], spec['autocast']]}", "optimizer sgd",
        f"batch {spec['b']} accum={spec['accum']}", f"seq {spec['s']} packing=on", f"attention {spec['attn']}", f"compile {said}",
        f"recompute {RECOMPUTE[spec['ckpt']]}" + (f" every={spec['ckpt_every']}" if spec["ckpt_every"] > 1 else ""),
    ]  # fmt: skip
    if spec["train"] == "lora":
        lines.append(f"lora r={spec['r']} targets=all dropout=0 dtype=fp32")
    if spec["loss"] == "outside" and spec["family"] == "own":
        lines.append("loss plain")
    stack = (
        STACKS.get(spec["style"], "")
        if spec["family"] == "own" and not _packed_and_grouped(spec)
        else f"transformers@{row['transformers']}"
    )
    if spec["repeat"]:
        stack = "torchtitan@0.2.1"
    if spec["qcontig"] and stack.startswith("litgpt"):  # what its ``cat`` was before torch 2.6
        row = {**row, "torch": "2.5.1"}
    lines.append(f"stack {stack} torch@{row['torch']}".replace("  ", " "))
    return {"config.json": json.dumps(config_of(spec)), "row.budget": "\n".join(lines) + "\n"}


def _packed_and_grouped(spec: Row) -> bool:
    """LitGPT itself copies grouped keys; the rows do not: Phi-3's layer."""
    return bool(spec["family"] == "own" and spec["style"] == "litgpt" and spec["kv"] < spec["heads"])


def config_of(spec: Row) -> Row:
    """The config.json of a row's model; code of one's own is Llama's layer, or GPT-NeoX's without a gate."""
    head = spec["hd"] or spec["hidden"] // spec["heads"]
    if spec["family"] == "gpt2" or (spec["family"] == "own" and not spec["glu"] and not spec["rope"]):
        drop = 0.0 if spec["family"] == "own" else 0.1 if spec["dropout"] is None else spec["dropout"]
        sizes = {
            "n_embd": spec["hidden"],
            "n_inner": spec["inter"],
            "n_head": spec["heads"],
            "n_layer": spec["layers"],
            "n_positions": 4096,
        }
        own = {"activation_function": "gelu_pytorch_tanh"} if spec["family"] == "own" else {}
        drops = {"resid_pdrop": drop, "embd_pdrop": drop, "attn_pdrop": drop}
        return {"model_type": "gpt2", "vocab_size": spec["vocab"], "tie_word_embeddings": spec["tied"], **sizes, **drops, **own}
    if _packed_and_grouped(spec):
        spec = {**spec, "family": "phi3"}
    named = {"own": "llama", "gemma3": "gemma3_text"}.get(spec["family"], spec["family"])
    return {
        "model_type": named, "hidden_size": spec["hidden"], "intermediate_size": spec["inter"], "num_attention_heads": spec["heads"],
        "num_key_value_heads": spec["kv"], "num_hidden_layers": spec["layers"], "vocab_size": spec["vocab"], "head_dim": head,
        "tie_word_embeddings": spec["tied"], "max_position_embeddings": 4096, **({"sliding_window": None} if named == "mistral" else {}),
    }  # fmt: skip


@dataclass(frozen=True)
class Beside:
    """Bytes without the weights, the estimate's."""

    kept: int
    forward: int
    backward: int
    text: str


def beside(row: Row, *, only_on: bool) -> Beside | str:
    found = estimate_of(texts_of(row, only_on=only_on))
    if isinstance(found, str):
        return found
    plan = found.plan
    assert plan is not None
    peaks = {phase.name: _moving(phase.parts) for phase in found.phases}
    return Beside(kept(plan), peaks["forward"], peaks["backward"], texts_of(row, only_on=only_on)["row.budget"])


def kept(plan: Plan) -> int:
    """What the layers hold at the end of the forward, with the copies of their weights that are held as well."""
    return _moving(before_the_logits(step_of(plan))[1][1])


def _moving(parts: Any) -> int:
    return sum(term.bytes for term in written(parts) if term.bucket not in (Bucket.WEIGHTS, Bucket.OPTIMIZER) and term.id != WORKSPACES)


def estimate_of(texts: dict[str, str]) -> Estimate | str:
    judged = judge_texts(texts)
    problems = [finding.message for context in judged.budgets for finding in context.budget.problems]
    return judged.runs[0].estimate if judged.runs and judged.runs[0].estimate.plan else "; ".join(problems) or "no run"


@cache
def judged(only_on: bool) -> dict[str, Beside | str]:
    return {row["id"]: beside(row, only_on=only_on) for row in rows()}


Line = tuple[float, str]


def pairs() -> Iterator[tuple[Row, Row]]:
    """Rows that differ in nothing but the depth."""
    depths: dict[str, list[Row]] = {}
    for row in rows():
        if row["spec"]["scope"] != "eager" and row["spec"]["accum"] == 1:
            same = {key: value for key, value in row["spec"].items() if key != "layers"}
            depths.setdefault(json.dumps([same, row["torch"]], sort_keys=True), []).append(row)
    for found in depths.values():
        found.sort(key=lambda row: int(row["spec"]["layers"]))
        for one, more in pairwise(found):
            if more["spec"]["layers"] > one["spec"]["layers"]:
                yield one, more


def differences(only_on: bool) -> Iterator[Line]:
    """One layer more."""
    for one, more in pairs():
        ours = judged(only_on)[one["id"]], judged(only_on)[more["id"]]
        if isinstance(ours[0], Beside) and isinstance(ours[1], Beside):
            error = (ours[1].kept - ours[0].kept) / (more["saved"] - one["saved"]) - 1
            yield error, f"{one['id']} and {more['id'][-3:]} {_named(one['spec'])}"


def peaks(only_on: bool) -> Iterator[Line]:
    """Both peaks, the weights included."""
    for row in rows():
        ours, spec = judged(only_on)[row["id"]], row["spec"]
        wrapped = spec["accelerate"] or spec["family"] == "own" or not spec["autocast"]
        if isinstance(ours, str) or spec["backend"] or not wrapped:  # not inductor's; or autocast without fp32 outputs: no trainer's
            continue
        dropped = spec["loss"] == "outside" and spec["style"] == "litgpt" and spec["family"] == "own"  # its loop holds the logits
        held = spec["b"] * spec["s"] * spec["vocab"] * (2 if dropped else 0)
        for name in ("forward", "backward"):
            true = row["weights"] + row[name]
            more = held if name == "backward" else 0
            yield (getattr(ours, name) - row[name] - more) / true, f"{row['id']} {name:8} {_named(row['spec'])}"


def _named(spec: Row) -> str:
    recipe = spec["dtype"] + ("+amp" if spec["autocast"] else "")
    style = spec["style"] if spec["family"] == "own" else spec["family"]
    cut = f" checkpoints={spec['ckpt']}" if spec["ckpt"] else ""
    shape = f"h={spec['hidden']} x{spec['layers']} accum={spec['accum']}"
    return f"{style} {spec['train']} {recipe} {parts_of(spec)} loss={spec['loss']} {spec['attn']}{cut} {shape}"


def measured(only_on: bool) -> Iterator[Line]:
    for name, size, text in MEASURED:
        said = text
        for parts in ("step", "model", "[layers, loss]"):
            said = said.replace(f"compile {parts}", "compile on") if only_on else said
        found = estimate_of({"row.budget": said})
        if isinstance(found, str):
            print(f"{name}: {found}")
            continue
        allocated = found.allocated
        inside = "inside" if allocated.low <= size <= (allocated.high or size) else "OUTSIDE"
        refused = " FALSE does-not-fit" if found.verdict == "does-not-fit" else ""
        yield allocated.bytes / size - 1, f"{name}: {allocated.bytes / 1e9:.2f} beside {size / 1e9:.2f} GB, {inside} the range{refused}"


def table(title: str, lines: list[Line], *, shown: int) -> None:
    lines.sort(key=lambda line: -abs(line[0]))
    errors = [abs(error) for error, _ in lines]
    within = ", ".join(f"{sum(error <= limit for error in errors)} within {limit:.1%}" for limit in (0.001, 0.01, 0.015, 0.02, 0.05))
    print(f"{title}: {len(lines)} figures, median {statistics.median(errors):.3%}, worst {max(errors):.2%}; {within}")
    for error, name in lines[:shown]:
        print(f"  {error:+9.3%}  {name}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--on", action="store_true")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    shown = 1000 if asked.all else 12
    for name, found in judged(asked.on).items():
        if isinstance(found, str):
            print(f"{name}: {found}")
    table("one layer more", list(differences(asked.on)), shown=shown)
    table("peaks", list(peaks(asked.on)), shown=shown)
    table("measured", list(measured(asked.on)), shown=shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
