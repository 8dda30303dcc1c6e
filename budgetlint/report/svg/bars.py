"""The buckets of several runs, a bar each on one scale, with the limit of each as a line through its bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.term import Bucket
from budgetlint.report.bill import WHAT
from budgetlint.report.style import plural
from budgetlint.report.svg import words
from budgetlint.report.svg.element import Value, element, escaped
from budgetlint.report.svg.legend import SWATCH
from budgetlint.report.svg.measure import fitted, width
from budgetlint.report.svg.scale import Scale, top_of
from budgetlint.report.svg.theme import FILL, LIGHT, SMALL, STACK, TEXT, TITLE, on
from budgetlint.report.svg.timeline import PAD, WIDTH, Panel, verdict_line
from budgetlint.rules_api.context import RunContext

ROW, THICK, HEAD = 46, 16, 40
ROWS = 24


@record
class _Row:
    context: RunContext
    estimate: Estimate
    top: float

    @property
    def bar(self) -> float:
        return self.top + 20


def bars(contexts: Sequence[RunContext]) -> Panel:
    """One bar a run: what is live at its peak. Runs without a model have none; more than `ROWS` are counted."""
    known = [(context, context.estimate) for context in contexts if context.estimate is not None and context.estimate.bill]
    rows = [_Row(context, estimate, HEAD + ROW * n) for n, (context, estimate) in enumerate(known[:ROWS])]
    needs = [(row.estimate.need.bytes, row.estimate.need.high) for row in rows]
    scale = Scale(top_of(needs, [row.estimate.limit for row in rows if row.estimate.limit is not None]), PAD, WIDTH - PAD)
    ground = HEAD + ROW * len(rows)
    parts = [_heading(), *_ticks(scale, ground), *(piece for row in rows for piece in _row(row, scale)), *_key(rows, ground + 30)]
    if len(known) > ROWS:
        parts.append(_text(f"{plural(len(known) - ROWS, 'more run')} not drawn", PAD, ground + 64, "dim", TEXT))
    return Panel("".join(parts), ground + (72 if len(known) > ROWS else 46))


def _key(rows: Sequence[_Row], y: float) -> Iterator[str]:
    """The colours that are used, the line and the bar below."""
    used = {term.bucket for row in rows for term in row.estimate.bill if term.bytes > 0}
    x = float(PAD)
    for bucket in (one for one in STACK if one in used):
        yield element("rect", x=x, y=y, width=SWATCH, height=SWATCH, rx=2, fill=FILL[bucket])
        yield _text(WHAT[bucket], x + SWATCH + 4, y + SWATCH - 1.5, "dim")
        x += SWATCH + 4 + width(WHAT[bucket], SMALL) + 8
    ink: dict[str, Value] = {"class_": "ink-line", "stroke": LIGHT["ink"], "fill": "none"}
    yield element("path", d=f"M{x + 3:.2f} {y - 1}v13", stroke_width=2.5, **ink)
    yield _text("limit", x + 10, y + SWATCH - 1.5, "dim")
    x += 10 + width("limit", SMALL) + 8
    yield element("path", d=f"M{x:.2f} {y + 3}v6m0 -3h16m0 -3v6", stroke_width=1.5, **ink)
    yield _text("range", x + 21, y + SWATCH - 1.5, "dim")


def _heading() -> str:
    return _text("What each run needs at its peak", PAD, 26, "ink", TITLE, font_weight="600")


def _ticks(scale: Scale, ground: float) -> Iterator[str]:
    ticks = scale.ticks(8)
    for size, figure in ticks:
        x = scale.at(size)
        yield element("line", x1=x, x2=x, y1=HEAD, y2=ground, class_="grid", stroke=LIGHT["grid"], data_tick=size)
        last = size == ticks[-1][0]
        said = f"{figure} {scale.unit[1]}" if last else figure
        yield _text(said, x, ground + 14, "dim", text_anchor="start" if not size else "end" if last and x > WIDTH - 60 else "middle")


def _row(row: _Row, scale: Scale) -> Iterator[str]:
    answer, short = words.answer(row.estimate), words.short(row.estimate)
    room = WIDTH - 2 * PAD - width(answer, TEXT, bold=True) - width(f"  {short}", TEXT) - 16
    name = fitted(row.context.label, TEXT, room, bold=True)
    yield element("rect", x=PAD - 4, y=row.top, width=WIDTH - 2 * PAD + 8, height=row.bar - row.top, class_="page", fill=LIGHT["page"])
    yield _text(name, PAD, row.top + 14, "ink", TEXT, font_weight="600")
    yield verdict_line(row.estimate, short, WIDTH - PAD, row.top + 14, WIDTH, text_anchor="end")
    yield from _segments(row, scale)
    yield from _whisker(row, scale)
    yield from _limit(row, scale)


def _segments(row: _Row, scale: Scale) -> Iterator[str]:
    sizes = [(bucket, sum(term.bytes for term in row.estimate.bill if term.bucket is bucket)) for bucket in STACK]
    ends = list(accumulate(max(size, 0) for _, size in sizes))
    for (bucket, size), end in zip(sizes, ends, strict=True):
        if size <= 0:
            continue
        x, right = scale.clipped(end - size), scale.clipped(end)
        title = element("title", escaped(f"{WHAT[bucket]}: {gib(size)}"))
        place: dict[str, Value] = {"x": x, "y": row.bar, "width": right - x, "height": THICK}
        yield element("rect", title, **place, fill=FILL[bucket], data_bucket=bucket.value, data_bytes=size)
        yield from _named(bucket, size, x, right, row, scale)


def _named(bucket: Bucket, size: int, x: float, right: float, row: _Row, scale: Scale) -> Iterator[str]:
    """The name and the figure in the segment where both fit, else the name; beside the limit's line, not on it."""
    limit = row.estimate.limit
    cut = scale.at(limit) if limit is not None and x < scale.at(limit) < right else None
    for start, end in _pieces(x, right, cut):
        for said in (f"{WHAT[bucket]} {gib(size)}", WHAT[bucket]):
            if width(said, SMALL) + 8 <= end - start:
                yield element(
                    "text", escaped(said), x=(start + end) / 2, y=row.bar + THICK / 2 + SMALL * 0.36, font_size=SMALL, text_anchor="middle",
                    fill=on(FILL[bucket]),
                )  # fmt: skip
                return


def _pieces(x: float, right: float, cut: float | None) -> list[tuple[float, float]]:
    if cut is None:
        return [(x, right)]
    return sorted([(x, cut - 3), (cut + 3, right)], key=lambda piece: piece[0] - piece[1])


def _whisker(row: _Row, scale: Scale) -> Iterator[str]:
    """The range of the need under the bar."""
    need, y = row.estimate.need, row.bar + THICK + 4
    low, high = scale.clipped(max(need.low, 0)), scale.clipped(scale.top if need.high is None else need.high)
    ink: dict[str, Value] = {"class_": "ink-line", "stroke": LIGHT["ink"], "stroke_width": 1.5, "fill": "none"}
    closed = need.high is not None and need.high <= scale.top
    end = f"M{high:.2f} {y - 3}v6" if closed else f"M{high - 4:.2f} {y - 3}l4 3l-4 3"
    yield element("path", d=f"M{low:.2f} {y - 3}v6M{low:.2f} {y}H{high:.2f}{end}", **ink)


def _limit(row: _Row, scale: Scale) -> Iterator[str]:
    limit = row.estimate.limit
    if limit is None:
        return
    x, y = scale.clipped(max(limit, 0)), row.bar - 3
    if limit > scale.top:
        yield element("path", d=f"M{x - 6:.2f} {y + 5}l6 6l-6 6", class_="limit", stroke=LIGHT["limit"], stroke_width=2, fill="none")
        return
    line: dict[str, Value] = {"x1": x, "x2": x, "y1": y, "y2": row.bar + THICK + 3}
    yield element("line", **line, class_="page-line", stroke=LIGHT["page"], stroke_width=5, stroke_opacity=0.8)
    yield element("line", **line, class_="limit", stroke=LIGHT["limit"], stroke_width=2.5, data_limit=limit)


def _text(said: str, x: float, y: float, ink: str, size: float = SMALL, **more: str) -> str:
    return element("text", escaped(said), x=x, y=y, font_size=size, class_=ink, fill=LIGHT[ink], **more)
