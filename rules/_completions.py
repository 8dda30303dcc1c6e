"""How many completions one step of GRPO takes."""

from __future__ import annotations

from budgetlint.rule import OriginKind, RunContext, Setting, number_of, written_by


def count(setting: Setting | None, default: int) -> int | None:
    """The whole number; ``default`` where nothing is set, None where it is not known."""
    if setting is None:
        return default
    value = number_of(setting)
    return int(value) if value is not None and value >= 1 else None


def world_of(run: RunContext) -> Setting | None:
    """The number of processes, where a launch, a file or a budget says it."""
    devices = run.setting("devices")
    return devices if devices is not None and devices.known and devices.origin.kind is not OriginKind.DEFAULT else None


def batch_of(run: RunContext, at_once: int) -> tuple[int | None, str]:
    """Completions of one generation, and how they come about; None where a part is not known."""
    whole, steps = written_by(run, "generation_batch_size"), written_by(run, "steps_per_generation")
    if whole is not None:
        return count(whole, 0), f"generation_batch_size {whole.text}"
    accumulation = run.setting("grad_accum")
    times = count(steps, 0) if steps is not None else count(accumulation, 1)
    return (None, "") if times is None else (at_once * times, f"{at_once} at once, {times} times")
