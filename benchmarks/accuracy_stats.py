"""Figures over many comparisons, and the groups that issue 3 judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from accuracy_score import Comparison, Outcome


@dataclass(frozen=True, slots=True)
class Stats:
    """Shares, not percent. ``worst`` keeps its sign; ``under`` counts estimates below the figure."""

    rows: int
    median: float
    p90: float
    worst: float
    within: float
    under: int
    width: float | None


def stats_of(comparisons: Sequence[Comparison]) -> Stats | None:
    if not comparisons:
        return None
    errors = sorted((one.error for one in comparisons), key=abs)
    widths = [one.width for one in comparisons if one.width is not None]
    return Stats(
        rows=len(errors),
        median=median(map(abs, errors)),
        p90=abs(errors[math.ceil(0.9 * len(errors)) - 1]),
        worst=errors[-1],
        within=sum(one.within for one in comparisons) / len(errors),
        under=sum(error < 0 for error in errors),
        width=median(widths) if widths else None,
    )


def of_metric(outcomes: Iterable[Outcome], metric: str) -> list[Comparison]:
    return [one for outcome in outcomes for one in outcome.comparisons if one.metric == metric]


@dataclass(frozen=True, slots=True)
class Gate:
    """One line that the issue judges: what it is, what was reached, whether that is enough."""

    name: str
    reached: str
    wanted: str
    passed: bool


RESERVED = ("fsdp_qlora", "torchtitan-benchmarks", "torchtitan-commits", "ms-swift-benchmark")


def gates(outcomes: Sequence[Outcome]) -> list[Gate]:
    """Every line of issue 3 that these rows can tell: figures of the highest detail, verdicts of every detail."""
    detailed = [one for one in outcomes if one.row["detail"] == 3]
    face = [one for one in detailed if one.family.startswith("fms-")]
    lit = [one for one in detailed if one.family.startswith("litgpt") and one.row["method"] == "lora"]
    return [
        _errors("Hugging Face, allocated, 1 GPU", of_metric((one for one in face if one.world == 1), "allocated"), 0.005, 0.02),
        _errors("Hugging Face, allocated, FSDP", of_metric((one for one in face if one.world > 1), "allocated"), 0.01, 0.03),
        _errors("LitGPT LoRA, allocated", of_metric(lit, "allocated"), 0.015, 0.04),
        *_reserved(detailed),
        _simulated(of_metric((one for one in outcomes if one.family == "simulated"), "allocated")),
        _ranges(of_metric((one for one in detailed if one.family != "simulated"), "allocated")),
        _verdicts(outcomes, "fitted, called does-not-fit", lambda one: one.row["observation"] in ("measured", "fits")),
        _verdicts(outcomes, "ran out of memory, called fits", lambda one: one.row["observation"] == "oom"),
    ]


def wide_gates(outcomes: Sequence[Outcome]) -> list[Gate]:
    """What issue 7 asks of the rows with every knob known."""
    detailed = [one for one in outcomes if one.row["detail"] == 3]
    return [_median(name, of_metric((one for one in detailed if chosen(one)), metric), most) for name, metric, most, chosen in WIDE]


def _of(*families: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.family in families


WIDE: tuple[tuple[str, str, float, Callable[[Outcome], bool]], ...] = (
    ("Megatron and BigScience, allocated, by pipeline stage", "allocated", 0.05, _of("bigscience-megatron-logs")),
    ("bert-large, device", "device", 0.10, lambda outcome: "bert-large" in outcome.row["model"] and outcome.family != "simulated"),
    ("ViT, allocated", "allocated", 0.08, lambda outcome: "/vit_" in outcome.row["model"]),
    ("Mixtral, allocated", "allocated", 0.05, lambda outcome: "Mixtral" in outcome.row["model"] and outcome.family != "simulated"),
)
"""``(what, figure, largest median error, which rows)``."""


def _median(name: str, comparisons: Sequence[Comparison], most: float) -> Gate:
    found, wanted = stats_of(comparisons), f"median <= {most:.0%}"
    if found is None:
        return Gate(name, "no rows", wanted, False)
    reached = f"median {found.median:.2%}, p90 {found.p90:.2%}, worst {found.worst:+.1%} ({found.rows} rows)"
    return Gate(name, reached, wanted, found.median <= most)


def _errors(name: str, comparisons: Sequence[Comparison], most: float, tail: float) -> Gate:
    found = stats_of(comparisons)
    wanted = f"median <= {most:.1%}, p90 <= {tail:.0%}"
    if found is None:
        return Gate(name, "no rows", wanted, False)
    reached = f"median {found.median:.2%}, p90 {found.p90:.2%}, worst {found.worst:+.1%} ({found.rows} rows)"
    return Gate(name, reached, wanted, found.median <= most and found.p90 <= tail)


def _reserved(outcomes: Sequence[Outcome]) -> list[Gate]:
    rows = [one for one in outcomes if one.family in RESERVED and one.of("reserved")]
    above = [one for one in rows if one.estimate and (figure := one.of("reserved")) and one.estimate.allocated.bytes > 1.02 * figure.high]
    fixed = stats_of(of_metric((one for one in rows if one.row.get("seq_kind") == "exact"), "reserved"))
    return [
        Gate("allocated estimate above a reserved figure by over 2%", f"{len(above)} of {len(rows)} rows", "0", bool(rows) and not above),
        Gate(
            "reserved, fixed lengths (fsdp_qlora, torchtitan, ms-swift)",
            f"median {fixed.median:.1%} ({fixed.rows} rows)" if fixed else "no rows",
            "median <= 12%",
            fixed is not None and fixed.median <= 0.12,
        ),
    ]


def _simulated(comparisons: Sequence[Comparison]) -> Gate:
    found = stats_of(comparisons)
    wanted = "median <= 0.2%, worst <= 2%"
    if found is None:
        return Gate("simulated steps", "no rows", wanted, False)
    reached = f"median {found.median:.3%}, p90 {found.p90:.2%}, worst {found.worst:+.2%} ({found.rows} rows)"
    return Gate("simulated steps", reached, wanted, found.median <= 0.002 and abs(found.worst) <= 0.02)


def _ranges(comparisons: Sequence[Comparison]) -> Gate:
    found = stats_of(comparisons)
    wanted = "90% inside, median width < 10%"
    if found is None or found.width is None:
        return Gate("allocated ranges, detail 3", "no rows", wanted, False)
    reached = f"{found.within:.1%} inside, median width {found.width:.1%} ({found.rows} rows)"
    return Gate("allocated ranges, detail 3", reached, wanted, found.within >= 0.9 and found.width < 0.1)


def _verdicts(outcomes: Sequence[Outcome], wrong: str, among: Callable[[Outcome], bool]) -> Gate:
    asked = [one for one in outcomes if one.estimate and one.estimate.usable_low is not None and among(one)]
    found = [one.id for one in outcomes if one.wrong == wrong]
    named = f": {', '.join(found[:12])}{' ...' if len(found) > 12 else ''}" if found else ""
    return Gate(f"verdict: {wrong}", f"{len(found)} of {len(asked)} rows{named}", "0", bool(asked) and not found)
