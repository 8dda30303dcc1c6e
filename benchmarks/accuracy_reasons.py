"""Why a row is still off: mechanisms, most specific first. The first that holds names the row's reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accuracy_score import Comparison, Outcome

Holds = Callable[[Outcome, Comparison], bool]


@dataclass(frozen=True, slots=True)
class Mechanism:
    name: str
    holds: Holds
    text: str


def _family(*starts: str) -> Holds:
    return lambda outcome, _: outcome.family.startswith(starts)


def _text(key: str, *words: str) -> Holds:
    return lambda outcome, _: any(word in str(outcome.row.get(key, "")) for word in words)


def _both(*tests: Holds) -> Holds:
    return lambda outcome, figure: all(test(outcome, figure) for test in tests)


def _metric(*names: str) -> Holds:
    return lambda _, figure: figure.metric in names


def _low(_: Outcome, figure: Comparison) -> bool:
    return figure.error < 0


MECHANISMS = (
    Mechanism(
        "driver",
        _both(_metric("device"), _family("fms")),
        "nvidia-smi shows the pool, the context and the communicators; driver over allocated runs from 1.01 to 1.94 on these machines.",
    ),
    Mechanism(
        "litgpt-4bit",
        _both(_family("litgpt"), _text("method", "qlora")),
        "LitGPT with a 4-bit base: bitsandbytes 0.41.1 keeps the input of each 4-bit product (0.43.3 does not), and the adapted head of a "
        "gated model takes more than any published form says. Not solved here either.",
    ),
    Mechanism(
        "litgpt-sharded",
        _both(_family("litgpt"), lambda outcome, _: outcome.world > 1),
        "LitGPT under Lightning's FSDP strategy: whole gradients are modelled, the logits that its precision plugin keeps are not "
        "(about 5 bytes an entry are seen where one GPU keeps 8).",
    ),
    Mechanism("litgpt-code", _family("litgpt"), "LitGPT's own model code, on a path that the ledger of its tensors does not cover."),
    Mechanism(
        "upcast-norms",
        _text("recipe", "baseline-peft-bnb"),
        "Norm weights in fp32 give fp32 norm outputs, and bitsandbytes' 4-bit product returns its input's dtype: MLP tensors and "
        "checkpoints double.",
    ),
    Mechanism(
        "gpt-bigcode",
        _text("model", "santacoder"),
        "GPT-BigCode with a 4-bit base under FSDP and autocast: 18 bytes a logit are seen, 14 explained. Not solved.",
    ),
    Mechanism(
        "bert-2022",
        _family("hf-perf"),
        "BERT of 2022: eager attention with its dropout masks, an optimizer that is gone, and a card that other processes used too.",
    ),
    Mechanism("bert-head", _text("model", "bert-large"), "BERT's masked-language head, over every position."),
    Mechanism(
        "own-model-code",
        _family("rasbt"),
        "A from-scratch model with a loss on 16-bit logits, without the fp32 copies that the language assumes for a full loss.",
    ),
    Mechanism(
        "per-op-recompute",
        _text("recompute", "selective"),
        "Per-op selective recomputation keeps every second matrix product and the attention outputs; the budget only says `selective`.",
    ),
    Mechanism(
        "compile",
        lambda outcome, _: outcome.row.get("compile") is True,
        "torch.compile fuses the elementwise chains: what is kept differs from the eager tensors.",
    ),
    Mechanism(
        "variable-lengths",
        _both(_family("ms-swift"), _metric("reserved"), _low),
        "Samples of many lengths, each padded to its own batch: blocks of one length do not fit the next, and the pool grows to 1.0 to 3.3 "
        "times what is allocated. A bound on the length says nothing about it.",
    ),
    Mechanism(
        "read-from-chart",
        _family("liger-e2e"),
        "Read from a chart; the versions behind it are not stated, so logits and padding may be of another release.",
    ),
    Mechanism(
        "streams",
        _both(_metric("reserved", "active"), _text("parallel", "fsdp"), _low),
        "FSDP frees gathered weights on another stream: blocks stay in the pool until the stream has passed (reserved over active "
        "1.18 to 1.37 in torchtitan's own logs).",
    ),
    Mechanism("pool", _metric("reserved"), "The pool's slack: how much the allocator keeps beyond the peak is bounded, not predicted."),
)
UNEXPLAINED = Mechanism("unexplained", lambda *_: True, "No mechanism known.")


def mechanism_of(outcome: Outcome, figure: Comparison) -> Mechanism:
    return next((one for one in (*MECHANISMS, UNEXPLAINED) if one.holds(outcome, figure)), UNEXPLAINED)
