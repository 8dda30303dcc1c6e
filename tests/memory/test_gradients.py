"""Gradients at each moment of the backward, counted by hand on the small model: 592 elements a layer (down projection 128, gate and up
256), two tables of 256, a final norm of 8: 2,296 in all, and 2,040 where the tables are one. Two bytes each unless a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from budgetlint.catalog.ledger import weight_tensors
from budgetlint.memory import gradients
from budgetlint.memory.parallel import Parallel
from budgetlint.memory.plan import Accumulation, Adapter, Plan, Sharding
from budgetlint.memory.static import Trainable, trainable
from budgetlint.memory.term import Term

Small = Callable[..., Plan]
LORA = Adapter(2, 0.0, 4, frozenset({"q_proj"}))
"""A of 2 x 8 and B of 8 x 2 on each of 3 layers: 96 elements of 4 B."""

FSDP = Sharding("fsdp", world=4, params_over=4, grads_over=4, states_over=4)


def sizes(terms: Iterable[Term]) -> list[int]:
    return [term.bytes for term in terms]


def fp32(plan: Plan) -> Plan:
    return replace(plan, precision=replace(plan.precision, grads=4))


@pytest.mark.parametrize(
    ("changes", "elements"),
    [
        ({}, 128 + 256),
        ({"tied": True}, 128 + 256),  # the head's gradient goes to the one table
        ({"tied": True, "head": "regression"}, 128),
        ({"accum": 2}, 2296),  # those of the micro batch before
        ({"accumulation": Accumulation(zeroed=True)}, 2296),
        ({"accumulation": Accumulation(one_buffer=True)}, 2296),
    ],
)
def test_at_the_last_layer(small: Small, changes: dict[str, Any], elements: int) -> None:
    plan = small(**changes)
    assert sizes(gradients.at_last_layer(plan, trainable(plan))) == [2 * elements]
    plan = fp32(plan)
    assert sizes(gradients.at_last_layer(plan, trainable(plan))) == [4 * elements]


@pytest.mark.parametrize(
    ("changes", "elements"),
    [
        ({}, 2296 - (592 - 128) - 256),  # all but this layer's, whose down projection is done, and the embedding's
        ({"tied": True}, 2040 - (592 - 128)),
        ({"tied": True, "head": "regression"}, 2040 - (592 - 128) - 256),
        ({"accum": 2}, 2296),
    ],
)
def test_at_the_first_layer(small: Small, changes: dict[str, Any], elements: int) -> None:
    plan = small(**changes)
    assert sizes(gradients.at_first_layer(plan, trainable(plan))) == [2 * elements]


def test_an_encoder_in_front_of_the_decoder_comes_later(small: Small) -> None:
    """Two layers of an encoder: 1,184 elements."""
    plan = small()
    plan = replace(plan, shape=replace(plan.shape, encoder=replace(plan.shape, layers=2)))
    train = Trainable(4000, (), 256, 256)
    assert sizes(gradients.at_first_layer(plan, train)) == [2 * (4000 - (592 - 128) - 256 - 1184)]


def test_of_less_than_nothing_there_is_nothing(small: Small) -> None:
    few = Trainable(100, (), 100, 0)
    assert sizes(gradients.at_first_layer(small(), few)) == [0]
    assert sizes(gradients.at_first_layer(small(sharding=FSDP), few))[0] == 0


def test_fsdp_reduces_a_unit_when_it_is_whole(small: Small) -> None:
    """The root unit (520) and the first layer are still to come: two layers lie on 4 ranks, head and down projection are whole."""
    plan = small(sharding=FSDP)
    train = trainable(plan)
    assert sizes(gradients.at_last_layer(plan, train)) == [2 * (128 + 256)]
    assert sizes(gradients.at_first_layer(plan, train)) == [2 * (2296 - 520 - 592) // 4, 2 * (128 + 256)]


def test_what_fsdp_makes_has_the_compute_dtype(small: Small) -> None:
    plan = fp32(small(sharding=FSDP))
    stored, fresh = sizes(gradients.at_first_layer(plan, trainable(plan)))
    assert (stored, fresh) == (4 * (2296 - 520 - 592) // 4, 2 * (128 + 256))


def test_under_no_sync_they_are_whole_and_a_layers_comes_on_top(small: Small) -> None:
    plan = small(sharding=FSDP, accum=2, accumulation=Accumulation(unreduced=True))
    for moment in (gradients.at_last_layer, gradients.at_first_layer):
        assert sizes(moment(plan, trainable(plan))) == [2 * 2296, 2 * 592]
    assert gradients.at_the_tower(plan, trainable(plan)).bytes == 2 * 2296


def test_without_it_they_are_reduced_in_each_micro_batch(small: Small) -> None:
    plan = small(sharding=FSDP, accum=2)
    assert sizes(gradients.at_last_layer(plan, trainable(plan))) == [2 * 2296 // 4]


def test_an_adapter_has_only_its_own(small: Small) -> None:
    plan = small(adapter=LORA)
    train = trainable(plan)
    assert train.elements == 96
    for moment in (gradients.at_last_layer, gradients.at_first_layer):
        assert sizes(moment(plan, train)) == [4 * 96]
    assert gradients.at_the_tower(plan, train).bytes == 4 * 96
    assert gradients.element_bytes(plan) == 4


@pytest.mark.parametrize(
    ("changes", "elements"),
    [
        ({}, 592),  # a layer is larger than a table of 256
        ({"tied": True}, 592 + 256),  # whose gradient of the head waits for that of the lookup
        ({"tied": True, "head": "regression"}, 592),
        ({"vocab": 100}, 800),  # the largest table is larger than a layer
        ({"accum": 2}, 592),
    ],
)
def test_a_step_in_the_backward_never_has_all(small: Small, changes: dict[str, Any], elements: int) -> None:
    plan = small(optimizer_in_backward=True, **changes)
    train = trainable(plan)
    assert gradients.in_backward(plan, train).bytes == 2 * elements
    for moment in (gradients.at_last_layer, gradients.at_first_layer):
        assert sizes(moment(plan, train)) == [2 * elements]
    assert gradients.at_the_tower(plan, train).bytes == 2 * elements


@pytest.mark.parametrize("layers", [1, 3])
def test_a_step_in_the_backward_has_adapters_of_one_layer(small: Small, layers: int) -> None:
    plan = small(optimizer_in_backward=True, adapter=LORA, layers=layers)
    assert gradients.in_backward(plan, trainable(plan)).bytes == 4 * 32


def test_no_more_than_what_trains(small: Small) -> None:
    plan = small(optimizer_in_backward=True)
    assert gradients.in_backward(plan, Trainable(100, (), 100, 0)).bytes == 2 * 100


@pytest.mark.parametrize(
    ("changes", "elements"),
    [
        ({}, 128 + 128),
        ({"accum": 2}, 0),  # they are among all that stand already
        ({"optimizer_in_backward": True}, 0),
        ({"adapter": LORA}, 0),
    ],
)
def test_gate_and_up_exist_while_attention_runs_backward(small: Small, changes: dict[str, Any], elements: int) -> None:
    assert gradients.of_this_mlp(small(**changes)).bytes == 2 * elements


@pytest.mark.parametrize(
    ("changes", "elements"),
    [
        ({}, 0),
        ({"tied": True}, 2 * 256),  # one of the lookup, and the sum of both
        ({"tied": True, "head": "regression"}, 0),
        ({"tied": True, "adapter": LORA}, 0),
        ({"accum": 2}, 256),  # made before it is added to the one that stands
        ({"accum": 2, "tied": True}, 3 * 256),
        ({"accum": 2, "adapter": LORA}, 0),
        ({"accum": 2, "accumulation": Accumulation(one_buffer=True)}, 0),
        ({"accum": 2, "optimizer_in_backward": True}, 0),
    ],
)
def test_the_embeddings_gradients(small: Small, changes: dict[str, Any], elements: int) -> None:
    size = 4 if "adapter" in changes else 2
    assert gradients.tied_twice(small(**changes)).bytes == size * elements


def test_which_of_them_the_bill_names(small: Small) -> None:
    assert gradients.tied_twice(small(tied=True)).id == "gradients.tied-embedding-and-sum"
    assert gradients.tied_twice(small(accum=2)).id == "gradients.embedding-of-this-batch"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, []), ({"parallel": Parallel(sent=4)}, [2 * 8 * 16]), ({"parallel": Parallel(sent=4), "adapter": LORA}, [])],
)
def test_a_pipeline_adds_one_weights_gradient_at_a_time(small: Small, changes: dict[str, Any], expected: list[int]) -> None:
    assert sizes(gradients.before_it_is_added(small(**changes))) == expected


def test_a_stage_without_layers_adds_none(small: Small) -> None:
    plan = small(parallel=Parallel(sent=4))
    assert sizes(gradients.before_it_is_added(replace(plan, shape=replace(plan.shape, layer=())))) == [0]


# -- a vision tower ----------------------------------------------------------------------------------------------------


def seeing(run_of: Callable[[str], Any], words: str = "") -> Plan:
    """A decoder with a tower, both of which train; ``gradient`` of 2 B."""
    plan: Plan = run_of(f"device h100-80gb; model google/gemma-3-4b-pt; precision bf16-pure; batch 1; seq 2048; freeze none; {words}").plan
    return plan


def in_the_tower(plan: Plan) -> int:
    return sum(one.elements for one in weight_tensors(plan.arch) if one.where in ("vision", "projector"))


def test_a_towers_gradients_come_last(run_of: Callable[[str], Any]) -> None:
    """Tied tables: of the decoder's first layer only the down projection is done, of the tower nothing."""
    plan = seeing(run_of)
    train, shape = trainable(plan), plan.shape
    assert in_the_tower(plan) > 400_000_000
    missing = shape.layer_total - gradients.down_elements(plan) + in_the_tower(plan)
    assert sizes(gradients.at_first_layer(plan, train)) == [2 * (train.elements - missing)]
    assert gradients.at_the_tower(plan, train).bytes == 2 * (train.elements - in_the_tower(plan))
    assert gradients.at_the_tower(plan, Trainable(100, (), 100, 0)).bytes == 0


def test_a_tower_under_fsdp(run_of: Callable[[str], Any]) -> None:
    plan = replace(seeing(run_of), sharding=FSDP)
    train, shape = trainable(plan), plan.shape
    stored, _ = sizes(gradients.at_first_layer(plan, train))
    assert stored == -(-2 * (train.elements - shape.root - in_the_tower(plan) - shape.layer_total) // 4)
