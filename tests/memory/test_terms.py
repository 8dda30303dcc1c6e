"""What a bill is made of: tensors, none of them smaller than nothing, and the same ones that the code holds at that moment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from budgetlint.memory import activations, phases
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Term, written
from budgetlint.memory.timeline import timeline
from budgetlint.resolve.runs import judge_texts

MODELS = (
    "llama-3.1-8b", "qwen2.5-0.5b", "gpt2", "mixtral-8x7b", "bert-large-uncased", "t5-base", "gemma-2-9b", "olmo-2-7b", "deepseek-v2-lite",
    "qwen2.5-vl-7b", "custom hidden=8 layers=1 heads=1 vocab=9 intermediate=9",
    "custom hidden=64 layers=2 heads=8 kv_heads=1 vocab=9 intermediate=64",
    "custom hidden=64 layers=3 heads=2 vocab=90000 intermediate=64 experts=4 experts_per_token=2 moe_intermediate=4000",
)  # fmt: skip
CHOICES = (
    ("", "lora r=16", "lora r=1 targets=attention", "quant nf4; lora r=8", "quant int8; lora r=64 targets=mlp"),
    ("", "recompute full", "recompute full every=3", "recompute selective", "recompute full reentrant=on offload=on", "recompute none"),
    ("", "shard zero1", "shard zero2", "shard zero3", "shard fsdp", "shard fsdp2", "shard zero3 offload=[optimizer, params]"),
    ("", "precision fp32", "precision bf16-pure", "precision bf16-autocast", "precision fp16"),
    ("", "optimizer adamw8bit", "optimizer adafactor", "optimizer sgd", "optimizer muon"),
    ("", "attention eager", "attention flash", "kernels liger", "kernels unsloth", "loss chunked"),
    ("", "parallel tp=2", "parallel pp=2", "parallel pp=4 tp=2", "parallel cp=2", "parallel tp=4 pp=2 ep=2"),
    ("", "rollout vllm share=30% on=same", "also qwen2.5-0.5b role=reference"),
    ("", "stack litgpt@0.5", "stack torchtitan@0.1", "stack megatron@0.9"),
)
WORK = st.builds(
    "batch {} accum={}; seq {}".format, st.sampled_from((1, 3, 64)), st.sampled_from((1, 8)), st.sampled_from((1, 7, 512, 4096, 131072))
)
BUDGETS = st.builds(
    lambda devices, model, choices, work: "; ".join(filter(None, (f"device {devices}x h100-80gb; model {model}", *choices, work))),
    st.sampled_from((1, 8)),
    st.sampled_from(MODELS),
    st.tuples(*map(st.sampled_from, CHOICES)),
    WORK,
)


def estimate_of(text: str) -> Estimate | None:
    return next((context.estimate for context in judge_texts({}, budget=text).runs), None)


@given(BUDGETS)
@example(
    "device 8x 80GiB; model custom hidden=64 layers=1 heads=8 vocab=9 intermediate=64; lora r=8; recompute full reentrant=on; "
    "shard fsdp; batch 1; seq 64"
)
@example("device 24GiB; model gpt2; lora r=4 targets=attention; recompute none; batch 1; seq 1")
@settings(max_examples=80, deadline=None)
def test_no_term_is_below_zero(text: str) -> None:
    estimate = estimate_of(text)
    assume(estimate is not None)
    assert estimate is not None
    for moment in timeline(estimate):
        assert [term for term in moment.terms if term.bytes < 0] == []
    assert min((term.bytes for term in estimate.bill), default=0) >= 0
    assert all(size >= 0 for phase in estimate.phases for size in phase.buckets.values())
    assert 0 <= estimate.need.low <= estimate.need.bytes <= (estimate.need.high or estimate.need.bytes)


def _attention(text: str, where: str) -> tuple[Plan, tuple[Term, ...]]:
    estimate = estimate_of(text)
    assert estimate is not None and estimate.plan is not None
    plan = estimate.plan
    course = dict(phases.courses(phases.step_of(plan)))
    return plan, written(dict(course["backward"])[f"the {where} layer's attention"])


def _of(terms: tuple[Term, ...], slug: str) -> int:
    """Bytes of the terms whose id begins so."""
    return sum(term.bytes for term in terms if term.id.startswith(slug))


SFT = "device h100-80gb; model llama-3.1-8b; precision bf16-pure; attention flash; batch 1; seq 1000"


@pytest.mark.parametrize("where", ["last", "first"])
def test_attention_runs_backward_beside_what_the_mlp_has_left(where: str) -> None:
    """Llama-3.1-8B, 1,000 tokens: flash attention has the residual's gradient (4,096 x 2 B), dq in fp32 and the row sums
    (4 x 4,096 + 4 x 32), dk and dv expanded to 32 heads (2 x 2 x 4,096), dq, dk and dv (2 x (4,096 + 2 x 1,024)): 57,472 B a token;
    the layer that was made again has lost three tensors of the MLP (3 x 14,336 x 2 B) and its norm's (4,096 in fp32, the result's
    square mean, and twice in bf16)."""
    plan, terms = _attention(f"{SFT}; recompute full", where)
    assert _of(terms, "in-flight.gradients-in-attention") == 1000 * (2 * 4096 + 4 * 4096 + 4 * 32 + 4 * 4096 + 2 * (4096 + 2 * 1024))
    layer = pick(plan).layer(plan)
    freed = activations.freed_by_the_mlp(plan, layer)
    assert freed >= 1000 * 3 * 14336 * 2
    whole = sum(term.bytes for term in activations.recomputed_layer(plan, layer))
    assert _of(terms, "recomputed.") == whole - freed > 0


def test_only_the_last_layers_mlp_is_gone_from_what_is_kept() -> None:
    """Gate, up, the activation and the product of 14,336 in bf16: those of 31 of 32 layers are still there."""
    _, terms = _attention(f"{SFT}; recompute none", "last")
    kept = {term.id: dict(term.dims)["layer"] for term in terms if term.id.startswith("layers.")}
    assert {slug for slug, layers in kept.items() if layers == 31} == {
        "layers.mlp.gate", "layers.mlp.up", "layers.mlp.activation", "layers.mlp-norm.input-fp32", "layers.mlp-norm.rms",
        "layers.mlp-norm.normed",
    }  # fmt: skip
    assert set(kept.values()) == {31, 32}


TUNE = """\
model: {_component_: torchtune.models.llama3.llama3_70b}
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: null}
dataset: {_component_: torchtune.datasets.alpaca_cleaned_dataset, packed: false}
checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer, model_type: LLAMA3}
optimizer: {_component_: torch.optim.AdamW, lr: 2e-5, fused: false}
loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}
batch_size: 2
epochs: 1
enable_activation_checkpointing: true
fsdp_cpu_offload: true
dtype: bf16
"""
LISA = """\
accelerate launch --num_processes 8 --use_fsdp examples/pytorch/language-modeling/run_clm.py \\
  --model_name_or_path meta-llama/Llama-3.2-3B-Instruct \\
  --num_train_epochs 1 --block_size 512 --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --learning_rate 2e-5 \\
  --bf16 --torch_dtype bfloat16 --gradient_checkpointing 0 --do_train --output_dir x
"""


@pytest.mark.parametrize(("name", "text"), [("70B.yaml", TUNE), ("lisa.sh", LISA)])
def test_a_bill_whose_attention_wins_has_no_line_below_zero(shell: Any, name: str, text: str) -> None:
    """Their highest moment is in an attention's backward, whose gradients were less than what the MLP had freed."""
    shell.write(name, text)
    shell.write("a.budget", "device 8x 80GiB\n")
    ran = shell("estimate", "--format", "json")
    assert ran.code in (0, 1), ran.err
    (run,) = ran.json["runs"]
    assert [term for term in run["terms"] if term["bytes"] < 0] == []
    assert "in-flight.gradients-in-attention" in ran.out
