"""The bill of a run as a person reads it at a glance: verdict, need and limit, buckets as bars, the lines that cost most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.record import record
from budgetlint.base.units import both, gib
from budgetlint.memory.estimate import BROKEN, Estimate, Range, Verdict
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket, Term
from budgetlint.report.answer import fork_lines, loud, supposition
from budgetlint.report.headroom import about, against
from budgetlint.report.rank import RANK, rank_line
from budgetlint.report.style import PLAIN, WIDTH, TerminalStyle, cells, plural, wrapped
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting

BAR = 24
LINES = 6

WHAT = {
    Bucket.WEIGHTS: "weights",
    Bucket.GRADIENTS: "gradients",
    Bucket.OPTIMIZER: "optimizer",
    Bucket.ACTIVATIONS: "activations",
    Bucket.LOGITS: "logits",
    Bucket.BUFFERS: "buffers",
    Bucket.ALLOCATOR: "allocator",
    Bucket.CONTEXT: "context, libs",
}


def render(context: RunContext, style: TerminalStyle = PLAIN) -> str:
    """The bill of one run; ends with a line end. A run without an estimate says so."""
    estimate = context.answer
    if estimate is None:
        return f"{one_line(context.label)}: nothing to estimate: no model is known\n"
    parts: tuple[Iterable[str], ...] = (_head(context, estimate, style), _rest(estimate, style))
    if estimate.bill:
        parts = (parts[0], *_body(estimate, style), parts[1])
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _body(estimate: Estimate, style: TerminalStyle) -> tuple[Iterable[str], ...]:
    """What only a run with a known model has."""
    return _bars(estimate, style), _figures(estimate, style), _costly(estimate, style)


# -- the first lines --------------------------------------------------------------------------------------------------------


def _head(context: RunContext, estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    answer = style.verdict(estimate.verdict, loud(estimate))
    first, *more = fork_lines(estimate) or [""]
    yield f"{style.ink(one_line(context.label), 'bold')}: {answer}{f': {first}' if first else ''}{_because(estimate)}"
    for line in (*supposition(estimate), *more, *_of_rows(context, estimate)):
        yield from wrapped(line, WIDTH - 2, first="  ", rest="    ")
    yield from (f"  {line}" for line in _machine(context, estimate))
    if estimate.params is not None:
        trained = estimate.trainable_params
        share = f", {trained:,} of them train" if trained is not None and trained != estimate.params else ""
        yield f"  {estimate.params:,} parameters{share}"
    for line in rank_line(estimate):
        yield from wrapped(line, WIDTH - 2, first="  ", rest="    ")


def _of_rows(context: RunContext, estimate: Estimate) -> Iterator[str]:
    """Of a length that no row need reach, the verdict is one of the longest."""
    short = context.short_rows if estimate.verdict in (Verdict.DOES_NOT_FIT, Verdict.TIGHT) else None
    if short is not None and (short.verdict is Verdict.FITS or (short.may_do and estimate.verdict is Verdict.DOES_NOT_FIT)):
        yield f"only {short.words}"


def _because(estimate: Estimate) -> str:
    need, limit = estimate.need, estimate.limit
    if BROKEN in estimate.missing:
        return ""
    if limit is None:
        needs = f", needs {about(need)}" if estimate.bill else ""
        lacks = (
            "'device cpu' takes the memory that 'host' states" if "host" in estimate.missing else "no budget says what the device offers"
        )
        return f"{needs}; {lacks}"
    return f"{';' if estimate.forks else ','} {against(estimate, limit)}" if estimate.bill else ""


def _machine(context: RunContext, estimate: Estimate) -> Iterator[str]:
    target = context.target
    if target is None or target.device is None or estimate.limit is None:
        return
    device, usable = target.device, estimate.usable_low or target.device.usable_low
    count = f"{device.count}x " if device.count else ""
    held = usable - estimate.limit
    reserve = f" - {gib(held)} reserved" if held else ""
    told = f"limit {gib(estimate.limit)} = {count}{one_line(device.text)}: {both(usable)} usable{reserve}{' per device' if count else ''}"
    yield from wrapped(told, WIDTH - 2, rest="  ")


# -- bars --------------------------------------------------------------------------------------------------------------------


@record
class _Row:
    name: str
    bytes: int
    note: str


def _bars(estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    """What is live at the peak: the rows add up to the need."""
    rows = list(_rows(estimate))
    scale = max([estimate.limit or 0, estimate.need.bytes, 1])
    yield style.ink(f"  live at the peak, in {estimate.peak_phase}", "bold")
    yield from (_row_line(row, scale, style) for row in rows)
    yield _row_line(_Row("need", estimate.need.bytes, _spread(estimate.need)), scale, style, "bold")
    if estimate.limit is not None:
        yield _row_line(_Row("limit", estimate.limit, ""), scale, style)
    yield style.ink("  each tensor, its shape and its code: budgetlint estimate --terms", "dim")


def _row_line(row: _Row, scale: int, style: TerminalStyle, *inks: str) -> str:
    figure = style.ink(f"{gib(row.bytes):>12}", *inks) if inks else f"{gib(row.bytes):>12}"
    return f"  {row.name:<13} {_bar(row.bytes, scale, style):<{BAR}} {figure}  {row.note}".rstrip()


def _rows(estimate: Estimate) -> Iterator[_Row]:
    sums: dict[Bucket, int] = {}
    for term in estimate.bill:
        sums[term.bucket] = sums.get(term.bucket, 0) + term.bytes
    for bucket in Bucket:
        if sums.get(bucket) or bucket in ALLOCATED_BUCKETS[:4]:
            yield _Row(WHAT[bucket], sums.get(bucket, 0), _per_parameter(bucket, sums.get(bucket, 0), estimate))


def _per_parameter(bucket: Bucket, size: int, estimate: Estimate) -> str:
    """Weights by all parameters, gradients and optimizer by those that train."""
    if bucket is Bucket.WEIGHTS:
        return _each(size, estimate.params, "parameter")
    if bucket in (Bucket.GRADIENTS, Bucket.OPTIMIZER):
        partly = estimate.trainable_params != estimate.params
        return _each(size, estimate.trainable_params, "trained parameter" if partly else "parameter")
    return ""


def _each(size: int, count: int | None, what: str) -> str:
    return f"{size / count:.2f} B per {what}" if count and size else ""


_EIGHTHS = " ▏▎▍▌▋▊▉"


def _bar(size: int, scale: int, style: TerminalStyle) -> str:
    if not style.blocks:
        return "#" * max(round(size * BAR / scale), 1 if size else 0)
    eighths = max(size * BAR * 8 // scale, 1 if size else 0)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def _spread(figures: Range) -> str:
    if figures.high is None:
        return f"at least {gib(figures.low)}, no upper end"
    if figures.low == figures.high:
        return "exactly"
    return f"{gib(figures.low)} to {gib(figures.high)}"


# -- figures -----------------------------------------------------------------------------------------------------------------


def _figures(estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    phases = " | ".join(f"{phase.name} {gib(phase.bytes)}" for phase in estimate.phases)
    if phases:
        yield from wrapped(phases, style.width, first="  phases      ", rest="              ")
    asked, pool, shown = WORDS.get(_machine_of(estimate), WORDS["cuda"])
    yield f"  allocated   {_total(estimate.allocated)}   {asked}"
    yield f"  reserved    {_total(estimate.reserved)}   {pool}"
    yield f"  device      {_total(estimate.device_total)}   {shown} (never judged)"
    if estimate.host.bytes:
        yield f"  host        {_total(estimate.host)}   pinned and offloaded, all devices of a node"
    yield from _allowance(estimate)


WORDS = {
    "cuda": ("torch.cuda.max_memory_allocated", "the caching allocator's pool", "what nvidia-smi may show"),
    "apple": ("torch.mps.current_allocated_memory", "torch.mps.driver_allocated_memory", "what the activity monitor may show"),
    "cpu": ("tensors", "with what malloc keeps", "what the system may show as resident"),
}
"""By kind of machine: what says the same as each figure."""


def _machine_of(estimate: Estimate) -> str:
    device = estimate.plan.device if estimate.plan is not None else None
    return "cuda" if device is None else device.kind if device.kind == "cpu" else device.vendor


def _total(figures: Range) -> str:
    return f"{gib(figures.bytes):>12}" if figures.high is not None else f"{gib(figures.low):>12} or more"


def _allowance(estimate: Estimate) -> Iterator[str]:
    if estimate.activation_allowance is not None:
        tokens = estimate.tokens_that_fit
        buys = f": about {tokens:,} tokens per micro-batch" if tokens else ""
        yield f"  allowance   {gib(estimate.activation_allowance):>12}   left for activations{buys}"
    if estimate.devices_needed:
        yield f"  devices     {estimate.devices_needed:>12,}   fits from this many on"


# -- lines that cost most ----------------------------------------------------------------------------------------------------


@record
class BillLine:
    """What one line (or default) costs at the peak. ``where`` is ``file:line``, or the default's source."""

    where: str
    key: str
    text: str
    bytes: int


def costly_lines(bill: Iterable[Term]) -> tuple[BillLine, ...]:
    """The bill by the setting that sets each term, dearest first; they add up to the need exactly."""
    sums: dict[tuple[str, str, str], int] = {}
    for term in bill:
        key = _line_of(term)
        sums[key] = sums.get(key, 0) + term.bytes
    lines = [BillLine(where, key, text, size) for (where, key, text), size in sums.items()]
    return tuple(sorted(lines, key=lambda line: -line.bytes))


def _line_of(term: Term) -> tuple[str, str, str]:
    setting = next((one for one in term.because if one.origin.location), None) or next(iter(term.because), None)
    return ("", WHAT[term.bucket], "") if setting is None else _named(setting)


def _named(setting: Setting) -> tuple[str, str, str]:
    at = setting.origin.location
    where = f"{at.file}:{at.line}" if at else (setting.origin.note or "default")
    return where, setting.origin.key or setting.name, setting.shown


def _costly(estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    lines = [line for line in costly_lines(estimate.bill) if line.bytes > 0]
    if not any(line.where for line in lines):
        return
    yield style.ink("  the lines that cost most", "bold")
    for line in lines[:LINES]:
        said = f"{line.key}: {line.text}" if line.text else f"{line.key} (no setting)"
        figure, where = f"  {gib(line.bytes):>12}  {one_line(said)}", one_line(line.where)
        if cells(f"{figure}  {where}") <= WIDTH:
            yield f"{figure}  {style.ink(where, 'dim')}".rstrip()
            continue
        yield figure
        yield from (style.ink(part, "dim") for part in wrapped(where, WIDTH, " " * 16, " " * 16))
    rest = sum(line.bytes for line in lines[LINES:])
    if rest:
        yield f"  {gib(rest):>12}  {plural(len(lines) - LINES, 'more line')}"


def _rest(estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    assumptions = [one for one in estimate.assumptions if not one.text.startswith(RANK)]  # said in the head
    if assumptions:
        yield style.ink("  assumed", "bold")
    for assumption in assumptions:
        yield from wrapped(assumption.text, style.width, first="  - ", rest="    ")
