"""The picture of one run: its step from loading to the update, what is live in each phase, and the limit as a line."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.term import Bucket
from budgetlint.memory.timeline import timeline
from budgetlint.report.svg import words
from budgetlint.report.svg.axis import moment_names, phase_names, size_axis
from budgetlint.report.svg.bands import bands, names, silhouette
from budgetlint.report.svg.curve import PhaseSpan, peak_of, spans
from budgetlint.report.svg.element import Value, element, escaped
from budgetlint.report.svg.gauge import gauge
from budgetlint.report.svg.legend import ROW, legend, rows_of
from budgetlint.report.svg.measure import fitted, width
from budgetlint.report.svg.scale import Scale
from budgetlint.report.svg.theme import BLACK, FILL, LIGHT, TEXT, TITLE
from budgetlint.rules_api.context import RunContext

LEFT, RIGHT = 76, 632
"""The ends of the curve; the words of the gauge stand right of it."""

HEAD, CURVE, FOOT = 80, 224, 60
WIDTH, PAD = 800, 20


@record
class Panel:
    """A part of a picture: ``body`` from 0 to ``height``."""

    body: str
    height: int


def panel(context: RunContext, number: int, top: int) -> Panel:
    """The picture of one run, its axis ending at ``top`` bytes; ``number`` tells its names from those of other panels."""
    estimate = context.estimate
    if estimate is None or not estimate.bill:
        return Panel("".join((_title(context), _line(words.NOTHING, 46, "dim"))), 62)
    scale = Scale(top, HEAD + CURVE, HEAD)
    outside = _sizes(estimate, (Bucket.CONTEXT, Bucket.ALLOCATOR))
    course = spans(timeline(estimate), outside, LEFT, RIGHT)
    sizes = _sizes(estimate)
    parts = (
        *_head(context, estimate),
        *size_axis(scale, LEFT, RIGHT),
        *bands(course, scale),
        *_over(estimate, course, scale, number),
        *_allowance(estimate, course, scale),
        *gauge(estimate, scale, LEFT, RIGHT),
        *names(course, scale, _lines(estimate, scale)),
        *_peak(course, scale),
        *moment_names(course, HEAD + CURVE),
        *phase_names(course, HEAD + CURVE),
        _line(words.peak(estimate), HEAD + CURVE + FOOT + 14, "ink", font_weight="600"),
        *legend(sizes, PAD, WIDTH - PAD + 16, HEAD + CURVE + FOOT + 26),
    )
    return Panel("".join(parts), HEAD + CURVE + FOOT + 22 + ROW * rows_of(sizes))


def _sizes(estimate: Estimate, only: tuple[Bucket, ...] = tuple(Bucket)) -> dict[Bucket, int]:
    sums: dict[Bucket, int] = {}
    for term in estimate.bill:
        if term.bucket in only:
            sums[term.bucket] = sums.get(term.bucket, 0) + term.bytes
    return sums


# -- words -------------------------------------------------------------------------------------------------------------------


def _line(said: str, y: float, ink: str, **more: str) -> str:
    text = fitted(said, TEXT, WIDTH - 2 * PAD, bold="font_weight" in more)
    return element("text", escaped(text), x=PAD, y=y, font_size=TEXT, class_=ink, fill=LIGHT[ink], **more)


def _title(context: RunContext) -> str:
    said = fitted(context.label, TITLE, WIDTH - 2 * PAD, bold=True)
    return element("text", escaped(said), x=PAD, y=26, font_size=TITLE, font_weight="600", class_="ink", fill=LIGHT["ink"])


def _head(context: RunContext, estimate: Estimate) -> Iterator[str]:
    yield _title(context)
    yield verdict_line(estimate, words.reason(estimate), PAD, 46, WIDTH - 2 * PAD)
    yield _line(words.facts(context, estimate), 64, "dim")


def verdict_line(estimate: Estimate, reason: str, x: float, y: float, room: float, **more: str) -> str:
    """The answer in its colour, then the reason."""
    answer, kind = words.answer(estimate), estimate.verdict.value
    rest = fitted(reason, TEXT, room - width(answer + "  ", TEXT, bold=True))
    said = element("tspan", escaped(answer), font_weight="700", class_=kind, fill=LIGHT[kind])
    return element("text", said, escaped(f"  {rest}"), x=x, y=y, font_size=TEXT, class_="ink", fill=LIGHT["ink"], **more)


# -- marks on the curve ------------------------------------------------------------------------------------------------------


def _lines(estimate: Estimate, scale: Scale) -> tuple[float, ...]:
    """Heights at which something else stands."""
    limit, left = estimate.limit, estimate.activation_allowance
    if limit is None:
        return ()
    return (scale.at(limit), scale.at(limit - left / 2)) if _left(estimate, scale) and left else (scale.at(limit),)


def _peak(course: list[PhaseSpan], scale: Scale) -> Iterator[str]:
    """A triangle on the highest place."""
    knot = peak_of(course)
    y = scale.at(max(span.edges(Bucket.LOGITS, one)[1] for span in course for one in span.knots))
    d = f"M{knot.x:.2f} {y - 1:.2f}l-5 -8h10Z"
    yield element("path", d=d, class_="ink page-line", fill=LIGHT["ink"], stroke=LIGHT["page"], stroke_width=1)


def _over(estimate: Estimate, course: list[PhaseSpan], scale: Scale, number: int) -> Iterator[str]:
    """What lies over the limit is hatched."""
    limit = estimate.limit
    if limit is None or estimate.need.bytes <= limit:
        return
    stripes = element("rect", width=2.5, height=9, fill=BLACK, fill_opacity=0.5)
    tile: dict[str, Value] = {"width": 9, "height": 9, "patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    room = element("rect", x=LEFT, y=scale.end - 20, width=RIGHT - LEFT, height=scale.at(max(limit, 0)) - scale.end + 20)
    yield element("defs", element("pattern", stripes, id=f"over-{number}", **tile), element("clipPath", room, id=f"above-{number}"))
    fill, clip = f"url(#over-{number})", f"url(#above-{number})"
    yield element("path", d=silhouette(course, scale), fill=fill, clip_path=clip, data_over="" if estimate.over is None else estimate.over)


def _left(estimate: Estimate, scale: Scale) -> int:
    """The activation allowance, where there is one to draw."""
    unknown = {"micro_batch", "seq_len"} & set(estimate.missing)
    drawn = unknown and estimate.limit is not None and estimate.limit <= scale.top
    return max(estimate.activation_allowance or 0, 0) if drawn else 0


def _allowance(estimate: Estimate, course: list[PhaseSpan], scale: Scale) -> Iterator[str]:
    """Where batch or length is not known: what the static state leaves for activations."""
    limit, left = estimate.limit, _left(estimate, scale)
    busy = [span for span in course if span.name in ("forward", "backward")]
    if limit is None or not left or not busy:
        return
    x, y, wide, high = busy[0].left, scale.at(limit), busy[-1].right - busy[0].left, scale.at(limit - left) - scale.at(limit)
    green: dict[str, Value] = {
        "fill": FILL[Bucket.ACTIVATIONS],
        "fill_opacity": 0.16,
        "stroke": FILL[Bucket.ACTIVATIONS],
        "stroke_dasharray": "4 3",
    }
    yield element("rect", x=x, y=y, width=wide, height=high, **green, data_allowance=left)
    tokens = f", about {estimate.tokens_that_fit:,} tokens per micro-batch" if estimate.tokens_that_fit else ""
    said = fitted(f"{gib(left)} left for activations{tokens}", TEXT, wide - 8)
    if high >= TEXT + 8:
        ink: dict[str, Value] = {"class_": "ink", "fill": LIGHT["ink"], "text_anchor": "middle"}
        yield element("text", escaped(said), x=x + wide / 2, y=y + high / 2 + TEXT * 0.36, font_size=TEXT, **ink)
