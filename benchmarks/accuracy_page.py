"""docs/accuracy.md, written from the figures; nothing on it is typed by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from accuracy_holdout import allocated_split, constants, inferred, marked_as_fitted, pools
from accuracy_plot import plot
from accuracy_reasons import mechanism_of
from accuracy_report import reasons, table
from accuracy_score import Comparison, Outcome, load
from accuracy_stats import Stats, gates, wide_gates
from field_cases import reports, score
from rows import Row

from budgetlint.base.units import GIB

OFF = 0.10


def write_page(outcomes: Sequence[Outcome], folder: Path) -> None:
    """``outcomes`` of every detail; the tables show detail 3, the verdicts all rows."""
    (folder / "img").mkdir(parents=True, exist_ok=True)
    (folder / "accuracy.md").write_text("\n".join(_page(outcomes)).rstrip() + "\n", encoding="utf-8")
    (folder / "img" / "accuracy.svg").write_text(plot(_detailed(outcomes)), encoding="utf-8")


def _detailed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.row["detail"] == 3]


def _page(outcomes: Sequence[Outcome]) -> Iterator[str]:
    detailed = _detailed(outcomes)
    yield from _head(outcomes, detailed)
    yield from _gates(detailed, outcomes)
    yield from _sources(detailed)
    yield from _constants(detailed)
    yield from _off(detailed)
    yield from _missing(detailed)
    yield from _cases()
    yield from _peers()


def rows_of(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """A Markdown table; ``right`` are the columns of numbers."""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('--:' if at in right else '---' for at in range(len(head)))} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _head(outcomes: Sequence[Outcome], detailed: Sequence[Outcome]) -> Iterator[str]:
    measured = sum(one.family != "simulated" for one in outcomes)
    simulated = sum(one.family == "simulated" for one in outcomes)
    compared = sum(bool(one.comparisons) for one in detailed if one.family != "simulated")
    yield "# How right the estimates are"
    yield ""
    yield f"Every figure here comes from `python benchmarks/accuracy.py --page`: {measured:,} published observations of training"
    yield f"memory (`benchmarks/data/measurements.jsonl`, each with its source) and {simulated} simulated steps of real transformers code"
    yield "(`benchmarks/data/oracle.jsonl`). Each row becomes a budget that says only what the row says, is estimated, and is compared"
    yield "like with like: allocated with torch's `max_memory_allocated`, reserved with `max_memory_reserved`, active with what lies"
    yield f"between them, device with nvidia-smi. {compared} measured rows of the highest detail, every knob known, have a figure to"
    yield "compare."
    yield ""
    yield "An error is the estimate's distance from the printed digits, as a share of the figure. *Inside* is the share of figures inside"
    yield "the estimate's range, *width* the median width of that range. `python benchmarks/accuracy.py --row fms-009` shows one row:"
    yield "budget, bill, figures."
    yield ""
    yield "![Estimate against measurement, both axes logarithmic](img/accuracy.svg)"
    yield ""


def _gates(detailed: Sequence[Outcome], outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## What is asked of them"
    yield ""
    figures = [gate for gate in gates(detailed) if not gate.name.startswith("verdict")]
    verdicts = [gate for gate in gates(outcomes) if gate.name.startswith("verdict")]
    yield from rows_of(
        ("what", "reached", "wanted", ""),
        ((one.name, one.reached, one.wanted, "yes" if one.passed else "**no**") for one in (*figures, *wide_gates(detailed), *verdicts)),
    )
    yield "Verdicts are judged on rows of every detail whose card and length are stated. Rows whose cause of failure was only presumed, and"
    yield "figures that sum over devices, are left out."
    yield ""
    yield "The Megatron rows were all looked at while the code that ran was searched for: their bytes per parameter (22, after the step"
    yield "20) led to the version whose wrapper leaves gradients behind, the difference between stages to the outputs that a stage keeps."
    yield "The tensors are those of that code; no constant was taken from the rows. The rows of DeepSpeed's engine confirmed the part of an"
    yield "output that it keeps (a quarter of a hidden tensor for each micro batch in flight). 0.65 GiB on its last stage stay unexplained."
    yield ""


def _sources(detailed: Sequence[Outcome]) -> Iterator[str]:
    yield "## By source"
    yield ""
    head = ("source", "figure", "rows", "median", "p90", "worst", "inside", "width", "too low")
    yield from rows_of(head, ((family, metric, *_stats(found)) for family, metric, found in table(detailed)), range(2, 9))
    yield "Where they come from:"
    yield ""
    for family, sources in sorted(_places(detailed).items()):
        listed = [source for source, _ in sources.most_common(3)]
        more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
        yield f"- {family}: {', '.join(f'`{source}`' for source in listed)}{more}"
    yield ""


def _places(outcomes: Sequence[Outcome]) -> dict[str, Counter[str]]:
    places: dict[str, Counter[str]] = {}
    for one in outcomes:
        if one.comparisons:
            places.setdefault(one.family, Counter())[str(one.row["source"])] += 1
    return places


def _stats(found: Stats) -> tuple[str, ...]:
    width = "open" if found.width is None else f"{found.width:.1%}"
    return (
        str(found.rows), f"{found.median:.2%}", f"{found.p90:.2%}", f"{found.worst:+.1%}", f"{found.within:.0%}", width, str(found.under)
    )  # fmt: skip


def _constants(detailed: Sequence[Outcome]) -> Iterator[str]:
    yield "## Constants, and rows kept apart"
    yield ""
    yield "The allocated peak is arithmetic over tensors whose shapes were read in the frameworks' code. What is a number instead:"
    yield ""
    yield from rows_of(
        ("constant", "value (low / best / high)", "rests on", "judged on"),
        ((one.name, one.value, one.rests, one.judged) for one in constants()),
    )
    fitted = marked_as_fitted()
    if fitted:
        yield "Constants of the estimator that are marked as fitted:"
        yield ""
        yield from (f"- `{name}`: {comment}" for name, comment in fitted)
    else:
        yield "No constant of the estimator is marked as fitted on measured rows."
    yield ""
    yield "Allocated figures, by what the sources were used for:"
    yield ""
    head = ("rows", "count", "median", "p90", "worst", "inside", "width", "too low")
    yield from rows_of(head, ((name, *_stats(found)) for name, found in allocated_split(detailed)), range(1, 8))
    yield "Forms that were read off rows and not out of code (or inputs that no row prints), with the Hugging Face rows they come from"
    yield "and the Hugging Face rows without them:"
    yield ""
    yield from rows_of(
        ("form", "rows", "median", "p90", "rows without", "median", "p90"),
        ((text, *_short(mine), *_short(rest)) for text, mine, rest in inferred(detailed)),
        range(1, 7),
    )
    yield "Reserved figures: median error as shipped (the pool constant rests on simulated steps alone), and with a constant taken from the"
    yield "measured rows of every other source:"
    yield ""
    yield from rows_of(
        ("source", "rows", "as shipped", "from the others"),
        ((one.family, str(one.rows), f"{one.shipped:.1%}", f"{one.held_out:.1%}") for one in pools(detailed)),
        (1, 2, 3),
    )


def _short(found: Stats | None) -> tuple[str, str, str]:
    return ("0", "-", "-") if found is None else (str(found.rows), f"{found.median:.2%}", f"{found.p90:.2%}")


def _off(detailed: Sequence[Outcome]) -> Iterator[str]:
    yield "## Rows that are off by more than 10%"
    yield ""
    found: dict[str, list[tuple[Outcome, Comparison]]] = {}
    texts: dict[str, str] = {}
    for outcome in detailed:
        for figure in outcome.comparisons:
            if abs(figure.error) > OFF and not (outcome.family == "simulated" and figure.metric == "reserved"):
                mechanism = mechanism_of(outcome, figure)
                texts[mechanism.name] = mechanism.text
                found.setdefault(mechanism.name, []).append((outcome, figure))
    if not found:
        yield "None."
        yield ""
    for name, pairs in sorted(found.items(), key=lambda item: (item[0] == "driver", -len(item[1]))):
        yield f"### {name}: {len(pairs)}"
        yield ""
        yield texts[name]
        yield ""
        yield ", ".join(_off_by(outcome, figure) for outcome, figure in pairs) + "."
        yield ""


def _off_by(outcome: Outcome, figure: Comparison) -> str:
    return f"{outcome.id} {figure.bytes / GIB:.1f} GiB {figure.metric} ({figure.error:+.0%})"


def _missing(detailed: Sequence[Outcome]) -> Iterator[str]:
    yield "## What is not compared, and why"
    yield ""
    yield from rows_of(("rows", "source", "reason"), ((str(count), family, reason) for (family, reason), count in reasons(detailed)), (0,))


def _cases() -> Iterator[str]:
    total = score(reports())
    yield "## Public bug reports"
    yield ""
    yield "`benchmarks/field_cases.py` turns reports of runs that failed into budgets and configs. The verdict agrees with what happened in"
    yield f"{total.right} of {total.verdicts} runs; [report by report](field-cases.md)."
    yield ""


def _peers() -> Iterator[str]:
    path = "peers.jsonl"
    try:
        found = load(path)
    except FileNotFoundError:
        return
    yield "## Other estimators"
    yield ""
    yield "Published on PyPI, each in a virtual environment of its own, asked for the rows that its interface can express"
    yield "(`python benchmarks/accuracy.py --peers`): single-GPU runs of Hugging Face code without fused kernels. Each is given exact"
    yield "sizes and parameter counts, and its own overheads are taken off. Budgetlint's figures are for the same rows; the ratio takes"
    yield "its median for at least 0.01%."
    yield ""
    head = ("estimator", "on", "rows", "median", "p90", "budgetlint median", "p90", "ratio of medians", "notes")
    yield from rows_of(head, map(_peer, found), range(2, 8))


def _peer(one: Row) -> tuple[str, ...]:
    name = f"{one['name']} {one['version']}".strip()
    if not one["rows"]:
        return name, one["on"] or "-", "0", "-", "-", "-", "-", "-", one["note"]
    figures = (f"{one['median']:.1%}", f"{one['p90']:.1%}", f"{one['ours_median']:.2%}", f"{one['ours_p90']:.1%}")
    return name, one["on"], str(one["rows"]), *figures, f"{one['ratio']:,.0f}x", one["note"]
