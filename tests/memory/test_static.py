"""Weights, gradients and optimizer, counted by hand on the small model: 576 elements of linears and 592 a layer, 3 layers, two tables of
256, a final norm of 8: 2,296 in all, of 2 B each unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from budgetlint.catalog.ledger import linears, weight_tensors
from budgetlint.catalog.models import find_model
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory import static
from budgetlint.memory.parallel import Parallel, Stage
from budgetlint.memory.plan import Accumulation, Adapter, Plan, Quant, Sharding, Zero
from budgetlint.memory.shape import shape_of
from budgetlint.memory.static import Trainable, trainable
from budgetlint.memory.term import Term
from budgetlint.memory.vision_plan import Vision

Small = Callable[..., Plan]
LORA = Adapter(2, 0.0, 4, frozenset({"q_proj"}))
"""A of 2 x 8 and B of 8 x 2 on each of 3 layers: 96 elements of 4 B."""

SAVED = replace(LORA, saved_modules=256)
NF4 = Quant("nf4", 9, 16, "none", 2)
MIXED = {
    "family": "deepseek", "experts": 4, "experts_per_token": 2, "moe_intermediate": 16, "shared_experts": 1, "first_dense_layers": 1,
}  # fmt: skip
"""One dense layer, two with 4 experts of 8 x 16 and a shared one."""


def sizes(terms: Iterable[Term]) -> list[int]:
    return [term.bytes for term in terms]


def over(ranks: int, kind: str = "fsdp", **more: Any) -> Sharding:
    return Sharding(kind, world=ranks, params_over=ranks, grads_over=ranks, states_over=ranks, **more)


def mixed_precision(plan: Plan) -> Plan:
    """A master copy in fp32, states beside it in fp32, gradients of 2 B."""
    return replace(plan, precision=replace(plan.precision, master=4, state=4))


def optimizer(name: str) -> Optimizer:
    found = find_optimizer(name)
    assert isinstance(found, Optimizer)
    return found


# -- what trains -------------------------------------------------------------------------------------------------------


def test_every_tensor_of_the_model_trains(small: Small) -> None:
    train = trainable(small())
    assert sorted(train.tensors) == sorted([
        (8, 8, 3), (4, 8, 3), (4, 8, 3), (8, 8, 3), (16, 8, 3), (16, 8, 3), (8, 16, 3), (32, 8, 1), (32, 8, 1), (8, 1, 7),
    ])  # fmt: skip
    assert (train.elements, train.largest, train.embedding) == (2296, 256, 256)


def test_what_is_no_multiple_of_the_width_is_a_vector_of_its_own(small: Small) -> None:
    """A head's bias of 33 beside seven norms of 8: eleven rows of 8 and one element."""
    train = trainable(small(vocab=33, lm_head_bias=True))
    assert train.elements == 3 * 592 + 2 * 33 * 8 + 8 + 33
    assert train.tensors[-2:] == ((8, 1, 11), (1, 1, 1))


def test_what_never_trains_is_left_out(small: Small) -> None:
    plan = small()
    train = trainable(replace(plan, shape=replace(plan.shape, frozen=6)))
    assert train.elements == 2290
    assert train.tensors[-2:] == ((8, 1, 6), (2, 1, 1))


def test_a_pair_of_towers_has_no_one_width(small: Small) -> None:
    """Tables and norms count as single elements."""
    plan = small()
    train = trainable(replace(plan, arch=replace(plan.arch, hidden=0)))
    assert train.tensors[-3:] == ((256, 1, 1), (256, 1, 1), (1, 1, 56))


@pytest.mark.parametrize("learns", [True, False])
def test_a_towers_tensors_are_its_own(run_of: Callable[[str], Any], learns: bool) -> None:
    """SigLIP in Gemma 3 4B: 27 blocks of 1,152 with an MLP of 4,304."""
    plan = run_of("device h100-80gb; model google/gemma-3-4b-pt; precision bf16-pure; batch 1; seq 2048").plan
    train = trainable(replace(plan, vision=Vision(tower=learns)))
    tower = sum(one.elements for one in weight_tensors(plan.arch) if one.where == "vision")
    assert ((4304, 1152, 27) in train.tensors) is learns
    assert train.elements == plan.shape.total - tower * (not learns)


@pytest.mark.parametrize(
    ("adapter", "elements", "largest"),
    [
        (LORA, 96, 16),
        (replace(LORA, dora=True), 96 + 3 * 8, 16),  # a magnitude per output
        (replace(LORA, targets=frozenset({"q_proj", "lm_head"})), 96 + 2 * 8 + 32 * 2, 64),
        (SAVED, 96 + 256, 256),
        (replace(LORA, targets=frozenset({"down_proj"})), 3 * (2 * 16 + 8 * 2), 32),
        (replace(LORA, targets=frozenset()), 0, 0),
    ],
)
def test_an_adapter_has_two_matrices_a_linear(small: Small, adapter: Adapter, elements: int, largest: int) -> None:
    train = trainable(small(adapter=adapter))
    assert (train.elements, train.largest, train.embedding) == (elements, largest, 0)


def test_saved_tables_are_one_tensor_and_the_last(small: Small) -> None:
    assert trainable(small(adapter=SAVED)).tensors[-1] == (32, 8, 1)


def test_adapters_in_a_tower(small: Small) -> None:
    """Five linears of 8 x 16."""
    plan = small(adapter=LORA, vision=Vision(adapted=((8, 16, 5),)))
    assert trainable(plan).elements == 96 + 5 * (2 * 8 + 16 * 2)


@pytest.mark.parametrize(
    ("role", "count", "width"),
    [
        ("q_proj", 3, 8 + 8),  # attention is in every layer
        ("gate_proj", 1, 8 + 16),  # only the dense layer has an MLP of its own
        ("expert_down_proj", 2 * 4, 16 + 8),
        ("shared_down_proj", 2, 16 + 8),
        ("router", 2, 8 + 4),
    ],
)
def test_the_dense_layers_of_a_mixture_have_its_attention(small: Small, role: str, count: int, width: int) -> None:
    plan = small(adapter=replace(LORA, targets=frozenset({role})), **MIXED)
    assert trainable(plan).elements == count * 2 * width


def test_a_dense_model_has_no_layers_beside_the_usual(small: Small) -> None:
    """``first_dense_layers`` without experts says nothing."""
    assert trainable(small(adapter=LORA, first_dense_layers=1)).elements == 96


@pytest.mark.parametrize(
    ("stage", "expert", "experts"), [(None, 2, 512), (Stage(0, 1, 48), 1, 512), (Stage(0, 1, 48), 2, 256), (Stage(0, 1, 48), 3, 171)]
)
@pytest.mark.parametrize("role", ["expert_down_proj", "o_proj"])
def test_a_rank_of_layers_of_two_kinds_has_its_experts(small: Small, stage: Stage | None, expert: int, experts: int, role: str) -> None:
    """Qwen3-Next-80B: 48 layers of 512 experts of 512 x 2,048, 12 with attention of 16 heads of 256; experts are dealt, the rest is not."""
    arch = find_model("qwen3-next-80b-a3b-instruct")
    plan = replace(
        small(adapter=replace(LORA, targets=frozenset({role}))),
        arch=arch,
        shape=shape_of(arch),
        stage=stage,
        parallel=Parallel(expert=expert),
    )
    count, width = (48 * experts, 512 + 2048) if role == "expert_down_proj" else (12, 16 * 256 + 2048)
    assert trainable(plan).elements == count * 2 * width


# -- weights -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [2 * 2296]),
        ({"sharding": over(4)}, [2 * 2296 // 4]),
        ({"sharding": over(3)}, [1531]),  # 4,592 / 3, rounded up
        ({"sharding": over(4, offload_params=True)}, []),
        ({"adapter": LORA}, [2 * 2296, 4 * 96]),
        ({"adapter": LORA, "sharding": over(4)}, [2 * 2296 // 4, 96]),
        ({"adapter": SAVED}, [2 * 2296, 4 * (96 + 256)]),
        ({"adapter": replace(SAVED, saved_dtype=2)}, [2 * 2296, 4 * 96, 2 * 256]),
        ({"quant": NF4}, [3 * 576 * 9 // 16, 2 * (2296 - 3 * 576)]),
        ({"quant": replace(NF4, upcast="all")}, [3 * 576 * 9 // 16, 4 * (2296 - 3 * 576)]),
        ({"quant": replace(NF4, upcast="norms")}, [3 * 576 * 9 // 16, 2 * (2296 - 3 * 576)]),
        ({"quant": NF4, "sharding": over(4)}, [3 * 576 * 9 // 16 // 4, 2 * (2296 - 3 * 576) // 4]),
        # GPTQ's index of groups: 4 B for each of 6 x 8 + 16 inputs of 3 layers
        ({"quant": replace(NF4, kind="gptq", per_input=4)}, [3 * 576 * 9 // 16, 4 * 3 * 64, 2 * (2296 - 3 * 576)]),
    ],
)
def test_weights(small: Small, changes: dict[str, Any], expected: list[int]) -> None:
    plan = small(**changes)
    assert sizes(static.weights(plan, trainable(plan))) == expected


def test_each_expert_has_an_index_of_its_own(small: Small) -> None:
    """Two layers with attention (4 x 8), the router (8), 4 experts and a shared one, each of 8 + 8 + 16 inputs."""
    indexed = small(quant=replace(NF4, kind="gptq", per_input=4), **MIXED)
    (index,) = [term.bytes for term in static.weights(indexed, trainable(indexed)) if term.id == "weights.group-index"]
    roles = {linear.role: linear for linear in indexed.shape.layer}
    assert index == 4 * 2 * (4 * 8 + 5 * 32 + 8 * ("router" in roles))


@pytest.mark.parametrize(
    ("adapter", "words"),
    [
        (LORA, ["parameter 96 x 4 B"]),
        (SAVED, ["parameter 352 x 4 B"]),
        (replace(SAVED, saved_dtype=2), ["parameter 96 x 4 B", "parameter 256 x 2 B"]),
    ],
)
def test_the_bill_tells_saved_tables_apart(small: Small, adapter: Adapter, words: list[str]) -> None:
    plan = small(adapter=adapter)
    assert [term.arithmetic for term in static.weights(plan, trainable(plan))][1:] == words


@pytest.mark.parametrize(("ranks", "words"), [(1, "parameter 2,296 x 2 B"), (2, "parameter 2,296 x 2 B / 2 ranks")])
def test_the_bill_names_the_ranks(small: Small, ranks: int, words: str) -> None:
    plan = small(sharding=over(ranks))
    (term,) = static.weights(plan, trainable(plan))
    assert term.arithmetic == words


@pytest.mark.parametrize(("kind", "packs"), [("nf4", True), ("fp4", True), ("int8", True), ("gptq", False)])
def test_bitsandbytes_packs_a_tower_too(run_of: Callable[[str], Any], kind: str, packs: bool) -> None:
    plan = run_of("device h100-80gb; model google/gemma-3-4b-pt; precision bf16-pure; batch 1; seq 2048").plan
    plan = replace(plan, quant=Quant(kind, 1, 2, "none", 2))
    tower = sum(one.elements for one in weight_tensors(plan.arch) if one.where in ("vision", "projector") and one.kind == "linear")
    assert tower > 300_000_000
    decoder = plan.shape.layers * plan.shape.layer_linears
    assert sizes(static.weights(plan, trainable(plan)))[0] == (decoder + tower * packs) // 2


# -- gradients ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 200),
        ({"sharding": over(4)}, 50),
        ({"adapter": LORA}, 400),
        ({"adapter": replace(SAVED, saved_modules=60, saved_dtype=2)}, 4 * 40 + 2 * 60),
        ({"optimizer": optimizer("lomo")}, 0),  # it steps as they come
        # on the host where they wait there: FSDP's offload of parameters, DeepSpeed's of the optimizer
        ({"sharding": over(1, offload_params=True)}, 0),
        ({"sharding": over(1, offload_optimizer=True)}, 200),
        ({"sharding": over(1, "zero2", offload_optimizer=True)}, 0),
        ({"sharding": over(1, "zero3", offload_params=True)}, 200),
        ({"sharding": Sharding("ddp", world=2, offload_optimizer=True)}, 200),
        ({"sharding": over(1, "zero1", offload_optimizer=True), "accumulation": Accumulation(one_buffer=True)}, 200),
    ],
)
def test_stored_gradients_of_a_hundred_elements(small: Small, changes: dict[str, Any], expected: int) -> None:
    assert static.gradient_bytes(small(**changes), 100) == expected


@pytest.mark.parametrize(("adapter", "words"), [(None, "gradient 2,296 x 2 B"), (LORA, "gradient 96 x 4 B")])
def test_the_gradients_of_a_step(small: Small, adapter: Adapter | None, words: str) -> None:
    plan = small(adapter=adapter)
    assert static.gradients(plan, trainable(plan)).arithmetic == words


# -- optimizer ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [2 * 2296] * 2),
        ({"sharding": over(4)}, [2 * 2296 // 4] * 2),
        ({"sharding": over(1, offload_optimizer=True)}, []),
        ({"optimizer": optimizer("sgd")}, []),
        ({"adapter": LORA}, [4 * 96] * 2),
        ({"adapter": SAVED}, [4 * (96 + 256)] * 2),
        ({"adapter": replace(SAVED, saved_dtype=2)}, [4 * 96 + 2 * 256] * 2),
        ({"adapter": replace(LORA, saved_dtype=2)}, [4 * 96] * 2),
    ],
)
def test_two_moments_an_element(small: Small, changes: dict[str, Any], expected: list[int]) -> None:
    plan = small(**changes)
    assert sizes(static.optimizer(plan, trainable(plan))) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, [4 * 2296] * 3), ({"sharding": over(4)}, [2296] * 3), ({"adapter": LORA}, [4 * 96] * 2)],
)
def test_a_master_copy_of_what_trains_in_full(small: Small, changes: dict[str, Any], expected: list[int]) -> None:
    plan = mixed_precision(small(**changes))
    assert sizes(static.optimizer(plan, trainable(plan))) == expected


@pytest.mark.parametrize(("adapter", "wide", "more"), [(None, True, 65_536 - 16_640), (None, False, 0), (LORA, True, 0)])
def test_an_embeddings_states_in_32_bit(small: Small, adapter: Adapter | None, wide: bool, more: int) -> None:
    """1,024 x 8 elements: two states of 4 B, instead of a byte and 4 B for each block of 256: 2 x (8,192 + 32 x 4)."""
    plan = small(vocab=1024, optimizer=optimizer("adamw_8bit"), adapter=adapter)
    train = trainable(plan)
    assert static.states_of(replace(plan, wide_embedding=wide), train) - static.states_of(plan, train) == more


# -- the step ----------------------------------------------------------------------------------------------------------


def step(plan: Plan) -> list[int]:
    return sizes(static.step_temporaries(plan, trainable(plan)))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sharding": over(4, "zero2")}, [4 * 574]),  # 16-bit gradients of this rank's part
        ({"sharding": over(3, "zero2")}, [4 * 766]),  # 2,296 / 3, rounded up
        ({"sharding": over(4, "zero3")}, [4 * 574]),
        ({"sharding": over(3, "zero3")}, [4 * 766]),
        ({"sharding": over(4, "zero3", zero=Zero(sub_group=100))}, [4 * 100]),
        ({"sharding": over(4, "zero2", zero=Zero(sub_group=100))}, [4 * 574]),
        ({"sharding": over(4)}, []),
        ({"sharding": over(4, "zero2"), "adapter": LORA}, []),
        ({"sharding": over(4, "zero2", offload_optimizer=True)}, []),
        ({"model_code": "megatron"}, [4 * 2296]),
        ({"model_code": "megatron", "adapter": LORA}, []),
        ({"model_code": "megatron", "sharding": over(4, "zero1")}, [4 * 574]),
    ],
)
def test_gradients_are_cast_for_a_master_copy(small: Small, changes: dict[str, Any], expected: list[int]) -> None:
    plan = small(**changes)
    assert step(mixed_precision(plan)) == expected
    assert step(plan) == []
    whole = mixed_precision(plan)
    assert step(replace(whole, precision=replace(whole.precision, grads=4))) == []


@pytest.mark.parametrize(
    ("implementation", "named", "changes", "expected"),
    [
        ("foreach", "adamw", {}, [2 * 2296]),
        ("foreach", "adamw", {"sharding": over(4)}, [2 * 574]),
        ("foreach", "adamw", {"adapter": LORA}, [4 * 96]),
        ("foreach", "sgd", {}, []),  # it makes none
        ("for-loop", "adamw", {}, [2 * 256 * 2]),  # two of the largest table
        ("for-loop", "adamw", {"adapter": LORA}, [2 * 16 * 4]),
        ("fused", "adamw", {}, []),
        ("foreach", "adafactor", {}, [2 * 256 * 2]),  # what an optimizer is written as holds
        ("foreach", "adamw", {"sharding": over(4, offload_optimizer=True)}, []),
        ("for-loop", "adamw", {"adapter": replace(LORA, targets=frozenset())}, []),
    ],
)
def test_temporaries(small: Small, implementation: str, named: str, changes: dict[str, Any], expected: list[int]) -> None:
    assert step(small(optimizer=optimizer(named), optimizer_impl=implementation, **changes)) == expected


def test_temporaries_beside_a_master_copy_are_in_fp32(small: Small) -> None:
    plan = small(optimizer_impl="foreach")
    assert step(replace(plan, precision=replace(plan.precision, master=4, state=2, grads=4))) == [4 * 2296]


# -- shares ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parallel", "over_", "expected"),
    [
        (Parallel(), 4, 250),
        (Parallel(expert=2), 4, 400 // 4 + 600 // 2),  # two sets of experts, so each lies on two of the four
        (Parallel(expert=4), 2, 400 // 2 + 600),  # fewer ranks than sets: whole
        (Parallel(expert=2), 1, 1000),
        (Parallel(tensor=4, expert=4, expert_tensor=1), 4, 250),
        (Parallel(tensor=2, expert=4, expert_tensor=2), 8, 400 // 8 + 600 // 2),
        (Parallel(tensor=4, expert=2, expert_tensor=1), 2, 400 // 2 + 600 // 4),
    ],
)
def test_experts_have_fewer_replicas(small: Small, parallel: Parallel, over_: int, expected: int) -> None:
    """Of a thousand bytes six hundred are the experts': their elements are three fifths of all."""
    plan = small(parallel=parallel, **MIXED)
    plan = replace(plan, shape=replace(plan.shape, total=plan.expert_elements * 5 // 3))
    assert plan.expert_elements == 2 * 4 * 3 * 8 * 16
    assert static.share(plan, 1000, over_) == expected


def test_an_adapter_is_split_evenly(small: Small) -> None:
    assert static.share(small(parallel=Parallel(expert=2), adapter=LORA, **MIXED), 1000, 4) == 250


@pytest.mark.parametrize(("ranks", "expected"), [(1, 10), (3, 4), (10, 1), (11, 1)])
def test_the_last_rank_is_padded(ranks: int, expected: int) -> None:
    assert static.split(10, ranks) == expected


def test_nothing_trains_nothing_is_kept(small: Small) -> None:
    plan = small()
    assert sizes(static.optimizer(plan, Trainable(0, (), 0, 0))) == []


def test_roles_of_the_catalog_are_those_that_are_counted() -> None:
    """The mixture above has these and no other linears; a name that moved would count nothing."""
    arch = find_model("qwen3-next-80b-a3b-instruct")
    assert {"expert_down_proj", "o_proj"} <= {item.role for item in linears(arch)}
