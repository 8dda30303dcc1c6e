"""Simulated equals real: every storage of a simulated step is one that torch's profiler counts in the same step on the CPU.

Three counts of the same two steps: on meta tensors (the simulation), of storages over real tensors, and the profiler's own, which also
sees what a kernel takes inside. What makes a difference is named: the generator's state that each checkpoint keeps, 16-bit statistics of
the CPU's LayerNorm (fp32 on meta, as on CUDA), and what 16-bit matmuls of oneDNN take inside.
"""

# ruff: noqa: E402
from __future__ import annotations

import contextlib
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch.profiler import ProfilerActivity, profile

from budgetlint.probe.build import build, inputs_of, materialise
from budgetlint.probe.job import Job, Lora
from budgetlint.probe.optimizers import optimizer_of
from budgetlint.probe.step import simulate
from budgetlint.probe.storage_tracker import StorageTracker
from budgetlint.probe.trace import WEIGHTS

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

FAMILIES = ("llama", "gpt2", "qwen2_moe", "bert")
HALF: dict[str, Any] = {"weights": 2, "grads": 2, "state": 2, "compute": 2}
AUTOCAST: dict[str, Any] = {"autocast": True, "compute": 2}
LORA = Lora(r=4, dropout=0.1, dtype="fp32", targets=("self_attn.q_proj", "mlp.down_proj"), dora=False)
GENERATOR = 5056
"""Bytes of the CPU generator's state (``torch.get_rng_state().numel()``); a checkpoint keeps it to draw the same again."""
EXACT = 0.001


def simulated(job: Job) -> int:
    """Above the weights, byte for byte as the CPU has it."""
    trace = simulate(job, like="cpu", unit=1).trace
    return trace.highest() - trace.peaks()["load"].bytes


def norm_statistics(job: Job) -> int:
    """Mean and deviation of each position, in 16 bit on the CPU and in fp32 on meta: two norms a layer, one before or behind, and
    the one in BERT's head."""
    norms = {"gpt2": 2 * job.layers + 1, "bert": 2 * job.layers + 2}.get(job.arch["family"], 0)
    return norms * job.batch * job.seq * 2 * 2


STEPS = 2


def profiled(job: Job) -> int:
    """Bytes at the highest moment of two steps, above the weights and all that is there before."""
    model = real_model(job)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        steps(job, model)
    return highest(seen)


def followed(job: Job) -> int:
    """The same by the mode that the simulation follows storages with, over the real tensors."""
    model, follow = real_model(job), StorageTracker("cpu", unit=1)
    follow.mark("load")
    for tensor in (*model.parameters(), *model.buffers()):
        follow.hold(tensor, WEIGHTS)
    with follow:
        steps(job, model)
    return follow.trace.highest() - sum(held.bytes for held in follow.trace.held if held.bucket == WEIGHTS)


def real_model(job: Job) -> Any:
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    model = build(job)
    materialise(model, "cpu", lambda tensor: tensor.normal_(0, 0.02) if tensor.is_floating_point() else tensor.zero_())
    return model


def steps(job: Job, model: Any) -> None:
    optimizer = optimizer_of(job, model.parameters())
    for _ in range(STEPS):
        for _ in range(min(job.accum, 2)):
            inputs = inputs_of(job, "cpu")
            with torch.autocast("cpu", dtype=torch.bfloat16) if job.autocast else contextlib.nullcontext():
                loss = model(**inputs).loss
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def highest(seen: profile) -> int:
    """From the allocator's own events, in order of time."""
    events = [event for event in seen.profiler.kineto_results.events() if event.name() == "[memory]"]
    live = top = 0
    for event in sorted(events, key=lambda one: one.start_ns()):
        live += event.nbytes()
        top = max(top, live)
    return top


@pytest.mark.parametrize("family", FAMILIES)
def test_eager_in_fp32_equals_the_profiler(tiny, family: str) -> None:
    job = tiny(family)
    assert simulated(job) == pytest.approx(profiled(job), rel=EXACT)


@pytest.mark.parametrize("family", FAMILIES)
def test_eager_in_16_bit_equals_the_profiler(tiny, family: str) -> None:
    job = tiny(family, **HALF)
    assert simulated(job) - norm_statistics(job) == pytest.approx(profiled(job), rel=EXACT)


@pytest.mark.parametrize("family", FAMILIES)
def test_autocast_equals_the_profiler(tiny, family: str) -> None:
    """torch's own autocast on the CPU, against its lists applied to meta tensors."""
    job = tiny(family, **AUTOCAST)
    assert simulated(job) == pytest.approx(profiled(job), rel=EXACT)


@pytest.mark.parametrize("reentrant", (False, True))
@pytest.mark.parametrize("family", FAMILIES)
def test_recomputation_equals_the_profiler_but_for_the_generators_state(tiny, family: str, reentrant: bool) -> None:
    """Each layer's state goes with its checkpoint, so at most all of them are there at the peak."""
    job = tiny(family, recompute="full", reentrant=reentrant)
    real = profiled(job)
    states = round((real - simulated(job)) / GENERATOR)
    assert 0 <= states <= job.layers
    assert simulated(job) + states * GENERATOR == pytest.approx(real, rel=EXACT)


@pytest.mark.parametrize("family", FAMILIES)
def test_recomputation_under_autocast_holds_the_same_storages(tiny, family: str) -> None:
    """The rest is what oneDNN's 16-bit matmuls take inside: the profiler sees it, a mode over the same real tensors does not."""
    job = tiny(family, recompute="full", **AUTOCAST)
    real = followed(job)
    assert simulated(job) == pytest.approx(real, rel=EXACT)
    assert 0 <= profiled(job) - real < 0.02 * real


@pytest.mark.parametrize(
    "changes",
    (
        {"attention": "sdpa"},
        {"attention": "sdpa", **HALF},
        {"optimizer_impl": "foreach", "batch": 1, "seq": 16},
        {"accum": 2},
        {"optimizer": "momentum"},
        {**HALF, **AUTOCAST, "lora": LORA},
        {**HALF, "lora": LORA},
    ),
    ids=str,
)
def test_a_llama_equals_the_profiler(tiny, changes: dict[str, Any]) -> None:
    if "lora" in changes:
        pytest.importorskip("peft")
    job = tiny("llama", **changes)
    assert simulated(job) == pytest.approx(profiled(job), rel=EXACT)


def test_the_autocast_lists_are_those_of_this_torch() -> None:
    """By function name: what the dispatcher has registered, less what is only a name inside of another."""
    from budgetlint.probe.autocast import CPU, CUDA

    for key, lists in (("AutocastCUDA", CUDA), ("AutocastCPU", CPU)):
        registered = {name.removeprefix("aten::").partition(".")[0] for name in torch._C._dispatch_get_registrations_for_dispatch_key(key)}
        registered |= {name.removeprefix("linalg_") for name in registered}
        computed = {"__matmul__", "__rmatmul__", "__pow__", "square", "conv_tbc", "cross_entropy"}
        named = (lists.low | lists.full | lists.option) - computed
        assert named <= registered, (key, named - registered)
