"""A run breaks an `assert` of its budget.

An assert over bytes is judged at the low end of the estimate, so that it is only called broken when it is: a breach that
depends on where in the range the truth lies is a warning. An assert over a setting (`assert optimizer != sgd`) is judged by
the run's own value; a value that is not known here is told as information. Any setting can be asked for, by its name in a budget
(`seq`, `lora.r`) or by its name in `budgetlint estimate --settings` (`learning_rate`, `weight_decay`, `lr_scheduler`); where nobody
states `global_batch`, it is micro batch x accumulation x data-parallel devices.

## What it costs

Whatever the assert guards: room for another process, a house rule, an agreed batch.

## Failing

```budget
device a100-80gb; model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 4; seq 1024
assert optimizer <= 10GiB, "leave the states room to grow"
```

## Passing

```budget
device a100-80gb; model qwen2.5-1.5b; precision bf16; optimizer adamw8bit; batch 4; seq 1024
assert optimizer <= 10GiB
```

## Sources

- The budget itself; what each name means: `grammar/LANGUAGE.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from budgetlint.base.numerals import exact
from budgetlint.base.record import record
from budgetlint.base.units import Amount, parse_amount
from budgetlint.language.asserted import asserted_settings
from budgetlint.language.asserts import compared_setting
from budgetlint.language.tree import Assert, SumTerm, Value
from budgetlint.rule import Bucket, Confidence, Estimate, Finding, Origin, OriginKind, Range, Rule, RunContext, Setting, Severity, Span, gib

from ._asserted import COMPARE, asked, holds, read_as

CHANGE = "change the setting, or the assert"


def check(run: RunContext) -> Iterator[Finding]:
    for statement in run.budget_run.asserts if run.budget_run else ():
        name = compared_setting(statement)
        yield from _setting(run, statement, name) if name else _figures(run, statement)


# -- sums of bytes and counts ------------------------------------------------------------------------------------------


@record
class _Sum:
    """Lowest, best and highest value of one side; ``high`` None is open."""

    low: int
    best: int
    high: int | None


def _figures(run: RunContext, statement: Assert) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.params is None:
        return
    left, right = _sum(run, estimate, statement.left), _sum(run, estimate, statement.right)
    if left is None or right is None:
        return
    compare = COMPARE[statement.comparison]
    if compare(left.best, right.best) and not _surely_broken(left, right, compare):
        return
    sure = _surely_broken(left, right, compare)
    words = f"{_words(statement.left)} is {_shown(statement.left, left.best)}, not {statement.comparison} {_words(statement.right)}"
    told = f" ({_shown(statement.right, right.best)})" if not _is_literal(statement.right) else ""
    yield _finding(
        run,
        statement,
        f"{run.label}: {words}{told}" + ("" if sure else "; inside the range of the estimate it may hold"),
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        numbers={"left": left.best, "left_low": left.low, "right": right.best},
    )


def _surely_broken(left: _Sum, right: _Sum, compare: Callable[[int, int], bool]) -> bool:
    """Broken at every end of both ranges (an open end can always save it)."""
    if left.high is None or right.high is None:
        ends = [(left.low, right.best)] if right.high is not None else []
        return bool(ends) and not compare(left.low, right.best) and not compare(left.low + 1, right.best)
    return not any(compare(one, other) for one in (left.low, left.best, left.high) for other in (right.low, right.best, right.high))


def _sum(run: RunContext, estimate: Estimate, terms: Iterable[SumTerm]) -> _Sum | None:
    from fractions import Fraction  # 3 ms of a process, and most budgets assert nothing

    low = best = 0
    high: int | None = 0
    for term in terms:
        figure = _value(run, estimate, term.value)
        if figure is None:
            return None
        part = exact(term.share.text.rstrip("%")) if term.share else Fraction(100)
        if part is None:
            return None
        scale = part / 100 * term.sign
        ends = (int(figure.low * scale), None if figure.high is None else int(figure.high * scale))
        best += int(figure.best * scale)
        low += ends[0] if scale >= 0 or ends[1] is None else ends[1]
        top = ends[1] if scale >= 0 else ends[0]
        high = None if high is None or top is None else high + top
    return _Sum(low, best, high)


def _value(run: RunContext, estimate: Estimate, value: object) -> _Sum | None:
    if not isinstance(value, Value):
        return None
    if value.kind == "quantity":
        amount = parse_amount(value.text)
        return _Sum(amount.bytes, amount.bytes, amount.bytes) if isinstance(amount, Amount) else None
    if value.kind == "number":
        number = exact(value.text)
        return None if number is None else _exactly(int(number))
    return _named(run, estimate, value.text)


def _named(run: RunContext, estimate: Estimate, name: str) -> _Sum | None:
    ranges = {"peak": estimate.need, "allocated": estimate.allocated, "reserved": estimate.reserved, "host": estimate.host}
    if name in ranges:
        return _of(ranges[name])
    if name in ("usable", "device"):
        spec = run.target.device if run.target else None
        figure = spec and (spec.usable_low if name == "usable" else spec.nominal)
        return _exactly(figure) if figure else None
    if name in ("params", "trainable"):
        return _exactly(estimate.params if name == "params" else estimate.trainable_params)
    if name == "context":
        return _exactly(sum(term.bytes for term in estimate.bill if term.bucket is Bucket.CONTEXT))
    return _exactly(estimate.buckets.get(Bucket("gradients" if name == "grads" else name)))


def _of(figures: Range) -> _Sum:
    return _Sum(figures.low, figures.bytes, figures.high)


def _exactly(figure: int | None) -> _Sum | None:
    return None if figure is None else _Sum(figure, figure, figure)


# -- settings ----------------------------------------------------------------------------------------------------------


def _setting(run: RunContext, statement: Assert, written: str) -> Iterator[Finding]:
    name, _ = asserted_settings()[written]
    setting, wanted = asked(run, name), statement.right[0].value
    if not isinstance(wanted, Value):
        return
    kept = None if setting is None else holds(setting, statement.comparison, wanted)
    if setting is None or kept is None:
        yield _finding(
            run, statement, f"{run.label}: {written} is not known here, so this assert judges nothing", help=CHANGE, severity=Severity.INFO
        )
    elif not kept:
        found = read_as(setting)
        demand = f"the budget demands {written} {statement.comparison} {wanted.text}"
        numbers = {"value": found.value} if isinstance(found.value, (int, float)) else {}
        yield _finding(run, statement, f"{run.label}: {written} is {found.shown}, {demand}", because=(found,), numbers=numbers)


# -- telling -----------------------------------------------------------------------------------------------------------


def _finding(
    run: RunContext,
    statement: Assert,
    message: str,
    *,
    help: str = "`budgetlint estimate` shows the bill behind each name",
    severity: Severity = Severity.ERROR,
    confidence: Confidence = Confidence.HIGH,
    because: Iterable[Setting] = (),
    numbers: dict[str, int | float] | None = None,
) -> Finding:
    why = statement.message.content if statement.message else ""
    origin = Origin(OriginKind.BUDGET, statement.source, statement.span, "assert")
    return run.finding(
        origin,
        message + (f": {why}" if why else ""),
        help=help,
        severity=severity,
        confidence=confidence,
        because=because,
        numbers=numbers or {},
        value=_text(statement, Span(statement.span.start, statement.span.end)),
    )


def _text(statement: Assert, span: Span) -> str:
    return statement.source.text[span.start : span.end] if statement.source else ""


def _words(terms: Iterable[SumTerm]) -> str:
    parts: list[str] = []
    for term in terms:
        text = term.value.text if isinstance(term.value, Value) else ""
        share = f"{term.share.text} of " if term.share else ""
        parts.append(f"{'- ' if term.sign < 0 else '+ ' if parts else ''}{share}{text}")
    return " ".join(parts)


def _is_literal(terms: tuple[SumTerm, ...]) -> bool:
    first = terms[0]
    return len(terms) == 1 and isinstance(first.value, Value) and first.value.kind in ("quantity", "number") and first.share is None


def _shown(terms: tuple[SumTerm, ...], figure: int) -> str:
    values = [term.value for term in terms if isinstance(term.value, Value)]
    counts = any(value.kind == "number" or value.text in ("params", "trainable") for value in values)
    return f"{figure:,}" if counts else gib(figure)


RULE = Rule(
    code="BL103",
    name="assert-broken",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("budget",),
    fix="none",
    harm=8.0,
)
