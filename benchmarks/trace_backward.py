"""What is in flight while one layer runs backward: gradients and temporaries above what was held when it began.

    python benchmarks/trace_backward.py benchmarks/data/backward_transformers-5.24.0.jsonl

The same models and stand-ins as `trace_saved.py`, with a backward. Two batches large enough that weight gradients do not move
the peak give bytes per token: the highest point between the gradient of the middle layer's output, which is held already,
and that of its input, less everything live at the first of these. What the layer frees on the way counts against it.
Fused attention only: with math and eager attention the figure depends on the length.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import torch
import transformers
from saved_cases import CASES, Case
from saved_stand_ins import Autocast, stand_in, used
from trace_saved import MIDDLE, Storages, build, header, layers_of

BATCHES, SEQ = (512, 1024), 32


def flight(model: Any, case: Case, batch: int) -> int:
    """Bytes in flight at the highest point of the middle layer's backward."""
    storages, marks, layer = Storages(), {}, layers_of(model)[MIDDLE]

    def begins(_: Any) -> None:
        marks["held"], storages.peak = storages.live, storages.live

    def ends(_: Any) -> None:
        marks["peak"] = storages.peak

    hooks = [
        layer.register_forward_pre_hook(lambda _, taken: taken[0].register_hook(ends) and None),
        layer.register_forward_hook(lambda _, __, made: (made[0] if isinstance(made, tuple) else made).register_hook(begins) and None),
    ]
    mode = Autocast() if case.autocast else contextlib.nullcontext()
    Autocast.on = [mode] if isinstance(mode, Autocast) else []
    with storages:
        with mode:
            out = model(input_ids=torch.zeros(batch, SEQ, dtype=torch.long, device="meta")).logits
        Autocast.on = []
        torch.autograd.backward(out, torch.empty_like(out))
    for hook in hooks:
        hook.remove()
    model.zero_grad(set_to_none=True)
    return marks["peak"] - marks["held"]


def trace(case: Case) -> dict[str, Any]:
    stand_in(padded=False)
    used.clear()
    model = build(case)
    small, large = (flight(model, case, batch) for batch in BATCHES)
    kernel = "".join(sorted(used)) if case.attention == "sdpa" else case.attention
    return {**case.row(), "kernel": kernel, "in_flight": (large - small) / ((BATCHES[1] - BATCHES[0]) * SEQ)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    transformers.logging.set_verbosity_error()
    lines, failed = [header()], 0
    for case in CASES:
        if case.attention in ("eager", "math") or case.padded:
            continue
        try:
            row = trace(case)
        except (RuntimeError, ValueError, NotImplementedError) as problem:
            failed += 1
            print(f"{case.name}: {type(problem).__name__}: {str(problem)[:300]}", file=sys.stderr)
        else:
            lines += [row] if row["kernel"] in ("flash", "efficient") else []
    parser.parse_args().out.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines) - 1} cases, {failed} failed", file=sys.stderr)


if __name__ == "__main__":
    main()
