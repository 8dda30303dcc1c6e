"""One default of one framework, and the versions it holds for."""

from __future__ import annotations

from budgetlint.record import record


@record
class DefaultRow:
    """``package`` from ``since`` (inclusive) until ``until`` (exclusive) defaults ``key`` to ``value``; "" leaves an end open.

    ``also``: further packages that must be in a range, as ``(package, since, until)``.
    """

    package: str
    key: str
    value: object
    since: str = ""
    until: str = ""
    also: tuple[tuple[str, str, str], ...] = ()
    source: str = ""

    @property
    def ranges(self) -> tuple[tuple[str, str, str], ...]:
        return ((self.package, self.since, self.until), *self.also)
