"""One whole step of encoders, encoder-decoders and vision models of real sizes: the most that is live in forward and backward.

    python benchmarks/step_encoders.py benchmarks/data/step_encoders_transformers-5.24.0.jsonl

The storages, stand-ins and precisions are those of `trace_encoders.py`, on meta tensors; weights and optimizer states are not counted,
what a step makes is: activations, logits, gradients, 16-bit copies. The loss is taken apart as ATen does it (native/SoftMax.cpp).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from saved_stand_ins import Autocast, forced, stand_in, used
from trace_encoders import AUTO, HALF
from trace_saved import Record, Storages

RANK = 8


@dataclass(frozen=True)
class Step:
    """``model`` is the name in the catalog, ``config`` its sizes for the class of ``family``."""

    model: str
    family: str
    kind: str
    config: dict[str, Any]
    batch: int
    source: int
    target: int = 0


def _bart(hidden: int, layers: int, heads: int, **more: Any) -> dict[str, Any]:
    return {
        "d_model": hidden, "encoder_layers": layers, "decoder_layers": layers, "encoder_attention_heads": heads,
        "decoder_attention_heads": heads, "encoder_ffn_dim": 4 * hidden, "decoder_ffn_dim": 4 * hidden, **more,
    }  # fmt: skip


STEPS = (
    Step("vit-base-patch16-224", "vit", "vision", {}, 16, 224),
    Step("dinov2-base", "dinov2", "vision", {"image_size": 224}, 16, 224),
    Step("bert-base-uncased", "bert", "text", {}, 8, 256),
    Step("distilbert-base-uncased", "distilbert", "text", {}, 8, 256),
    Step("modernbert-base", "modernbert", "text", {}, 8, 256),
    Step("electra-base-discriminator", "electra", "text", {"embedding_size": 768, "hidden_size": 768, "num_attention_heads": 12,
         "intermediate_size": 3072}, 8, 256),
    Step("t5-base", "t5", "seq2seq", {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12}, 8, 512, 128),
    Step("flan-t5-base", "t5", "seq2seq", {"d_model": 768, "d_ff": 2048, "num_layers": 12, "num_heads": 12,
         "feed_forward_proj": "gated-gelu"}, 8, 512, 128),
    Step("bart-base", "bart", "seq2seq", _bart(768, 6, 12, vocab_size=50265, attention_dropout=0.1, activation_dropout=0.1), 8, 512, 128),
    Step("whisper-small", "whisper", "speech", _bart(768, 12, 12, vocab_size=51865), 4, 1500, 128),
)  # fmt: skip

RECIPES: tuple[dict[str, Any], ...] = (
    {"weights": "bf16"},
    {"weights": "fp32", "autocast": True},
    {"weights": "fp32"},
    {"weights": "bf16", "recompute": True},
    {"weights": "fp32", "autocast": True, "lora": True},
)


def build(step: Step, weights: str, lora: bool, recompute: bool) -> Any:
    config = transformers.AutoConfig.for_model(step.family, **step.config)
    config.use_cache = False
    config.decoder_start_token_id = config.pad_token_id = 0
    forced[:] = []
    with torch.device("meta"):
        model = AUTO[step.kind].from_config(config, attn_implementation="sdpa", dtype=HALF[weights])
        if lora:
            import peft

            model = peft.get_peft_model(model, peft.LoraConfig(r=RANK, target_modules="all-linear"))
    if recompute:
        model.gradient_checkpointing_enable({"use_reentrant": False, "preserve_rng_state": False})
    return model.train()


def inputs(step: Step, dtype: Any) -> dict[str, Any]:
    def ids(length: int) -> Any:
        return torch.zeros(step.batch, length, dtype=torch.long, device="meta")

    if step.kind == "vision":
        return {"pixel_values": torch.zeros(step.batch, 3, step.source, step.source, dtype=dtype, device="meta")}
    if step.kind == "speech":
        return {"input_features": torch.zeros(step.batch, 80, 2 * step.source, dtype=dtype, device="meta"), "labels": ids(step.target)}
    if step.kind == "seq2seq":
        return {"input_ids": ids(step.source), "labels": ids(step.target)}
    return {"input_ids": ids(step.source), "labels": torch.zeros(step.batch, dtype=torch.long, device="meta")}


def cross_entropy(logits: Any, labels: Any, *_: Any, ignore_index: int = -100, reduction: str = "mean", **__: Any) -> Any:
    """autocast runs log_softmax in fp32, of an fp32 copy of 16-bit logits."""
    wide = logits.float() if Autocast.on else logits
    return torch.nn.functional.nll_loss(torch.log_softmax(wide, -1), labels, ignore_index=ignore_index, reduction=reduction)


def measure(step: Step, weights: str, autocast: bool = False, lora: bool = False, recompute: bool = False) -> dict[str, Any]:
    stand_in(False)
    used.clear()
    torch.nn.functional.cross_entropy = cross_entropy
    model = build(step, weights, lora, recompute)
    storages = Storages()
    for parameter in (*model.parameters(), *model.buffers()):
        storages.known[parameter.untyped_storage()._cdata] = Record(None, "", (), "", 0)
    mode = Autocast() if autocast else contextlib.nullcontext()
    Autocast.on = [mode] if isinstance(mode, Autocast) else []
    taken = inputs(step, HALF[weights])
    with storages:
        with mode:
            out = model(**taken)
            loss = out.loss if step.kind != "vision" else out.logits.float().sum()
        del out
        if isinstance(mode, Autocast) and not recompute:
            Autocast.on = []
            mode.cache.clear()
        gc.collect()
        after = storages.live
        forward, storages.peak = storages.peak, storages.live
        loss.backward()
        backward = storages.peak
    Autocast.on = []
    return {
        "model": step.model, "batch": step.batch, "source": step.source, "target": step.target, "weights": weights, "autocast": autocast,
        "lora": lora, "recompute": recompute, "kernel": "".join(sorted(used)), "forward": forward, "kept": after, "backward": backward,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    versions = {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0]}
    lines: list[dict[str, Any]] = [{"versions": versions}]
    for step in STEPS:
        for recipe in RECIPES if options.only in step.model else ():
            try:
                lines.append(measure(step, **recipe))
            except (RuntimeError, ValueError, NotImplementedError, TypeError) as problem:
                print(f"{step.model} {recipe}: {type(problem).__name__}: {str(problem)[:300]}", file=sys.stderr)
    options.out.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines) - 1} steps", file=sys.stderr)


if __name__ == "__main__":
    main()
