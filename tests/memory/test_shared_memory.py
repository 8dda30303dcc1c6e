"""One memory for host and device: a processor, a Mac, a DGX Spark."""

from __future__ import annotations

import pytest

from budgetlint.base.units import GIB
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts

RUN = "model qwen2.5-1.5b; precision bf16-pure; optimizer adamw; batch 1; seq 1024"


def estimated(machine: str, more: str = ""):
    (run,) = judge_texts({}, budget=f"{machine}; {RUN}{more}").runs
    assert run.estimate is not None
    return run.estimate


def test_a_processor_has_what_host_says() -> None:
    estimate = estimated("device cpu; host 64GiB")
    assert (estimate.limit, estimate.verdict, estimate.missing) == (64 * GIB, Verdict.FITS, ())
    assert estimated("device cpu; host 64GiB; reserve 8GiB").limit == 56 * GIB
    assert estimated("device cpu; host 8GiB").verdict is Verdict.DOES_NOT_FIT


def test_a_processor_without_host_lacks_that() -> None:
    estimate = estimated("device cpu")
    assert (estimate.verdict, estimate.missing, estimate.limit) == (Verdict.UNKNOWN, ("host",), None)


def test_a_processor_has_no_cuda_and_its_process_lies_beside_the_tensors() -> None:
    """No context, no cuBLAS; Python with torch and transformers, and the system, are in the same memory."""
    estimate = estimated("device cpu; host 64GiB")
    outside = {term.id: term.bytes for term in estimate.bill if term.bucket is Bucket.CONTEXT}
    assert outside == {"context.process": int(1.5 * GIB)}
    assert not [term for term in estimate.bill if term.id.startswith("cublas.")]


@pytest.mark.parametrize("machine", ["device gb10", "device strix-halo", "device mi300a"])
def test_offloading_frees_nothing_on_a_shared_memory(machine: str) -> None:
    """What leaves the allocator stays in the machine: the need with everything offloaded is no smaller."""
    kept = estimated(f"{machine}; host 120GiB", "; shard zero3").need
    moved = estimated(f"{machine}; host 120GiB", "; shard zero3 offload=[optimizer, params]").need
    assert moved.bytes >= kept.bytes
    card = "device h200; host 512GiB"
    assert estimated(card, "; shard zero3 offload=[optimizer, params]").need.bytes < estimated(card, "; shard zero3").need.bytes


def test_it_is_told() -> None:
    told = [assumption.text for assumption in estimated("device m3-max 64GiB").assumptions if assumption.setting == "device"]
    assert told == ["the host's memory is the device's: offloading frees nothing, an adapter or a quantised base does"]
    assert not [one for one in estimated("device h200").assumptions if one.setting == "device"]


def test_a_working_set_may_be_raised() -> None:
    assert estimated("device m4-pro-48gb").limit == 36 * GIB
    assert estimated("device m4-pro-48gb working_set=40GiB").limit == 40 * GIB
