"""The buckets of a run as bars in Markdown.

GitHub shows no picture that stands in a step summary itself: ``<svg>`` and data URLs are taken out (github/markup#1840, #556), and a
file of the workspace has no address. Block characters in code spans are shown by every renderer, and copied as text.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import gib
from budgetlint.report.bill import WHAT
from budgetlint.report.gfm import code, table
from budgetlint.results.verdict import RunVerdict

CELLS = 24
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bucket_table(verdict: RunVerdict) -> str:
    """The bill of a run, its buckets adding up to the need, with the limit on the same scale."""
    columns = (("bucket", "---"), ("bytes", "---:"), ("share", "---"))
    return table(columns, _rows(verdict))


def _rows(verdict: RunVerdict) -> Iterator[tuple[str, str, str]]:
    need = verdict.need or 0
    scale = max(need, verdict.limit or 0, 1)
    for bucket, name in WHAT.items():
        if size := sum(term.bytes for term in verdict.bill if term.bucket is bucket):
            yield name, gib(size), bar(size, scale)
    yield "**need**", f"**{gib(need)}**", bar(need, scale)
    if verdict.limit is not None:
        yield "limit", gib(verdict.limit), bar(verdict.limit, scale)


def bar(size: int, scale: int) -> str:
    """As a code span of `CELLS` characters at most: what is there at all has an eighth of one."""
    eighths = max(min(size, scale) * CELLS * 8 // scale, 1 if size > 0 else 0)
    return code("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip())
