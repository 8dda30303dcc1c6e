"""Tensor, pipeline, context and expert parallelism: what a rank holds, against published counts and formulas."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from budgetlint.memory.code import pick
from budgetlint.memory.parallel import Parallel, Stage
from budgetlint.memory.pipeline import layer_counts, stages
from budgetlint.memory.plan import Plan
from budgetlint.memory.rank import misplaced, rank_plans, rank_shape
from budgetlint.memory.saved import total
from budgetlint.resolve.runs import judge_texts

MEGATRON = "precision bf16 grads=fp32; optimizer fused_adam; attention flash; stack megatron; batch 1 accum=8; seq 2048"
TITAN = "precision bf16-autocast; optimizer adamw; attention sdpa; stack torchtitan; batch 1 accum=8; seq 2048"


def judged(text: str):
    (run,) = judge_texts({}, budget=text).runs
    return run


def estimated(text: str):
    estimate = judged(text).estimate
    assert [name for name in estimate.missing if name != "device"] == []
    return estimate


def ranks(text: str) -> tuple[Plan, ...]:
    return rank_plans(judged(text).plan)


# -- weights: exact, tensor by tensor ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "stages_", "first", "last"),
    [
        ("gpt-48x7168", 8, 1_023_350_272, 1_016_024_576),
        ("gpt-64x9216", 16, 1_145_723_904, 1_136_305_152),
        ("gpt-64x12288", 32, 1_074_456_576, 1_061_898_240),
        ("gpt-64x8192", 16, 917_757_952, 909_385_728),
    ],
)
def test_a_rank_holds_the_parameters_that_megatron_printed(model: str, stages_: int, first: int, last: int) -> None:
    """bigscience experiments/gpt2-meg/*.out, tensor parallel 4: ``number of parameters on (tensor, pipeline) model parallel rank``."""
    parts = ranks(f"device 8x 32GiB; nodes {stages_ * 4 // 8}; model {model}; {MEGATRON}; parallel tp=4 pp={stages_}")
    assert [(part.stage.index, part.shape.total) for part in parts] == [(0, first), (stages_ - 1, last)]


@pytest.mark.parametrize(("model", "tied"), [("llama-3.1-8b", False), ("qwen2.5-1.5b", True), ("deepseek-v2-lite", False), ("gpt2", True)])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_stages_together_hold_the_model_and_a_copy_of_a_tied_table(model: str, tied: bool, count: int) -> None:
    plan = judged(f"device 8x 80GiB; model {model}; precision bf16; stack torchtitan").plan
    parallel = Parallel(pipeline=count)
    counts = layer_counts(plan.arch.layers, parallel)
    held = sum(rank_shape(plan.arch, parallel, Stage(index, count, layers)).total for index, layers in enumerate(counts))
    assert held == plan.shape.total + (plan.shape.embed if tied and count > 1 else 0)


def test_fewer_key_heads_than_ranks_are_repeated() -> None:
    """Llama-3.1-8B has 8 key heads of 128; 16 ranks hold one each."""
    (part,) = ranks(f"device 16x 80GiB; model llama-3.1-8b; {MEGATRON}; parallel tp=16")
    sizes = {linear.role: (linear.inputs, linear.outputs) for linear in part.shape.layer}
    assert sizes == {
        "q_proj": (4096, 256), "k_proj": (4096, 128), "v_proj": (4096, 128), "o_proj": (256, 4096),
        "gate_proj": (4096, 896), "up_proj": (4096, 896), "down_proj": (896, 4096),
    }  # fmt: skip


def test_megatron_pads_the_vocabulary_and_transformers_keeps_the_embedding_whole() -> None:
    """151,936 rows on 8 ranks: 18,992, padded to 19,072 = 149 x 128; transformers 5.24 splits the head only."""
    (megatron,) = ranks(f"device 8x 80GiB; model qwen2.5-7b; {MEGATRON}; parallel tp=8")
    rows = -(-152_064 // 8 // 128) * 128
    assert megatron.shape.embed == megatron.shape.head == rows * 3584
    (hf,) = ranks("device 8x 80GiB; model qwen2.5-7b; precision bf16; stack transformers@5.24; parallel tp=8; batch 1; seq 1024")
    assert (hf.shape.embed, hf.shape.head, hf.arch.vocab) == (152_064 * 3584, 152_064 * 3584 // 8, 152_064)


def test_experts_are_divided_and_the_rest_is_not() -> None:
    whole, part = (judged(f"device 8x 80GiB; model qwen3-30b-a3b; {MEGATRON}; {more}").plan for more in ("shard none", "parallel ep=8"))
    (local,) = rank_plans(part)
    assert whole.shape.total - local.shape.total == whole.expert_elements * 7 // 8
    assert local.expert_elements == whole.expert_elements // 8


# -- what the optimizer costs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("precision", "plain", "split", "shared"),
    [("fp16", 20, 4, 16), ("bf16 grads=fp32", 18, 6, 12), ("fp32", 16, 8, 8)],
)
def test_bytes_per_parameter_are_those_of_megatrons_table(precision: str, plain: int, split: int, shared: int) -> None:
    """Megatron-LM docs/source/api-guide/dist_optimizer.md: 20, 18, 16 bytes; with the distributed optimizer 4 + 16/d, 6 + 12/d,
    8 + 8/d."""
    run = f"model llama-3.1-8b; {MEGATRON.replace('bf16 grads=fp32', precision)}; parallel tp=2"
    for shard, count, expected in (("none", 2, Fraction(plain)), ("zero1", 16, split + Fraction(shared, 8))):
        text = f"device {count}x 80GiB; {run}; shard {shard}"
        (part,) = ranks(text)
        terms = estimated(text).phase("step").terms
        held = sum(term.bytes for term in terms if not term.id.startswith("cublas."))
        assert held / part.shape.total == pytest.approx(float(expected), rel=1e-6)


def test_expert_states_have_fewer_ranks_to_lie_on() -> None:
    """With ep = 8 of 8 data-parallel ranks an expert has one replica: its 12 bytes are not split, the others' are, by 8."""
    text = f"device 8x 80GiB; model qwen3-30b-a3b; {MEGATRON}; shard zero1; parallel ep=8"
    (part,) = ranks(text)
    states = sum(term.bytes for term in estimated(text).phase("step").terms if term.bucket.value == "optimizer")
    dense = part.shape.total - part.expert_elements
    assert states == pytest.approx(12 * (part.expert_elements + dense / 8), rel=1e-6)


@pytest.mark.parametrize(("shard", "each"), [("none", 18.0), ("zero1", 6 + 12 / 4)])
def test_the_most_loaded_shard_is_that_of_megatrons_report(shard: str, each: float) -> None:
    """Megatron-LM training/theoretical_memory_usage.py for Llama-3.1-8B, tp 2, pp 4: (blocks / 4 + one table) / 2 parameters."""
    layer = 2 * 4096 * (14336 * 1.5 + 1) + 2 * 4096 * 4096 * (1 + 8 / 32)
    shard_parameters = ((32 * layer + 4096) / 4 + 4096 * 128_256) / 2
    estimate = estimated(
        f"device {32 if shard == 'zero1' else 8}x 80GiB; model llama-3.1-8b; {MEGATRON}; shard {shard}; parallel tp=2 pp=4"
    )
    held = sum(term.bytes for term in estimate.phase("step").terms if not term.id.startswith("cublas."))
    assert held == pytest.approx(shard_parameters * each, rel=2e-3)


# -- activations ---------------------------------------------------------------------------------------------------------

GPT = {"22B": (6144, 64, 48), "175B": (12288, 96, 96), "530B": (20480, 128, 105), "1T": (25600, 160, 128)}
"""Korthikanti et al. 2022, table 3: hidden size, heads, layers; sequences of 2048, 8 tensor-parallel ranks."""


def of_the_paper(name: str, *, tensor: int, sequence: bool, selective: bool) -> Plan:
    hidden, heads, layers = GPT[name]
    text = (
        f"device {tensor}x 80GiB; model custom hidden={hidden} layers={layers} heads={heads} intermediate={4 * hidden} vocab=51200 glu=off "
        f"norm=layernorm position=learned max_positions=2048 tied=on family=gpt2; precision fp16; optimizer fused_adam; attention eager; "
        f"recompute {'selective' if selective else 'none'}; stack megatron; batch 1; seq 2048; parallel tp={tensor}"
    )
    plan = judged(text).plan
    plan = replace(plan, arch=replace(plan.arch, dropout=0.1), parallel=replace(plan.parallel, sequence=sequence))
    return rank_plans(plan)[0]


@pytest.mark.parametrize("name", GPT)
@pytest.mark.parametrize(("tensor", "sequence"), [(1, False), (8, False), (8, True)])
@pytest.mark.parametrize("selective", [False, True])
def test_a_layer_keeps_what_the_paper_says(name: str, tensor: int, sequence: bool, selective: bool) -> None:
    """Table 2: s b h (10 + 24/t + 5 a s / (h t)); with sequence parallelism 10/t; with selective recomputation without 5 a s / h.
    The paper leaves out the statistics of two norms, 16 bytes a token."""
    hidden, heads, _ = GPT[name]
    plan = of_the_paper(name, tensor=tensor, sequence=sequence, selective=selective)
    scores = 0 if selective else Fraction(5 * heads * 2048, hidden * tensor)
    expected = 2048 * hidden * (Fraction(10, tensor if sequence else 1) + Fraction(24, tensor) + scores)
    assert total(pick(plan).layer(plan), 2048, 2048) - 16 * 2048 == expected


def test_context_parallelism_divides_the_tokens_and_the_checkpoints() -> None:
    one, four = (
        estimated(f"device 8x 80GiB; model llama-3.1-8b; {TITAN.replace('2048', '65536')}; recompute full; shard fsdp2; {more}")
        for more in ("", "parallel cp=4")
    )
    kept = [next(term.bytes for term in e.phase("backward").terms if term.id == "checkpoints.layer-input") for e in (one, four)]
    assert kept[0] == 4 * kept[1] == 32 * 65_536 * 4096 * 2


def test_loss_parallel_logits_are_split_and_gathered_ones_are_not() -> None:
    run = "device 8x 80GiB; model llama-3.1-8b; precision bf16-autocast; optimizer adamw; batch 1; seq 4096; parallel tp=8"
    split, whole = (estimated(f"{run}; shard fsdp2; stack {name}").buckets for name in ("torchtitan", "torchtune"))
    logits = next(bucket for bucket in split if bucket.value == "logits")
    assert split[logits] == 4096 * 128_256 // 8 * 16
    assert whole[logits] == 4096 * 128_256 * 12


# -- pipeline ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parallel", "flying"),
    [
        (Parallel(pipeline=4, micro_batches=16), [(0, 4, 1), (3, 1, 1)]),
        (Parallel(pipeline=4, micro_batches=2), [(0, 2, 1), (3, 1, 1)]),
        (Parallel(pipeline=4), [(0, 4, 1), (3, 1, 1)]),
        (Parallel(pipeline=4, micro_batches=6, schedule="gpipe"), [(0, 6, 1), (3, 6, 1)]),
        (Parallel(pipeline=4, micro_batches=6, schedule="naive"), [(0, 1, 1), (3, 1, 1)]),
        (Parallel(pipeline=4, micro_batches=16, chunks=2), [(0, 11, 2), (3, 5, 2)]),
        (Parallel(pipeline=4, micro_batches=16, chunk_layers=4), [(0, 11, 2), (3, 5, 2)]),
    ],
)
def test_micro_batches_in_flight(parallel: Parallel, flying: list[tuple[int, int, int]]) -> None:
    """megatron-core schedules.py; interleaved on stage 0: p (1 + (p - 1)/(p v)) = 4 + 3/2 = 11/2 (arXiv 2205.05198)."""
    assert [(stage.index, stage.flying, stage.chunks) for stage in stages(32, parallel)] == flying


@pytest.mark.parametrize(
    ("parallel", "counts"),
    [
        (Parallel(pipeline=3), (11, 11, 10)),
        (Parallel(pipeline=4, first=6, last=6), (6, 10, 10, 6)),
        (Parallel(pipeline=4, lighter=(1, 1)), (8, 9, 8, 7)),
        (Parallel(pipeline=2, last=10), (22, 10)),
    ],
)
def test_layers_of_the_stages(parallel: Parallel, counts: tuple[int, ...]) -> None:
    assert layer_counts(32, parallel) == counts


def test_the_worst_rank_is_named() -> None:
    estimate = estimated(f"device 8x 80GiB; nodes 2; model llama-3.1-8b; {MEGATRON}; shard zero1; parallel tp=2 pp=4")
    told = [assumption.text for assumption in estimate.assumptions if "worst rank" in assumption.text]
    stage = "pipeline stage 0 of 4, embedding, 8 layers, 4 micro batches in flight, 1/2 of the linears"
    assert told == [f"the bill is for the worst rank: {stage}"]
    held = [term for term in estimate.phase("backward").terms if term.id == "pipeline.in-flight"]
    kept = [term for term in estimate.phase("forward").terms if term.id.startswith("layers.")]
    assert {dict(term.dims)["layer"] for term in kept} == {8}
    assert sum(term.bytes for term in held) == 3 * sum(term.bytes for term in kept)


def test_a_device_map_may_place_a_layer_more() -> None:
    run = "device 2x 80GiB; model llama-3.1-8b; precision bf16-pure; batch 1; seq 1024; recompute full; stack transformers@5.24"
    alone, piped = (judged(f"{run}; parallel pp={count}").plan for count in (1, 2))
    naive = replace(piped, parallel=replace(piped.parallel, schedule="naive"))
    extra = [misplaced(rank_plans(plan)[0], ()) for plan in (alone, piped, naive)]
    assert extra == [0, 0, naive.shape.layer_total * 2]


# -- as a whole ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [MEGATRON, TITAN])
@pytest.mark.parametrize("shard", ["none", "zero1", "fsdp2"])
def test_degrees_of_one_change_nothing(code: str, shard: str) -> None:
    run = f"device 8x 80GiB; model llama-3.2-1b; {code}; shard {shard}"
    plain, ones = estimated(run), estimated(f"{run}; parallel tp=1 pp=1 cp=1 ep=1")
    said = [[(term.bucket, term.bytes, term.id) for phase in e.phases for term in phase.terms] for e in (plain, ones)]
    assert said[0] == said[1]
    assert ones.need == plain.need


@pytest.mark.parametrize("code", [MEGATRON, TITAN, TITAN.replace("stack torchtitan", "stack transformers@5.24 torch@2.13")])
@pytest.mark.parametrize("model", ["llama-3.1-8b", "qwen3-30b-a3b", "qwen2.5-1.5b"])
@pytest.mark.parametrize("degree", ["tp", "pp", "cp", "ep"])
def test_more_parallelism_never_costs_more(code: str, model: str, degree: str) -> None:
    """One copy of the model on as many ranks as the degree."""
    run = f"model {model}; {code}; shard none"
    needs = [estimated(f"device {count}x 80GiB; {run}; parallel {degree}={count}").allocated.bytes for count in (1, 2, 4)]
    assert needs == sorted(needs, reverse=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"device 8x 80GiB; model t5-large; {MEGATRON}; parallel tp=2", "encoder-decoder"),
        (f"device 8x 80GiB; model llama-3.1-8b; {MEGATRON}; parallel tp=3", "no multiple of 3"),
        (f"device 8x 80GiB; model llama-3.1-8b; {MEGATRON.replace('megatron', 'litgpt')}; parallel tp=2", "litgpt"),
    ],
)
def test_what_cannot_be_modelled_is_refused_by_name(text: str, said: str) -> None:
    estimate = judged(text).estimate
    assert "parallel" in estimate.missing
    assert any(said in assumption.text for assumption in estimate.assumptions)
