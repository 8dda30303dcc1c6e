"""The figures as plain text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from accuracy_score import COMPARED, Comparison, Outcome
from accuracy_stats import Gate, Stats, gates, of_metric, stats_of, wide_gates

from budgetlint.base.units import GIB

HEAD = f"{'source':<26}{'figure':<11}{'rows':>5}{'median':>9}{'p90':>9}{'worst':>10}{'inside':>9}{'width':>8}{'under':>7}"


def families(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({one.family for one in outcomes})


def table(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str, Stats]]:
    """``(source, figure, stats)`` for every source and figure that has rows, then for all measured rows together."""
    for family in families(outcomes):
        rows = [one for one in outcomes if one.family == family]
        for metric in COMPARED:
            found = stats_of(of_metric(rows, metric))
            if found:
                yield family, metric, found
    measured = [one for one in outcomes if one.family != "simulated"]
    for metric in COMPARED:
        found = stats_of(of_metric(measured, metric))
        if found:
            yield "all measured", metric, found


def report(outcomes: Sequence[Outcome]) -> str:
    lines = [HEAD, *(_line(*row) for row in table(outcomes)), ""]
    lines += ["What issue 3 asks", *(_gate(*row) for row in _gates(gates(outcomes))), ""]
    lines += ["What issue 7 asks", *(_gate(*row) for row in _gates(wide_gates(outcomes))), ""]
    lines += ["Wrong verdicts", *([f"  {one.id}: {one.wrong}" for one in outcomes if one.wrong] or ["  none"]), ""]
    lines += ["Not compared", *(f"  {count:>4}  {family}: {reason}" for (family, reason), count in reasons(outcomes))]
    return "\n".join(lines)


def _line(family: str, metric: str, found: Stats) -> str:
    width = "open" if found.width is None else f"{found.width:.1%}"
    return (
        f"{family:<26}{metric:<11}{found.rows:>5}{found.median:>9.2%}{found.p90:>9.2%}{found.worst:>+10.2%}"
        f"{found.within:>9.1%}{width:>8}{found.under:>7}"
    )


def _gates(judged: Sequence[Gate]) -> Iterator[tuple[str, str, str, bool]]:
    for gate in judged:
        yield gate.name, gate.reached, gate.wanted, gate.passed


def _gate(name: str, reached: str, wanted: str, passed: bool) -> str:
    return f"  {'pass' if passed else 'FAIL'}  {name}: {reached}; wanted {wanted}"


def reasons(outcomes: Sequence[Outcome]) -> list[tuple[tuple[str, str], int]]:
    """Why rows are not compared: ``((source, reason), rows)``."""
    return sorted(Counter((one.family, one.reason) for one in outcomes if one.reason).items())


def shown(outcome: Outcome) -> str:
    """One row: source, budget, bill and figures."""
    row = outcome.row
    lines = [f"{outcome.id}  {row['source']}  {row.get('locator', '')}", f"budget  {outcome.text or '-'}"]
    if outcome.reason:
        lines.append(f"not compared: {outcome.reason}")
    estimate = outcome.estimate
    if estimate:
        lines += [f"  {term.bytes:>18,}  {term.bucket.value:<12} {term.what}" for term in estimate.bill]
        lines += [f"  {phase.name:<9}{phase.bytes:>18,}  {phase.moment}" for phase in estimate.phases]
        lines += [f"verdict {estimate.verdict.value}, peak in {estimate.peak_phase}, {estimate.params:,} parameters"]
        lines += [f"assumed {assumption.text}" for assumption in estimate.assumptions]
    return "\n".join([*lines, *map(_figures, outcome.comparisons)])


def _figures(one: Comparison) -> str:
    high = "open" if one.estimate.high is None else f"{one.estimate.high:,}"
    return (
        f"{one.metric}: printed {one.bytes:,} ({one.bytes / GIB:.2f} GiB), estimate {one.estimate.bytes:,}, "
        f"range {one.estimate.low:,} .. {high}: {one.error:+.2%}, {'inside' if one.within else 'outside'}"
    )


def as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "gates": [
            dict(zip(("name", "reached", "wanted", "passed"), row, strict=True))
            for row in _gates([*gates(outcomes), *wide_gates(outcomes)])
        ],
        "rows": [_row(one) for one in outcomes],
    }


def _row(one: Outcome) -> dict[str, Any]:
    return {
        "id": one.id,
        "source": one.row["source"],
        "family": one.family,
        "budget": one.text,
        "reason": one.reason,
        "wrong": one.wrong,
        "verdict": one.estimate.verdict.value if one.estimate else None,
        "figures": [
            {
                "metric": each.metric,
                "bytes": each.bytes,
                "estimate_bytes": each.estimate.bytes,
                "low_bytes": each.estimate.low,
                "high_bytes": each.estimate.high,
                "error": round(each.error, 5),
                "within": each.within,
            }
            for each in one.comparisons
        ],
    }
