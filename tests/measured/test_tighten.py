"""What a measured line does to the range and the verdict of its run."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.base.units import GIB
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.resolve.runs import judge_texts

RUN = "device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full"
BEST = 5_287_934_976
"""`allocated` of that run, without anything measured."""


def estimate(lines: str, run: str = RUN) -> Estimate:
    found = judge_texts({}, budget=f"{run}\n{lines}").runs[0].estimate
    assert found is not None
    return found


PLAIN = estimate("")


def measured_words(found: Estimate) -> list[str]:
    return [one.text for one in found.assumptions if one.setting == "measured"]


def test_the_figures_these_tests_stand_on() -> None:
    assert PLAIN.allocated.bytes == BEST
    assert PLAIN.verdict is Verdict.FITS


def test_an_agreeing_measurement_narrows_both_ends_and_says_so() -> None:
    found = estimate(f'measured allocated={BEST}B device="NVIDIA L4" torch="2.13.0" date=2026-11-29')
    assert found.need.low >= PLAIN.need.low
    assert found.need.high is not None and PLAIN.need.high is not None and found.need.high <= PLAIN.need.high
    assert (found.allocated.high or 0) - found.allocated.low < (PLAIN.allocated.high or 0) - PLAIN.allocated.low + 1
    (told,) = measured_words(found)
    assert "4.92 GiB allocated on NVIDIA L4 (torch 2.13.0, 2026-11-29)" in told
    assert "the need was" in told and ", now " in told


@pytest.mark.parametrize("size", [BEST * 7 // 10, BEST * 9 // 10, BEST, BEST * 11 // 10, BEST * 2])
def test_the_range_holds_the_estimate_and_what_was_seen(size: int) -> None:
    found = estimate(f"measured allocated={size}B")
    assert found.allocated.low <= min(size, BEST) or size < found.static_bytes
    assert (found.allocated.high or 0) >= max(BEST, size if size >= found.static_bytes else 0)
    assert found.need.low <= found.need.bytes <= (found.need.high or 0)


@pytest.mark.parametrize("line", ["", f"measured allocated={BEST * 2}B", "measured oom device=l4", "measured fits device=l4"])
def test_the_bill_still_adds_up_to_the_need(line: str) -> None:
    found = estimate(line)
    assert sum(term.bytes for term in found.bill) == found.need.bytes == PLAIN.need.bytes


def test_a_run_that_ran_out_of_memory_here_never_fits() -> None:
    found = estimate('measured oom device="NVIDIA L4"')
    assert found.verdict is Verdict.TIGHT
    assert "out of memory on NVIDIA L4" in measured_words(found)[0]


def test_on_another_card_it_says_nothing() -> None:
    found = estimate('measured oom device="Tesla T4"')
    assert (found.verdict, found.need, measured_words(found)) == (Verdict.FITS, PLAIN.need, [])


FULL = "device t4; model qwen2.5-1.5b; precision bf16-pure; optimizer adamw; batch 1; seq 4096; recompute full; attention sdpa"


def test_what_fitted_there_is_no_does_not_fit() -> None:
    """A run that the arithmetic puts over the card, and that ran on it."""
    assert estimate("", FULL).verdict is Verdict.DOES_NOT_FIT
    found = estimate('measured fits device="Tesla T4"', FULL)
    assert found.verdict is Verdict.TIGHT
    assert found.need.low <= (found.usable_high or 0)


def test_fits_without_a_figure_closes_the_high_end_at_the_card() -> None:
    found = estimate('measured fits device="NVIDIA L4"', f"{RUN}; stack torch@2.13")
    assert (found.need.high or 0) <= (found.usable_high or 0)


SFT = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
max_length: 1024
bf16: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
output_dir: out
"""


def test_a_measured_peak_tells_which_version_runs() -> None:
    """Which transformers runs it is not known, so the verdict depends on it; what was measured was of one of them."""

    def judged(line: str) -> Estimate:
        found = judge_texts({"sft.yaml": SFT}, budget=f"device l4\n{line}").runs[0].estimate
        assert found is not None
        return found

    wide = judged("")
    assert [one.name for one in wide.forks[0].settings] == ["transformers"]
    assert judged(f"measured allocated={wide.allocated.bytes}B").verdict is Verdict.FITS


def test_a_figure_from_after_the_step_narrows_nothing() -> None:
    found = estimate(f"measured allocated={3 * GIB // 2}B")
    assert (found.need, measured_words(found)) == (PLAIN.need, [])


def test_a_stale_line_narrows_nothing() -> None:
    found = estimate("measured allocated=9GiB config=sha256:0123456789abcdef")
    assert (found.need, measured_words(found)) == (PLAIN.need, [])


def test_a_line_of_one_phase_narrows_nothing() -> None:
    assert estimate("measured phase=load allocated=2GiB").need == PLAIN.need


@pytest.mark.parametrize(("device", "carries"), [("NVIDIA L4", True), ("NVIDIA A100-SXM4-80GB", True), ("Tesla V100-SXM2-32GB", False)])
def test_allocated_peaks_carry_over_among_cards_with_the_same_kernels(device: str, carries: bool) -> None:
    found = estimate(f'measured allocated={BEST * 2}B device="{device}"')
    assert (found.allocated != PLAIN.allocated) is carries


def test_a_run_of_unknown_size_stays_unknown() -> None:
    run = "device l4; model qwen2.5-1.5b; lora r=16; optimizer adamw; seq 1024"
    found = estimate("measured allocated=6GiB device=l4", run)
    assert found.verdict is Verdict.UNKNOWN


def test_the_json_of_estimate_has_the_narrowed_ends(shell: Any) -> None:
    shell.write("run.budget", f"{RUN}\n")
    wide = shell("estimate", "--format", "json").json["runs"][0]["peak"]
    shell.write("budget.lock", f'measured allocated={BEST}B device="NVIDIA L4" reserved=5400000000B\n')
    narrow = shell("estimate", "--format", "json").json["runs"][0]
    assert narrow["peak"]["high"] < wide["high"]
    assert narrow["peak"]["bytes"] == wide["bytes"]
    assert any("measured" in one for one in map(str, narrow["assumptions"]))
