"""The tensors of a run: their arithmetic is right, and they are those that the estimator counts."""

from __future__ import annotations

import re
from math import prod

import pytest

from budgetlint.memory import loss
from budgetlint.memory.term import Bucket
from budgetlint.oom.tensor import KINDS
from budgetlint.oom.tensors import tensors_of

RUNS = {
    "full": "device h100-80gb; model qwen2.5-7b; precision bf16; optimizer adamw; batch 4; seq 2048; recompute full; attention flash",
    "eager": "device h100-80gb; model llama-2-7b; precision bf16-autocast; optimizer adamw; batch 2; seq 512; attention eager",
    "qlora": "device rtx-4090; model llama-3.1-8b; quant nf4; lora r=16; batch 1; seq 4096; attention sdpa",
    "zero3": "device 8x a100-80gb; model qwen2.5-7b; precision bf16; optimizer adamw; batch 1; seq 4096; shard zero3",
    "zero2": "device 8x a100-80gb; model llama-2-7b; precision fp16; optimizer adamw; batch 1; seq 1024; shard zero2",
    "fsdp": "device 8x a100-80gb; model llama-2-7b; precision bf16-autocast; optimizer adamw; batch 2; seq 2048; shard fsdp",
    "fsdp2": "device 8x a100-80gb; model llama-2-7b; precision bf16-autocast; optimizer adamw; batch 2; seq 2048; shard fsdp2",
    "mixture": "device 8x h100-80gb; model qwen3-30b-a3b; precision bf16; optimizer adamw; batch 1; seq 2048; shard zero3",
    "encoder": "device t4; model bert-large-uncased head=lm; precision fp16-autocast; optimizer adamw; batch 8; seq 512",
    "8-bit": "device rtx-4090; model qwen2.5-1.5b; precision bf16-pure; optimizer adamw8bit; batch 1; seq 2048",
    "parts": "device 8x h100-80gb; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1; seq 4096; parallel tp=2 pp=2",
}


@pytest.mark.parametrize("budget", RUNS.values(), ids=RUNS)
def test_kinds_phases_and_sizes(run_of, budget: str) -> None:
    tensors = tensors_of(run_of(budget).plan)
    assert {tensor.kind for tensor in tensors} <= set(KINDS)
    assert {tensor.phase for tensor in tensors} <= {"load", "rollout", "forward", "backward", "step", "eval", "save"}
    assert all(tensor.bytes > 0 and tensor.what and tensor.arithmetic for tensor in tensors)
    assert len({(t.bytes, t.kind, t.phase, t.what) for t in tensors}) == len(tensors)


@pytest.mark.parametrize("budget", RUNS.values(), ids=RUNS)
def test_the_arithmetic_comes_out(run_of, budget: str) -> None:
    for tensor in tensors_of(run_of(budget).plan):
        product, _, over = tensor.arithmetic.partition(" / ")
        numbers = [int(number.replace(",", "")) for number in re.findall(r"(?<![\w.])\d[\d,]*(?= |$)", product.partition(" of ")[0])]
        if tensor.kind in ("quantised",) or " of " in product or not numbers:
            continue  # packed by block; a part of a flat buffer
        count = prod(numbers) / (int(over.split()[0]) if over else 1)
        assert tensor.bytes == pytest.approx(count, abs=4), tensor


def test_logits_are_those_of_the_estimator(run_of) -> None:
    plan = run_of(RUNS["full"]).plan
    sizes = {tensor.bytes for tensor in tensors_of(plan) if tensor.kind == "logits" and tensor.planned}
    assert {term.bytes for term in (*loss.forward(plan), *loss.backward(plan)) if term.bucket is Bucket.LOGITS} <= sizes


@pytest.mark.parametrize(
    ("budget", "size", "what"),
    [
        (RUNS["full"], 8_192 * 152_064 * 4, "logits, fp32 copy"),
        (RUNS["full"], 3_584 * 18_944 * 2, "weight of gate_proj or up_proj or down_proj in 16 bit"),
        (RUNS["eager"], 2 * 32 * 512 * 512 * 4, "attention scores of one layer"),
        (RUNS["qlora"], 4_096 * 14_336 // 2, "packed weight of gate_proj or up_proj or down_proj (nf4)"),
        (RUNS["qlora"], 4_096 * 14_336 * 2, "gate_proj or up_proj or down_proj, dequantised"),
        (RUNS["zero2"], 6_738_415_616 // 8 * 4, "an fp32 optimizer state of this rank"),
        (RUNS["zero2"], 6_738_415_616 * 2, "the 16-bit weights in one flat buffer"),
        (RUNS["zero2"], 500_000_000 * 2, "DeepSpeed reduce bucket"),
        (RUNS["fsdp"], 202_383_360 * 2, "parameters of one layer, gathered"),
        (RUNS["fsdp"], 202_383_360 // 8 * 4, "an optimizer state of this rank's part of one layer"),
    ],
)
def test_known_tensors(run_of, budget: str, size: int, what: str) -> None:
    found = [tensor for tensor in tensors_of(run_of(budget).plan) if tensor.what == what]
    assert size in {tensor.bytes for tensor in found}


@pytest.mark.parametrize("budget", [RUNS["full"], RUNS["eager"], RUNS["encoder"]], ids=["full", "eager", "encoder"])
def test_logits_have_the_words_of_the_bill(run_of, budget: str) -> None:
    plan = run_of(budget).plan
    named = {(tensor.phase, tensor.what) for tensor in tensors_of(plan) if tensor.kind == "logits" and tensor.planned}
    for phase, terms in (("forward", loss.forward(plan)), ("backward", loss.backward(plan))):
        assert {(phase, term.label) for term in terms} <= named


def test_what_linears_give_is_read_from_the_layers_own_program(run_of) -> None:
    """Qwen2.5-7B: gate and up give 18,944, q 28 x 128, k and v 4 x 128 elements a token, in bf16; two in one tensor are another run's."""
    made = {tensor.what: (tensor.per_token, tensor.planned) for tensor in tensors_of(run_of(RUNS["full"]).plan)}
    assert [made[f"{role}, output of one layer"] for role in ("gate_proj", "up_proj", "q_proj", "k_proj", "v_proj")] == [
        (18_944 * 2, True), (18_944 * 2, True), (3_584 * 2, True), (512 * 2, True), (512 * 2, True),
    ]  # fmt: skip
    assert made["gate and up of one layer in one tensor"] == (2 * 18_944 * 2, False)
    packed = {tensor.what: tensor.planned for tensor in tensors_of(run_of(RUNS["full"].replace("qwen2.5-7b", "phi-3-mini-4k")).plan)}
    assert packed["gate_up_proj, output of one layer"] and packed["qkv_proj, output of one layer"]
