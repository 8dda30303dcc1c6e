"""What a compiled step holds, in sums that a reader can check: a layer by token, the loss by logit, and where a compiled run is larger."""

from __future__ import annotations

import pytest

from budgetlint.memory import compiled, loss
from budgetlint.memory.body import cast_layers
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import total
from budgetlint.resolve.runs import judge_texts

H, M, Q, KV, A, K, V, S = 64, 96, 80, 40, 4, 2, 1000, 128  # hidden, MLP, queries, keys, heads, key heads, vocabulary, length
MODEL = f"model custom hidden={H} layers=3 heads={A} kv_heads={K} head_dim=20 intermediate={M} vocab={V} max_positions=4096"
STREAM = 4 * H  # two tensors of the hidden width, 16 bit: what attention and MLP give
NORMS = 4 * H + 8  # what both norms give, and a reciprocal root each
MLP = 6 * M  # gate, up, product
FLASH = 2 * Q + 4 * KV + 2 * Q + 4 * A
COPIED = 8 * Q + 4 * A  # every query head has keys and values of its own


def estimate_of(*lines: str, model: str = MODEL) -> Estimate:
    said = {"precision": "precision bf16-pure", "batch": "batch 2", "seq": f"seq {S} packing=on", "optimizer": "optimizer sgd"}
    said |= {line.partition(" ")[0]: line for line in lines}
    judged = judge_texts({"a.budget": "\n".join(["device h100-80gb", model, *said.values()]) + "\n"})
    assert not [problem for context in judged.budgets for problem in context.budget.problems]
    return judged.runs[0].estimate


def plan_of(*lines: str, model: str = MODEL) -> Plan:
    plan = estimate_of(*lines, model=model).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("lines", "model", "a_token"),
    [
        (("compile step",), MODEL, NORMS + STREAM + MLP + FLASH),
        (("compile model", "stack transformers@5.24"), MODEL, NORMS + STREAM + MLP + COPIED),  # a mask: no flash, so keys are copied
        (("compile layers", "stack transformers@5.24"), MODEL, NORMS + STREAM + MLP + FLASH),
        (("compile on", "stack torchtitan@0.2.2"), MODEL, NORMS + STREAM + MLP + FLASH),
        (("compile on", "stack torchtitan@0.2.1"), MODEL, NORMS + STREAM + MLP + COPIED),
        (("compile on", "stack torchtune@0.6"), MODEL, NORMS + STREAM + MLP + COPIED),
        (("compile on", "stack litgpt@0.5 torch@2.6"), MODEL, NORMS + STREAM + MLP + COPIED),
        (("compile on", "stack litgpt@0.5 torch@2.5"), MODEL, NORMS + STREAM + MLP + COPIED + 2 * Q),  # a copy of q by heads
        (("compile step", "precision bf16-autocast"), MODEL, NORMS + 8 * H + MLP + FLASH),  # two fp32 streams
        (("compile step",), f"{MODEL} family=olmo2", NORMS + STREAM + MLP + FLASH),
        (("compile step",), f"{MODEL} glu=off norm=layernorm", 4 * H + 16 + STREAM + 4 * M + FLASH),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value)[-24:],
)
def test_a_layer_keeps_what_a_matmul_reads_and_no_chain_of_small_operations(lines: tuple[str, ...], model: str, a_token: int) -> None:
    plan = plan_of(*lines, model=model)
    assert compiled.knows(plan)
    assert total(compiled.layer(plan), 1, S) == a_token


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("compile step", "quant nf4", "lora r=8"), "a quantised base breaks the graph"),
        (("compile step", "lora r=8 targets=[q_proj, v_proj]"), "some linears are frozen and have no adapter"),
        (("compile off",), "nothing is compiled"),
        (("compile loss",), "only the loss is"),
    ],
)
def test_other_layers_are_not_known(lines: tuple[str, ...], why: str) -> None:
    assert not compiled.knows(plan_of(*lines)), why


@pytest.mark.parametrize(
    ("lines", "forward", "backward"),
    [
        (("compile step",), 2, 2),  # the gradient takes the logits' place
        (("compile step", "precision fp32"), 4, 4),
        (("compile model", "stack transformers@5.24"), 2, 2 + 2 + 2),  # zeros come in for the logits that are given back
        (("compile model", "stack transformers@5.24", "precision bf16-autocast"), 2 + 4, 2 + 4),  # accelerate casts the outputs
        (("compile model", "stack transformers@5.24", "precision fp32"), 4, 4 + 4 + 4),
        (("compile [model, loss]",), 2, 2 + 2),
        (("compile on", "stack torchtitan@0.2"), 2, 2 + 2),
        (("compile on", "stack torchtitan@0.0.2"), 2 + 4 + 4, 4 + 4 + 4),  # its loss was eager
        (("compile layers", "stack torchtitan@0.2"), 2 + 4 + 4, 4 + 4 + 4),
        (("compile loss", "stack torchtitan@0.2"), 2, 2 + 2),
        (("compile on", "loss plain", "stack litgpt@0.5"), 2 + 2, 2 + 2 + 2 + 2),  # the loop holds the logits
        (("compile on", "kernels cross_entropy"), 2 + 4, 2 + 4),  # a fused kernel stays what it is
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_compiled_loss_makes_no_fp32_copy(lines: tuple[str, ...], forward: int, backward: int) -> None:
    plan = plan_of(*lines)
    logits = plan.tokens * V
    assert sum(term.bytes for term in loss.forward(plan)) == forward * logits
    assert sum(term.bytes for term in loss.backward(plan)) == backward * logits


def at_the_embedding(*lines: str) -> dict[str, int]:
    return {term.id: term.bytes for term in compiled.at_the_embedding(plan_of(*lines))}


def test_one_graph_returns_every_gradient_before_one_is_added() -> None:
    parameters = plan_of("compile step").shape.total
    assert at_the_embedding("compile step") == {"gradients.embedding-in-fp32": 4 * V * H}
    twice = at_the_embedding("compile step", "batch 2 accum=2")
    assert twice == {"gradients.embedding-in-fp32": 4 * V * H, "gradients.of-this-micro-batch": 2 * parameters}
    assert at_the_embedding("compile layers", "batch 2 accum=2") == {}


def test_layers_return_theirs_together() -> None:
    assert compiled.before_it_is_added(plan_of("compile layers", "batch 2 accum=2")) == plan_of("compile layers").shape.layer_total
    assert compiled.before_it_is_added(plan_of("compile layers")) == 0


def test_a_tied_table_waits_for_the_lookup_as_the_lesser_of_two_tensors() -> None:
    tied = f"{MODEL} tied=on"
    short, long = plan_of("compile step", "batch 1", "seq 16 packing=on", model=tied), plan_of("compile step", model=tied)
    assert [term.bytes for term in compiled.at_the_embedding(short)] == [4 * V * H, 2 * V * 16]  # the logits' gradient
    assert [term.bytes for term in compiled.at_the_embedding(long)] == [4 * V * H, 2 * V * H]  # the head's


def test_a_graph_makes_the_16_bit_weights_again_with_the_layer() -> None:
    lines = ("compile step", "precision bf16-autocast")
    assert cast_layers(plan_of(*lines)) == 3
    assert cast_layers(plan_of(*lines, "recompute full")) == 0


def test_the_range_is_as_wide_as_what_was_found() -> None:
    """3 % of activations and logits where the layer was traced, 40 % where not; a program that was not read may copy its queries."""
    titan = ("stack torchtitan@0.2.2", "batch 64", "attention sdpa")
    known, unknown = estimate_of("compile on", *titan).allocated, estimate_of("compile on", *titan, "lora r=8 targets=[q_proj]").allocated
    assert known.high is not None
    assert unknown.high is not None
    assert (known.high - known.low) / known.bytes < 0.09 < 0.5 < (unknown.high - unknown.low) / unknown.bytes
    titan = ("batch 64", "loss plain", "stack torchtitan@0.2.2")
    step, layers = (estimate_of(f"compile {said}", *titan).allocated for said in ("step", "[layers, loss]"))
    assert step.high is not None
    assert layers.high is not None
    assert (step.high - step.bytes) - (step.bytes - step.low) == (2 * Q * 3 + 2 * V) * 64 * S
    assert layers.high - layers.bytes == layers.bytes - layers.low


def test_a_loop_may_hold_its_logits() -> None:
    plain = estimate_of("compile off", "loss plain", "batch 64").allocated
    assert plain.high is not None
    assert (plain.high - plain.bytes) - (plain.bytes - plain.low) == 2 * V * 64 * S


@pytest.mark.parametrize(
    ("lines", "readings"),
    [
        (("compile on", "stack torchtune torch@2.13"), 2),  # 0.2 compiled no loss
        (("compile on", "stack torchtune@0.6 torch@2.13"), 1),
        (("compile on", "stack torchtune torch@2.13", "loss chunked"), 1),  # which is of 0.3
        (("compile [layers, loss]", "stack torchtune torch@2.13"), 1),
        (("compile on", "stack torchtitan torch@2.13"), 2),
    ],
)
def test_a_release_that_is_not_known_reads_both_ways(lines: tuple[str, ...], readings: int) -> None:
    assert len(estimate_of(*lines).planned.plans) == readings
