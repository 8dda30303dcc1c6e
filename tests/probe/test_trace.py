"""Peaks of a trace, counted as the caching allocator counts."""

from __future__ import annotations

from budgetlint.probe.trace import Held, Trace


def held(size: int, bucket: str = "activations", layer: int | None = None) -> Held:
    return Held(size, "float32", (size // 4,), "empty", bucket, "", layer)


def trace(*events: int | str, sizes: tuple[int, ...], unit: int = 512) -> Trace:
    """Numbers as in `Trace.events`, words are marks."""
    made = Trace([held(size) for size in sizes], unit=unit)
    for event in events:
        made.mark(event) if isinstance(event, str) else made.events.append(event)
    made.where = [None] * len(made.events)
    return made


def test_sizes_are_multiples_of_512() -> None:
    assert trace("forward", 1, 2, sizes=(1, 513)).highest() == 512 + 1024
    assert trace("forward", 1, 2, sizes=(1, 513), unit=1).highest() == 514


def test_the_peak_of_a_phase_is_what_lives_together_in_it() -> None:
    peaks = trace("forward", 1, 2, -2, "backward", 3, -1, -3, sizes=(512, 2048, 1024)).peaks()
    assert {name: peak.bytes for name, peak in peaks.items()} == {"forward": 2560, "backward": 1536}
    assert sum(peaks["forward"].live.values()) == 2


def test_what_lives_when_a_phase_begins_counts() -> None:
    assert trace("forward", 1, "step", -1, sizes=(4096,)).peaks()["step"].bytes == 4096


def test_the_second_step_counts_not_the_first() -> None:
    peaks = trace("forward", 1, -1, "step", "forward", 2, -2, sizes=(4096, 512)).peaks()
    assert peaks["forward"].bytes == 512
