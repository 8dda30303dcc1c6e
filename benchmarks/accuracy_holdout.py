"""Which constants rest on which figures, and what the estimate is worth on sources that they were not taken from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from accuracy_score import Outcome
from accuracy_stats import Stats, of_metric, stats_of
from rows import Row, parallel_of

from budgetlint.base.units import GIB
from budgetlint.memory import need, spread

MEMORY = Path(need.__file__).parent

# The tensors that a step keeps were read in the frameworks' code, and checked against these sources while that was written:
# no byte was fitted, but these rows showed which code path to look for. All other sources were only ever compared with.
LOOKED_AT = ("fms-", "litgpt-config-hub", "litgpt-resource-tables", "litgpt-docs", "bigscience-megatron-logs")


@dataclass(frozen=True, slots=True)
class Constant:
    """``rests``: where its value comes from. ``judged``: rows that can tell whether it is right, none of them used for it."""

    name: str
    value: str
    rests: str
    judged: str


def constants() -> Iterator[Constant]:
    """What is a number and not arithmetic."""
    rows = (
        ("pool above the allocated peak", "POOL", _shares, "an allocator model on the simulated steps", "reserved figures of real devices"),
        ("fragmentation in the need", "FRAGMENTATION", _shares, "the same replays", "verdicts on every measured row"),
        ("communicators", "COMMUNICATION", _gib, "one published reading each end", "nvidia-smi figures of several devices"),
    )
    for name, constant, shown, rests, judged in rows:
        value = getattr(need, constant, None)
        yield Constant(name, shown(value) if value else "computed", rests, judged)
    yield Constant("CUDA context", "by capability, `catalog/context.py`", "published readings per card", "nvidia-smi figures of one device")
    yield Constant("small tensors and rounding", f"{spread.BASE_SPREAD / 1e4:.2f} %", "torch's block sizes", "allocated ranges")


def _shares(ppm: tuple[int, int, int]) -> str:
    return " / ".join(f"{value / 1e4:.1f} %" for value in ppm)


def _gib(sizes: tuple[int, int, int]) -> str:
    return " / ".join(f"{value / GIB:.1f} GiB" for value in sizes)


def marked_as_fitted() -> list[tuple[str, str]]:
    """``(file, comment)``: every comment of the estimator that says ``fitted on``; rows named in it count as used."""
    lines = ((path.name, line) for path in sorted(MEMORY.glob("*.py")) for line in path.read_text(encoding="utf-8").splitlines())
    return [(name, line.strip().strip('#" ')) for name, line in lines if "fitted on" in line]


def used_rows() -> set[str]:
    return {name for _, comment in marked_as_fitted() for name in re.findall(r"\b[a-z]+[a-z0-9]*-\d{3}\b", comment)}


def allocated_split(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, Stats]]:
    """Allocated figures of the sources that were looked at, of those that were not, and of all without rows marked as used."""
    measured = [one for one in outcomes if one.family != "simulated"]
    seen = [one for one in measured if one.family.startswith(LOOKED_AT)]
    used = used_rows()
    groups = (
        ("sources that showed the mechanisms (fms, LitGPT, Megatron)", seen),
        ("sources only compared with", [one for one in measured if one not in seen]),
        ("all", measured),
        ("all, without rows that a constant was fitted on", [one for one in measured if one.id not in used]),
    )
    for name, rows in groups:
        found = stats_of(of_metric(rows, "allocated"))
        if found:
            yield name, found


@dataclass(frozen=True, slots=True)
class Inferred:
    """A form that no source code was read for: it was read off the rows it explains, which therefore prove nothing."""

    text: str
    holds: Callable[[Row], bool]


def _lora(row: Row) -> bool:
    return "lora" in row["method"]


INFERRED = (
    Inferred(
        "fused LoRA over a quantised base keeps less than the plain one", lambda row: "lora" in row.get("kernels", ()) and "quant" in row
    ),
    Inferred(
        "Granite with an adapter and recomputation keeps one more hidden tensor", lambda row: "PowerLM" in row["model"] and _lora(row)
    ),
    Inferred("Mixtral: four bytes per hidden element of the router's path", lambda row: "Mixtral" in row["model"]),
    Inferred("FSDP replicates the constants of a quantised base", lambda row: "quant" in row and parallel_of(row)["world"] > 1),
    Inferred("double quantisation of the fms runs, which no row prints", lambda row: "nf4" in str(row.get("quant"))),
)


def inferred(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, Stats | None, Stats | None]]:
    """Each form with the allocated figures of the Hugging Face rows it was read off, and of the rows that are left without
    them; last without the rows of any."""
    rows = [one for one in outcomes if one.family.startswith("fms-")]
    for form in INFERRED:
        mine = [one for one in rows if form.holds(one.row)]
        rest = [one for one in rows if not form.holds(one.row)]
        yield form.text, stats_of(of_metric(mine, "allocated")), stats_of(of_metric(rest, "allocated"))
    clean = [one for one in rows if not any(form.holds(one.row) for form in INFERRED)]
    yield (
        "all of them together",
        stats_of(of_metric([one for one in rows if one not in clean], "allocated")),
        stats_of(of_metric(clean, "allocated")),
    )


@dataclass(frozen=True, slots=True)
class Pool:
    """Median error of the reserved estimate for one source: as shipped, and with the pool constant of all other sources."""

    family: str
    rows: int
    shipped: float
    held_out: float


def pools(outcomes: Sequence[Outcome]) -> Iterator[Pool]:
    """Leave one source out: the median of reserved over allocated in the others, applied to this one."""
    ratios: dict[str, list[tuple[float, float]]] = {}
    for one in outcomes:
        figure = one.of("reserved")
        if figure and one.estimate and one.family != "simulated":
            ratios.setdefault(one.family, []).append((figure.bytes / one.estimate.allocated.bytes, abs(figure.error)))
    for family, rows in sorted(ratios.items()):
        others = [ratio for name, more in ratios.items() if name != family for ratio, _ in more]
        if others:
            factor = median(others)
            held_out = median(abs(factor / ratio - 1) for ratio, _ in rows)
            yield Pool(family, len(rows), median(error for _, error in rows), held_out)
