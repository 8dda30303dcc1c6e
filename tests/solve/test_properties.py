"""What holds for every run: nothing that is proposed is then refused, and the figures are the last ones that fit."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.language import read_budget
from budgetlint.memory.estimate import DEPENDS, Verdict
from budgetlint.resolve.architecture import architecture_of
from budgetlint.resolve.runs import judge
from budgetlint.solve.proof import Desk, reread
from budgetlint.solve.search import static_exceeds
from budgetlint.solve.solver import solve
from budgetlint.solve.whatif import Bench

from .conftest import desk_of, run_of

MODELS = ("qwen2.5-0.5b", "qwen2.5-1.5b", "llama-3.1-8b", "gemma-2-2b", "gpt2", "mixtral-8x7b", "bert-large-uncased", "phi-3-mini-4k")
DEVICES = ("8GiB", "t4", "rtx-4090", "a100-40gb", "h100-80gb", "2x l4", "8x a100-80gb", "4x rtx-3090")
OPTIMIZERS = ("adamw", "adamw8bit", "paged_adamw_8bit", "sgd", "adafactor", "lion")
STACKS = ("", "stack transformers@5.24 torch@2.13 peft@0.21", "stack transformers@4.44 torch@2.4")
SHARDS = ("", "", "ddp", "zero1", "zero2", "zero3", "fsdp2", "zero3 offload=[optimizer]")


@st.composite
def budgets(draw: st.DrawFn) -> str:
    device = draw(st.sampled_from(DEVICES))
    parts = [
        f"device {device}",
        f"model {draw(st.sampled_from(MODELS))}",
        f"optimizer {draw(st.sampled_from(OPTIMIZERS))}",
        f"batch {draw(st.integers(1, 48))} accum={draw(st.integers(1, 8))}",
        f"seq {draw(st.integers(16, 8192))}",
        f"recompute {draw(st.sampled_from(('none', 'full', 'selective')))}",
        f"attention {draw(st.sampled_from(('eager', 'sdpa', 'flash')))}",
        f"precision {draw(st.sampled_from(('bf16', 'fp32', 'bf16-autocast', 'bf16-pure')))}",
        draw(st.sampled_from(("", "lora r=16", "lora r=64 targets=attention", "lora r=8; quant nf4"))),
        draw(st.sampled_from(STACKS)),
        draw(st.sampled_from(("", "reserve 1GiB", "reserve 5%"))),
    ]
    shard = draw(st.sampled_from(SHARDS)) if "x " in device else ""
    return "; ".join(part for part in (*parts, f"shard {shard}" if shard else "") if part)


def verdict_with(budget: str, **changes: int) -> Verdict:
    """By the estimator's own way in: another text, read and judged."""
    desk = desk_of(budget)
    context = run_of(desk)
    bench = Bench(context, architecture_of(desk.project.files, context.run))
    return bench.with_settings(changes).verdict


COMMON = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.slow
@COMMON
@given(budgets())
def test_nothing_proposed_is_refused(budget: str) -> None:
    desk = desk_of(budget)
    solution = solve(desk, run_of(desk))
    for remedy in solution.remedies:
        assert remedy.verdict in (Verdict.FITS, Verdict.TIGHT)
        if remedy.edits:
            again = reread(desk, solution.context, remedy.edits)
            assert again is not None and again.estimate is not None
            found = Verdict.TIGHT if again.estimate.reason == DEPENDS else again.estimate.verdict  # on a version: not ruled out
            assert (found, again.estimate.need.bytes) == (remedy.verdict, remedy.need)
            assert solution.context.estimate.need.bytes - remedy.need == remedy.frees


@pytest.mark.slow
@COMMON
@given(budgets())
def test_the_largest_batch_and_length_are_the_last_that_fit(budget: str) -> None:
    desk = desk_of(budget)
    solution = solve(desk, run_of(desk), frozenset({"batch", "seq"}))
    for name, reach in (("micro_batch", solution.batch), ("seq_len", solution.seq)):
        if reach.fits is not None:
            assert verdict_with(budget, **{name: reach.fits}) is Verdict.FITS
            assert verdict_with(budget, **{name: reach.fits + 1}) is not Verdict.FITS
        if reach.tight is not None:
            assert verdict_with(budget, **{name: reach.tight}) is not Verdict.DOES_NOT_FIT
            assert verdict_with(budget, **{name: reach.tight + 1}) is Verdict.DOES_NOT_FIT


@pytest.mark.slow
@COMMON
@given(budgets())
def test_no_smaller_batch_where_the_static_state_is_too_large(budget: str) -> None:
    desk = desk_of(budget)
    context = run_of(desk)
    estimate = context.estimate
    assert estimate is not None and estimate.limit is not None
    solution = solve(desk, context)
    if estimate.static_bytes > estimate.limit:
        assert static_exceeds(estimate)
        assert solution.batch.fits is None and solution.batch.tight is None
        assert not any("smaller batch" in remedy.parts or "shorter sequences" in remedy.parts for remedy in solution.remedies)


@COMMON
@given(budgets(), st.sampled_from(["micro_batch", "seq_len"]), st.lists(st.integers(1, 20000), min_size=4, max_size=4))
def test_more_never_needs_less(budget: str, name: str, values: list[int]) -> None:
    desk = desk_of(budget)
    context = run_of(desk)
    bench = Bench(context, architecture_of(desk.project.files, context.run))
    needs = [bench.with_settings({name: value}).need for value in sorted(values)]
    assert [need.high for need in needs] == sorted(need.high or 0 for need in needs)
    assert [need.low for need in needs] == sorted(need.low for need in needs)


@COMMON
@given(budgets())
def test_fewest_devices_is_the_first_number_that_fits(budget: str) -> None:
    desk = desk_of(budget)
    context = run_of(desk)
    fewest = solve(desk, context, frozenset({"devices"})).devices
    if fewest is not None:
        assert verdict_with(budget, devices=fewest, devices_per_node=fewest, nodes=1) is Verdict.FITS
        for fewer in range(max(1, fewest - 2), fewest):
            assert verdict_with(budget, devices=fewer, devices_per_node=fewer, nodes=1) is not Verdict.FITS


def test_a_file_is_read_again_like_standard_input() -> None:
    text = "device 24GiB; model qwen2.5-1.5b; batch 16; seq 2048; lora r=8; recompute none\n"
    desk = Desk(desk_of(files={"a.budget": text}).project)
    solution = solve(desk, judge(desk.project).runs[0], frozenset({"remedies"}))
    read = read_budget(SourceFile("-", text))
    other = Desk(desk_of(text).project, read)
    again = solve(other, judge(other.project, extra=read).runs[0], frozenset({"remedies"}))
    assert [one.need for one in solution.remedies] == [one.need for one in again.remedies] != []


SPEED = [
    "device 24GiB; model llama-3.1-8b; batch 4; seq 4096",
    "device 24GiB; model llama-3.1-8b; lora r=16; batch 4; seq 4096",
    "device 8x a100-40gb; model llama-3.1-8b; batch 4; seq 4096",
    "device 24GiB; model qwen2.5-1.5b; batch 4; seq 1024; stack transformers@5.24 torch@2.13",
]


@pytest.mark.parametrize("budget", SPEED)
def test_a_full_set_of_remedies_asks_for_under_a_hundred_estimates(budget: str) -> None:
    """Of 1 ms each; the most that one of these asks for is 73."""
    desk = desk_of(budget)
    assert solve(desk, run_of(desk)).remedies
    assert 0 < desk.effort.estimates < 100
