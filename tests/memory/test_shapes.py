"""Every term says what it is: an id that is no sentence, a shape that multiplies out to its bytes, words and a source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from math import prod
from pathlib import Path

import pytest

from budgetlint.base.record import replace
from budgetlint.catalog.families import all_families
from budgetlint.memory.code import torchtitan, torchtune
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.labels import LABELS, label
from budgetlint.memory.sources import source_of
from budgetlint.memory.term import Bucket, Term
from budgetlint.memory.timeline import timeline
from budgetlint.resolve.runs import judge_texts

DATA = Path(__file__).resolve().parents[2] / "benchmarks" / "data"
ID = re.compile(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*(\.[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*)*")

SPECIAL = (
    "quant nf4; lora r=8", "quant nf4; lora r=8; shard fsdp", "quant gptq; lora r=8", "shard fsdp2; recompute full", "shard zero3",
    "shard ddp", "optimizer adamw8bit; recompute selective", "optimizer adafactor", "attention eager", "loss chunked", "kernels liger",
    "stack litgpt@0.5; lora r=8 dropout=0.1", "stack megatron@0.9; parallel tp=2 pp=2", "stack torchtitan@0.1; parallel cp=2",
    "rollout vllm share=30% on=same", "also qwen2.5-0.5b role=reference", "task ppo; also qwen2.5-0.5b role=critic; completion 64",
)  # fmt: skip
MODELS = (
    "llama-3.1-8b", "gpt2", "mixtral-8x7b", "deepseek-v2-lite", "bert-large-uncased", "t5-base", "gemma-2-9b", "qwen2.5-vl-7b",
    "whisper-large-v3", "qwen3-30b-a3b", "gpt-oss-20b", "deberta-v3-base",
)  # fmt: skip


@cache
def budgets() -> tuple[str, ...]:
    """The runs of the oracle grid, and each special thing on each kind of model."""
    rows = json.loads((DATA / "oracle_grid.json").read_text(encoding="utf-8"))["runs"]
    grid = [row["budget"] for row in rows]
    return (*grid, *(f"device 8x h100-80gb; model {model}; batch 2; seq 512; {more}" for model in MODELS for more in ("", *SPECIAL)))


def estimates() -> Iterable[Estimate]:
    for text in budgets():
        for context in judge_texts({}, budget=text).runs:
            if context.estimate is not None and context.estimate.bill:
                yield context.estimate


@cache
def terms() -> tuple[Term, ...]:
    """Every term of every moment."""
    found = [term for one in estimates() for moment in timeline(one) for term in moment.terms]
    return tuple({(term.id, term.bytes, term.dims): term for term in (*found, *(t for one in estimates() for t in one.bill))}.values())


def test_shapes_multiply_out() -> None:
    """bytes = shape x bytes an element / ranks: a fraction of a byte is dropped, a rank's part is rounded up."""
    shaped = [term for term in terms() if term.dims]
    wrong = [
        (term.id, term.bytes, term.arithmetic)
        for term in shaped
        if term.bytes != -(-(prod(size for _, size in term.dims) * term.size // term.per) // term.ranks)
    ]
    assert len(shaped) > 1000
    assert wrong == []


WITHOUT = (
    "context.", "allocator.", "rollout.engine-share", "pipeline.in-flight", "in-flight.", "encoder.in-flight.", "weights.group-index",
    "adamw8bit.", "adam.", "adafactor.", "critic.adam.",
)  # fmt: skip
"""What has no shape: no tensor, several in one, or states that are quantised by blocks or factored."""


def test_nearly_everything_has_a_shape() -> None:
    """Beside `WITHOUT` only tensors of which a part is shared or spared: those of a mean of layers, of experts split over other ranks."""
    bare = {term.id for term in terms() if not term.dims and term.bytes and not term.id.startswith(WITHOUT)}
    named = {term.id for term in terms()}
    assert len(bare) * 20 < len(named), sorted(bare)


def test_an_id_is_no_sentence_and_names_one_tensor_of_a_bill() -> None:
    assert [term.id for term in terms() if not ID.fullmatch(term.id)] == []
    bills = [[term.id for term in one.bill if term.bytes] for one in estimates()]
    assert {slug for bill in bills for slug in bill if bill.count(slug) > 1} == set()


def test_words_are_made_of_ids_and_are_told_apart() -> None:
    ids = {term.id for term in terms()}
    assert len({label(slug) for slug in ids}) == len(ids)
    assert label("logits.fp32-copy") == "logits, fp32 copy"
    assert label("encoder.layers.mlp-norm.rms") == "encoder: MLP norm, 1/rms"
    assert all(LABELS.values())


QWEN = "device h100-80gb; model qwen2.5-7b; precision bf16-pure; batch 1; seq 2048; stack transformers@5.24"
TOLD = [
    (QWEN, "forward", "logits.fp32-copy", "batch 1 x seq 2,048 x vocab 152,064 x 4 B", "transformers loss/loss_utils.py ForCausalLMLoss"),
    (QWEN, "forward", "layers.mlp.gate", "layer 28 x batch 1 x seq 2,048 x intermediate 18,944 x 2 B",
     "transformers models/qwen2/modeling_qwen2.py Qwen2MLP"),
    (QWEN, "forward", "layers.attention.k", "layer 28 x batch 1 x seq 2,048 x head 4 x dim 128 x 2 B",
     "transformers models/qwen2/modeling_qwen2.py Qwen2Attention"),
    (QWEN, "step", "adam.exp_avg", "parameter 7,615,616,512 x 2 B", "torch optim/adamw.py"),
    (f"{QWEN}; quant nf4; lora r=8", "load", "weights.nf4", "weight 6,525,288,448 x 9/16 B", "bitsandbytes nn/modules.py Linear4bit"),
    (f"{QWEN}; lora r=8", "forward", "layers.q_proj.lora_A-output", "layer 28 x batch 1 x seq 2,048 x rank 8 x 4 B",
     "peft tuners/lora/layer.py"),
    (f"{QWEN}; attention eager", "forward", "layers.attention.probabilities",
     "layer 28 x batch 1 x seq 2,048 x head 28 x position 2,048 x 4 B", "transformers models/qwen2/modeling_qwen2.py Qwen2Attention"),
    (QWEN.replace("device ", "device 8x ") + "; shard zero2", "step", "adam.exp_avg", "parameter 7,615,616,512 x 2 B / 8 ranks",
     "torch optim/adamw.py"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "phase", "slug", "arithmetic", "source"), TOLD, ids=[f"{row[1]} {row[2]}" for row in TOLD])
def test_a_term_tells_its_shape_and_its_code(text: str, phase: str, slug: str, arithmetic: str, source: str) -> None:
    (context,) = judge_texts({}, budget=text).runs
    assert context.estimate is not None
    (term,) = [term for term in context.estimate.phase(phase).terms if term.id == slug]
    assert (term.arithmetic, str(source_of(slug, context.estimate.plan))) == (arithmetic, source)


LLAMA = "device 8x h100-80gb; model llama-3.1-8b; batch 1; seq 2048"
PLACES = [
    ("megatron", "layers.attention.q", "megatron-core transformer/attention.py Attention"),
    ("megatron; attention eager", "layers.attention.output", "megatron-core transformer/dot_product_attention.py DotProductAttention"),
    ("megatron", "layers.attention.output", "megatron-core extensions/transformer_engine.py TEDotProductAttention"),
    ("megatron", "layers.qkv.input", "megatron-core tensor_parallel/layers.py LinearWithGradAccumulationAndAsyncCommunication"),
    ("megatron", "final-norm.input", "megatron-core transformer/transformer_block.py TransformerBlock"),
    ("megatron", "rotary.tables", "megatron-core models/common/embeddings/rotary_pos_embedding.py RotaryEmbedding"),
    ("megatron; recompute full", "checkpoints.layer-input", "megatron-core tensor_parallel/random.py CheckpointFunction"),
    ("torchtitan", "layers.mlp.gate", "torchtitan models/llama3/model/model.py FeedForward"),
    ("torchtitan", "layers.attention-norm.rms", "torchtitan models/llama3/model/model.py TransformerBlock"),
    ("torchtitan", "final-norm.statistics", "torchtitan models/llama3/model/model.py Transformer"),
    ("torchtitan", "logits.fp32-copy", "torchtitan components/loss.py cross_entropy_loss"),
    ("torchtune", "layers.attention.k", "torchtune modules/attention.py MultiHeadAttention"),
    ("torchtune", "layers.mlp.up", "torchtune modules/feed_forward.py FeedForward"),
    ("torchtune; lora r=8", "layers.q_proj.lora_A-output", "torchtune modules/peft/lora.py LoRALinear"),
    ("torchtune; lora r=8; quant nf4", "weights.nf4", "torchtune modules/low_precision/nf4_linear.py FrozenNF4Linear"),
    ("torchtune; model gemma-2-9b", "layers.mlp-norm.rms", "torchtune models/gemma/rms_norm.py GemmaRMSNorm"),
    ("torchtune; model gpt2", "layers.attention.q", "None"),  # torchtune 0.6.1 has no GPT-2
    ("litgpt; lora r=8", "weights.adapter", "litgpt litgpt/lora.py LoRALinear"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "slug", "source"), PLACES, ids=[f"{row[0]} {row[1]}" for row in PLACES])
def test_each_code_says_where_it_stands(said: str, slug: str, source: str) -> None:
    """megatron-core 0.14.0, torchtitan 0.2.2, torchtune 0.6.1, litgpt 0.5."""
    model = said.rpartition("model ")[2] if "model " in said else "llama-3.1-8b"
    text = LLAMA.replace("llama-3.1-8b", model) + f"; stack {said.partition('; model')[0]}"
    (context,) = judge_texts({}, budget=text).runs
    assert context.estimate is not None
    assert slug in {term.id for phase in context.estimate.phases for term in phase.terms}
    assert str(source_of(slug, context.estimate.plan)) == source


@pytest.mark.parametrize("code", ["megatron", "torchtitan", "torchtune", "litgpt"])
def test_no_tensor_of_a_layer_is_without_a_place(code: str) -> None:
    (context,) = judge_texts({}, budget=f"{LLAMA}; stack {code}").runs
    assert context.estimate is not None
    made = {term.id for phase in context.estimate.phases for term in phase.terms if term.id.startswith(("layers.", "final-norm."))}
    assert [slug for slug in sorted(made) if source_of(slug, context.estimate.plan) is None] == []
    assert len(made) > 8


def test_what_records_call_layers_of_other_codes_is_known_there() -> None:
    known = {"torchtitan": set(torchtitan._LAYERS), "torchtune": set(torchtune._LAYERS)}
    called: dict[str, set[str]] = {"torchtitan": set(), "torchtune": set()}
    for family in all_families():
        for code, layer in family.elsewhere.items():
            called[code].add(layer)
    assert called == known


def test_of_code_that_nobody_read_no_place_is_told() -> None:
    """LLM Foundry's, priced as transformers'."""
    (context,) = judge_texts({}, budget=f"{LLAMA}; stack transformers@5.24").runs
    assert context.estimate is not None and context.estimate.plan is not None
    plan = replace(context.estimate.plan, model_code="llm-foundry")
    assert [source_of(slug, plan) for slug in ("logits.fp32-copy", "layers.mlp.gate")] == [None, None]


def test_what_is_no_tensor_has_no_shape_and_no_code() -> None:
    (context,) = judge_texts({}, budget=QWEN).runs
    assert context.estimate is not None
    above = [term for term in context.estimate.bill if term.bucket in (Bucket.CONTEXT, Bucket.ALLOCATOR)]
    assert len(above) == 2
    assert [(term.dims, source_of(term.id, context.estimate.plan)) for term in above] == [((), None)] * 2
